"""Pages of the console for operators."""
