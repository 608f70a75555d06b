"""``python -m svc.media.selftest``: reports as JSON whether the encoder, the voices and the fonts
work.

It runs in a process of its own, so that the caller need not load the libraries that are checked.
"""

import json
import sys

from svc.media import fonts
from svc.media.model import Presenter
from svc.media.speech.espeak import Espeak
from svc.media.video import encoding
from svc.media.voice import SpokenPassage

_SAMPLES = {
    "Latin": "Tides",
    "Cyrillic": "Приливы",
    "Arabic": "المد",
    "Hebrew": "גאות",
    "Devanagari": "ज्वार",
    "Thai": "น้ำ",
}


def main() -> int:
    checks = (("encoder", _encoder), ("voices", _voices), ("fonts", _fonts))
    json.dump({name: _run_check(check) for name, check in checks}, sys.stdout)
    return 0


def _run_check(check) -> dict:
    try:
        return {"ok": True, "text": check()}
    except Exception as error:  # any failure of a library is a result to report
        return {"ok": False, "text": f"{type(error).__name__}: {error}"}


def _encoder() -> str:
    codec = encoding.av.codec.Codec("libx264", "w")
    encoding.av.codec.Codec("aac", "w")
    return f"{codec.long_name}, of FFmpeg {encoding.av.ffmpeg_version_info}"


def _voices() -> str:
    [utterance] = Espeak().utter([SpokenPassage(("Tides.",))], "en", Presenter(""))
    return f"espeak-ng speaks ({len(utterance.samples)} samples of one word)"


def _fonts() -> str:
    samples = _SAMPLES.items()
    missing = {
        script: characters
        for script, text in samples
        if (characters := fonts.find_undrawable_characters(text))
    }
    if missing:
        raise LookupError(f"no font has {missing}")
    return ", ".join(f"{script}: {fonts.choose_family(text)}" for script, text in _SAMPLES.items())


if __name__ == "__main__":
    sys.exit(main())
