"""The version of the program, defined only here."""

VERSION = "1.0.0"
