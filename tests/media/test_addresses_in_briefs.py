"""Addresses in ordinary briefs: whole in files, by their host in the picture, and never in part."""

import itertools
import re

import pytest
from small_programme import timeline_of
from support.sampling import sampled

from svc.media.captions import captions, parse, transcript
from svc.media.checks import captions as checks
from svc.media.drawing import typesetting
from svc.media.drawing.typesetting import Typeface
from svc.media.model import Rendition, save
from svc.media.script.completeness import list_lost
from svc.media.script.from_brief import write_script
from svc.media.slides import framings
from svc.media.text import addresses, long_words
from svc.media.text.tokens import GLUE, join_words, shorten, tokenize_text
from svc.media.video.scene import SceneRenderer

MIDDLE = "https://youtu.be/dQw4w9WgXcQ?si=AbCdEf123456"
LONG = (
    "https://www.example.com/very/long/path/that/goes/on/and/on/until/nobody/can/read/it"
    "?with=query&more=1#part"
)
BRACKETS = "https://en.wikipedia.org/wiki/Tide_(disambiguation_of_things)"
WIDE_HOST = (
    "https://my-very-long-company-name.sharepoint.com/sites/team/Shared%20Documents/plan.docx"
)
BARE = "example.com/a/b/c?x=1&y=2&z=3444444444"
HOSTS = {
    MIDDLE: "youtu.be",
    LONG: "example.com",
    BRACKETS: "en.wikipedia.org",
    WIDE_HOST: "my-very-long-company-name.sharepoint.com",
    BARE: "example.com",
}
BY_TIMES = ("reading speed", "shortest caption")  # which the even times of these words decide
NOTES = (
    "Watch {}",
    "{}",
    "{} is new.",
    "Watch {} today, and tell us.",
    "Watch ({}), please.",
    'See "{}".',
    "# {}\n\nWatch it.",
    "- Watch {}\n- Like it",
    "| Name | Link |\n|---|---|\n| Film | {} |\n| Two | none |",
    "> Watch {} — Ada",
    "<{}>",
    "*{}*",
)


def written(brief, folder):
    """Write the caption files and the transcript, and return the script and the timeline."""
    script = write_script(brief)
    timeline = timeline_of(script)
    save(script, folder / "script.json")
    save(timeline, folder / "timeline.json")
    captions.write_captions(folder)
    transcript.write_transcript(brief, folder)
    return script, timeline


ANYWHERE = sampled(itertools.product(HOSTS, NOTES, ("en", "de", "ar", "he", "ja", "ko")), 60)


@pytest.mark.parametrize("address, notes, language", ANYWHERE)
def test_an_address_is_whole_in_files_and_its_host_in_captions(
    make_brief, tmp_path, address, notes, language
):
    if "<" in notes and "://" not in address:
        return  # a tag
    brief = make_brief(metadata_md=notes.format(address), language=language)
    script, timeline = written(brief, tmp_path)
    assert list_lost(brief, script) == []
    assert address in (tmp_path / "transcript.txt").read_text("utf-8")
    for name in ("captions.srt", "captions.vtt"):
        cues = parse.read_cues(tmp_path / name)
        shown = parse.normalise_text(" ".join(cue.text for cue in cues)).replace(" ", "")
        assert address in shown or HOSTS[address] in shown
        assert "…" not in shown
        if len(address) <= 60 and language in ("en", "de"):
            assert address in shown
        found = checks.list_findings(tmp_path / name, script, timeline, None, timeline.duration)
        assert all(finding.passed or finding.check in BY_TIMES for finding in found)
    burnt = [long_words.shorten_for_pictures(scene.words) for scene in script.scenes]
    assert any(HOSTS[address] in word and address not in word for words in burnt for word in words)


@pytest.mark.parametrize("language", sampled(["en", "ar", "ja"], 3))
def test_an_address_takes_no_longer_to_read_than_its_host(make_brief, tmp_path, language):
    script, timeline = written(
        make_brief(metadata_md=f"Watch {MIDDLE} today.", language=language), tmp_path
    )
    [found] = [
        finding
        for finding in checks.list_findings(
            tmp_path / "captions.srt", script, timeline, None, timeline.duration
        )
        if finding.check == "reading speed"
    ]
    assert found.passed, found.measured


@pytest.mark.parametrize("limits", [{}, {"line_length": 42}, {"line_length": 20, "lines": 2}])
def test_no_cue_ends_within_an_address(make_brief, limits):
    script = write_script(
        make_brief(metadata_md=f"Watch {MIDDLE} today, then read {LONG} and {BRACKETS} as well.")
    )
    for cue in captions.split_cues(script, timeline_of(script), **limits):
        words = long_words.shorten_for_pictures(script.scenes[cue.scene].words)
        assert words[cue.first_word] != GLUE


def test_the_host_is_highlighted_while_any_of_its_address_is_spoken(make_brief):
    rendition = Rendition("landscape", 640, 360)
    brief = make_brief(metadata_md=f"Watch {MIDDLE} today.", renditions=(rendition,))
    script = write_script(brief)
    renderer = SceneRenderer(brief, script, rendition)
    number, at = next(
        (n, w)
        for n, scene in enumerate(script.scenes)
        for w, word in enumerate(scene.words)
        if "youtu" in word
    )
    cues = captions.split_cues(script, timeline_of(script), *renderer.plan.caption_lines)
    [cue] = [cue for cue in cues if cue.scene == number]
    first, second, none = (renderer.draw_caption(cue, word).pixels for word in (at, at + 1, None))
    assert (first == second).all() and (first != none).any()
    drawn = [text.text for text in renderer.drain_texts() if text.part == "caption"]
    assert any("youtu.be" in text for text in drawn) and not any("dQw4" in text for text in drawn)


@pytest.mark.parametrize(
    "piece, shown",
    [
        (MIDDLE, "youtu.be"),
        (f"({MIDDLE}).", "(youtu.be)."),
        (f"“{MIDDLE}”,", "“youtu.be”,"),
        (f"<{MIDDLE}>", "<youtu.be>"),
        (BRACKETS, "en.wikipedia.org"),
        (f"({BRACKETS})", "(en.wikipedia.org)"),
        (f"{MIDDLE}를", "youtu.be를"),
        (f"siehe:{MIDDLE}!", "siehe:youtu.be!"),
        ("www.example.com/a?b", "example.com"),
        (BARE, "example.com"),
        ("https://user:secret@example.com:8080/x", "example.com"),
        ("ftp://files.example.org/a/b.zip", "files.example.org"),
        ("jane@example.com", "jane@example.com"),
        ("and/or", "and/or"),
        ("/usr/local/bin", "/usr/local/bin"),
        ("9f86d081884c7d659a2feaa0c55ad015", "9f86d081884c7d659a2feaa0c55ad015"),
        ("3.5/5", "3.5/5"),
    ],
)
def test_an_address_is_shortened_to_its_host_with_the_marks_around_it(piece, shown):
    assert addresses.shorten_to_host(piece) == shown


LONG_WORDS = [
    "jane.elizabeth.montgomery-smith@customer-support.example.co.uk",
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15",
    "/usr/local/share/applications/very-long-folder-name/settings.json",
    "0800-123-4567-8901-2345-678-9012-3456",
    r"C:\Users\Public\Documents\Reports\2026\quarterly-report-final.docx",
    "DE89370400440532013000123456789012345",
    "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
    "0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984",
    "a" + "-=" * 22 + "b",
    "a" + "-=" * 60 + "b",
    "magnet:?xt=urn:btih:c12fe1c06bba254a9dc9f519b335aa7c1367a88a",
]
IN_NOTES = [
    "It is {} now.",
    "{}",
    "- {}\n- Two",
    "| A | B |\n|---|---|\n| x | {} |",
    "# Start\n\n> {}",
]


@pytest.mark.parametrize("word, notes", sampled(itertools.product(LONG_WORDS, IN_NOTES), 16))
def test_no_long_word_is_cut_in_a_script(make_brief, tmp_path, word, notes):
    brief = make_brief(metadata_md=notes.format(f"`{word}`" if "\\" in word else word))
    script, _ = written(brief, tmp_path)
    assert list_lost(brief, script) == []
    assert word in (tmp_path / "transcript.txt").read_text("utf-8")


def test_an_e_mail_address_is_spoken_to_its_end():
    said = " ".join(
        token.spoken
        for token in tokenize_text(
            "jane.elizabeth.montgomery-smith@customer-support.example.co.uk", "en"
        )
    )
    assert said.endswith("example dot co dot uk.")


def test_a_shortened_text_has_no_part_of_an_address():
    assert shorten(f"Watch {MIDDLE} today", 40) == "Watch youtu.be today"
    assert (
        shorten(f"Watch {MIDDLE} today and tomorrow and whenever you like", 40)
        == "Watch youtu.be today and tomorrow and…"
    )
    assert shorten(f"Watch {MIDDLE}", 60) == f"Watch {MIDDLE}"


@pytest.mark.parametrize("text", [f"Watch {MIDDLE} today", LONG, f"شاهد {MIDDLE} اليوم"])
def test_a_small_box_shows_the_host_and_no_part_of_an_address(text):
    block = typesetting.fit_text(text, 300, 40, Typeface(40, 400), 20)
    assert "…" not in str(block.lines)
    shown = [word for line in block.lines for word in line]
    assert any(word in ("youtu.be", "example.com") for word in shown)


def test_an_address_in_a_text_from_right_to_left_is_not_broken_between_lines():
    for width in range(260, 1000, 60):
        block = typesetting.fit_text(
            f"شاهد {MIDDLE} اليوم مع أصدقائك", width, 400, Typeface(64, 400), 24
        )
        assert any(word in (MIDDLE, "youtu.be") for line in block.lines for word in line), width


def test_a_key_phrase_with_a_long_address_has_its_host(make_brief):
    script = write_script(make_brief(metadata_md=f"Visitors read **the guide at {LONG}**."))
    assert script.scenes[1].key_phrase == "the guide at example.com"


def test_a_web_address_in_a_script_without_spaces_is_one_word():
    said = tokenize_text(f"詳しくは{MIDDLE}をご覧ください。", "ja")
    assert join_words(token.written for token in said) == f"詳しくは{MIDDLE}をご覧ください。"
    assert [token.ends for token in said][:-1] == [False] * (len(said) - 1)
    assert (
        re.sub("[\u2060,]", "", "".join(token.spoken for token in said))
        == "詳しくはyoutu.beをご覧ください。"
    )


def test_an_address_in_large_type_that_is_several_words_keeps_its_slashes(make_brief):
    """One that was a little too long for a word was shown as "ledgerly.exampleissues"."""
    notes = "## Help\n\nReport problems at https://ledgerly.example/issues, with the log attached."
    scene = write_script(make_brief(metadata_md=notes)).scenes[1]
    shown = " ".join(framing.text for framing in framings.list_framings(scene))
    assert "ledgerly.example/issues, with the log" in shown and "https" not in shown


def test_no_word_beside_an_address_in_large_type_is_broken(make_brief):
    """An address breaks at its marks, but "Écrivez-nous" was torn at its hyphen with it."""
    notes = (
        "## Absences\n\nElles sont à signaler avant 9 h par téléphone ou sur le cahier de liaison. "
        "Elle doit être justifiée par écrit au retour de l'enfant.\n\nÉcrivez-nous à "
        "direction@ecole-ferry.example ou passez le mardi soir, sans rendez-vous."
    )
    brief = make_brief(metadata_md=notes, language="fr", look="scenes")
    script = write_script(brief)
    renderer = SceneRenderer(brief, script, Rendition("portrait", 1080, 1920))
    for scene in range(1, len(script.scenes)):
        for stage in range(len(renderer.list_stages(scene))):
            renderer.picture(scene, stage)
    lines = [text.text for text in renderer.drain_texts()]
    assert any("Écrivez-nous" in line for line in lines), lines


def test_an_address_in_running_text_is_on_one_line_that_holds_it(make_brief):
    """One that was a little too long for a word broke within "https://ledgerly.example/issues"."""
    notes = "## Help\n\nReport problems at https://ledgerly.example/issues, with the log attached."
    for look in ("explainer", "news", "short"):
        brief = make_brief(metadata_md=notes, look=look)
        script = write_script(brief)
        renderer = SceneRenderer(brief, script, Rendition("landscape", 1920, 1080))
        for stage in range(len(renderer.list_stages(1))):
            renderer.picture(1, stage)
        lines = [text.text for text in renderer.drain_texts()]
        assert any("ledgerly.example/issues," in line for line in lines), (look, lines)
        assert not any("https" in line for line in lines)


def test_a_slash_between_words_is_shown():
    assert addresses.drop_scheme("€\u00a0/") == "€\u00a0/"
    assert addresses.drop_scheme("https://a.example/b/") == "a.example/b"
