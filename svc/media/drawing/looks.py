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
    # a title card: a "bar" above, "blocks" behind its lines, a "masthead", a "rule", a "squiggle",
    # or "plain"
    statement: str
    rows: str  # a list's rows: "panels", "cards", "rules" or "tiles"
    corner: int  # of panels
    frame: str  # the presenter's: "circle", "rounded", "square" or "arch"
    one_sentence: bool  # running text is shown one sentence at a time
    captions: CaptionLook
    # between scenes: "fade", "push", "zoom" or "wipe", as in svc.media.motion.transitions
    transition: str
    transition_seconds: float
    arrangement: str = "side"  # of a wide picture: a name in svc.media.drawing.frame_layout
    # the presenter's and the account's, or "apart", with the account's on a tab, or as a "folio"
    names: str = "together"
    align: str = "start"  # of statements, headings and key phrases: or "centre"
    figure: float = 1.0  # times its usual size: a figure that stands alone
    quotation: str = ""  # the family of quotations; "": the display family
    # the music under the speech, where the account leaves it to the look: svc.media.music.moods
    bed: str = "none"
    effects: bool = False  # a soft sound as something enters: svc.media.music.effects

    @property
    def is_composed(self) -> bool:
        """Whether its scenes are composed of pictures that move."""
        return self.ground == "horizon"


EXPLAINER = Look(
    name="explainer",
    display="Inter",
    text="Inter",
    title_weight=750,
    heading_weight=720,
    body_weight=520,
    wide=Scale(title=124, heading=66, body=48, caption=46, label=32, small=24),
    tall=Scale(title=112, heading=78, body=56, caption=58, label=42, small=32),
    ground="glow",
    statement="bar",
    rows="panels",
    corner=22,
    frame="circle",
    one_sentence=False,
    captions=CaptionLook("strip", "colour", 650, wide=(42, 2), tall=(24, 2)),
    transition="fade",
    transition_seconds=0.4,
)
SHORT = Look(
    name="short",
    display="Rubik",
    text="Rubik",
    title_weight=850,
    heading_weight=800,
    body_weight=600,
    wide=Scale(title=150, heading=84, body=54, caption=68, label=34, small=25),
    tall=Scale(title=132, heading=88, body=62, caption=74, label=42, small=32),
    ground="shapes",
    statement="blocks",
    rows="cards",
    corner=34,
    frame="rounded",
    one_sentence=True,
    captions=CaptionLook("bare", "pill", 800, wide=(28, 1), tall=(18, 2)),
    transition="push",
    transition_seconds=1 / 3,
    arrangement="large",
    bed="bright",
    effects=True,
)
NEWS = Look(
    name="news",
    display="Noto Serif",
    text="Inter",
    title_weight=700,
    heading_weight=700,
    body_weight=480,
    wide=Scale(title=116, heading=74, body=47, caption=45, label=32, small=25),
    tall=Scale(title=104, heading=78, body=54, caption=54, label=40, small=31),
    ground="paper",
    statement="masthead",
    rows="rules",
    corner=4,
    frame="square",
    one_sentence=False,
    captions=CaptionLook("band", "underline", 600, wide=(46, 2), tall=(26, 2)),
    transition="wipe",
    transition_seconds=1 / 3,
    arrangement="column",
    names="apart",
)
EDITORIAL = Look(
    name="editorial",
    display="Noto Serif Condensed",
    text="Inter",
    title_weight=800,
    heading_weight=760,
    body_weight=460,
    wide=Scale(title=150, heading=88, body=47, caption=42, label=34, small=24),
    tall=Scale(title=132, heading=92, body=54, caption=52, label=40, small=31),
    ground="poster",
    statement="rule",
    rows="rules",
    corner=0,
    frame="square",
    one_sentence=False,
    captions=CaptionLook("bare", "underline", 560, wide=(48, 2), tall=(28, 2), align="start"),
    transition="wipe",
    transition_seconds=0.5,
    arrangement="margin",
    names="folio",
    quotation="Noto Serif Condensed Italic",
)
PLAYFUL = Look(
    name="playful",
    display="Rubik",
    text="Rubik",
    title_weight=800,
    heading_weight=760,
    body_weight=500,
    wide=Scale(title=116, heading=76, body=50, caption=50, label=34, small=25),
    tall=Scale(title=118, heading=84, body=58, caption=60, label=42, small=32),
    ground="confetti",
    statement="squiggle",
    rows="cards",
    corner=26,
    frame="arch",
    one_sentence=False,
    captions=CaptionLook("strip", "pill", 650, wide=(34, 2), tall=(22, 2)),
    transition="push",
    transition_seconds=0.3,
    arrangement="corner",
    bed="bright",
)
PRODUCT = Look(
    name="product",
    display="Inter",
    text="Inter",
    title_weight=640,
    heading_weight=620,
    body_weight=440,
    wide=Scale(title=136, heading=80, body=46, caption=42, label=30, small=23),
    tall=Scale(title=120, heading=86, body=54, caption=54, label=40, small=31),
    ground="studio",
    statement="plain",
    rows="tiles",
    corner=30,
    frame="circle",
    one_sentence=False,
    captions=CaptionLook("bare", "colour", 560, wide=(52, 2), tall=(26, 2)),
    transition="zoom",
    transition_seconds=0.5,
    arrangement="bar",
    align="centre",
    figure=1.5,
    bed="focused",
)
SCENES = Look(
    name="scenes",
    display="Rubik",
    text="Inter",
    title_weight=700,
    heading_weight=680,
    body_weight=520,
    wide=Scale(title=116, heading=72, body=50, caption=44, label=32, small=24),
    tall=Scale(title=106, heading=80, body=58, caption=54, label=42, small=32),
    ground="horizon",
    statement="plain",
    rows="panels",
    corner=30,
    frame="circle",
    one_sentence=False,
    captions=CaptionLook("pill", "colour", 620, wide=(46, 2), tall=(25, 2)),
    transition="push",
    transition_seconds=0.4,
    arrangement="stage",
    figure=1.35,
    bed="bright",
    effects=True,
)

LOOKS = {look.name: look for look in (EXPLAINER, SHORT, NEWS, EDITORIAL, PLAYFUL, PRODUCT, SCENES)}


def find_look(name: str) -> Look:
    """Return the look called ``name``; the explainer's if the name is unknown."""
    return LOOKS.get(name, EXPLAINER)
