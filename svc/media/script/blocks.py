"""The plain blocks that Markdown is read as, without its markup."""

from dataclasses import dataclass

Picture = tuple[str, str]  # description and address


@dataclass(frozen=True)
class Block:
    """One block of a Markdown text."""

    # A key of ``_BUILDERS`` in svc.media.script.visuals; or "heading", "point" or "small" (print).
    kind: str
    # The text; of an image, its description; of code, its lines; of a formula or a flowchart, its
    # source.
    text: str
    # The figure of a paragraph that begins with one in bold; the address of an image or of
    # contacts; the language of code; the title of an alert.
    note: str = ""
    # The cells of a table, headings first; of pictures, their headings; of a dialogue who speaks
    # and what is said; of contacts their lines and icons; of a flowchart how a node is reached, and
    # its text.
    rows: tuple[tuple[str, ...], ...] = ()
    pictures: tuple[Picture, ...] = ()  # one beside a quotation, or those of "pictures"
    label: str = ""  # of a list item: "3.", DONE or NOT_DONE, or both: "3. ☑"; "+" or "−"
    level: int = 0  # of a list item: how many lists its list is in; of a heading: 1 to 6
    is_first: bool = False  # the item of a list that begins it
    within_item: bool = False  # prose that belongs to the list item before it
    formula: str = ""  # of prose: the source of the one formula that it is about
    keeps_lines: bool = False  # of a quotation: its writer ended its lines, as those of a poem
    introduces: bool = False  # prose that says what the list or the table after it is of
    tone: str = ""  # of an alert: one of svc.base.text.alerts.KINDS
