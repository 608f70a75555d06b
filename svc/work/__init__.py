"""The engine: it takes the work that the tables hold, step by step, and is the one process that drives it."""
