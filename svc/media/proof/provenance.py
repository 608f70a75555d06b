"""Provenance: what produced each part of a programme, for the disclosure and the Content Credentials."""

from dataclasses import dataclass

from svc.media.model import Script, Timeline

_NEWSCODES = "http://cv.iptc.org/newscodes/digitalsourcetype/"  # IPTC's vocabulary, which C2PA requires
ALGORITHM = _NEWSCODES + "algorithmicMedia"
MIXED = _NEWSCODES + "compositeWithTrainedAlgorithmicMedia"


@dataclass(frozen=True)
class Origin:
    """``part``: "script", "voice" or "picture"; ``maker``: its name and version; ``trained``: whether it is a trained model."""

    part: str
    maker: str
    trained: bool = False


def list_origins(script: Script, timeline: Timeline) -> tuple[Origin, ...]:
    """Return the origin of the script, the voice and the picture."""
    return (
        Origin("script", script.author or "this service's rules", bool(script.author)),
        Origin("voice", timeline.voice or "espeak-ng 1.52", bool(timeline.voice)),
        Origin("picture", "this service's drawing rules"),
    )


def source_type(origins: tuple[Origin, ...]) -> str:
    """Return the IPTC digital source type of a video: algorithmic, or composite with parts by a trained model."""
    return MIXED if any(origin.trained for origin in origins) else ALGORITHM
