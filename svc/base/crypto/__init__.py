"""Keys, signatures and encryption."""
