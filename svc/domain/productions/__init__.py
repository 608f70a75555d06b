"""Productions from the trigger to their retention: progress, release, publications, listing."""
