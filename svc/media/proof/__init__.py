"""Proof: certificate, Content Credentials and their verification."""
