"""The request history, usage counters and costs."""
