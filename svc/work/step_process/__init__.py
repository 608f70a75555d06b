"""A step of a production in a process of its own, so that it can be killed."""
