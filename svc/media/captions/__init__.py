"""Captions, transcripts, chapters, and the text beside a video where it is published."""
