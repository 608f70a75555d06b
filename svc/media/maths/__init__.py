"""Formulas: a subset of LaTeX, read as a tree, typeset as a picture and read aloud."""
