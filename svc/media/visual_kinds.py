"""The kinds of visuals, and what is particular to each.

How its words are made of a block of the brief is in svc.media.script.visuals, how it is drawn in
svc.media.slides.slide.
"""

from dataclasses import dataclass
from enum import Enum, auto


class TextRole(Enum):
    """What the text of a visual is to the words of its scene."""

    SAID = auto()  # what is said is what is seen
    READ = auto()  # it is seen and not said: the scene stays until it can be read
    SOURCE = auto()  # it is neither: the visual is made from it


@dataclass(frozen=True)
class VisualKind:
    """The traits of a kind of visual; the defaults are those of a list."""

    text: TextRole = TextRole.SAID
    # Its text is LaTeX, in which no sign is replaced by one that the fonts have.
    is_latex: bool = False
    # The part of the visual, "text" or "note", that is said from its beginning to its end. In
    # composed looks, its words enter as they are said.
    said_whole: str = ""
    is_figure: bool = False  # its text is a figure, which counts up
    # What is added as its points are spoken has a tick. A visual that is seen whole, as a picture
    # is, has a whoosh as its scene begins.
    is_seen_whole: bool = False
    grows: bool = False  # some of it is drawn by Canvas.growth
    # Its rows have cells of any content: they may be an agenda or a timeline.
    is_table: bool = False
    is_chart: bool = False  # its rows have values, whose range the audio description says
    goes_through_time: bool = False  # a chart's range is its first and its last value
    says_labels: bool = False  # its points are said with their labels
    # Each of its scenes has a title, which is said once, and for which the brief may have only a
    # sign.
    has_title: bool = False
    has_signs: bool = False  # the icons of its points stand for signs of the brief
    # It has the heading of the section in which it stands; otherwise it is of the whole text.
    has_heading: bool = True
    # What is said about it may be a sentence of the summary.
    is_summed_up: bool = True


VISUAL_KINDS = {
    "": VisualKind(),  # none
    "quote": VisualKind(
        said_whole="text", is_seen_whole=True, is_summed_up=False, has_heading=False
    ),
    "number": VisualKind(said_whole="note", is_figure=True, is_seen_whole=True, grows=True),
    "image": VisualKind(is_seen_whole=True),
    "pictures": VisualKind(is_seen_whole=True),
    "table": VisualKind(is_table=True),
    "comparison": VisualKind(is_table=True),
    "bars": VisualKind(is_seen_whole=True, grows=True, is_chart=True),
    "line": VisualKind(is_seen_whole=True, grows=True, is_chart=True, goes_through_time=True),
    "code": VisualKind(TextRole.READ, is_summed_up=False),
    "formula": VisualKind(TextRole.SOURCE, is_latex=True, is_seen_whole=True),
    "alert": VisualKind(said_whole="text", is_seen_whole=True, has_title=True),
    "verse": VisualKind(),
    "dialogue": VisualKind(says_labels=True),
    "contact": VisualKind(has_signs=True, has_heading=False),
    "flow": VisualKind(TextRole.SOURCE, says_labels=True),
}
