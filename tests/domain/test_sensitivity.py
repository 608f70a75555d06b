"""Sensitivity rules: what they match is what is said and shown, in whatever spelling,
and nothing besides.
"""

import unicodedata

import pytest
import re2
from support.counting import lines_run
from support.sampling import sampled
from support.tables import each_of

from svc.domain.partners import look_alikes, patterns, sensitivity
from svc.domain.partners.look_alikes import FOREIGN

PHRASE = "unholy grail"
SPELLINGS = [
    "unholy **grail**",
    "un**holy** grail",
    "*unholy* `grail`",
    "[unholy](https://example.com/x) grail",
    "![unholy grail](x.png)",
    "```\nunholy grail\n```",
    "    unholy grail",
    "<div>unholy grail</div>",
    "unh^o^ly gr~a~il",
    "unho~~x~~ly grail",
    "unho<del>x</del>ly grail",
    "unho![x](y.png)ly grail",
    "un[^9]holy grail",
    "~~unholy grail~~",
    "a[^1]\n\n[^1]: unholy grail",
    "- [x] unholy grail",
    "unholy&nbsp;grail",
    "unholy &#103;rail",
    "unholy<b></b> grail",
    "un<b></b>holy grail",
    "unholy\\_grail",
    "unholy-grail",
    "unholy_grail",
    "unholy—grail",
    "un-holy grail",
    "unholy/grail",
    "“Unholy” grail’s",
    "UNHOLY GRAIL",
    "ünhöly  gräil",
    "ｕｎｈｏｌｙ grail",
    "𝓾𝓷𝓱𝓸𝓵𝔂 grail",
    "un\u00adholy grail",
    "un\u200bholy grail",
    "unholy\u200bgrail",
    "un\u3164holy grail",
    "u\u034fn\u0301holy\ufe0f grail",
    "unholy\u2028grail",
    "unholy  \ngrail",
    "unholy\ngrail",
    "# unholy\n\ngrail",
    "- unholy\n- grail",
    "> unholy\n> grail",
    "| unholy | grail |\n|---|---|\n| a | b |",
    "- an *unholy*\n  grail",
    "unhоly grаil",
    "υnhοly grail",
    "սnholy grail",
    "unholy ɡrɑil",
    "unholy graıl",
    "ᴜnholy grail",
    "unholy ＧRАIL",
    "ᴜɴʜᴏʟʏ ɢʀᴀɪʟ",
    "𝗎𝗇𝗁𝗈𝗅𝗒 🅶🆁🅰🅸🅻",
    "🅤🅝🅗🅞🅛🅨 grail",
    "🇺🇳🇭🇴🇱🇾 grail",
    "unhoły grail",
    "unhǿly grail",
    "ʋnholy grαil",
    "unholy gɾail",
    "unholγ grail",
    "\u202eliarg ylohnu\u202c",
    "unholy \u202eliarg\u202c",
    f"un{FOREIGN}holy grail",
    "a \ue000unholy\ue001 grail",
]


def rule(phrase, is_pattern=0):
    return {"phrase": phrase, "is_pattern": is_pattern}


def matches(phrase, notes="", language="en", is_pattern=0, topic="How"):
    return sensitivity.any_matches(
        [rule(phrase, is_pattern)],
        sensitivity.extract_brief_texts(topic, topic, None, notes, language),
    )


@each_of("spelling", SPELLINGS)
def test_a_phrase_is_found_however_it_is_spelled(spelling):
    assert matches(PHRASE, spelling)
    assert matches(PHRASE, topic=spelling)
    assert matches(r"\bunholy\W+grail\b", spelling, is_pattern=1)


@pytest.mark.parametrize(
    "notes",
    [
        "[a](https://grail.example.com)",
        "<https://example.com/gra%69l>",
        "See https://a.example.com/grail.",
    ],
)
def test_a_phrase_is_found_in_the_link_that_the_end_card_shows(notes):
    assert matches("grail", notes)


@each_of(
    ("phrase", "text", "language"),
    [
        ("ass", "class passing assassin grass", "en"),
        ("cunt", "Scunthorpe", "en"),
        ("grail", "grails grailing", "en"),
        ("c++", "C is a language", "en"),
        ("burn", "bum", "en"),
        ("ill", "I'll 111", "en"),
        ("rn", "m", "en"),
        ("grail", '<a href="grail">x</a>', "en"),
        ("grail", "[a](https://grail.example.com) [b](https://example.com)", "en"),
        ("grail", "[a](http://grail.example.com) ~~[b](https://grail.example.com)~~", "en"),
        ("grail", "<!-- grail -->", "en"),
        ("grail", "---\nsandbox: {}\n# grail\n---\nwords", "en"),
        ("сор", "a cop on duty", "en"),
        ("cop", "выноси сор из избы", "ru"),
        ("рот", "a pot of tea", "en"),
        ("sik", "sık sık", "tr"),
        ("か", "がが", "ja"),
        ("कल", "कुल", "hi"),
        ("unholy grail", "unholy and grail", "en"),
        ("unholygrail", "unholy grail", "en"),
        ("war", "raw evil", "en"),
        ("evil", "to live", "en"),
        ("drawer", "a reward", "en"),
        ("regen", "neger", "de"),
        ("laska", "łaska", "pl"),
        ("dan", "đan", "hr"),
        ("id", "ıd", "tr"),
        ("for", "før", "da"),
    ],
)
def test_a_phrase_is_not_found_where_it_is_not(phrase, text, language):
    assert not matches(phrase, text, language)


@pytest.mark.parametrize(
    ("phrase", "text", "language"),
    [
        ("cop", "сор", "en"),
        ("cocaine", "сосаіnе", "en"),
        ("the cat", "ТНЕ САТ", "en"),
        ("сор", "выноси cоp из избы", "ru"),
        ("война", "вoйнa и мир", "ru"),
        ("злой сор", "злой cоp", "ru"),
        ("戦争", "世界戦争です", "ja"),
        ("c++", "we love C++ now", "en"),
        ("50%", "at 50% off", "en"),
        ("U.S. army", "the U.S. Army", "en"),
        ("don't panic", "Don’t panic", "en"),
        ("नमस्ते", "वह नमस्ते बोला", "hi"),
        ("co-op", "a co op", "en"),
        ("coop", "a co-op", "en"),
        ("f**k", "what the f\\*\\*k", "en"),
        ("grail", "---\nNo front matter.\n\ngrail", "en"),
        ("ßtraße", "SSTRASSE", "de"),
    ],
)
def test_a_phrase_of_any_language_is_found(phrase, text, language):
    assert matches(phrase, text, language)


def test_every_look_alike_of_unicode_is_one_here():
    """UTS #39: each character that its list has beside one of ASCII, in the middle of a word."""
    table = look_alikes._load_table()
    assert len(table) > 1500
    missed = [
        (character, alike)
        for character, alike in table.items()
        if not matches(f"gra{alike.lower()}il", topic=f"the gra{character}il")
        and unicodedata.category(character) != "Cf"
    ]
    assert missed == []


@pytest.mark.parametrize(
    "spelling",
    [
        "liarg ylohnu",
        "ylohnu liarg",
        "LIARG YLOHNU",
        "ylohnu-**liarg**",
        "ʟɪᴀʀɢ ʏʟᴏʜɴᴜ",
        "lіarg ylohnu",
    ],
)
def test_a_phrase_is_found_backwards_but_no_pattern(spelling):
    assert matches(PHRASE, spelling) and matches(PHRASE, topic=spelling)
    assert not matches(r"\bunholy\W+grail\b", spelling, is_pattern=1)


def test_a_phrase_of_few_letters_is_not_sought_backwards():
    assert not matches("nazis", topic="sizan") and matches("naziss", topic="ssizan")


def test_without_a_language_the_script_is_that_of_most_letters():
    for text, found in (("the сор of an English town", True), ("выноси сор из избы", False)):
        assert sensitivity.any_matches([rule("cop")], sensitivity.Texts([text])) is found


@each_of(
    ("pattern", "text", "found"),
    [
        (r"\bass\b", "the ass.", True),
        (r"\bass\b", "class", False),
        (r"\bслово\b", "злое слово и", True),
        (r"\bслово\b", "словом", False),
        (r"\bзлое\b\s+\bслово\b", "a злое слово", True),
        ("злое слово", "злое слово", True),
        ("^tides$", "tides", True),
        ("^tides$", "tides a", False),
        ("b.d", "bad", True),
        ("a..b", "a b", False),
        ("[a-c]{2,3}x", "abcx", True),
        ("[^a]b", "ab", False),
        ("^[^a]b", "b", False),
        ("(foo|bar) baz", "bar baz", True),
        ("(?i)FOO", "foo", True),
        (r"\d+ kg", "12 kg", True),
        (r"\w+-\w+", "ü-a", True),
        (r"a\.b", "axb", False),
        (r"\u0431", "б", True),
        (r"ba\Z", "ba", True),
        (r"\Bar", "bar", True),
        (r"\Bar", "ar", False),
        ("(?P<n>a)b", "ab", True),
        (r"[\w-]+@x", "ü-a@x", True),
        (r"\p{Cyrillic}{3}", "abв", False),
        (r"\p{Cyrillic}{3}", "вой", True),
        ("É", "é", True),
        ("^e$", "é", True),
        (r"\S\s\S", "a b", True),
        (r"a\W", "a", False),
        ("^a{,3}b$", "aab", True),
        ("^a{,3}b$", "aaaab", False),
        ("x{}", "x{}", True),
        ("[]a]b", "]b", True),
        ("a|b|", "c", True),
    ],
)
def test_a_pattern_knows_the_words_of_every_script(pattern, text, found):
    assert sensitivity.any_matches([rule(pattern, 1)], sensitivity.Texts([text])) is found


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        (r"(a)\1", "back-reference"),
        ("(?P<x>a)(?P=x)", "back-reference"),
        ("(?=a)b", "look-ahead"),
        ("(?<!a)b", "look-ahead"),
        ("a++", "possessive"),
        ("(?>a)", "Atomic"),
        ("((a{100}){100}){100}", "too large"),
        (r"(\pL{30}){30}", "too large"),
        (r"\w{900}\w{900}", "too large"),
        ("(", "missing )"),
        ("[", "missing ]"),
        ("*", "no argument"),
        ("a**", "bad repetition"),
        (r"\p{Nowhere}", "Nowhere"),
        (r"\Qa\E", "invalid escape"),
        ("[z-a]", "z-a"),
    ],
)
def test_a_pattern_that_is_refused_says_why(pattern, why):
    assert why in sensitivity.explain_refused_pattern(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        r"\b(\w+\s?)+bomb\b",
        "(a*)*b",
        "(a|a)+$x",
        "(.*)(.*)(.*)(.*)x",
        r"(?:\w?){40}\w{40}z",
        "(x+x+)+y",
        ".{0,200}z",
    ],
)
@pytest.mark.parametrize("text", ["a" * 61, "a" * 4096, "a b " * 1024, "é" * 4096])
def test_every_pattern_is_matched_by_re2_in_a_text_that_is_little_longer(
    pattern, text, monkeypatch
):
    """RE2's time is linear in the text, and its memory bounded;
    nothing else may match what operators write.
    """
    assert sensitivity.explain_refused_pattern(pattern) is None
    searched, search = [], patterns.search
    monkeypatch.setattr(patterns, "search", lambda *given: searched.append(given) or search(*given))
    sensitivity.any_matches([rule(pattern, 1)], sensitivity.Texts([text]))
    assert searched and {type(compiled) for compiled, _ in searched} == {type(re2.compile(""))}
    assert {compiled.options.max_mem for compiled, _ in searched} == {patterns.MOST_MEMORY}
    # in two spellings at most, with two marks for each word
    assert sum(len(line) for _, line in searched) <= 6 * len(text)


def test_a_pattern_of_an_earlier_release_is_matched(monkeypatch):
    monkeypatch.setattr(patterns, "SECONDS_PER_SEARCH", 60.0)
    assert matches(r"(?=grail)\w+", "unholy **grail**", is_pattern=1)
    assert not matches(r"(?=grail)\w+", "holy", is_pattern=1)
    assert not matches("(?<=a+)b(", "ab(", is_pattern=1)  # nothing reads this


def test_matching_of_a_pattern_of_an_earlier_release_that_would_not_end_is_aborted(caplog):
    sensitivity._log_timeout.cache_clear()
    assert not matches(r"(?=(\w+\s?)+bomb)", "word " * 200, is_pattern=1)
    assert "aborted after 0.05 s" in caplog.text


def test_all_lines_of_a_text_share_the_time_for_a_pattern_of_an_earlier_release(monkeypatch):
    passed, given = [0.0], []

    def search(_compiled, _line, seconds):
        given.append(round(seconds, 6))
        passed[0] += 0.02

    monkeypatch.setattr(sensitivity.time, "monotonic", lambda: passed[0])
    monkeypatch.setattr(patterns, "search_within", search)
    sensitivity.any_matches(
        [rule(r"(?=grail)\w+", 1)], sensitivity.Texts(["one", "two", "three", "four"])
    )
    assert given == [0.05, 0.03, 0.01, 0.001]


@pytest.mark.parametrize(
    "text",
    sampled(
        [
            "\ufdfa" * 4096,
            "a" + "".join(chr(0x300 + at % 90) for at in range(4095)),
            "\u0344" * 4096,
            "аb " * 1365,
            "a-" * 2048,
            "a\u200b" * 2048,
            "戦" * 4096,
            "*a_ " * 1024,
            "&a" * 2048,
            "\u202e\u2066" * 2048,
            "![" * 2048,
        ],
        6,
    ),
    ids=lambda text: ascii(text[:4]),
)
def test_a_text_of_twice_the_length_takes_no_more_than_twice_the_steps(text):
    def look(longest: int) -> None:
        texts = sensitivity.extract_brief_texts(
            text[:200], text[:500], text[:200], text[:longest], "en"
        )
        sensitivity.any_matches([rule(PHRASE), rule(r"\bunholy\b", 1)], texts)

    look(4096)  # what is looked up for a character is remembered
    steps = lines_run(lambda: look(4096))
    assert steps < 2.2 * lines_run(lambda: look(2048)) and steps < 300 * 4096


def test_marks_stand_where_words_begin_and_end():
    assert patterns.mark_word_edges("a bç, д_1") == "\x01a\x01 \x01bç\x01, \x01д_1\x01"
    assert patterns.mark_word_edges("") == "" and patterns.mark_word_edges("-") == "-"
    assert (
        patterns.mark_word_edges("n\u0303a\u20dd-\u0301 ½ ไทยก่")
        == "\x01n\u0303a\u20dd\x01-\x01\u0301\x01 \x01½\x01 \x01ไทยก่\x01"
    )


def test_a_long_text_is_marked_by_words_and_not_by_characters():
    """A ligature of one character is eighteen letters in other clothes:
    4,096 of them are 73,728.
    """
    patterns.is_word.cache_clear()
    patterns.mark_word_edges("صلى الله " * 4096)
    asked = patterns.is_word.cache_info()
    assert asked.hits + asked.misses == len(set("صلى الله "))
