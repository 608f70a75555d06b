"""What the first page of the console and the command line show of the whole service."""
