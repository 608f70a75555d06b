"""The colours of a picture, from a look, a theme and the brand's own colours,
such that all text is legible.
"""

import colorsys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from svc.media.colour import (
    AMBER,
    BLACK,
    LEGIBLE,
    WHITE,
    Colour,
    compute_contrast,
    compute_luminance,
    is_vivid,
    is_warm,
    make_legible,
    mix,
    mix_towards,
    parse_colour,
)
from svc.media.drawing.looks import Look

NIGHT: Colour = (9, 12, 24)
_CLOUD: Colour = (243, 245, 250)
_DUSK: Colour = (17, 22, 38)
_SLATE: Colour = (20, 22, 27)
_PAPER: Colour = (250, 248, 244)
_SOOT: Colour = (24, 24, 28)
_NEWSPRINT: Colour = (248, 247, 244)
_PRESS: Colour = (15, 15, 16)
_CREAM: Colour = (253, 243, 226)
_PLUM: Colour = (30, 21, 54)
_SWEETS: tuple[Colour, ...] = (
    (255, 205, 60),
    (255, 128, 110),
    (72, 207, 173),
    (120, 190, 255),
    (246, 150, 205),
)
_NEAR = 0.13  # of a turn: hues nearer than this are one colour
_MIST: Colour = (236, 237, 241)
_GRAPHITE: Colour = (16, 16, 18)
_DARKEST, _LIGHTEST = 9, 246  # a brand's ground in each channel, or no disc is seen drifting on it
_OWN_SKY = 9.0  # contrast of a brand's colour with dark ink, from which it is a sky as it is
_BESIDE = 0.11  # of a turn: how far the hues of lights are from the brand's
# The lights of warm brands.
_AT_NIGHT: tuple[Colour, ...] = ((52, 72, 190), (120, 48, 160), (20, 110, 140))
_EDGE = 1.12  # contrast of the lower ground with the sky, at least, where both are pale
_LIT = 7.6  # contrast of white text with a light at night
_GRAINY = 0.05  # how much lighter or darker grain makes a ground, where it is strongest
# How much ink lies over the ground where the number of a row waits: the row's surface and the
# badge's.
_BADGE = 0.13
# How far a word stands out: by its contrast with the others, or by so much (of 255) in one channel.
_DARKER, _OTHER = 2.2, 120


@dataclass(frozen=True)
class Surface:
    """A background for text: ``colour`` with ``opacity`` 0.0 to 1.0 over the ground,
    and the ink on it.
    """

    colour: Colour
    opacity: float
    ink: Colour
    edge: Colour | None = None  # an outline
    shadow: Colour | None = None  # a flat one, below and beside it


@dataclass(frozen=True)
class Palette:
    ground: Colour  # of the backdrop
    lights: tuple[Colour, Colour]  # of the backdrop: drawn over its ground
    ink: Colour  # text
    spoken: Colour  # text that has been spoken
    waiting: Colour  # text not yet spoken; still 4.5:1
    faint: Colour  # hairlines and other elements that are not text
    solid: Colour  # the accent as a surface that is visible on the ground (WCAG 2.2, 1.4.11: 3:1)
    on_solid: Colour  # text on ``solid``
    second: Colour  # the second brand colour, as ``solid``
    bright: Colour  # the accent as text on the ground
    fields: tuple[Surface, Surface]  # the brand's colours unchanged, under large text
    panel: Surface  # behind running text
    now: Surface  # a list's row that is being spoken
    past: Surface
    ahead: Surface
    caption: Surface
    highlight: Colour  # the spoken word of a caption, or the pill or line that marks it
    # The colours of a composed scene: three lights, and the lower ground at its edge and at its
    # foot.
    sky: tuple[Colour, ...] = ()

    @property
    def grounds(self) -> tuple[Colour, ...]:
        """The colours that pictures of composed scenes stand before."""
        return tuple(dict.fromkeys((self.ground, *self.sky)))

    @property
    def waiting_on_ground(self) -> Colour:
        """The ink of text not yet spoken that stands on the ground itself: in composed scenes,
        ``waiting`` is for cards.
        """
        return self.spoken if self.sky else self.waiting


class Basis(NamedTuple):
    """The two colours that the others of a palette are made of, with those of the brand."""

    ground: Colour
    ink: Colour


def build_palette(look: Look, theme: str, accent: Colour, second: Colour | None = None) -> Palette:
    """Return the colours of ``look`` in ``theme`` ("dark" or "light"),
    for a brand with ``accent`` and a ``second`` colour.
    """
    is_dark, second = theme != "light", second or accent
    if look.ground in _OF_THE_BRAND:
        return _OF_THE_BRAND[look.ground](is_dark, accent, second)
    own = look.colours and (look.colours.dark if is_dark else look.colours.light)
    basis = Basis(*map(parse_colour, own)) if own else _BASES[look.ground][not is_dark]
    return _ON_A_BASIS[look.ground](is_dark, basis, accent, second)


def choose_ink(surface: Colour) -> Colour:
    """Return white if it is legible on ``surface``, else black."""
    return WHITE if compute_contrast(WHITE, surface) >= LEGIBLE else BLACK


def _glow(dark: bool, basis: Basis, accent: Colour, second: Colour) -> Palette:
    """Return soft lights in the brand's colours on a near-black or near-white ground."""
    ground, ink = basis
    far, shares = (ground, (0.55, 0.78)) if dark else (WHITE, (0.66, 0.8))
    lights = (
        _mix_until_legible(mix(accent, far, shares[0]), far, ink, 8.0),
        _mix_until_legible(mix(second, far, shares[1]), far, ink, 8.0),
    )
    lit = _find_brightest(_find_brightest(*lights, ink), ground, ink)
    now, past, ahead = (0.12, 0.045, 0.025) if dark else (0.95, 0.55, 0.3)
    spoken, waiting = (
        make_legible(mix(ink, ground, 0.26), lit, 6.2),
        make_legible(mix(ink, ground, 0.46), lit, 5.6),
    )
    strip = Surface(mix(ground, BLACK, 0.5), 0.62, WHITE) if dark else Surface(WHITE, 0.9, ink)
    return Palette(
        ground,
        lights,
        ink,
        spoken,
        waiting,
        mix(ground, ink, 0.2),
        **_accents(ground, lit, accent, second),
        panel=Surface(WHITE, 0.05 if dark else 0.6, ink),
        now=Surface(WHITE, now, ink),
        past=Surface(WHITE, past, spoken),
        ahead=Surface(WHITE, ahead, waiting),
        caption=strip,
        highlight=_highlight(accent, mix(lit, strip.colour, strip.opacity), strip.ink),
    )


def _shapes(dark: bool, accent: Colour, second: Colour) -> Palette:
    """Return the brand's colours, dark or pale, in flat shapes;
    the text being spoken is on an inverted surface.
    """
    ground = (
        _mix_until_legible(accent, BLACK, WHITE, 14.0)
        if dark
        else _mix_until_legible(accent, WHITE, BLACK, 15.0)
    )
    red, green, blue = (min(max(channel, _DARKEST), _LIGHTEST) for channel in ground)
    ground = (red, green, blue)
    ink = WHITE if dark else _mix_until_legible(accent, BLACK, WHITE, 14.0)
    # These lights are under no text.
    lights = (mix(ground, accent, 0.2 if dark else 0.12), make_legible(second, ground, 1.3))
    lit = _find_brightest(ground, lights[0], ink)
    waiting = make_legible(mix(ink, ground, 0.42), lit, 6.2)
    waiting = make_legible(waiting, mix(lit, ink, _BADGE), 4.7) if dark else waiting
    now = (
        Surface(WHITE, 1.0, _mix_until_legible(accent, BLACK, WHITE, 12.0))
        if dark
        else Surface(ink, 1.0, WHITE)
    )
    accents = _accents(ground, lit, accent, second)
    return Palette(
        ground,
        lights,
        ink,
        ink,
        waiting,
        mix(ground, ink, 0.25),
        **accents,
        panel=Surface(WHITE, 0.0, ink),
        now=now,
        past=Surface(ink, 0.12, ink) if dark else Surface(WHITE, 0.75, ink),
        ahead=Surface(ink, 0.05, waiting) if dark else Surface(WHITE, 0.35, waiting),
        caption=Surface(ground, 0.0, ink),
        highlight=accents["solid"],
    )


def _paper(dark: bool, basis: Basis, accent: Colour, second: Colour) -> Palette:
    """Return ink on paper, or the inverse in the dark theme; the accent is only used for marks."""
    ground, ink = basis
    column = mix(ground, ink, 0.05)
    band = Surface(mix(ground, ink, 0.11 if dark else 0.09), 1.0, ink)
    spoken, waiting = mix(ink, ground, 0.2), make_legible(mix(ink, ground, 0.5), band.colour, 4.7)
    panel, now, past, ahead = (
        Surface(ground, 0.0, colour) for colour in (ink, ink, spoken, waiting)
    )
    return Palette(
        ground,
        (column, column),
        ink,
        spoken,
        waiting,
        mix(ground, ink, 0.22),
        **_accents(ground, column, accent, second),
        panel=panel,
        now=now,
        past=past,
        ahead=ahead,
        caption=band,
        highlight=_highlight(accent, band.colour, ink),
    )


def _poster(dark: bool, basis: Basis, accent: Colour, second: Colour) -> Palette:
    """Return black on white, or the inverse, beside one field of the brand's colour,
    on which text is legible under discs.
    """
    ground, ink = basis
    accents = _accents(ground, ground, accent, second)
    field = (
        _mix_until_legible(accents["solid"], BLACK, WHITE, 5.6)
        if accents["on_solid"] == WHITE
        else accents["solid"]
    )
    field = field if choose_ink(field) == WHITE else _mix_until_legible(field, WHITE, BLACK, 6.0)
    spoken, waiting = mix(ink, ground, 0.2), make_legible(mix(ink, ground, 0.52), ground, 4.9)
    now, past, ahead = (Surface(ground, 0.0, colour) for colour in (ink, spoken, waiting))
    return Palette(
        ground,
        (field, accents["second"]),
        ink,
        spoken,
        waiting,
        mix(ground, ink, 0.24),
        **accents,
        panel=Surface(ground, 0.0, ink, edge=mix(ground, ink, 0.3)),
        now=now,
        past=past,
        ahead=ahead,
        caption=Surface(ground, 0.0, ink),
        highlight=_highlight(accent, ground, ink),
    )


def _confetti(dark: bool, basis: Basis, accent: Colour, second: Colour) -> Palette:
    """Return outlined cards and shapes in the brand's colour and two that are far from it."""
    ground, ink = basis
    line, pale = (BLACK, mix(ground, WHITE, 0.12)) if dark else (ink, WHITE)
    lights = _companions(accent, second)
    spoken, waiting = mix(ink, ground, 0.12), make_legible(mix(ink, ground, 0.42), pale, 6.0)
    accents = _accents(ground, ground, accent, second)
    # an outline makes it visible enough
    own = accent if compute_contrast(accent, ground) > 1.1 else accents["solid"]
    accents["fields"] = (
        Surface(own, 1.0, choose_ink(own), edge=line),
        replace(accents["fields"][1], edge=line),
    )
    return Palette(
        ground,
        lights,
        ink,
        spoken,
        waiting,
        mix(ground, ink, 0.22),
        **accents,
        panel=Surface(pale, 1.0, ink, edge=line, shadow=lights[1]),
        now=Surface(lights[0], 1.0, (27, 18, 43), edge=line, shadow=line),
        past=Surface(pale, 1.0, spoken, edge=line),
        ahead=Surface(pale, 0.45, waiting),
        caption=Surface(pale, 1.0, ink, edge=line),
        highlight=lights[0],
    )


def _companions(accent: Colour, second: Colour) -> tuple[Colour, Colour]:
    """Return the first two strong, light colours whose hues are far from the brand's."""
    hues = [colorsys.rgb_to_hls(*colour)[0] for colour in (accent, second) if is_vivid(colour)]
    far = [
        sweet
        for sweet in _SWEETS
        if all(_hue_distance(colorsys.rgb_to_hls(*sweet)[0], hue) > _NEAR for hue in hues)
    ]
    first, other, *_ = [*far, *(sweet for sweet in _SWEETS if sweet not in far)]
    return first, other


def _hue_distance(first: float, second: float) -> float:
    """Return the distance of two hues in turns."""
    return min(abs(first - second), 1 - abs(first - second))


def _studio(dark: bool, basis: Basis, accent: Colour, second: Colour) -> Palette:
    """Return tiles that are a little lighter than a neutral ground;
    the accent is kept for figures and marks.
    """
    ground, ink = basis
    now, past, ahead = (0.14, 0.07, 0.03) if dark else (0.98, 0.6, 0.3)
    lit = mix(ground, WHITE, now) if dark else ground
    spoken, waiting = (
        make_legible(mix(ink, ground, 0.25), lit, 6.0),
        make_legible(mix(ink, ground, 0.5), lit, 5.0),
    )
    tile = mix(ground, WHITE, 0.1) if dark else WHITE
    return Palette(
        ground,
        (tile, mix(ground, ink, 0.08)),
        ink,
        spoken,
        waiting,
        mix(ground, ink, 0.2),
        **_accents(ground, lit, accent, second),
        panel=Surface(WHITE, 0.05 if dark else 0.7, ink),
        now=Surface(WHITE, now, ink),
        past=Surface(WHITE, past, spoken),
        ahead=Surface(WHITE, ahead, waiting),
        caption=Surface(ground, 0.0, ink),
        highlight=_highlight(accent, ground, ink),
    )


def _horizon(dark: bool, accent: Colour, second: Colour) -> Palette:
    """Return a sky of lights in and beside the brand's hue, over a lower ground a step darker, with
    nearly opaque cards.

    A light, strong colour of a brand is the sky of the light theme as it is, under dark ink.
    """
    night = _mix_until_legible(accent, BLACK, WHITE, 15.5)
    night = mix(night, NIGHT, 0.35) if min(night) < _DARKEST else night
    night = NIGHT if compute_luminance(night) < compute_luminance(NIGHT) else night
    if dark:
        return _make_night_theme(night, accent, second)
    return _make_day_theme(night, accent, second)


def _make_day_theme(ink: Colour, accent: Colour, second: Colour) -> Palette:
    """Return the light theme of a horizon."""
    own = is_vivid(accent) and compute_contrast(accent, ink) >= _OWN_SKY
    ground = accent if own else _mix_until_legible(accent, WHITE, ink, 13.5)
    ground = ground if own else mix(ground, WHITE, 0.25)
    hues = (accent, *_neighbours(accent, second, _NEAR / 3 if own else _BESIDE))
    lights = tuple(
        _mix_until_legible(mix(hue, WHITE, 0.5), WHITE, ink, 9.0 if own else 10.5) for hue in hues
    )
    near = _mix_until_legible(mix_towards(accent, BLACK, 0.1) if own else accent, WHITE, ink, 7.0)
    near = near if compute_contrast(near, ground) >= _EDGE else mix(ground, ink, 0.1)
    far = _mix_until_legible(mix_towards(near, BLACK, 0.12), WHITE, ink, 6.6)
    grounds = (ground, *lights, near, far)
    worst = min(grounds, key=lambda each: compute_contrast(ink, each))
    worst = mix(worst, BLACK, _GRAINY)
    card = Surface(WHITE, 0.9, ink)
    spoken, waiting = (
        make_legible(mix(ink, WHITE, 0.2), mix(worst, ink, _BADGE / 2), 5.0),
        make_legible(mix(ink, WHITE, 0.42), mix(mix(worst, WHITE, 0.55), ink, _BADGE), 4.9),
    )
    accents = _accents(worst, worst, accent, second)
    # a card is seen on the lower ground, too
    fill = accents["solid"] if own else _surface(accent, ground)
    chip = (
        Surface(ink, 1.0, make_legible(accent, ink, 5.0))
        if own
        else Surface(fill, 1.0, choose_ink(fill))
    )
    accents["fields"] = (chip, accents["fields"][1])
    caption = Surface(WHITE, 0.96, ink)
    return Palette(
        ground,
        (lights[0], lights[1]),
        ink,
        spoken,
        waiting,
        mix(ground, ink, 0.25),
        **accents,
        panel=card,
        now=Surface(fill, 1.0, choose_ink(fill)),
        past=Surface(WHITE, 0.86, spoken),
        ahead=Surface(WHITE, 0.55, waiting),
        caption=caption,
        highlight=_highlight(accent, _find_darkest(caption), ink),
        sky=(*lights, near, far),
    )


def _make_night_theme(night: Colour, accent: Colour, second: Colour) -> Palette:
    """Return the dark theme of composed scenes; that of an orange or a yellow,
    which would be brown at night, is blue.
    """
    hues = (
        _AT_NIGHT
        if is_warm(accent)
        else (accent, *_replace_warm_hues(accent, *_neighbours(accent, second, _BESIDE)))
    )
    lights = tuple(_make_glow(hue) for hue in hues)
    night = _mix_until_legible(hues[0], BLACK, WHITE, 15.5) if is_warm(accent) else night
    near, far = (
        mix(_mix_until_legible(hues[0], BLACK, WHITE, ratio), NIGHT, 0.3) for ratio in (13.0, 17.0)
    )
    near = near if compute_contrast(near, night) >= _EDGE else mix(near, WHITE, 0.05)
    lit = mix(max((night, *lights, near), key=compute_luminance), WHITE, _GRAINY)
    card = mix(night, mix(accent, WHITE, 0.45), 0.15)
    under = mix(mix(lit, card, 0.62), WHITE, _BADGE)
    spoken, waiting = (
        make_legible(mix(WHITE, night, 0.16), mix(lit, WHITE, _BADGE / 2), 5.0),
        make_legible(mix(WHITE, night, 0.42), under, 5.2),
    )
    accents = _accents(night, lit, accent, second)
    ink = night
    caption = Surface(WHITE, 0.95, ink)
    return Palette(
        night,
        (lights[0], lights[1]),
        WHITE,
        spoken,
        waiting,
        mix(night, WHITE, 0.24),
        **accents,
        panel=Surface(card, 0.86, WHITE),
        now=Surface(accents["solid"], 1.0, accents["on_solid"]),
        past=Surface(card, 0.84, spoken),
        ahead=Surface(card, 0.62, waiting),
        caption=caption,
        highlight=_highlight(accent, _find_darkest(caption), ink),
        sky=(*lights, near, far),
    )


def _neighbours(accent: Colour, second: Colour, turn: float) -> tuple[Colour, Colour]:
    """Return two colours on both sides of the accent's hue; the second colour in place of one,
    if there is one.
    """
    return _turn_hue(accent, turn) if second == accent else second, _turn_hue(accent, -turn)


def _replace_warm_hues(accent: Colour, *hues: Colour) -> Iterator[Colour]:
    """Yield ``hues``, those of oranges and yellows replaced: at night they would be brown."""
    for hue in hues:
        yield _turn_hue(accent, -2 * _BESIDE) if is_warm(hue) else hue


def _make_glow(hue: Colour) -> Colour:
    """Return ``hue`` as a light at night: under white text, and seen on black."""
    light = _mix_until_legible(hue, BLACK, WHITE, _LIT)
    return light if compute_contrast(light, NIGHT) >= 1.35 else mix(light, WHITE, 0.16)


def _turn_hue(colour: Colour, turn: float) -> Colour:
    """Return ``colour`` in the hue ``turn`` of a circle away; one without a hue stays."""
    if not is_vivid(colour):
        return colour
    hue, light, saturation = colorsys.rgb_to_hls(*(channel / 255 for channel in colour))
    red, green, blue = colorsys.hls_to_rgb((hue + turn) % 1.0, light, saturation)
    return round(red * 255), round(green * 255), round(blue * 255)


# By Look.ground: the palettes whose ground and ink a look may have of its own.
_ON_A_BASIS = {
    "glow": _glow,
    "paper": _paper,
    "poster": _poster,
    "confetti": _confetti,
    "studio": _studio,
}
_BASES = {  # dark and light, of looks without colours of their own
    "glow": (Basis(NIGHT, WHITE), Basis(_CLOUD, _DUSK)),
    "paper": (Basis(_SLATE, (244, 244, 240)), Basis(_PAPER, _SOOT)),
    "poster": (Basis(_PRESS, (246, 245, 241)), Basis(_NEWSPRINT, (17, 17, 17))),
    "confetti": (Basis(_PLUM, (255, 248, 236)), Basis(_CREAM, (27, 18, 43))),
    "studio": (Basis(_GRAPHITE, (245, 245, 247)), Basis(_MIST, (29, 29, 31))),
}
# By Look.ground: the palettes whose ground and ink are made of the brand's colour.
_OF_THE_BRAND = {"shapes": _shapes, "horizon": _horizon}


def _accents(ground: Colour, lit: Colour, accent: Colour, second: Colour) -> dict[str, Any]:
    solid, other = _surface(accent, ground), _surface(second, ground)
    return {
        "solid": solid,
        "on_solid": choose_ink(solid),
        "second": other,
        "bright": make_legible(accent, lit, 4.9),
        "fields": (
            Surface(solid, 1.0, choose_ink(solid)),
            _field(second if second != accent else mix(solid, ground, 0.35), ground),
        ),
    }


def _surface(colour: Colour, ground: Colour) -> Colour:
    """Return ``colour``, visible on ``ground``; darkened a little if that makes white text legible
    on it, unless it is warm.
    """
    visible = make_legible(colour, ground, 3.0)
    if is_warm(colour):
        return visible
    darker = _mix_until_legible(visible, BLACK, WHITE, 4.5)
    return (
        darker
        if compute_contrast(WHITE, visible) >= 3 and compute_contrast(darker, ground) >= 3
        else visible
    )


def _field(colour: Colour, ground: Colour) -> Surface:
    """Return ``colour`` as a surface, adjusted only if it is invisible on the ground."""
    visible = make_legible(colour, ground, 1.5)
    return Surface(visible, 1.0, choose_ink(visible))


def _find_darkest(surface: Surface) -> Colour:
    """Return the colour of a surface over a picture where that is black."""
    return mix(BLACK, surface.colour, surface.opacity)


def _highlight(accent: Colour, ground: Colour, ink: Colour) -> Colour:
    """Return the accent, as near to ``ground`` as it has to be to stand out from words in
    ``ink``; else amber.
    """
    highlight = make_legible(accent, ground, 5.0)
    for step in range(20):
        tried = mix(highlight, ground, step / 20)
        if compute_contrast(tried, ground) < 5.0:
            break
        if is_vivid(tried) and stands_out(tried, ink):
            return tried
    return make_legible(AMBER, ground, 5.0)


def stands_out(colour: Colour, ink: Colour) -> bool:
    """Return whether a word in ``colour`` is seen among those in ``ink``."""
    apart = max(abs(one - other) for one, other in zip(colour, ink, strict=True))
    return compute_contrast(colour, ink) >= _DARKER or apart >= _OTHER


def _find_brightest(first: Colour, second: Colour, ink: Colour) -> Colour:
    """Return the ground on which ``ink`` is harder to read."""
    return min(first, second, key=lambda ground: compute_contrast(ink, ground))


def _mix_until_legible(colour: Colour, end: Colour, ink: Colour, ratio: float) -> Colour:
    """Return ``colour`` mixed with the least of ``end`` that gives ``ink`` a contrast of
    ``ratio`` on it.
    """
    for step in range(41):
        mixed = mix_towards(colour, end, step / 40)
        if compute_contrast(ink, mixed) >= ratio:
            return mixed
    return end
