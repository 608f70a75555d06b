"""The files of productions: those that travel between steps, and those that are finished."""
