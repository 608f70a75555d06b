"""Watch pages: posts and viewing statistics."""
