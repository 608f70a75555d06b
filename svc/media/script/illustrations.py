"""Choosing the picture of a prose scene by its words."""

from svc.media.model import VideoBrief
from svc.media.pictures import search
from svc.media.text import tokens as words


def find(tokens: list[words.Token], brief: VideoBrief) -> str:
    """Return the name of the picture that shows what the words speak of; empty if none fits well enough."""
    return search.find(" ".join(token.written for token in tokens), brief.language)
