"""The looks that a project type can have, as data: type, surfaces, marks, captions and motion."""

from dataclasses import dataclass
from typing import Any

from svc.base import looks
from svc.media.colour import compute_contrast, parse_colour, to_hex

#: Grounds whose colours are made of the brand's: their looks have none of their own.
GROUNDS_OF_THE_BRAND = ("shapes", "horizon")
LEAST_CONTRAST = 12.0  # of ink and ground: words that are not yet spoken lie between the two


@dataclass(frozen=True)
class Scale:
    """Type sizes in 1/1080 of the picture's short side, largest to smallest."""

    title: int
    heading: int
    body: int
    caption: int
    label: int
    small: int


@dataclass(frozen=True)
class CaptionLook:
    """How the drawn captions are split, and how the spoken word is marked."""

    # "strip": a box as wide as the text; "pill": the same, round; "bare": none; "band": across
    ground: str
    mark: str  # "colour", "pill" or "underline"
    weight: int
    wide: tuple[int, int]  # characters per line, and lines, in a wide picture
    tall: tuple[int, int]
    align: str = "centre"  # or "start"


@dataclass(frozen=True)
class LookColours:
    """A palette of a look's own: for each theme the ground and the ink, ``#rrggbb``. The other
    colours of the palette are made of these two and of the brand's."""

    dark: tuple[str, ...]
    light: tuple[str, ...]


@dataclass(frozen=True)
class Look:
    """Families are names in svc.media.fonts; weights 100 to 900;
    corners in 1/1080 of the short side.
    """

    name: str
    display: str  # the family of titles and headings
    text: str  # the family of everything else
    title_weight: int
    heading_weight: int
    body_weight: int
    wide: Scale
    tall: Scale
    # "glow", "shapes", "paper", "poster", "confetti", "studio" or "horizon":
    # svc.media.drawing.backdrop
    ground: str
    # The kind of title card: a "bar" above, "blocks" behind its lines, a "masthead", a "rule", a
    # "squiggle", or "plain".
    statement: str
    rows: str  # a list's rows: "panels", "cards", "rules" or "tiles"
    corner: int  # of panels
    frame: str  # the presenter's: "circle", "rounded", "square" or "arch"
    one_sentence: bool  # running text is shown one sentence at a time
    captions: CaptionLook
    # The change between scenes: "fade", "push", "zoom" or "wipe", as in
    # svc.media.motion.transitions.
    transition: str
    transition_seconds: float
    arrangement: str = "side"  # of a wide picture: a name in svc.media.drawing.frame_layout
    # How the presenter's and the account's name stand: "together", "apart", with the account's on a
    # tab, or as a "folio".
    names: str = "together"
    align: str = "start"  # of statements, headings and key phrases: or "centre"
    progress: int = 6  # the height of the dashes along the top, in 1/1080 of the short side
    figure: float = 1.0  # times its usual size: a figure that stands alone
    quotation: str = ""  # the family of quotations; "": the display family
    # The music under the speech, where the account leaves it to the look: svc.media.music.moods.
    bed: str = "none"
    # Whether the presenter opens and closes the film, and comes back at chapters, as a half body.
    host: bool = False
    effects: bool = False  # a soft sound as something enters: svc.media.music.effects
    colours: LookColours | None = None  # None: those of its ground in svc.media.drawing.palette

    @property
    def is_composed(self) -> bool:
        """Whether its scenes are composed of pictures that move."""
        return self.ground == "horizon"


def read_look(name: str, settings: dict[str, Any]) -> Look:
    """Return a look as its file has it.

    ValueError: the file has a setting that no look has, or lacks one, or its colours are wrong.
    """
    parts: dict[str, type] = {"wide": Scale, "tall": Scale, "captions": CaptionLook}
    if "colours" in settings:
        parts["colours"] = LookColours
    try:
        built = {part: kind(**_convert_lists(settings[part])) for part, kind in parts.items()}
        look = Look(name=name, **{**settings, **built})
    except KeyError as error:
        raise ValueError(f"svc/base/looks/{name}.toml: no setting {error.args[0]}") from error
    except AttributeError as error:
        sentence = f"{', '.join(parts)} are tables"
        raise ValueError(f"svc/base/looks/{name}.toml: {sentence}") from error
    except TypeError as error:
        raise ValueError(f"svc/base/looks/{name}.toml: {error}") from error
    if problem := _find_wrong_colours(look):
        raise ValueError(f"svc/base/looks/{name}.toml [colours]: {problem}")
    return look


def _find_wrong_colours(look: Look) -> str | None:
    """Return what is wrong with the look's own colours; None: nothing, or it has none."""
    if look.colours is None:
        return None
    if look.ground in GROUNDS_OF_THE_BRAND:
        return f"the ground {look.ground} is made of the brand's colour; leave the section out"
    for theme, pair in (("dark", look.colours.dark), ("light", look.colours.light)):
        if len(pair) != 2 or any(to_hex(parse_colour(str(text))) != text for text in pair):
            return f'{theme} is a ground and an ink, such as ["#10141c", "#f4f4f0"]'
        ground, ink = map(parse_colour, pair)
        if (max(ground) < 128) != (theme == "dark"):
            return f"the ground {pair[0]} is not {theme}"
        if compute_contrast(ground, ink) < LEAST_CONTRAST:
            return f"{theme}: ink and ground have a contrast of less than {LEAST_CONTRAST:g}"
    return None


def _convert_lists(settings: dict[str, Any]) -> dict[str, Any]:
    return {
        name: tuple(value) if isinstance(value, list) else value for name, value in settings.items()
    }


LOOKS = {name: read_look(name, settings) for name, settings in looks.SETTINGS.items()}


def find_look(name: str) -> Look:
    """Return the look called ``name``; the explainer's if the name is unknown."""
    return LOOKS.get(name, LOOKS["explainer"])
