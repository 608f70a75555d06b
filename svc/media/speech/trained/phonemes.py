"""Phonemes by espeak-ng for voices that read phonemes: a sentence's words,
each with its part of the phonemes.
"""

import json
import re
import subprocess
import sys
import unicodedata
from difflib import SequenceMatcher
from itertools import pairwise

import espeakng_loader

from svc.base.processes import entry_points
from svc.base.processes.entry_points import Process
from svc.base.text.languages import find_language
from svc.media.errors import NarrationError

_PAUSES = ",;:.!?…—"  # signs at which a voice pauses, and at the end of a clause for espeak-ng
# The signs of other scripts, and those that the voices have in their place.
_SIGNS = {"।": ".", "؟": "?", "–": "—"}
# "(en)": the following word is read as in another language
_LANGUAGE_SWITCH = re.compile(r"\([^)]*\)")
# The marks of stress, and spaces, which the phonemes of a word may lack where it is read alone.
_STRESS = re.compile("[ˈˌ ]")

Sentence = tuple[str, ...]  # words as spoken


def phonemize(sentences: list[Sentence], language: str) -> list[list[str]]:
    """Return for each word of each sentence its phonemes in IPA, with the sign and the space that
    follow them.

    Affricates and diphthongs are tied by "^". A word that has no sound has no phonemes. Raises
    NarrationError.
    """
    clauses = [_split_clauses(sentence) for sentence in sentences]
    texts = [[" ".join(words), *words] for parts in clauses for words, _ in parts]
    answers = iter(_ask_espeak(texts, language))
    return [
        [piece for words, sign in parts for piece in _assign_phonemes(words, sign, next(answers))]
        for parts in clauses
    ]


def _split_clauses(sentence: Sentence) -> list[tuple[list[str], str]]:
    """Return the clauses of a sentence: the words without signs, and the sign at the end."""
    parts: list[tuple[list[str], str]] = [([], "")]
    for word in sentence:
        bare, sign = _split_signs(word)
        parts[-1][0].append(bare)
        if sign:
            parts[-1] = (parts[-1][0], sign)
            parts.append(([], ""))
    return [part for part in parts if part[0]]


def _split_signs(word: str) -> tuple[str, str]:
    """Return a word without the signs around it, and the sign after it at which a voice pauses."""
    letters = [
        place for place, character in enumerate(word) if unicodedata.category(character)[0] in "LNM"
    ]
    if not letters:
        return word, ""
    after = "".join(_SIGNS.get(character, character) for character in word[letters[-1] + 1 :])
    sign = next((character for character in after if character in _PAUSES), "")
    return word[letters[0] : letters[-1] + 1], sign


def _ask_espeak(texts: list[list[str]], language: str) -> list[list[str]]:
    """Return the phonemes of each text, from a process of espeak-ng's."""
    listed = find_language(language)
    if listed is None:
        raise NarrationError(
            f"The narration does not speak the language {language!r}.", "LANGUAGE_NOT_SPOKEN"
        )
    job = {
        "library": espeakng_loader.get_library_path(),
        "data": espeakng_loader.get_data_path(),
        "voice": listed.voice,
        "phonemes_of": texts,
    }
    process = subprocess.run(
        [sys.executable, "-I", "-S", entry_points.find_file(Process.ESPEAK)],
        input=json.dumps(job).encode(),
        capture_output=True,
        env={"PYTHONHASHSEED": "0", "PYTHONUTF8": "1"},
        cwd="/",
    )
    if process.returncode != 0:
        lines = process.stderr.decode(errors="replace").strip().splitlines()
        reason = lines[-1] if lines else "it gave no reason"
        raise NarrationError(f"The reading of the words stopped: {reason}.")
    answers: list[list[str]] = json.loads(process.stdout)
    return answers


def _assign_phonemes(words: list[str], sign: str, phonemes: list[str]) -> list[str]:
    """Return the part of a clause's phonemes that belongs to each of its words.

    ``phonemes``: first those of the whole clause, then those of each word read alone, by which the
    parts are found.

    espeak-ng joins some words ("of the") and reads others as several, so that its spaces do not
    tell where a word begins.
    """
    clause, *own = (_LANGUAGE_SWITCH.sub("", text).replace("_", " ").strip() for text in phonemes)
    groups = clause.split(" ")
    if len(groups) != len(words) or any(" " in text for text in own):
        bounds = _find_boundaries(clause, own)
        groups = [clause[start:end].strip() for start, end in pairwise(bounds)]
        spaced = [
            clause[end - 1 : end] == " " or clause[end : end + 1] == " " for end in bounds[1:]
        ]
    else:
        spaced = [True] * len(groups)
    pieces = [
        group + (" " if gap and group else "") for group, gap in zip(groups, spaced, strict=True)
    ]
    return [*pieces[:-1], groups[-1] + (f"{sign} " if sign else " ")]


def _find_boundaries(clause: str, own: list[str]) -> list[int]:
    """Return where each word begins in ``clause``, and where the last one ends.

    ``own``: the phonemes of each word read alone, which are matched with those of the clause.
    """
    bare, places = "", []
    for place, character in enumerate(clause):
        if not _STRESS.match(character):
            bare += character
            places.append(place)
    alone = [_STRESS.sub("", text) for text in own]
    matcher = SequenceMatcher(None, "".join(alone), bare, autojunk=False)
    known = [(0, 0)] + [
        (block.a + step, block.b + step)
        for block in matcher.get_matching_blocks()
        for step in range(block.size)
    ]
    bounds, at = [0], 0
    for text in alone[:-1]:
        at += len(text)
        before = max((pair for pair in known if pair[0] <= at), key=lambda pair: pair[0])
        index = min(before[1] + at - before[0], len(places))
        place = places[index] if index < len(places) else len(clause)
        # a mark belongs to the phoneme that follows
        while place > bounds[-1] and clause[place - 1] in "ˈˌ":
            place -= 1
        bounds.append(max(place, bounds[-1]))
    return [*bounds, len(clause)]
