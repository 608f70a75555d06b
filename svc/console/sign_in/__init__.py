"""Signing in to the console: access checks, second factor, profile, flood gate."""
