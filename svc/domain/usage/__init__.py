"""Request history, usage figures and costs."""
