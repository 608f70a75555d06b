"""Pictures: illustrations, line icons and flags that are part of the program, found by words."""
