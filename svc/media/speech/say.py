"""``python -m svc.media.speech.say VOICE LANGUAGE FILE.wav``: says the text on standard input with
one voice, for listening.

It writes ``{}`` to standard output, or ``{"wrong": sentence}``.
"""

import json
import sys
from pathlib import Path

import numpy

from svc.media import audio
from svc.media.errors import NarrationError
from svc.media.model import Presenter
from svc.media.resources import Resources
from svc.media.speech import narration
from svc.media.speech.trained.voice import Trained
from svc.media.text import tokens
from svc.media.voice import SpokenPassage

_ESPEAK = "espeak-ng"
_SILENCE = 0.3  # seconds before and after


def main(name: str, language: str, target: str) -> None:
    lost: list[str] = []
    try:
        words = tokens.tokenize_text(sys.stdin.read(), language)
        if not words:
            raise NarrationError("There is nothing to say in the text.")
        passage = SpokenPassage(
            tuple(word.spoken for word in words), (), _list_sentence_ends(words)
        )
        resources = (
            Resources()
            if name == _ESPEAK
            else Resources(voice=Trained(lost=lambda voice, reason: lost.append(reason)))
        )
        avatar = Presenter("", speaker="" if name == _ESPEAK else name)
        [(samples, _)] = narration.speak([passage], language, avatar, resources=resources)
        if lost:
            raise NarrationError(f"The voice {name} cannot be loaded ({lost[0]}).")
        padded = numpy.pad(samples, round(_SILENCE * audio.SAMPLE_RATE))
        audio.write_wav(Path(target), audio.normalise(padded))
    except NarrationError as error:
        print(json.dumps({"wrong": error.message}))
        return
    print("{}")


def _list_sentence_ends(words: list[tokens.Token]) -> tuple[int, ...]:
    return tuple(index for index, word in enumerate(words) if word.ends)


if __name__ == "__main__":
    main(*sys.argv[1:])
