"""The looks that a project type can have, as data: type, surfaces, marks, captions and motion."""

from dataclasses import dataclass

THEMES = ("dark", "light")
CAPTION_STYLES = ("highlight", "plain")  # with or without highlighting the spoken word


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
class Captions:
    """How the drawn captions are split, and how the spoken word is marked."""

    ground: str  # "strip": a box as wide as the text; "bare": none; "band": across the picture
    mark: str  # "colour", "pill" or "underline"
    weight: int
    wide: tuple[int, int]  # characters per line, and lines, in a wide picture
    tall: tuple[int, int]


@dataclass(frozen=True)
class Look:
    """Families are names in svc.media.fonts; weights 100 to 900; corners in 1/1080 of the short side."""

    name: str
    display: str  # the family of titles and headings
    text: str  # the family of everything else
    title_weight: int
    heading_weight: int
    body_weight: int
    wide: Scale
    tall: Scale
    ground: str  # "glow", "shapes" or "paper": svc.media.drawing.backdrop
    statement: str  # a title card: a "bar" above it, "blocks" behind its lines, or a "masthead"
    rows: str  # a list's rows: "panels", "cards" or "rules"
    corner: int  # of panels
    frame: str  # the presenter's: "circle", "rounded" or "square"
    one_sentence: bool  # running text is shown one sentence at a time
    captions: Captions
    transition: str  # between scenes: "fade", "push", "zoom" or "wipe", as in svc.media.motion.transitions
    transition_seconds: float
    arrangement: str = "side"  # in a wide picture: the presenter at the "side", small under "large" type, or in a "column"
    names: str = "together"  # the presenter's and the account's: "together", or "apart", with the account's on a tab


EXPLAINER = Look(
    name="explainer", display="Inter", text="Inter", title_weight=750, heading_weight=720, body_weight=520,
    wide=Scale(title=124, heading=66, body=48, caption=46, label=32, small=24),
    tall=Scale(title=112, heading=78, body=56, caption=58, label=42, small=32),
    ground="glow", statement="bar", rows="panels", corner=22, frame="circle", one_sentence=False,
    captions=Captions("strip", "colour", 650, wide=(42, 2), tall=(24, 2)),
    transition="fade", transition_seconds=0.4,
)  # fmt: skip
SHORT = Look(
    name="short", display="Rubik", text="Rubik", title_weight=850, heading_weight=800, body_weight=600,
    wide=Scale(title=150, heading=84, body=54, caption=68, label=34, small=25),
    tall=Scale(title=132, heading=88, body=62, caption=74, label=42, small=32),
    ground="shapes", statement="blocks", rows="cards", corner=34, frame="rounded", one_sentence=True,
    captions=Captions("bare", "pill", 800, wide=(28, 1), tall=(18, 2)),
    transition="push", transition_seconds=1 / 3, arrangement="large",
)  # fmt: skip
NEWS = Look(
    name="news", display="Noto Serif", text="Inter", title_weight=700, heading_weight=700, body_weight=480,
    wide=Scale(title=116, heading=74, body=47, caption=45, label=32, small=25),
    tall=Scale(title=104, heading=78, body=54, caption=54, label=40, small=31),
    ground="paper", statement="masthead", rows="rules", corner=4, frame="square", one_sentence=False,
    captions=Captions("band", "underline", 600, wide=(46, 2), tall=(26, 2)),
    transition="wipe", transition_seconds=1 / 3, arrangement="column", names="apart",
)  # fmt: skip

LOOKS = {look.name: look for look in (EXPLAINER, SHORT, NEWS)}


def find(name: str) -> Look:
    """Return the look called ``name``; the explainer's if the name is unknown."""
    return LOOKS.get(name, EXPLAINER)
