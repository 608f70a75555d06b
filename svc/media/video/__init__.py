"""Video: storyboard, whole frames, encoding and the described version."""
