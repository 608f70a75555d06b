"""Lines that mix directions are drawn as FriBidi and HarfBuzz draw them,
which had no part in ours.
"""

import numpy as np
import pytest
from PIL import Image, ImageDraw, features
from small_programme import timeline_of
from support.tables import each_of

from svc.media import fonts
from svc.media.captions import captions, transcript
from svc.media.checks import captions as checks
from svc.media.checks import documents
from svc.media.drawing import typesetting
from svc.media.drawing.typesetting import Typeface
from svc.media.model import save
from svc.media.script.from_brief import write_script
from svc.media.text import direction
from svc.media.text.line_breaks import GLUE
from svc.media.video.scene import SceneRenderer

FACE = Typeface(40, 400, family="Rubik")  # which has Latin, Hebrew and Arabic letters
LINES = [
    "שלום, עולם!",
    "האתר של Harbour & Sons.",
    'המחיר: 5.50 $ בלבד (כולל מע"מ)',
    'ב-1,250 ש"ח, או 10% פחות',
    "C++ ו-C# הן שפות",
    "Harbour (חיפה) נפתח",
    "הטלפון +972-3-555-0100 פתוח",
    "גרסה 2.0.1 (beta) מוכנה",
    "https://example.com/a?b=1 באתר",
    "בשעה 9:30–17:00 היום",
    "קראו «אור» או [שלום] היום",
    "האם C(x) = 5?",
    "jane@example.com, כתבו!",
    "50% הנחה!",
    "(שלום)",
    "A/B בדיקה",
    "'שלום' \"עולם\"",
    "مرحبا، يا عالم!",
    "موقع Harbour & Sons.",
    "السعر 5.50 $ فقط (مع الضريبة)",
    "نسبة ٥٠٪ من ١٢٣٤",
    "في 2024/05/06 عند 9:30",
    "كتاب (Guide 2.0) جديد؟",
    "قال «نعم» ثم [لا]",
    "C++ لغة",
    "یک کتاب، ۲۰٪ تخفیف!",
    "Visit مرحبا، يا (عالم)! now",
    "The word שלום, means peace.",
    "Say שלום עולם! (twice)",
    "5 > 3 שלום",
    "a - ב - c",
    "1. שלום",
    "שלום 1-2-3 Test-4",
]


def drawn(words, right_to_left: bool) -> np.ndarray:
    picture = Image.new("L", (1200, 80))
    pen = ImageDraw.Draw(picture)
    for run in typesetting.place_runs(words, FACE, 20, 1180, "start", False, right_to_left):
        typesetting.draw_run(pen, run, 40, FACE, 255)
    return np.asarray(picture) > 128


def by_fribidi(text: str, right_to_left: bool) -> np.ndarray:
    picture = Image.new("L", (1200, 80))
    font = fonts.load(FACE.size, FACE.weight, "a", FACE.family)
    at = (20, 40 + typesetting._CAP_CENTRE * FACE.size)
    ImageDraw.Draw(picture).text(
        at, text, fill=255, font=font, anchor="ls", direction="rtl" if right_to_left else "ltr"
    )
    return np.asarray(picture) > 128


def columns(picture: np.ndarray) -> np.ndarray:
    """How much ink is in each stripe of six pixels."""
    return picture.sum(axis=0).reshape(-1, 6).sum(axis=1)


@pytest.mark.skipif(not features.check("fribidi"), reason="Pillow finds no FriBidi to compare with")
@each_of("right_to_left", [True, False])
@each_of("line", LINES)
def test_a_line_is_drawn_as_by_fribidi(line, right_to_left):
    ours, theirs = drawn(tuple(line.split()), right_to_left), by_fribidi(line, right_to_left)
    assert abs(np.cumsum(columns(ours)) - np.cumsum(columns(theirs))).max() <= 0.05 * theirs.sum()


@each_of("right_to_left", [True, False])
@each_of("line", LINES)
def test_every_character_of_a_line_is_drawn_once_and_as_wide_as_it_was_measured(
    line, right_to_left
):
    words = tuple(line.split())
    runs = direction.order_runs(words, right_to_left)
    assert "".join(run.text for run in sorted(runs, key=lambda run: run.at)) == " ".join(words)
    placed = typesetting.place_runs(words, FACE, 0, 1000, "start", False, right_to_left)
    last = placed[-1]
    wide = last.x + typesetting.measure_word(last.text, FACE)
    assert abs(wide - typesetting.measure_line(words, FACE)) < 6


@each_of("align", ["start", "centre", "end"])
@each_of("line", [*LINES, "הלינטר (linter)"])
def test_a_line_ends_where_its_box_does(line, align):
    """Its words may be wider in their parts than whole: in Hebrew, "(l" has no kerning."""
    words = tuple(line.split())
    for right_to_left in (True, False):
        runs = typesetting.place_runs(words, FACE, 100, 1100, align, right_to_left)
        before = runs[0].x - 100
        after = 1100 - runs[-1].x - typesetting.measure_word(runs[-1].text, FACE)
        at_right = (align == "end") != right_to_left
        there = before - after if align == "centre" else after if at_right else before
        assert abs(there) < 0.01


@pytest.mark.parametrize(
    "words, shown",
    [
        (("אתר", "https://a.example/x?y=1", "חדש"), "חדש https://a.example/x?y=1 אתר"),
        (("שלום", "(world)", "עולם"), "עולם )world( שלום"),
        (("של", "Sons", "(Ltd.)!"), "!Sons (Ltd.) של"),
        (("5", "%", "הנחה"), "הנחה % 5"),
        (("C++", "היא", "שפה."), "שפה. היא ++C"),
        (("\u2060של",), f"{GLUE}של"),
        (("א", f"{GLUE}ב"), f"{GLUE}בא"),
        (("🎉", "שלום", "🎉!"), "🎉! שלום 🎉"),
    ],
)
def test_signs_stand_where_a_reader_from_the_right_expects_them(words, shown):
    """Brackets of a run from right to left are mirrored when it is drawn."""
    assert "".join(run.text for run in direction.order_runs(words, True)) == shown


@pytest.mark.parametrize(
    "text, frame, left",
    [
        ("Harbour & Sons", True, False),
        ('מרחב בע"מ', True, True),
        ("Harbour מרחב", True, True),
        ("12 %", True, True),
        ("שלום!", False, True),
        ("Harbour", False, False),
        ("Harbour מרחב", False, False),
        ("12 %", False, False),
    ],
)
def test_a_text_of_its_own_is_ordered_as_its_letters_are(text, frame, left):
    assert direction.is_ordered_left(text.split(), frame) is left


@pytest.mark.parametrize(
    "line, right_to_left, marked",
    [
        ("Harbour فتح.", True, True),
        ("فتح Harbour.", True, False),
        ("5 Harbour!", True, True),
        ("12:30", True, False),
        ("שלום means peace.", False, True),
        ("The word שלום.", False, False),
        ("– Harbour", False, False),
    ],
)
def test_a_line_of_a_file_is_marked_where_its_first_letter_would_turn_it(
    line, right_to_left, marked
):
    mark = direction.RIGHT_TO_LEFT if right_to_left else direction.LEFT_TO_RIGHT
    assert direction.mark_direction(line, right_to_left) == (mark + line if marked else line)


def test_an_english_sentence_of_an_arabic_brief_keeps_its_direction(make_brief, tmp_path):
    brief = make_brief(metadata_md="فتح المتجر اليوم.\n\nClick to see it.", language="ar")
    script = write_script(brief)
    timeline = timeline_of(script)
    captions.write_files(script, timeline, tmp_path / "a.srt", tmp_path / "a.vtt")
    assert "\nClick to see it." in (tmp_path / "a.srt").read_text("utf-8")
    drawn = SceneRenderer(brief, script, brief.renditions[0], tmp_path)
    cue = next(
        each
        for each in captions.split_cues(script, timeline)
        if captions.list_cue_lines(script, each) == ["Click to see it."]
    )
    strip = drawn.draw_caption(cue).pixels.astype(int)
    ink = np.abs(strip - np.array(drawn.palette.caption.ink)).max(axis=-1) <= 90
    columns = np.flatnonzero(ink.any(axis=0))
    widest = np.split(columns, np.flatnonzero(np.diff(columns) > 1) + 1)
    # the full stop, and no letter, is the last from left to right
    assert len(widest[-1]) < len(widest[0])


def test_the_files_of_an_arabic_brief_are_marked_and_pass_the_gates(make_brief, tmp_path):
    brief = make_brief(
        metadata_md=(
            "Harbour & Sons فتح المتجر اليوم، وهو كبير.\n\n- Harbour 2.0!\n- مرحبا (world)"
        ),
        language="ar",
    )
    script = write_script(brief)
    timeline = timeline_of(script)
    save(script, tmp_path / "script.json")
    save(timeline, tmp_path / "timeline.json")
    captions.write_captions(tmp_path)
    transcript.write_transcript(brief, tmp_path)
    for name in ("captions.srt", "captions.vtt"):
        assert "\n\u200fHarbour & Sons فتح" in (tmp_path / name).read_text("utf-8").replace(
            "&amp;", "&"
        )
        found = {
            finding.check: finding
            for finding in checks.list_findings(
                tmp_path / name, script, timeline, None, timeline.duration
            )
        }
        assert found["scenes in captions"].passed and found["captions and words"].passed
    assert "\n\u200fAda: Harbour & Sons فتح" in (tmp_path / "transcript.txt").read_text("utf-8")
    assert documents._check_transcript(tmp_path / "transcript.txt", brief, script).passed
