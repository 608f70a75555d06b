"""Formulas between ``$$``: typeset on their slide, read aloud in words, complete;
whatever is not understood stays text.
"""

import numpy as np
import pytest
from media.layout_sweep import faults, studio
from support.counting import lines_run
from support.sampling import sampled
from support.tables import each_of

from svc.base.text import latex
from svc.base.text.languages import LANGUAGES
from svc.media.drawing.looks import LOOKS
from svc.media.maths import reading, typeset
from svc.media.model import Rendition, Scene, Visual
from svc.media.script.completeness import list_lost
from svc.media.script.from_brief import write_script

WIDE, TALL = Rendition("landscape", 640, 360), Rendition("portrait", 360, 640)
PYTHAGORAS, ROOTS = "a^2+b^2=c^2", r"x=\frac{-b\pm\sqrt{b^2-4ac}}{2a}"
LONG = "+".join(map(str, range(1, 58)))
OTHERS = (
    r"\sum_{i=1}^{n} i = \frac{n(n+1)}{2}",
    r"\int_0^1 x^2 dx",
    r"e^{i\pi}+1=0",
    r"F = G \frac{m_1 m_2}{r^2}",
    r"50\%",
    r"\lim_{x\to\infty} \frac{1}{x} = 0",
    r"v = \text{distance} / t",
    r"\left[\frac{a}{b}\right)^2 \leq |x|, y' < n!",
    r"\frac{1,5}{\sqrt{1,000.5}}",
    "#x",
)
NONE = (
    r"\begin{matrix} a & b \end{matrix}",
    "x^",
    "^2",
    "x^1^2",
    "{" * 20 + "x" + "}" * 20,
    "x" * 301,
    "x" * 200,
    ".",
    "()",
    r"\text{#image}",
    r'\text{")}',
    r"\input{/etc/passwd}",
    r"\frac{a}",
    r"\sqrt[3]{x}",
    "a}",
    "{a",
    r"\left",
    "",
    "\\",
    "#read(x)",
    "x & y",
    'a"b',
    "```x```",
    r"\unknown",
)


def spoken(source: str, language: str = "en") -> str:
    return " ".join(token.spoken for token in reading.read_formula(source, language))


def scene(source: str) -> Scene:
    return Scene(
        "formula", "Roots", (), ("x",), ("x",), "A formula.", sight=Visual("formula", source)
    )


@pytest.mark.parametrize(
    ("language", "source", "said"),
    [
        ("en", PYTHAGORAS, "A squared plus B squared equals C squared."),
        (
            "en",
            ROOTS,
            (
                "X equals minus B plus or minus the square root of B squared minus four A C "
                "over two A."
            ),
        ),
        ("en", OTHERS[0], "the sum from I equals one to N of I equals N N plus one over two."),
        ("en", OTHERS[1], "the integral from zero to one of X squared D X."),
        ("en", OTHERS[2], "E to the power of I pi plus one equals zero."),
        ("en", r"\left(\frac{a}{b}\right)^2", "A over B squared."),
        ("de", PYTHAGORAS, "A Quadrat plus B Quadrat gleich C Quadrat."),
        ("fr", PYTHAGORAS, "A au carré plus B au carré égale C au carré."),
        ("es", "a-b", "A menos B."),
    ],
)
def test_a_formula_is_read_aloud(language, source, said):
    assert spoken(source, language) == said


def test_captions_have_its_signs():
    assert reading.caption_formula(ROOTS, "en") == "x = (− b ± √(b² − 4ac)) ÷ (2a)"
    assert reading.caption_formula(PYTHAGORAS, "de") == "a² + b² = c²"
    assert reading.caption_formula(r"\frac{a}{b}^2 + \sqrt{x}^2", "en") == "(a ÷ b)² + (√x)²"


def test_an_argument_without_braces_is_one_digit():
    assert latex.parse_formula(r"\frac12 x + \frac1{20}") == latex.parse_formula(
        r"\frac{1}{2} x + \frac{1}{20}"
    )
    assert latex.parse_formula(r"\frac123") == latex.parse_formula(r"\frac{1}{2}3")


def test_every_language_reads_every_part():
    for language in LANGUAGES:
        for source in (PYTHAGORAS, ROOTS, *OTHERS[:-1]):
            tokens = reading.read_formula(source, language)
            assert (
                tokens
                and all(token.written and token.spoken.strip(" .") for token in tokens)
                and tokens[-1].ends
            )


@pytest.mark.parametrize("source", [PYTHAGORAS, ROOTS, *OTHERS[:-1]])
def test_a_formula_is_typeset_within_its_box(source):
    mask = typeset.draw_formula(source, 800, 300, 60, 1)
    assert (
        mask is not None
        and mask.width <= 801
        and mask.height <= 301
        and np.asarray(mask).max() > 200
    )


def test_a_formula_with_letters_that_typst_has_not_is_shown_as_captions_have_it():
    for source in (r"v = \frac{\text{距離}}{\text{時間}}", "속+x", "ก"):
        assert (
            latex.parse_formula(source) is not None
            and typeset.draw_formula(source, 800, 300, 60, 1) is None
        )
        assert reading.caption_formula(source, "ja")
    for source in ("ж+é=ℝ", r"\text{Größe}", "α→β"):
        assert typeset.draw_formula(source, 800, 300, 60, 1) is not None


@each_of("source", NONE)
def test_whatever_is_no_formula_stays_text(make_brief, source):
    assert (
        latex.parse_formula(source) is None
        and typeset.draw_formula(source, 100, 100, 20, 1) is None
        and reading.read_formula(source, "en") == []
    )
    assert latex.find_formula(f"$${source}$$") == ""


def test_prices_and_lists_stay_text(make_brief):
    brief = make_brief(
        metadata_md=(
            "It costs $5 and $6, or $$$.\n\n- $$a^2$$ is here\n- More\n\n> $$b^2$$\n\n"
            "$$ and $$ are dear.\n"
        )
    )
    assert not [scene for scene in write_script(brief).scenes if scene.layout == "formula"]


@pytest.mark.parametrize("language", ["en", "de", "ar", "hi"])
def test_a_brief_with_formulas_is_complete(make_brief, language):
    text = f"## Roots\n\nLook here:\n\n$$\n{ROOTS}\n$$\n\n$${OTHERS[0]}$$\n\n$$\\unknown{{x}}$$\n"
    brief = make_brief(metadata_md=text, language=language)
    script = write_script(brief)
    assert [scene.sight.text for scene in script.scenes if scene.sight.kind == "formula"] == [
        ROOTS,
        OTHERS[0],
    ]
    assert list_lost(brief, script) == []


@pytest.mark.parametrize("look", sampled(LOOKS, 3))
def test_a_formula_is_drawn_on_its_slide_in_every_look(look):
    for theme, shape in (("dark", WIDE), ("light", TALL)):
        assert faults(scene(ROOTS), shape, look, theme, (-1,)) == []
        drawn, empty = (
            studio(scene(source), shape, look, theme).picture(0).astype(int)
            for source in (ROOTS, ".")
        )
        left, _, right, bottom = studio(scene(ROOTS), shape, look, theme).plan.content
        changed = np.abs(drawn - empty).max(axis=2) > 90
        assert changed[:, left:right].sum() > 300 and not changed[bottom:].any()


def test_a_formula_too_wide_to_be_read_is_shown_as_captions_have_it():
    drawn = studio(scene(LONG), TALL)
    drawn.picture(0)
    text = " ".join(text.text for text in drawn.drain_texts() if text.part == "text")
    assert (
        "1 + 2 + 3" in text
        and "57" in text
        and faults(scene(LONG), TALL, "explainer", "dark", (-1,)) == []
    )


@pytest.mark.parametrize(
    "source", ["{" * 100_000, "^" * 299, r"\frac" * 55, "x_" * 140 + "x", r"\sqrt" * 40 + "x"]
)
def test_a_hostile_formula_is_refused_after_few_steps(source):
    """A step is a line of Python.

    The longest formula that is read takes a few for each of its characters.
    """
    assert latex.find_formula(f"$${source}$$") == ""
    assert lines_run(lambda: latex.find_formula(f"$${source}$$")) < 1500
