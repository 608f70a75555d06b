"""The text that stands beside a video where it is published."""
