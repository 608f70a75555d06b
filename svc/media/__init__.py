"""Brief in, files out: the media engine, usable without the rest of the service."""
