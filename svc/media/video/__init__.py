"""Video: storyboard, encoding and the described version."""
