"""What made the parts of a programme, and whether a trained model did: what the disclosure and the Content Credentials say."""

from dataclasses import dataclass

from svc.media.programme import Script, Timeline

_NEWSCODES = "http://cv.iptc.org/newscodes/digitalsourcetype/"  # IPTC's vocabulary, which C2PA asks for
ALGORITHM = _NEWSCODES + "algorithmicMedia"
MIXED = _NEWSCODES + "compositeWithTrainedAlgorithmicMedia"


@dataclass(frozen=True)
class Origin:
    """``part``: "script", "voice" or "picture"; ``maker``: its name and version."""

    part: str
    maker: str
    trained: bool = False


def list_origins(script: Script, timeline: Timeline) -> tuple[Origin, ...]:
    """Who made each part."""
    return (
        Origin("script", script.author or "this service's rules", bool(script.author)),
        Origin("voice", timeline.voice or "espeak-ng 1.52", bool(timeline.voice)),
        Origin("picture", "this service's drawing rules"),
    )


def source_type(origins: tuple[Origin, ...]) -> str:
    """The IPTC term for a film: by algorithm alone, or with parts that a trained model made."""
    return MIXED if any(each.trained for each in origins) else ALGORITHM
