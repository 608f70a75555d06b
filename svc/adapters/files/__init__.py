"""The stores of finished files: the data directory, or a bucket."""
