"""One module of views a resource."""
