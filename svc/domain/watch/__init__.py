"""Watch pages: posts and their viewing figures."""
