"""Any input from a partner gives a script that can be spoken, or a clear error, and never hangs."""

import itertools
import os
import random
import unicodedata
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
from media.conftest import brief_of
from support.counting import lines_run
from support.patience import PATIENCE
from support.sampling import sampled

from svc.base.steps import STEPS
from svc.media import deliverables as finished
from svc.media import languages as language_words
from svc.media.captions.captions import split_cues
from svc.media.errors import MediaError, ScriptError
from svc.media.model import Rendition, Script, save
from svc.media.script import markdown
from svc.media.script.from_brief import MOST_SCENES, write_script
from svc.media.script.markdown import LONGEST
from svc.media.text import long_words
from svc.media.text.tokens import GLUE, LONGEST_WORD, measure_display_length
from svc.work.step_process import runner as step_runner
from svc.work.step_process.outcomes import Completed, Failed

HOSTILE = {
    "nothing": "",
    "white": " \t\r\n\u00a0\u2003\u2028" * 500,
    "controls": "be\x00fore\x07 \x1b[31mred\x7f \x85after",
    "turned round": "\u202eesrever\u202c \u2066isolate\u2069 \u200fmark",
    "lone surrogates": "before \ud800 middle \udfff after",
    "emoji": "🎉👩‍👩‍👧‍👦🏳️‍🌈1️⃣" * 400,
    "one endless word": "a" * 4096,
    "one endless address": "https://" + "a" * 4000 + ".com/" + "." * 90,
    "one endless run of signs": "." * 4096,
    "signs apart": ". " * 2048,
    "stacked marks": "Z" + "\u0301\u0316\u0489" * 1300 + "algo",
    "deep quotes": "> " * 2000 + "deep",
    "deep lists": "\n".join("  " * depth + "- x" for depth in range(80)),
    "a thousand items": "- a\n" * 1024,
    "a thousand headings": "# a\n" * 1024,
    "brackets": "[" * 4096,
    "stars": "*a " * 1365,
    "emphasis": "*a **a " * 585,
    "back ticks": "`" * 2048 + " " + "`" * 2047,
    "links": "[a](<b" * 680,
    "references": "[a]: b\n" * 580,
    "tags": "<b " * 1365,
    "entities": "&amp;&#0;&#xD800;&#x202e;&notreal;" * 120,
    "a wide table": "|a" * 1000 + "|\n" + "|-" * 1000 + "|\n" + "|b" * 40 + "|\n",
    "open front matter": "---\n" + "a: b\n" * 800,
    "front matter like prose": "---\n" + "a:" * 2000 + "\nx",
    "spaces at line ends": ("a" + " " * 60 + "\n") * 66,
    "template": "{name} {0} %s %(x)s ${HOME} {{7*7}} <script>alert(1)</script>",
    "voice markup": (
        '<speak><break time="9s"/></speak> [[h@l\'oU]] <audio src="file:///etc/passwd"/>'
    ),
    "another script": "日本語のテキスト 한국어 ქართული",
    "digits": "9" * 4096,
    "commas between digits": "1,1.1'1" * 580,
    "groups of digits": "+1 000 000 " * 370,
    "a telephone number without end": "+" + "1" * 55 + "x " + "+1(2)-3/4." * 200,
    "at signs": "a@a@" * 1000 + " " + "a." * 1000 + "@b",
    "dots between letters": "a.b." * 1024,
    "dates that are none": "2026-02-30 99.99.9999 31.11.0000 2026-13-01 0/0/0000 24:60 12:00:00:00 "
    * 50,
    "amounts": "$5m €1.2bn 5€ £0.000 -$5 R$9,9 $ 5 %" * 100,
    "superscripts": "² ½ ⅷ 1² m² ³³ ①" * 250,
    "ranges": "1-1-1-1–1—" * 400,
    "everything stressed": "**" + "a b. " * 800 + "**",
    "stress upon stress": "***a** b* c ***d*** " * 200,
    "images of the inside": (
        "![etc](file:///etc/passwd) ![meta](http://169.254.169.254/latest) ![up](../../secret) "
    )
    * 40,
    "links to the inside": (
        "[a](http://user:key@127.0.0.1:6379/) <http://[::1]/> http://0x7f000001/ "
        "javascript:alert(1) "
    )
    * 40,
    "a chart without end": "|a|b|\n|-|-|\n" + "|x|9e999|\n|y|-1|\n" * 200,
    "quotations": "> said\n>\n" * 400,
    "figures in bold": "**71 %** " * 400,
    "zero width": "a\u200b\u200c\u200d\u2060\ufeff" * 800,
    "right to left": "שלום عالم hello " * 250,
    "nested front matter": "---\na: &a [*a]\nb: !!python/object/apply:os.system [id]\n---\nwords",
    "mathematical letters": "𝐇𝐞𝐥𝐥𝐨 𝕨𝕠𝕣𝕝𝕕 ﷽ ﬁ Ⅷ " * 120,
    "private use": "\ue000\uf8ff\U000f0000 \ufffe\uffff words",
}


def assert_sound(script: Script) -> None:
    """Each scene has words, one for one; nothing that cannot be seen;
    points that point at words.
    """
    assert 2 <= len(script.scenes) <= MOST_SCENES
    for scene in script.scenes:
        assert scene.words and len(scene.words) == len(scene.spoken)
        shown = long_words.shorten_for_pictures(scene.words)
        assert len(shown) == len(scene.words) and shown[0] != GLUE
        # and an emoji
        assert all(
            word.strip() and measure_display_length(word) <= LONGEST_WORD + 12 for word in shown
        )
        assert all(scene.spoken) and not any("://" in word for word in scene.spoken)
        assert all(0 <= index < len(scene.words) for index in scene.sentence_ends)
        for point in scene.points:
            assert 0 <= point.first_word <= point.last_word < len(scene.words)
        shown = "".join(
            (
                scene.heading,
                scene.description,
                *scene.words,
                *(point.text for point in scene.points),
            )
        )
        assert not {
            character
            for character in shown
            if unicodedata.category(character) in ("Cc", "Cs", "Co", "Cn")
        }
        assert not set(shown) & set(
            "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200f\u200e"
        )


def assert_timed(programme) -> None:
    for scene, timing in zip(programme.script.scenes, programme.timeline.scenes, strict=True):
        assert len(scene.words) == len(timing.words)


@pytest.fixture(scope="module")
def tables_read():
    """What is read once by a process, such as the words of a language, the letters of scripts that
    no voice has, and the small words of all languages, at which a long sentence is split.
    """
    for kind in language_words.SECTIONS.values():
        language_words.merge_words(kind)
    for text in ("", HOSTILE["another script"], "the bus and the tram, " * 20):
        write_script(brief_of(metadata_md=text))


@pytest.mark.parametrize(
    "place, name", sampled(itertools.product(("topic", "markdown"), HOSTILE), 24)
)
def test_a_hostile_brief_gives_a_script_or_a_clear_error_after_work_in_proportion(
    make_brief, tables_read, name, place
):
    """The work is counted in lines of Python.

    A pattern is one line: if it backtracks without end, this does not end either.
    """
    text = HOSTILE[name]
    changes = (
        {"title": "", "topic": text, "metadata_md": ""}
        if place == "topic"
        else {"metadata_md": text}
    )

    def write() -> None:
        try:
            scripts.append(write_script(make_brief(**changes)))
        except ScriptError as error:
            assert error.code in ("SCRIPT_EMPTY", "SCRIPT_TOO_LONG") and error.message.endswith(".")

    scripts: list[Script] = []
    # Most a character: of a thousand points of one letter, each a block of Markdown with a
    # sentence. Nothing but a title takes 46,000, unless its picture was looked for just before:
    # both encoders part it into pieces.
    assert lines_run(write) < 60_000 + 1300 * len(text)
    for script in scripts:
        assert_sound(script)


@pytest.mark.parametrize("seed", sampled(range(6), 4))
def test_random_text_gives_a_script_or_a_clear_error(make_brief, seed):
    chance = random.Random(seed)
    alphabet = "ab Z.!?,-*_#>|`[]()<>&\n\t1€🎉\u202e\x00\ud800\u0301یना"
    for _ in range(5):
        text = "".join(chance.choices(alphabet, k=chance.randrange(300)))
        try:
            assert_sound(write_script(make_brief(topic=text, metadata_md=text)))
        except ScriptError as error:
            assert error.code == "SCRIPT_EMPTY"


HUGE = ("a ", "a", ". ", "a. ", "- ")


@pytest.mark.parametrize("piece", sampled(HUGE, 4))
def test_the_work_for_a_large_file_grows_with_its_length_and_no_faster(
    make_brief, tables_read, piece
):
    def write(length: int) -> None:
        with suppress(ScriptError):
            write_script(make_brief(metadata_md=(piece * length)[:length]))

    few, many = (lines_run(partial(write, length)) for length in (2000, 4000))
    assert many < 2.1 * few


# Words: the address of the end card is looked for in all of the text.
@pytest.mark.parametrize("piece", sampled(["a ", "a. "], 2))
def test_what_comes_after_the_longest_text_is_not_read(make_brief, tables_read, monkeypatch, piece):
    monkeypatch.setattr(markdown, "LONGEST", 2000)
    few, many = (make_brief(metadata_md=(piece * length)[:length]) for length in (2000, 10_000))
    write_script(few)  # whose vectors are kept for texts that come again
    assert lines_run(lambda: write_script(many)) < 1.1 * lines_run(lambda: write_script(few))


@pytest.mark.slow
@pytest.mark.parametrize("piece", HUGE)
def test_a_huge_file_is_read_or_refused(make_brief, piece):
    try:
        assert_sound(write_script(make_brief(metadata_md=piece * LONGEST)))
    except ScriptError as error:
        assert error.code == "SCRIPT_TOO_LONG"


REFUSED_AT_THE_DOOR = {"lone surrogates"}  # no UTF-8
# what is odd in these ends with the script, which is tried above: half a minute of work each for
# plain words
MARKUP = {
    "brackets",
    "stars",
    "emphasis",
    "back ticks",
    "links",
    "references",
    "tags",
    "entities",
    "quotations",
    "front matter like prose",
}


# The script of all of it is tried above; a video of all of it takes minutes and shows the same
# again and again.
SHOWN = 400  # characters
IN_FULL = {"digits", "one endless word"}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(HOSTILE) - REFUSED_AT_THE_DOOR - MARKUP))
def test_a_hostile_brief_becomes_a_good_video_or_a_clear_refusal(make_brief, tmp_path, name):
    """Every step in a child as the engine runs it: nothing crashes, nothing hangs, nothing takes
    much memory, and whatever passes has passed the quality gates."""
    notes = HOSTILE[name] if name in IN_FULL else HOSTILE[name][:SHOWN]
    brief = make_brief(
        metadata_md=notes, renditions=(Rendition("small", 320, 180, 30, ("Watch",)),)
    )
    save(brief, tmp_path / "brief.json")
    watch = Watch()
    for step, _ in STEPS:
        outcome = step_runner.run_step(step, tmp_path, PATIENCE, watch)
        if outcome != Completed():
            assert (
                name not in ALWAYS_MADE and isinstance(outcome, Failed) and outcome.code in REFUSALS
            ), outcome.message
            assert outcome.message and "Traceback" not in outcome.message
            break
    else:
        deliverables = finished.list_deliverables(brief, tmp_path)
        assert {file.format for file in deliverables} == {"mp4", "srt", "vtt", "txt", "docx", "pdf"}
    assert watch.most < 700, f"{watch.most} MB"


REFUSALS = ("SCRIPT_TOO_LONG", "NARRATION_TOO_LONG", "SCRIPT_EMPTY", "QUALITY_GATE_FAILED")
# what a gate may refuse is nonsense, such as a letter a thousand times; these are mistakes and
# attacks
ALWAYS_MADE = {
    "nothing", "white", "controls", "turned round", "emoji", "one endless word",
    "one endless address", "stacked marks", "template", "voice markup", "another script",
    "private use", "images of the inside", "links to the inside", "zero width",
    "nested front matter", "open front matter", "everything stressed", "deep quotes", "deep lists",
}  # fmt: skip


class Watch:
    """Hears of a step's progress, and looks meanwhile how much memory its processes take
    together, in MB.
    """

    def __init__(self):
        self.most = 0.0

    def __call__(self, fraction: float) -> None:
        self.most = max(self.most, memory_below(os.getpid()))


def memory_below(pid: int) -> float:
    """Return the resident memory of all descendants of a process, in MB."""
    parents, sizes = {}, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        parents[int(stat.parent.name)], sizes[int(stat.parent.name)] = (
            int(fields[1]),
            int(fields[21]) * 4096 / 1e6,
        )
    total, waiting = 0.0, [pid]
    while waiting:
        parent = waiting.pop()
        below = [child for child, above in parents.items() if above == parent]
        total += sum(sizes[child] for child in below)
        waiting += below
    return total


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["digits", "deep quotes", "voice markup", "emoji", "everything stressed", "amounts"]
)
def test_a_hostile_script_is_spoken_word_for_word(make_programme, name):
    try:
        programme = make_programme(metadata_md=HOSTILE[name])
    except MediaError as error:
        assert error.code in REFUSALS
        return
    assert_timed(programme)
    assert all(cue.start < cue.end for cue in split_cues(programme.script, programme.timeline))


def test_a_script_full_of_signs_is_spoken(make_programme):
    signs = "\n\n".join((HOSTILE["template"], HOSTILE["voice markup"], HOSTILE["entities"][:200]))
    assert_timed(make_programme(metadata_md=signs))
