"""Drawing a caption on its strip, with the spoken word coloured, on a pill or underlined."""

from itertools import groupby

from svc.media.drawing import typesetting
from svc.media.drawing.canvas import Canvas
from svc.media.drawing.palette import Surface, choose_ink
from svc.media.drawing.typesetting import PlacedRun, Typeface
from svc.media.text import direction

_LEADING = {"colour": 1.3, "pill": 1.42, "underline": 1.36}

Lines = list[list[tuple[int, str]]]  # the words of each line, with their index in the scene


def draw_strip(canvas: Canvas, lines: Lines, spoken: int | None) -> None:
    """Draw ``lines`` in the middle of the canvas, which shows the strip;
    ``spoken``: the index of the highlighted word.
    """
    texts = [[text for _, text in line] for line in lines]
    face = _face(canvas, texts)
    if canvas.look.captions.ground in ("strip", "pill"):
        _draw_box(canvas, texts, face)
    left, right = _room(canvas)
    ordered_left = direction.is_ordered_left(
        [word for words in texts for word in words], canvas.right_to_left
    )
    y = (canvas.image.height - (len(lines) - 1) * face.line_height) / 2
    for line, words in zip(lines, texts, strict=True):
        runs = typesetting.place_runs(
            words,
            face,
            left,
            right,
            canvas.look.captions.align,
            canvas.right_to_left,
            ordered_left,
        )
        at = next((number for number, (index, _) in enumerate(line) if index == spoken), None)
        if at is None:
            canvas.draw_line(runs, y, face, canvas.palette.caption.ink, "caption")
        else:
            _draw_marked(canvas, runs, at, y, face)
        y += face.line_height


def _draw_marked(canvas: Canvas, runs: list[PlacedRun], at: int, y: float, face: Typeface) -> None:
    """Draw ``runs`` with the word ``at`` marked; a mark that stands apart from its letters is not,
    such as the full stop at the left of a name in Latin letters."""
    groups = [
        list(group)
        for is_spoken, group in groupby(runs, key=lambda run: run.word == at)
        if is_spoken
    ]
    spoken = max(
        groups,
        key=lambda group: sum(map(str.isalnum, "".join(run.text for run in group))),
        default=[],
    )
    palette, mark = canvas.palette, canvas.look.captions.mark
    ink = palette.caption.ink
    canvas.draw_line([run for run in runs if run not in spoken], y, face, ink, "caption")
    if not spoken:
        return
    left = round(spoken[0].x)
    right = round(spoken[-1].x + typesetting.measure_word(spoken[-1].text, face))
    if mark == "pill":
        edge, half = round(typesetting.measure_word(" ", face) * 0.42), round(face.size * 0.7)
        canvas.draw_panel(
            (left - edge, round(y) - half, right + edge, round(y) + half),
            canvas.plan.px(12),
            Surface(palette.highlight, 1.0, choose_ink(palette.highlight)),
        )
        ink = choose_ink(palette.highlight)
    if mark == "colour":
        ink = palette.highlight
    canvas.draw_line(spoken, y, face, ink, "caption")
    if mark == "underline":
        top = round(y + face.size * 0.58)
        canvas.draw_rule((left, top, right, top + canvas.plan.px(6)), palette.highlight)


def _room(canvas: Canvas) -> tuple[int, int]:
    """Return the left and right edges for text: within the strip and within the safe part
    of the frame.
    """
    inset, x = canvas.plan.px(36), canvas.origin[0]
    left, _, right, _ = canvas.plan.safe
    if canvas.look.captions.ground == "band":
        return max(inset, left - x), min(canvas.image.width - inset, right - x)
    if canvas.look.captions.align == "start":  # in line with the content
        return max(0, left - x), min(canvas.image.width, right - x)
    return inset, canvas.image.width - inset


def _face(canvas: Canvas, lines: list[list[str]]) -> Typeface:
    """Return the caption typeface, reduced where the longest line would not fit the strip.

    A cue of one line has the size of one with all of the layout's lines, so that it does not change
    from cue to cue.
    """
    look = canvas.look
    left, right = _room(canvas)
    leading = _LEADING[look.captions.mark]
    most = max(len(lines), canvas.plan.caption_lines[1])
    size = min(
        canvas.plan.sizes.caption,
        int((canvas.image.height - canvas.plan.px(24)) / (leading * most)),
    )
    face = canvas.make_text_face(size, look.captions.weight, leading)
    widest = max(typesetting.measure_line(line, face) for line in lines)
    if widest <= right - left:
        return face
    return canvas.make_text_face(
        max(1, int(size * (right - left) / widest)), look.captions.weight, leading
    )


def _draw_box(canvas: Canvas, lines: list[list[str]], face: Typeface) -> None:
    """Draw the background of a caption, as wide as its longest line."""
    image, plan = canvas.image, canvas.plan
    widest = max(typesetting.measure_line(line, face) for line in lines)
    half = min(image.width / 2, widest / 2 + plan.px(36))
    tall = min(image.height / 2, len(lines) * face.line_height / 2 + plan.px(12))
    middle = (image.width / 2, image.height / 2)
    box = (
        round(middle[0] - half),
        round(middle[1] - tall),
        round(middle[0] + half),
        round(middle[1] + tall),
    )
    round_off = min((face.line_height + plan.px(24)) // 2, (box[3] - box[1]) // 2)
    canvas.draw_panel(
        box,
        round_off if canvas.look.captions.ground == "pill" else plan.px(20),
        canvas.palette.caption,
    )
