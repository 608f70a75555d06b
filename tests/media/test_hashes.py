"""Hashes of commits and checksums: shown, and not read aloud."""

import pytest
from small_programme import brief_of
from support.sampling import sampled

from svc.media.script import completeness, from_brief
from svc.media.text import addresses
from svc.media.text.tokens import join_words, tokenize_text

COMMIT = "4f1e6d2c9b8a7f6e5d4c3b2a1908f7e6d5c4b3a2"
SUM = "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
KEY = "0ZjZ0JFTD2Lw3pZNMvXew/GBl8QTPOMNlWTq6UHKFwtvF"
UUID = "550e8400-e29b-41d4-a716-446655440000"


def said(text: str, language: str = "en") -> str:
    return " ".join(token.spoken for token in tokenize_text(text, language))


@pytest.mark.parametrize(
    "word",
    [
        "a1b2c3d",
        "(a1b2c3d)",
        "a1b2c3d,",
        "`a1b2c3d`",
        "a1b2c3d..e4f5a6b",
        "a1b2c3d...e4f5a6b.",
        COMMIT,
        SUM,
        UUID,
        UUID.upper(),
        COMMIT[:32].upper(),
        "0x52908400098527886E0F7030069857D2E4169EE7",
        KEY,
        f"{KEY}==.",
        f"data:image/png;base64,{KEY}",
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0",
    ],
)
def test_a_hash_is_known(word):
    assert addresses.is_hash(word)


@pytest.mark.parametrize(
    "word",
    [
        "defaced",
        "effaced",
        "5550123",
        "1234567890",
        "12000bce",
        "10000000e5",
        "1e10",
        "3d7eff",
        "A1B2C3D",
        "a1b2c3",
        "b2b",
        "HK-2024",
        "getElementById2UseHTTP2",
        "iPhone15ProMax256GBBlue",
        "org.apache.Commons3.Lang3.StringUtils2",
        "TLS_AES_128_GCM_SHA256x",
        "src/App2/Views3/Main4.tsx",
        "Donaudampfschiff2Fahrt3",
        "SHA256withRSA2048andX25519",
        "9f86d08x",
        "decade1990s",
        "00:1b:44",
        "2024-11-26",
        "v1.20.3",
        "deadbeef",
    ],
)
def test_words_figures_and_part_numbers_are_no_hashes(word):
    assert not addresses.is_hash(word)


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("Fix a crash (a1b2c3d)", "Fix a crash."),
        ("Fix a crash. (a1b2c3d) Then more", "Fix a crash. Then more."),
        ("Fixed in a1b2c3d. next one", "Fixed in. Next one."),
        ("a1b2c3d Fix a crash", ", Fix a crash."),
        (f"See {COMMIT} for it", "See , , for it."),
        (f"Its checksum is {SUM}.", "Its checksum is ."),
        (f"Set {KEY}== for it.", "Set , , for it."),
        ("« a1b2c3d » works", ", Works."),
        ("a1b2c3d", "A1b2c3d."),
        ("— a1b2c3d", "A1b2c3d."),
    ],
)
def test_a_hash_is_not_said_unless_there_is_nothing_else(text, spoken):
    assert said(text) == spoken


def test_the_address_of_a_repository_is_said_like_mail_without_its_path():
    assert said("Clone git@a.example:tea/pot.git now.") == "Clone git at a dot example now."
    assert said("git@a.example: yes, tea/pot.") == "Git at a dot example: yes, tea pot."


@pytest.mark.parametrize("language", sampled(["en", "de", "ar", "hi"], 2))
@pytest.mark.parametrize(
    "text",
    [
        "Fix (a1b2c3d)",
        f"See {COMMIT} now",
        "a1b2c3d: Fix",
        "Merge a1b2c3d and e4f5a6b into main",
        f"{UUID} is it",
    ],
)
def test_captions_and_transcript_have_every_hash(text, language):
    assert (
        join_words(token.written for token in tokenize_text(text, language)).replace("\xa0", " ")
        == text
    )
    assert "a1b2c3d" not in said(text, language).lower()


def test_in_a_language_without_spaces_a_hash_is_shown_and_not_said():
    [first, *_] = words = tokenize_text("修正しました a1b2c3d です。", "ja")
    assert "a1b2c3d" in join_words(word.written for word in words)
    assert (
        "a1b2c3d" not in " ".join(word.spoken for word in words) and first.spoken == "修正しました"
    )


def test_a_changelog_loses_nothing_and_reads_no_hash():
    notes = (
        "## 2.1.0\n\n### Fixed\n\n"
        "- Keep the order of rows ([a1b2c3d](https://git.example.com/r/commit/a1b2c3d))\n"
        f"- {COMMIT} Close files sooner\n- Update dependencies (#12, e4f5a6b)\n\n"
        f"The checksum of the archive is {SUM}."
    )
    brief = brief_of(metadata_md=notes)
    script = from_brief.write_script(brief)
    assert completeness.list_lost(brief, script) == []
    spoken = " ".join(word for scene in script.scenes for word in scene.spoken).lower()
    assert not any(part in spoken for part in ("a1b2c3d", COMMIT[:20], "e4f5a6b", SUM[10:30]))
    assert "keep the order of rows" in spoken and "twelve" in spoken
