"""A prose scene's key phrase in large type, with an illustration beside it in a wide picture and
above it in a tall one.
"""

from dataclasses import replace

from svc.media.drawing import typesetting
from svc.media.drawing.canvas import Canvas
from svc.media.drawing.typesetting import TextBlock, Typeface
from svc.media.model import Scene
from svc.media.pictures import illustration
from svc.media.slides import framings, headings
from svc.media.text import bonds, line_breaks
from svc.media.text.line_breaks import GLUE

_MARKS = " .,:;!?؟،。…"
_LARGEST, _ALONE = 1.06, 1.5  # times the title's size, with an illustration and without
_LEADING = 1.16
# The words of one letter, such as an article. Other letters are signs of their own: "e", "x".
_WORDS_OF_ONE_LETTER = frozenset("aàèéóавикосуя")
# How far type shrinks, in shares of the title's size, so that no word is broken. In 0.5, a phrase
# beside its heading looked no larger than that, while 0.65 is well above running text in every
# look.
_LEAST_WHOLE = 0.65
# How far it shrinks for an address, which is read more easily in one piece, and the share of two
# lines' widths that the parts of a longer word take.
_LEAST_OF_ADDRESS, _IN_TWO = 0.65, 0.92


def draw(canvas: Canvas, scene: Scene) -> None:
    """Draw heading, key phrase and illustration of ``scene`` into the content box."""
    shown = framings.find_picture_of_phrase(scene)
    text, picture = illustration.split_content(canvas, shown)
    if picture:
        illustration.draw_illustration(canvas, shown, picture)
    left, top, right, bottom = text
    align = headings.choose_alignment(canvas, picture)
    kicker = _set_kicker(canvas, scene, right - left)
    ornament = (
        0 if picture and canvas.plan.width < canvas.plan.height else headings.mark_height(canvas)
    )
    above = ornament + (kicker.height + canvas.plan.px(18) if kicker else 0)
    face = canvas.make_heading_face(
        round(canvas.plan.sizes.title * (_LARGEST if picture else _ALONE)),
        canvas.look.title_weight,
        _LEADING,
    )
    room = (right - left, bottom - top - above)
    phrase = capitalise(scene.key_phrase.strip())
    block = fit_phrase(canvas, phrase, *room, face, _LEAST_WHOLE)
    y = top + max(0, (bottom - top - above - block.height) // 2)
    if ornament:
        headings.draw_mark(canvas, y, (left, y, right, bottom))
    y += ornament
    if kicker:
        canvas.draw_block(kicker, (left, y, right, bottom), canvas.palette.bright, align, "heading")
        y += kicker.height + canvas.plan.px(18)
    canvas.draw_block(block, (left, y, right, bottom), canvas.palette.ink, align, "text")


def capitalise(phrase: str) -> str:
    """Return ``phrase`` with a capital at its beginning, unless its first word is spelt
    otherwise ("iPhone", "setup.py").
    """
    word, _, rest = phrase.partition(" ")
    word = word.rstrip(_MARKS)
    is_word = len(word) > 1 or (word in _WORDS_OF_ONE_LETTER and rest[:1].isalpha())
    return (
        phrase[:1].title() + phrase[1:] if is_word and word.isalpha() and word.islower() else phrase
    )


def fit_phrase(
    canvas: Canvas, text: str, width: int, height: int, face: Typeface, least: float
) -> TextBlock:
    """Return ``text`` in large type: in the size in which its longest word is whole, if that is at
    least ``least`` times the title's; else in a larger one, with that word in two even parts, or
    in more where the type would be too small to be read.
    """
    legible = canvas.plan.sizes.least
    words = _join_bound(typesetting.split_pieces(text, face.language), face.language)
    longest, whole = _find_longest(words, width, face)
    is_address = line_breaks.has_address(longest)
    share = _LEAST_OF_ADDRESS if is_address else least
    is_long = whole < min(face.size, canvas.plan.sizes.title * share)
    is_hyphenated = is_long and not is_address
    if is_long and is_address:  # which is broken at its marks: no other word is
        others = [word for word in words if not line_breaks.has_address(word)]
        most = max(legible, _find_longest(others, width, face)[1])
        face = replace(face, size=min(face.size, most))
    elif is_hyphenated or not is_long:
        most = max(legible, whole if not is_long else int(2 * whole * _IN_TWO))
        face = replace(face, size=min(face.size, most))
    smallest = min(face.size, canvas.plan.sizes.label)
    return typesetting.fit_display(text, width, height, face, smallest, is_hyphenated)


def _join_bound(words: list[str], language: str) -> list[str]:
    """Return ``words`` with the pieces of a script without spaces that no line tears, such as a
    date, as one."""
    joined = words[:1]
    for word, bond in zip(words[1:], bonds.find_bonds(tuple(words), language), strict=False):
        if word.startswith(GLUE) and bond >= bonds.Bond.TIGHT:
            joined[-1] += word.removeprefix(GLUE)
        else:
            joined.append(word)
    return joined


def _find_longest(words: list[str], width: int, face: Typeface) -> tuple[str, int]:
    """Return the longest of ``words``, and the size in which it is as wide as ``width``."""
    longest = max(words, key=lambda word: typesetting.measure_word(word, face), default="")
    return longest, int(face.size * width / max(1, typesetting.measure_word(longest, face)))


def _set_kicker(canvas: Canvas, scene: Scene, width: int) -> TextBlock | None:
    """Return the scene's heading in small type; None if there is none,
    or the key phrase repeats it.
    """
    heading = scene.heading.strip()
    if not heading or heading.strip(_MARKS).casefold() == scene.key_phrase.strip(_MARKS).casefold():
        return None
    face = canvas.make_text_face(round(canvas.plan.sizes.label * 1.15), 650, 1.25)
    return typesetting.fit_text(
        headings.number_heading(scene),
        width,
        2 * face.line_height,
        face,
        canvas.plan.sizes.least,
        balanced=True,
    )
