"""What made the parts of a programme, and whether a trained model did: what the disclosure and the Content Credentials say."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from svc.media import files

_NEWSCODES = "http://cv.iptc.org/newscodes/digitalsourcetype/"  # IPTC's vocabulary, which C2PA asks for
ALGORITHM = _NEWSCODES + "algorithmicMedia"
TRAINED = _NEWSCODES + "trainedAlgorithmicMedia"
MIXED = _NEWSCODES + "compositeWithTrainedAlgorithmicMedia"


@dataclass(frozen=True)
class Origin:
    """``part``: "script", "voice" or "picture"; ``maker``: its name and version."""

    part: str
    maker: str
    trained: bool = False


OWN = (
    Origin("script", "this service's rules"),
    Origin("voice", "espeak-ng 1.52"),
    Origin("picture", "this service's drawing rules"),
)


def note(folder: Path, origin: Origin) -> None:
    """Leave word that something else than our own rules made a part."""
    files.write_text(folder / f"origin-{origin.part}.json", json.dumps(asdict(origin)))


def noted(folder: Path) -> tuple[Origin, ...]:
    """Who made each part."""
    found = {each.part: each for each in OWN}
    for path in sorted(folder.glob("origin-*.json")):
        origin = Origin(**json.loads(path.read_text("utf-8")))
        found[origin.part] = origin
    return tuple(found.values())


def source_type(origins: tuple[Origin, ...]) -> str:
    """The IPTC term for a film: by algorithm alone, with parts by a trained model, or wholly by trained models."""
    trained = [each.trained for each in origins]
    return TRAINED if all(trained) else MIXED if any(trained) else ALGORITHM
