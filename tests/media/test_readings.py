"""How Japanese and Mandarin are read for the trained voices: on committed tables, in the alphabet
of the model, word by word. It needs the packages of requirements-voices.txt.
"""

from pathlib import Path

import pytest

from svc.media.speech.trained import models, reading, weights
from svc.media.text import tokens

FOLDER = Path(__file__).parent
# of pyopenjtalk-plus, with SudachiPy 0.7
pytestmark = pytest.mark.filterwarnings("ignore:Dictionary.create:DeprecationWarning")


def rows(language: str) -> list[list[str]]:
    lines = (FOLDER / f"readings_{language}.tsv").read_text("utf-8").splitlines()
    return [line.split("\t") for line in lines if not line.startswith("#")]


def words(text: str, language: str) -> list[str]:
    return [token.spoken for token in tokens.tokenize_text(text, language)]


@pytest.fixture(scope="module")
def japanese():
    if not weights.can_read("ja"):
        pytest.skip("the packages that read Japanese are not installed (voice install)")
    from svc.media.speech.trained.japanese import Japanese

    return Japanese()


@pytest.fixture(scope="module")
def mandarin():
    if not weights.can_read("zh"):
        pytest.skip("the packages that read Mandarin are not installed (voice install)")
    from svc.media.speech.trained.mandarin import Mandarin

    return Mandarin()


def test_japanese_is_read_as_the_table_has_it(japanese):
    wrong = [
        (text, kana, said)
        for text, kana in rows("ja")
        if (said := "".join(japanese.to_kana(words(text, "ja")))) != kana
    ]
    assert not wrong and len(rows("ja")) >= 40


def test_mandarin_is_read_as_the_table_has_it(mandarin):
    wrong = [
        (text, pinyin, said)
        for text, pinyin in rows("zh")
        if (said := " ".join(filter(None, mandarin.to_pinyin(words(text, "zh"))))) != pinyin
    ]
    assert not wrong and len(rows("zh")) >= 40


# misaki 0.9.4 writes these words so
@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("東京では", "toːkʲoː de βa."),
        ("日本の緑茶", "ɲihoɴ no ɾʲokɯʨa."),
        ("行った。", "iʔta."),
        ("「新聞」を、", "“ɕimbɯɴ” o."),
        ("ティッシュ", "tʲiʔɕɨ."),
        ("遊んでいます", "asonde imasɨ."),
    ],
)
def test_kana_become_the_phonemes_of_the_model(japanese, text, pieces):
    said = "".join(reading.end_sentence(japanese.read_phonemes(words(text, "ja"))))
    assert said.strip() == pieces


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("银行行长", "i↗nxa↗ŋxa↗ŋꭧa↓ŋ."),
        ("这是什么？", "ꭧɤ↘ʂɨ↘ ʂə↗nmɤ?"),
        ("女儿去学习", "ny↓ɚ↗ ʨʰy↘ ɕɥe↗ɕi↗."),
        ("四月", "sɨ↘ɥe↘."),
        ("（去年）", "(ʨʰy↘njɛ↗n)."),
    ],
)
def test_syllables_become_the_phonemes_of_the_model(mandarin, text, pieces):
    said = "".join(reading.end_sentence(mandarin.read_phonemes(words(text, "zh"))))
    assert said.strip() == pieces


@pytest.mark.parametrize("language", ["ja", "zh"])
def test_the_model_knows_every_phoneme_and_every_word_has_its_own(language, request):
    reader = request.getfixturevalue({"ja": "japanese", "zh": "mandarin"}[language])
    known = models._read_vocabulary()
    for text, _ in rows(language):
        said = words(text, language)
        pieces = reader.read_phonemes(said)
        assert len(pieces) == len(said) and all(piece.strip() for piece in pieces), (text, pieces)
        assert set("".join(pieces)) <= set(known), (text, pieces)


def test_latin_words_are_read_in_both(japanese, mandarin):
    assert japanese.to_kana(words("OpenAIとKubernetes", "ja")) == [
        "オープンエーアイト",
        "クバーネテス",
    ]
    assert mandarin.read_phonemes(words("用iPhone看NHK", "zh"))[1] == "ˈIfˌOn "


def test_a_figure_that_two_words_share_is_heard_in_both(mandarin):
    assert mandarin.to_pinyin(["1,", "\u2060200人"]) == ["yi1 qian1", "er4 bai3 ren2"]


def test_text_without_a_sound_is_no_error(japanese, mandarin):
    assert (
        japanese.read_phonemes(["…"]) == ["… "] and mandarin.read_phonemes(["㍿", "★"]) is not None
    )
    assert mandarin.read_phonemes([""]) == [""] and japanese.read_phonemes([""]) == [""]
