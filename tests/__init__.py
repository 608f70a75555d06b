"""The tests, as a package of its own: some wheels install a package `tests`, which would stand before a folder without this."""
