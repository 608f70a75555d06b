"""``python -m svc.media.checkup``: whether the encoder, the voices and the fonts are there, as JSON by their names.

A process of its own, since whoever asks does not load what it looks at.
"""

import json
import sys

from svc.media import encoding, fonts
from svc.media.espeak import Espeak
from svc.media.programme import Presenter
from svc.media.voice import SpokenPassage

_SAMPLES = {"Latin": "Tides", "Cyrillic": "Приливы", "Arabic": "المد", "Hebrew": "גאות", "Devanagari": "ज्वार", "Thai": "น้ำ"}


def main() -> int:
    found = {name: _try(check) for name, check in (("encoder", _encoder), ("voices", _voices), ("fonts", _fonts))}
    json.dump(found, sys.stdout)
    return 0


def _try(check) -> dict:
    try:
        return {"ok": True, "text": check()}
    except Exception as missing:  # whatever is wrong with a library is what is to be told
        return {"ok": False, "text": f"{type(missing).__name__}: {missing}"}


def _encoder() -> str:
    codec = encoding.av.codec.Codec("libx264", "w")
    encoding.av.codec.Codec("aac", "w")
    return f"{codec.long_name}, of FFmpeg {encoding.av.ffmpeg_version_info}"


def _voices() -> str:
    [spoken] = Espeak().utter([SpokenPassage(("Tides.",))], "en", Presenter("nobody"))
    return f"espeak-ng speaks ({len(spoken.samples)} samples of one word)"


def _fonts() -> str:
    samples = _SAMPLES.items()
    missing = {script: characters for script, text in samples if (characters := fonts.undrawable_characters(text))}
    if missing:
        raise LookupError(f"no font has {missing}")
    return ", ".join(f"{script}: {fonts.family_for(text)}" for script, text in _SAMPLES.items())


if __name__ == "__main__":
    sys.exit(main())
