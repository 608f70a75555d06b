"""What is written on the pictures, for the gates: as it was drawn or, where nobody noted that, by the colours of its role."""

from pathlib import Path

import numpy as np

from svc.media import fonts
from svc.media.backdrop import NIGHT, backdrop
from svc.media.canvas import SPOKEN, WAITING
from svc.media.colour import AMBER, BLACK, WHITE, Colour, contrast, legible, mix, parse, vivid
from svc.media.composition import Box, Composition, compose, size_of
from svc.media.programme import Brief, Lettered, Lettering, Rendition, Scene, Script, load

_ROW_NOW, _PANEL, _STRIP = 0.12, 0.05, 0.62  # opacities of what stands between a text and the backdrop
_SMALLEST = 0.55  # of its size that a text may shrink to


def of(brief: Brief, script: Script, rendition: Rendition, folder: Path) -> Lettering:
    """What was written in ``rendition``."""
    try:
        return load(Lettering, folder / f"lettering-{rendition.name}.json")
    except FileNotFoundError:
        width, height = size_of(rendition)
        return Lettering(width, height, (0, 0, width, height), _by_role(brief, script, rendition))


def _by_role(brief: Brief, script: Script, rendition: Rendition) -> tuple[Lettered, ...]:
    plan, accent = compose(*size_of(rendition)), parse(brief.accent)
    drawn = np.asarray(backdrop(plan.width, plan.height, accent))
    content, label, strip = (_usual(drawn, box) for box in (plan.content, plan.label, plan.strip))
    made = [
        _text(brief.avatar.name, "presenter", WHITE, label, plan.sizes.label, 650),
        _text(brief.account_name, "account", legible(accent, mix(NIGHT, accent, 0.3)), label, plan.sizes.small, 500),
    ]
    for number, scene in enumerate(script.scenes):
        made += _scene(scene, number, plan, accent, content, strip)
    return tuple(each for each in made if each.text)


def _scene(scene: Scene, number: int, plan: Composition, accent: Colour, ground: Colour, strip: Colour) -> list[Lettered]:
    row, panel = mix(ground, WHITE, _ROW_NOW), mix(ground, WHITE, _PANEL)
    strip = mix(strip, mix(NIGHT, BLACK, 0.5), _STRIP)
    highlight = legible(accent, mix(NIGHT, BLACK, 0.5), 5.5)
    said, body = " ".join(scene.words), round(plan.sizes.body * _SMALLEST)
    texts = [(scene.heading, "heading", WHITE, ground, round(plan.sizes.heading * _SMALLEST), 720)]
    for point in scene.points:
        texts += [(point.text, "point", WHITE, row, body, 520), (point.text, "point said", SPOKEN, panel, body, 520)]
    if scene.layout == "prose":
        texts += [(said, "prose", SPOKEN, panel, body, 480), (said, "prose to come", WAITING, panel, body, 480)]
    texts += [
        (said, "caption", WHITE, strip, plan.sizes.caption, 650),
        (said, "word now", highlight if vivid(highlight) else AMBER, strip, plan.sizes.caption, 650),
    ]
    return [_text(*each, number) for each in texts]


def _text(text: str, part: str, ink: Colour, ground: Colour, size: int, weight: int, scene: int = 0) -> Lettered:
    ratio = round(contrast(ink, ground), 2)
    return Lettered(scene, part, text, (0, 0, 0, 0), size, weight, _hex(ink), _hex(ground), ratio, fonts.covers(text))


def _usual(drawn: np.ndarray, box: Box) -> Colour:
    """The median of what lies in ``box``."""
    left, top, right, bottom = box
    within = drawn[top:bottom, left:right].reshape(-1, 3)
    return tuple(int(channel) for channel in np.median(within, axis=0))


def _hex(colour: Colour) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)
