"""Agendas: lists that announce the programme of a video or of an event."""
