"""Phonemes of Mandarin words in the alphabet that Kokoro was trained with: that of misaki
(Apache-2.0; ``misaki/zh.py`` and ``misaki/transcription.py``, after pinyin-to-ipa, MIT).

Syllables have the tones of the dictionary, as in the training: the model has learnt how they change
beside each other. Imported only in the voices' process.
"""

import re
from collections.abc import Collection, Iterator
from functools import cache
from itertools import accumulate

import rjieba
from pypinyin import Style, lazy_pinyin
from pypinyin.contrib.tone_convert import to_finals, to_initials
from wetext import Normalizer

from svc.media.languages import Readings, read_words
from svc.media.speech.trained.reading import English
from svc.media.speech.trained.writing import InWords, Part, Signs, add_mark, parse_table, to_signs

_TONES = {"1": "→", "2": "↗", "3": "↓", "4": "↘"}
_INITIALS = parse_table("""
    b:p p:pʰ m:m f:f d:t t:tʰ n:n l:l g:k k:kʰ h:x j:ʨ q:ʨʰ x:ɕ z:ʦ c:ʦʰ s:s zh:ꭧ ch:ꭧʰ sh:ʂ
    r:ɻ
""")
# "0": the place of the tone
_FINALS = parse_table("""
    a:a0 ai:ai0 an:a0n ang:a0ŋ ao:au0 e:ɤ0 ei:ei0 en:ə0n eng:ə0ŋ i:i0 ia:ja0 ian:jɛ0n iang:ja0ŋ
    iao:jau0 ie:je0 in:i0n iou:jou0 ing:i0ŋ iong:jʊ0ŋ ong:ʊ0ŋ ou:ou0 u:u0 uei:wei0 ua:wa0
    uai:wai0 uan:wa0n uen:wə0n uang:wa0ŋ ueng:wə0ŋ uo:wo0 o:wo0 ü:y0 üe:ɥe0 üan:ɥɛ0n ün:y0n
""")
_WHOLE = parse_table("er:ɚ0 o:ɔ0 io:jɔ0 ê:ɛ0 m:m0 n:n0 ng:ŋ0 hm:hm0 hng:hŋ0")
_BUZZED, _BUZZING = "ɨ0", ("z", "c", "s", "zh", "ch", "sh", "r")  # the vowel of "si" and "shi"

_MARKS = dict(zip("、，。．！：；？（）《》「」『』【】…—", ",,..!:;?()“”“”“”“”…—", strict=True))
_RUNS = re.compile(
    r"(?P<han>[\u3400-\u4dbf\u4e00-\u9fff〇]+)|(?P<latin>[A-Za-zÀ-ɏ][A-Za-zÀ-ɏ'’.&+-]*)"
    r"|(?P<mark>[、，。．！：；？（）《》「」『』【】…—,.!?:;()“”])"
)
# 一点 in "1.5" is no word, "a bit", whose first tone is another.
_DECIMALS = re.compile("([零一二三四五六七八九]点[零一二三四五六七八九]+)")
_SIMPLIFYING = Normalizer(lang="zh", operator="tn", traditional_to_simple=True)
# Of a date: the grammars know 两日 ("two days") only.
_SECOND_OF_MONTH = re.compile("(?<=月)2(?=[日号號])")


class Mandarin:
    """The reading of Chinese signs: words by jieba's dictionary, their syllables by pypinyin's."""

    def __init__(self) -> None:
        self._in_words = InWords("zh")
        self._english = English(british=False)
        self.to_pinyin(["你"])  # loads the dictionaries

    def read_phonemes(self, words: list[str]) -> list[str]:
        """Return each word's phonemes, with the signs and the space that follow."""
        signs = self._write_out(words)
        return signs.split_by_word(self._split_parts(signs.text), len(words))

    def to_pinyin(self, words: list[str]) -> list[str]:
        """Return each word's syllables with the numbers of their tones, five for none."""
        signs = self._write_out(words)
        parts = (
            (run.start() + place, f"{syllable} ")
            for run in _RUNS.finditer(signs.text)
            if run["han"]
            for place, syllable, _ in _list_syllables(run["han"])
        )
        return [piece.strip() for piece in signs.split_by_word(parts, len(words))]

    def _write_out(self, words: list[str]) -> Signs:
        signs = to_signs(words)
        simplified = Signs("".join(map(_simplify, signs.text)), signs.words)
        return self._in_words.write(simplified.substitute(_SECOND_OF_MONTH, "二"))

    def _split_parts(self, text: str) -> list[Part]:
        parts: list[Part] = []
        for run in _RUNS.finditer(text):
            if run["han"]:
                parts += [
                    (run.start() + place, to_phonemes(syllable) + " " * ends)
                    for place, syllable, ends in _list_syllables(run["han"])
                ]
            elif run["latin"]:
                said = "".join(self._english.read_phonemes([run["latin"]])).strip()
                parts.append((run.start(), f"{said} "))
            else:
                add_mark(parts, run.start(), _MARKS.get(run["mark"], run["mark"]))
        return parts


@cache
def _simplify(sign: str) -> str:
    """Return a sign of Traditional Chinese as one of Simplified Chinese, and others as they are."""
    return str(_SIMPLIFYING.normalize(sign)) if sign >= "\u3400" else sign


def _list_syllables(run: str) -> Iterator[tuple[int, str, bool]]:
    """Yield the place, the pinyin and whether a word ends, for each sign of ``run``."""
    words = [word for part in _DECIMALS.split(run) if part for word in _list_words(part)]
    places = [0, *accumulate(map(len, words))]
    known = _find_known_syllables(run, places)
    for place, word in zip(places, words, strict=False):
        syllables = lazy_pinyin(word, style=Style.TONE3, neutral_tone_with_five=True)
        for at, syllable in enumerate(syllables, place):
            yield at, known.get(at, syllable), at == place + len(syllables) - 1


def _find_known_syllables(run: str, places: Collection[int]) -> dict[int, str]:
    """Return the syllables, by their places, of words that the language's file has: they begin
    where one of the dictionary's words does. ``places``: where those begin."""
    return {
        match.start() + index: syllable
        for written, pinyin in read_words("zh", Readings).words.items()
        for match in re.finditer(re.escape(written), run)
        if match.start() in places
        for index, syllable in enumerate(pinyin.split())
    }


def _list_words(part: str) -> list[str]:
    """Return the words of a part of a run; a decimal is read sign by sign."""
    return list(part) if _DECIMALS.fullmatch(part) else rjieba.cut(part)


@cache
def to_phonemes(syllable: str) -> str:
    """Return the phonemes of a syllable of pinyin that ends with the number of its tone; empty if
    it is not one.
    """
    bare, tone = syllable[:-1], _TONES.get(syllable[-1:], "")
    if bare in _WHOLE:
        return _WHOLE[bare].replace("0", tone)
    initial = to_initials(bare, strict=True)
    final = to_finals(bare, strict=True, v_to_u=True)
    known = _BUZZED if final == "i" and initial in _BUZZING else _FINALS.get(final, "")
    return (_INITIALS.get(initial, "") + known.replace("0", tone)) if known else ""
