"""The data model of a production: brief, script, timeline and findings.

Each type is a frozen dataclass that is stored as JSON in the production's folder, so that each step
can run in a process of its own. All times are seconds from the start of the programme.
"""

from dataclasses import dataclass
from pathlib import Path

from svc.base.text import countries
from svc.media import records
from svc.media.brand_kit import NO_KIT, BrandKit
from svc.media.visual_kinds import VISUAL_KINDS, VisualKind

load, save = records.load_record, records.save_record  # beside every class of this module
_LONGEST_SENT = 8192  # characters of notes: twice what the API takes
CARDS = ("title", "close")  # the layouts of the scenes that every script has


@dataclass(frozen=True)
class Presenter:
    """The presenter: a voice, and a drawn face if one is shown. Colours are ``#rrggbb``."""

    name: str
    voice: str = ""  # espeak-ng variant ("f3", "m1"); empty: the language's own voice
    pitch: int = 50  # 0 to 99, espeak-ng's scale
    words_per_minute: int = 165
    # A voice of svc.base.voices, of the speech endpoint or of Piper; empty: chosen by language and
    # ``voice``.
    speaker: str = ""
    skin: str = "#e8b48f"
    hair: str = "#3b2a20"
    clothes: str = "#2f5d8a"
    hair_style: str = "short"  # one of svc.media.figure.hair.HAIR_STYLES
    # The picture file in the production's folder that replaces the drawn face; empty: none.
    portrait: str = ""
    moving: bool = True  # mouth, eyes and head move
    age: str = "adult"  # "young", "adult", "older"; the others in svc.media.figure.body
    beard: str = "none"  # "none", "short", "full"
    glasses: str = "none"  # "none", "round", "square"
    outfit: str = "jumper"  # "jumper", "shirt", "blazer", "hoodie"
    role: str = ""  # what the lower third says below the name; empty: the account's name
    figure: str = "shown"  # or "none": a voice alone; scenes fill the frame

    @property
    def is_shown(self) -> bool:
        """Whether a figure is shown."""
        return self.figure != "none"


@dataclass(frozen=True)
class Rendition:
    """One output format; several platforms of the same shape share a rendition."""

    name: str  # file name stem: "landscape", "portrait"
    width: int  # pixels
    height: int  # pixels
    frame_rate: int = 30  # frames per second
    platforms: tuple[str, ...] = ()  # the platforms that take this rendition
    # The shares that are covered at left, top, right and bottom; None: by shape.
    safe: tuple[float, float, float, float] | None = None
    loudness: float = -14.0  # LUFS, integrated; not over -14
    longest: int = 12 * 3600  # seconds: the platforms' limit
    longest_description: int = 5000  # characters of the text beside the video: the platforms' limit
    chapter_list: bool = True  # whether that text may list chapters


@dataclass(frozen=True)
class Upload:
    """An uploaded picture with the name that briefs use; ``file`` is in the production's folder."""

    name: str
    file: str


@dataclass(frozen=True)
class Pronunciation:
    """An entry of an account's lexicon: how written words are spoken; in every form,
    if it has no capital letter.
    """

    written: str
    spoken: str


@dataclass(frozen=True)
class SceneEdit:
    """A scene as its reviewer wants it (svc.media.script.revision)."""

    scene: int  # its number in the script as it was written, from 1; another number: it is new
    heading: str = ""
    narration: str = ""  # what is spoken besides the points
    points: tuple[str, ...] = ()
    # The words that are shown large: some that are said, or the heading; empty: all of them; None:
    # chosen by meaning.
    key_phrase: str | None = None
    picture: str = ""  # what its illustration shows, in words, or its name as before; empty: none


@dataclass(frozen=True)
class VideoBrief:
    """The complete input of the engine. ``topic``, ``metadata_md`` and names are untrusted text."""

    production_id: str
    title: str
    topic: str
    language: str  # BCP 47 code, one of svc.base.text.languages
    country: str  # ISO 3166-1 alpha-2
    metadata_md: str
    avatar: Presenter
    renditions: tuple[Rendition, ...]
    account_name: str = ""
    project_type: str = "explainer"
    triggered_at: str = ""  # ISO 8601 UTC
    accent: str = "#3d7eff"
    second_colour: str = ""  # of the brand, "#rrggbb"; empty: the accent
    logo: str = ""  # a picture file in the production's folder; empty: none
    look: str = "explainer"  # one of svc.base.looks.LOOK_NAMES
    theme: str = "dark"  # or "light"
    caption_style: str = "highlight"  # or "plain": the spoken word does not stand out
    uploads: tuple[Upload, ...] = ()
    # Whether prose scenes show all of their text in place of a key phrase with an illustration.
    full_text: bool = False
    lexicon: tuple[Pronunciation, ...] = ()  # how the account's own words are spoken
    # The quiet bed under the speech: "none", one of svc.media.music.moods.MOODS, or "look", as the
    # look wants it.
    music: str = "none"
    brand: BrandKit = NO_KIT
    # The scenes as their reviewer wants them; empty: as they were written.
    edits: tuple[SceneEdit, ...] = ()
    # BCP 47 codes: the languages into which a model translates the captions
    caption_languages: tuple[str, ...] = ()

    @property
    def read_in(self) -> str:
        """The language in which its text is read: with its country, by which numbers and money are
        read (:mod:`svc.base.text.countries`)."""
        return countries.in_country(self.language, self.country)

    @property
    def is_long(self) -> bool:
        """Whether the notes are longer than partners may send:
        those of the command ``render`` may be.
        """
        return len(self.metadata_md) > _LONGEST_SENT


@dataclass(frozen=True)
class Point:
    """A list item on the screen, and the words (indices into the scene's words) that speak it."""

    text: str
    first_word: int
    last_word: int  # inclusive
    # The mark before it: "3." in an ordered list, "☑" or "☐" of a task, "3. ☑"; empty: a plain
    # mark.
    label: str = ""
    level: int = 0  # 0: the outermost list
    # The name of the line icon in svc.media.pictures before it; empty: its label, or a plain mark.
    icon: str = ""


@dataclass(frozen=True)
class Visual:
    """What a scene shows besides heading and captions.

    ``kind``: one of svc.media.visual_kinds, or empty. Each row, each of several pictures,
    each line of a verse or of contacts, each turn of a dialogue (whose label is the speaker) and
    each node of a flowchart is a list item as well, and stands out while its point is spoken.
    """

    kind: str = ""
    # The quotation, the figure, the description of the image, the lines of code, LaTeX, Mermaid's
    # source, the text of an alert, or at the close a call.
    text: str = ""
    # The source of the quotation or verse, the explanation of the figure, the code's language, the
    # title of an alert, or of contacts and at the close a link.
    note: str = ""
    # The headings of a table, of pictures, or of the two sides of a comparison; all speakers of a
    # dialogue, in order.
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()  # cells, as written
    # The values of a chart: for each row, one per series.
    values: tuple[tuple[float, ...], ...] = ()
    # The image file in the production's folder, also beside a quotation; empty: none.
    file: str = ""
    alt: str = ""  # what the picture beside a quotation shows
    files: tuple[str, ...] = ()  # the image files of several pictures, one for each column
    tone: str = ""  # of an alert: one of svc.base.text.alerts.KINDS

    @property
    def traits(self) -> VisualKind:
        """What is particular to its kind."""
        return VISUAL_KINDS[self.kind]


NO_VISUAL = Visual()


@dataclass(frozen=True)
class Scene:
    """One picture with the words spoken over it. ``words`` are as written (in captions); ``spoken``
    are the same words as the voice gets them, one for one, although one written word may be several
    spoken ones ("5 km")."""

    layout: str  # "title", "points", "agenda", "prose", "close", or the kind of its visual
    heading: str
    points: tuple[Point, ...]
    words: tuple[str, ...]
    spoken: tuple[str, ...]
    description: str  # of the picture, for the audio description
    sentence_ends: tuple[int, ...] = ()  # indices of the words that end a sentence
    sight: Visual = NO_VISUAL
    stressed: tuple[int, ...] = ()  # indices of the words that the brief emphasises
    # The clause of a prose scene, or its heading, that is shown in place of its text; empty: all of
    # its text.
    key_phrase: str = ""
    # The name of the picture in svc.media.pictures that shows what is spoken of; empty: none.
    illustration: str = ""
    # The further pictures of a composed scene, in the order in which they are spoken of.
    companions: tuple[str, ...] = ()
    # The words from which on illustration and companions are spoken of; empty: from the first.
    pictured: tuple[int, ...] = ()
    # The pictures that have nothing to do with the key phrase, and are not shown beside it.
    apart: tuple[str, ...] = ()
    # Indices of the words that turn round what is said, such as "not" and "never".
    denials: tuple[int, ...] = ()
    shortest: float = 0.0  # seconds that the scene is shown at least: the narration adds silence
    # The number of an agenda's first point, or of the section, if an agenda announces it; 0: none.
    number: int = 0
    small_print: str = ""  # shown at the foot of the scene, and not said
    is_sombre: bool = False  # what it says is sad: the presenter does not smile


@dataclass(frozen=True)
class Script:
    title: str
    language: str
    scenes: tuple[Scene, ...]
    author: str = ""  # the model that wrote it; empty: the built-in writer
    # The sentences of title, close and descriptions as they are spoken, where the lexicon changes
    # them.
    respoken: tuple[str, ...] = ()
    summary: str = ""  # up to two sentences, for the text beside the video
    hashtags: tuple[str, ...] = ()  # without "#"
    is_edited: bool = False  # a person changed it after it was written
    country: str = ""  # of the brief, ISO 3166-1 alpha-2

    @property
    def read_in(self) -> str:
        """The language in which its text is read, as of :class:`VideoBrief`."""
        return countries.in_country(self.language, self.country)


@dataclass(frozen=True)
class Word:
    text: str  # as written
    start: float
    end: float


@dataclass(frozen=True)
class PhonemeTiming:
    """A phoneme, in the International Phonetic Alphabet, and when it begins."""

    phoneme: str
    start: float


@dataclass(frozen=True)
class SceneTiming:
    """When a scene is shown, and its words: in the same order and number as ``Scene.words``."""

    start: float
    end: float
    words: tuple[Word, ...]
    sounds: tuple[PhonemeTiming, ...] = ()  # empty where the voice reports none
    # The start and end of each turn that another voice than the presenter's speaks.
    others: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True)
class Timeline:
    """The times of the programme, from which audio, captions, highlights and cuts are derived."""

    duration: float
    sample_rate: int
    scenes: tuple[SceneTiming, ...]
    voice: str = (
        ""  # the trained voices that spoke it (svc.base.voices.list_model_names); empty: espeak-ng
    )
    # The seconds of the account's clip before the first scene, which begins after it.
    intro: float = 0.0
    outro: float = 0.0  # seconds of its clip after the last scene

    @property
    def closes(self) -> float:
        """When the last scene ends."""
        return self.duration - self.outro


@dataclass(frozen=True)
class DescriptionCue:
    """A spoken description that is inserted before ``at`` (programme time)
    and lasts ``duration``.
    """

    scene: int
    text: str
    at: float
    duration: float


@dataclass(frozen=True)
class Descriptions:
    cues: tuple[DescriptionCue, ...]


@dataclass(frozen=True)
class DrawnText:
    """A line of text as it was drawn.

    ``ground``: the least favourable colour behind it; colours are ``#rrggbb``.
    """

    scene: int
    part: str  # "title", "heading", "point", "text", "caption", "name", …
    text: str
    box: tuple[int, int, int, int]  # left, top, right, bottom: pixels
    size: int  # pixels
    weight: int  # 100 to 900
    ink: str
    ground: str
    contrast: float  # WCAG 2.2, 1.0 to 21.0
    missing: str  # characters that no font can draw


@dataclass(frozen=True)
class Lettering:
    """All text on the pictures of one rendition; stored as ``lettering-{rendition}.json``."""

    width: int
    height: int
    # The left, top, right and bottom of the part that platforms do not cover.
    safe: tuple[int, int, int, int]
    texts: tuple[DrawnText, ...]


@dataclass(frozen=True)
class QualityFinding:
    """One gate's measurement. ``measured`` and ``limit`` are text with their unit.

    A failure that is ``certain`` fails the production; any other is a warning, which people see
    with the scene's picture.
    """

    check: str
    subject: str  # the file that was measured
    measured: str
    limit: str
    passed: bool
    where: str = ""  # for a failure: the time, the scene, the cue
    excess: str = ""  # for a failure: the distance from the limit
    certain: bool = True  # for a failure: whether the file is certainly broken
    at: float | None = None  # for a failure: the moment of the film that shows it, in seconds
    scene: int | None = None  # for a failure: the number of the scene, from 1
    picture: str = ""  # for a warning: the file of the scene's picture

    @property
    def fails(self) -> bool:
        """Whether it fails the production."""
        return not self.passed and self.certain

    @property
    def warns(self) -> bool:
        """Whether it is a warning."""
        return not self.passed and not self.certain

    def describe(self) -> str:
        """Return the finding as a sentence; for a failure with its position and its distance
        from the limit.
        """
        text = f"{self.check} of {self.subject}: measured {self.measured}, limit {self.limit}"
        if self.passed:
            return text
        return (
            text
            + (f", off by {self.excess}" if self.excess else "")
            + (f", at {self.where}" if self.where else "")
        )


@dataclass(frozen=True)
class QualityFindings:
    findings: tuple[QualityFinding, ...] = ()


@dataclass(frozen=True)
class DeliverableFile:
    """A finished file, as the API names it (specification, "Deliverable")."""

    path: str  # relative to the production's folder
    type: str  # of svc.base.deliverable_kinds
    platform: str | None
    format: str  # of svc.base.deliverable_kinds
    duration: float | None  # seconds, for video and audio
    language: str
    voice: str = ""  # the trained voices that speak in it; empty: none does


def load_script(folder: Path) -> Script:
    """Return the script of the production in ``folder``."""
    script: Script = load(Script, folder / "script.json")
    return script


def load_timeline(folder: Path) -> Timeline:
    """Return when each scene and word of the production in ``folder`` is heard."""
    timeline: Timeline = load(Timeline, folder / "timeline.json")
    return timeline
