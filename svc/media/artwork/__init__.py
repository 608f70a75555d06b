"""The pictures that come with the program, and how they become pixels."""
