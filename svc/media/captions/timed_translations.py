"""Captions in further languages: gives the words of the translated sentences their times, and
writes the caption files.

A translated sentence is shown while its original is spoken. Its words have no times of their own:
they share those of the sentence by their length.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import accumulate, pairwise
from pathlib import Path

from svc.base.deliverable_kinds import CAPTION_FORMATS
from svc.media.captions import captions, stored_translations
from svc.media.captions.stored_translations import Translation
from svc.media.deliverables import name_captions_file
from svc.media.model import (
    NO_VISUAL,
    Point,
    Scene,
    SceneTiming,
    Script,
    Timeline,
    Word,
    load_script,
    load_timeline,
)
from svc.media.text import long_words, tokens


def find_sentence_bounds(scene: Scene) -> list[tuple[int, int]]:
    """Return the first and the last word (inclusive) of each sentence of ``scene``."""
    last = len(scene.words) - 1
    ends = sorted({end for end in scene.sentence_ends if 0 <= end < last} | {last})
    return [(first + 1, end) for first, end in pairwise([-1, *ends])]


def translate_programme(
    script: Script, timeline: Timeline, translation: Translation
) -> tuple[Script, Timeline]:
    """Return ``script`` and ``timeline`` with the words of a translation,
    and when they are shown.
    """
    pairs = [
        translate_scene(scene, timing, said, translation.language)
        for scene, timing, said in zip(
            script.scenes, timeline.scenes, translation.scenes, strict=True
        )
    ]
    scenes, timings = zip(*pairs, strict=True)
    return replace(script, language=translation.language, scenes=scenes), replace(
        timeline, scenes=timings
    )


def translate_scene(
    scene: Scene, timing: SceneTiming, said: tuple[str, ...], language: str
) -> tuple[Scene, SceneTiming]:
    """Return a scene and its times with the words of its translated sentences ``said``."""
    words: list[Word] = []
    ends: list[int] = []
    begin_rows = {point.first_word for point in scene.points}
    rows: list[int] = []  # the first words of the sentences with which they begin
    for (first, last), (begins, until), text in zip(
        find_sentence_bounds(scene), find_sentence_times(scene, timing), said, strict=True
    ):
        whole = [token.written for token in tokens.tokenize_text(text, language)]
        written = [
            word for word in long_words.split_for_files(whole, language) if word != tokens.GLUE
        ]
        spoken = timing.words[last].end - timing.words[first].start
        rows += [len(words)] if first in begin_rows else []
        words += _time_words(
            written,
            begins,
            min(
                until,
                begins
                + max(spoken, _measure_length(written) / captions.find_reading_speed(language)),
            ),
        )
        ends.append(len(words) - 1)
    texts = tuple(word.text for word in words)
    translated = replace(
        scene,
        words=texts,
        spoken=texts,
        sentence_ends=tuple(ends),
        points=tuple(Point("", first, first) for first in rows),
        sight=NO_VISUAL,
        stressed=(),
        key_phrase="",
    )
    return translated, replace(timing, words=tuple(words), sounds=())


def write_translated_captions(folder: Path) -> None:
    """Write the caption files of each further language, in every format."""
    script = load_script(folder)
    timeline = load_timeline(folder)
    for translation in stored_translations.read_translations(folder):
        there, times = translate_programme(script, timeline, translation)
        captions.write_files(
            there,
            times,
            *(
                folder / name_captions_file(translation.language, suffix)
                for suffix in CAPTION_FORMATS
            ),
        )


def find_sentence_times(scene: Scene, timing: SceneTiming) -> Iterator[tuple[float, float]]:
    """Yield when each sentence begins to be shown, and when it has to be gone."""
    starts = [timing.words[first].start for first, _ in find_sentence_bounds(scene)]
    yield from pairwise([*starts, max(timing.end - captions.CROSSFADE, timing.words[-1].end)])


def _time_words(written: list[str], begins: float, ends: float) -> list[Word]:
    shares = list(
        accumulate(
            (tokens.measure_display_length(word) + (not tokens.is_glued(word)) for word in written),
            initial=0,
        )
    )
    at = [round(begins + (ends - begins) * share / shares[-1], 6) for share in shares]
    return [
        Word(word, start, end) for word, (start, end) in zip(written, pairwise(at), strict=True)
    ]


def _measure_length(written: list[str]) -> int:
    return (
        sum(tokens.measure_display_length(word) + (not tokens.is_glued(word)) for word in written)
        - 1
    )
