"""A prose scene's key phrase in large type, with an illustration beside it in a wide picture and
above it in a tall one.
"""

from dataclasses import replace

from svc.media.drawing import typesetting
from svc.media.drawing.canvas import Canvas
from svc.media.drawing.typesetting import TextBlock, Typeface
from svc.media.model import Scene
from svc.media.pictures import illustration
from svc.media.slides import headings

_MARKS = " .,:;!?؟،。…"
_LARGEST, _ALONE = 1.06, 1.5  # times the title's size, with an illustration and without
_LEADING = 1.16
# such as an article; others are signs of their own: "e", "x"
_WORDS_OF_ONE_LETTER = frozenset("aàèéóавикосуя")
_LEAST_WHOLE = 0.5  # of the size: to which type shrinks so that no word is broken


def draw(canvas: Canvas, scene: Scene) -> None:
    """Draw heading, key phrase and illustration of ``scene`` into the content box."""
    text, picture = illustration.split_content(canvas, scene.illustration)
    if picture:
        illustration.draw_illustration(canvas, scene.illustration, picture)
    left, top, right, bottom = text
    align = headings.choose_alignment(canvas, picture)
    kicker = _kicker(canvas, scene, right - left)
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
    face = _fit_longest_word(phrase, room[0], face)
    block = typesetting.fit_display(phrase, *room, face, canvas.plan.sizes.label)
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


def _fit_longest_word(phrase: str, width: int, face: Typeface) -> Typeface:
    """Return ``face`` in the size in which the longest word is not broken,
    if that is at least half as large.
    """
    widest = max(
        (typesetting.measure_word(piece, face) for piece in typesetting.split_pieces(phrase)),
        default=0,
    )
    share = width / max(1, widest)
    return replace(face, size=int(face.size * share)) if _LEAST_WHOLE <= share < 1 else face


def _kicker(canvas: Canvas, scene: Scene, width: int) -> TextBlock | None:
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
