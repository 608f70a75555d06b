"""Phonemes of Japanese words in the alphabet that Kokoro was trained with: that of misaki
(Apache-2.0; ``misaki/cutlet.py``, after cutlet, MIT).

Imported only in the voices' process.
"""

import re
import unicodedata
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import accumulate, zip_longest

import kanalizer
import pyopenjtalk

from svc.media.languages import Readings, read_words
from svc.media.speech.trained.writing import (
    InWords,
    Part,
    Signs,
    add_mark,
    parse_table,
    split_latin_word,
    to_signs,
)

_KANA = parse_table("""
    ァ:a ア:a ィ:i イ:i ゥ:ɯ ウ:ɯ ェ:e エ:e ォ:o オ:o カ:ka ガ:ɡa キ:kʲi ギ:ɡʲi ク:kɯ グ:ɡɯ
    ケ:ke ゲ:ɡe コ:ko ゴ:ɡo サ:sa ザ:ʣa シ:ɕi ジ:ʥi ス:sɨ ズ:zɨ セ:se ゼ:ʣe ソ:so ゾ:ʣo タ:ta
    ダ:da チ:ʨi ヂ:ʥi ツ:ʦɨ ヅ:zɨ テ:te デ:de ト:to ド:do ナ:na ニ:ɲi ヌ:nɯ ネ:ne ノ:no ハ:ha
    バ:ba パ:pa ヒ:çi ビ:bʲi ピ:pʲi フ:ɸɯ ブ:bɯ プ:pɯ ヘ:he ベ:be ペ:pe ホ:ho ボ:bo ポ:po マ:ma
    ミ:mʲi ム:mɯ メ:me モ:mo ャ:ja ヤ:ja ュ:jɯ ユ:jɯ ョ:jo ヨ:jo ラ:ɾa リ:ɾʲi ル:ɾɯ レ:ɾe ロ:ɾo
    ヮ:βa ワ:βa ヰ:i ヱ:e ヲ:o ヴ:vɯ ヵ:ka ヶ:ke ヷ:va ヸ:vʲi ヹ:ve ヺ:vo イェ:je ウィ:βi
    ウェ:βe ウォ:βo キェ:kʲe キャ:kʲa キュ:kʲɨ キョ:kʲo ギャ:ɡʲa ギュ:ɡʲɨ ギョ:ɡʲo クァ:kᵝa
    クィ:kᵝi クェ:kᵝe クォ:kᵝo グァ:ɡᵝa グィ:ɡᵝi グェ:ɡᵝe グォ:ɡᵝo シェ:ɕe シャ:ɕa シュ:ɕɨ
    ショ:ɕo ジェ:ʥe ジャ:ʥa ジュ:ʥɨ ジョ:ʥo チェ:ʨe チャ:ʨa チュ:ʨɨ チョ:ʨo ヂャ:ʥa ヂュ:ʥɨ
    ヂョ:ʥo ツァ:ʦa ツィ:ʦʲi ツェ:ʦe ツォ:ʦo ティ:tʲi テュ:tʲɨ ディ:dʲi デュ:dʲɨ トゥ:tɯ
    ドゥ:dɯ ニェ:ɲe ニャ:ɲa ニュ:ɲɨ ニョ:ɲo ヒェ:çe ヒャ:ça ヒュ:çɨ ヒョ:ço ビャ:bʲa ビュ:bʲɨ
    ビョ:bʲo ピャ:pʲa ピュ:pʲɨ ピョ:pʲo ファ:ɸa フィ:ɸʲi フェ:ɸe フォ:ɸo フュ:ɸʲɨ フョ:ɸʲo
    ミャ:mʲa ミュ:mʲɨ ミョ:mʲo リャ:ɾʲa リュ:ɾʲɨ リョ:ɾʲo ヴァ:va ヴィ:vʲi ヴェ:ve ヴォ:vo
    ヴュ:bʲɨ ヴョ:bʲo
""")
_SMALL = frozenset("ャュョァィゥェォ")
_LONG, _DOUBLED, _NASAL = "ー", "ッ", "ン"
_STOP = "ʔ"
_NASALS = (("mpb", "m"), ("kɡ", "ŋ"), ("ɲʨʥ", "ɲ"), ("ntdɾz", "n"))  # before these sounds
_OTHER_NASAL = "ɴ"
_MARKS = dict(
    zip("、，。．！：；？「」『』（）《》…〜—,.!?:;()", ",,..!:;?“”“”()()…——,.!?:;()", strict=True)
)
# Open JTalk's parts of speech. A Latin word that is in no dictionary is a filler.
_UNKNOWN, _VERB, _AUXILIARY, _CONJUNCTIVE = "フィラー", "動詞", "助動詞", "接続助詞"
_LATIN_WORD = re.compile("[A-Za-z]*[a-z]{2}[A-Za-z]*")
_DEGREES = re.compile("℃|°C")  # the grammars say 摂氏 after the figure
_TO = re.compile(r"(?<=\d)[〜～~](?=\d)")


class Japanese:
    """The reading of Japanese by Open JTalk and its dictionary."""

    def __init__(self) -> None:
        self._in_words = InWords("ja")
        self.to_kana(["何"])  # loads the dictionaries

    def read_phonemes(self, words: list[str]) -> list[str]:
        """Return each word's phonemes, with the signs and the space that follow."""
        signs = self._write_out(words)
        return signs.split_by_word(_read_parts(signs.text), len(words))

    def to_kana(self, words: list[str]) -> list[str]:
        """Return how each word is read, in katakana."""
        signs = self._write_out(words)
        parts = ((word.place, word.kana) for word in _analyse_words(signs.text))
        return signs.split_by_word(parts, len(words))

    def _write_out(self, words: list[str]) -> Signs:
        signs = to_signs(words).substitute(_DEGREES, "度").substitute(_TO, "から")
        for written, kana in read_words("ja", Readings).words.items():
            signs = signs.substitute(re.compile(re.escape(written)), kana)
        return self._in_words.write(signs)


@dataclass(frozen=True)
class _Word:
    """A word of Open JTalk's. ``place``: in the text; ``kana``: how it is read, in katakana, empty
    for a sign without sound; ``goes_on``: whether it ends the word before it, as ます in します."""

    place: int
    surface: str
    kana: str
    goes_on: bool


def _read_parts(text: str) -> list[Part]:
    parts: list[Part] = []
    words = _analyse_words(text)
    for word, after in zip_longest(words, words[1:]):
        if not word.kana:
            marks = "".join(_MARKS.get(sign, "") for sign in word.surface)
            add_mark(parts, word.place, marks)
            continue
        going_on = after.kana if after and after.goes_on else ""
        said = to_phonemes(word.kana, going_on)
        if said.startswith(_STOP) and parts:  # no space beside a doubled consonant's stop
            parts[-1] = (parts[-1][0], parts[-1][1].rstrip())
        parts.append((word.place, said if going_on or said.endswith(_STOP) else f"{said} "))
    return parts


def _analyse_words(text: str) -> list[_Word]:
    features = pyopenjtalk.run_frontend(text) if text.strip() else []
    wide = [feature["string"] for feature in features]
    places = _find_places("".join(wide), text)
    at = [0, *accumulate(map(len, wide))]
    words: list[_Word] = []
    for index, feature in enumerate(features):
        kana = "".join(sign for sign in feature["pron"] if sign in _SOUNDS)
        surface = unicodedata.normalize("NFKC", wide[index])
        if feature["pos"] == _UNKNOWN and _LATIN_WORD.fullmatch(surface):
            kana = "".join(map(_spell_latin, split_latin_word(surface)))
        ending = feature["pos"] == _AUXILIARY or feature["pos_group1"] == _CONJUNCTIVE
        goes_on = ending and index > 0 and features[index - 1]["pos"] in (_VERB, _AUXILIARY)
        words.append(_Word(places[at[index]], wide[index], kana, goes_on))
    return words


def _find_places(said: str, text: str) -> list[int]:
    """Return for each character of ``said``, which Open JTalk returns, its place in ``text``."""
    matcher = SequenceMatcher(None, _fold_widths(said), _fold_widths(text), autojunk=False)
    places = [0] * (len(said) + 1)
    for block in matcher.get_matching_blocks():
        for step in range(block.size):
            places[block.a + step] = block.b + step
    return list(accumulate(places, max))


def _fold_widths(text: str) -> str:
    """Return ``text`` with narrow forms of its signs, each as one character."""
    return "".join(unicodedata.normalize("NFKC", sign)[:1] or sign for sign in text)


def _spell_latin(word: str) -> str:
    """Return how a part of a Latin word is said in Japanese: capitals letter by letter."""
    if word.isupper():
        return "".join(feature["pron"] for feature in pyopenjtalk.run_frontend(word))
    return str(kanalizer.convert(word.lower()))


def to_phonemes(kana: str, going_on: str) -> str:
    """Return the phonemes of a word in katakana. ``going_on``: what is said without a gap after
    it."""
    said = ""
    morae = _split_morae(kana + going_on)
    for index, mora in enumerate(morae[: len(_split_morae(kana))]):
        if mora == _LONG:
            said += "ː"
        elif mora == _DOUBLED:
            said += _STOP
        elif mora == _NASAL:
            following = _KANA.get(morae[index + 1], "") if index + 1 < len(morae) else ""
            said += next(
                (nasal for sounds, nasal in _NASALS if following[:1] and following[0] in sounds),
                _OTHER_NASAL,
            )
        else:
            said += _KANA.get(mora) or _KANA[mora[0]][:-1] + _KANA[mora[1]]
    return said


def _split_morae(kana: str) -> list[str]:
    morae: list[str] = []
    for sign in kana:
        if morae and sign in _SMALL and len(morae[-1]) == 1 and morae[-1] in _KANA:
            morae[-1] += sign
        else:
            morae.append(sign)
    return morae


_SOUNDS = frozenset(_LONG + _DOUBLED + _NASAL).union("".join(_KANA))
