"""The version of the program: here and nowhere else."""

VERSION = "1.0.0"
