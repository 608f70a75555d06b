"""The outside world: partners' endpoints, files on the disk, people who are to be told."""
