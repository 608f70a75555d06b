"""Descriptions of the places to which an account can be connected: what a connection needs,
and what a place takes.
"""

import re
from dataclasses import dataclass
from typing import Literal

from svc.base import clock
from svc.base.shapes import SHAPES

PLACEHOLDERS = ("title", "summary", "chapters", "transcript", "subject", "disclosure", "hashtags")
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True)
class Field:
    """A value that a connection needs.

    ``secret``: stored encrypted and never shown. ``learned``: the place tells it at the first
    connection; people cannot set it. ``made``: it is made if nobody gives one, and shown once.
    ``choices``: the values that there are, where the place takes no other. ``pattern``: what a
    value matches that is not empty; ``wrong`` says that.
    """

    name: str
    label: str
    hint: str = ""
    default: str = ""
    required: bool = True
    secret: bool = False
    learned: bool = False
    made: bool = False
    lines: bool = False  # it may have several lines, such as a private key
    choices: tuple[str, ...] = ()
    pattern: str = ""
    wrong: str = ""
    without: str = ""  # what is said of kinds of places that have no such field


SPEED = Field(
    "max_kilobytes_per_second",
    "Most kB per second",
    "How fast files are sent there at most; empty for no limit.",
    required=False,
    pattern="[5-9][0-9]|[1-9][0-9]{2,5}",
    wrong="Give a whole number from 50 to 999999, or nothing for no limit.",
    without="is sent no files, so that their speed has no limit there; leave this out.",
)
TIME = Field(
    "publish_time",
    "Show posts at (UTC)",
    (
        "A time of day such as 18:00: what is sent before appears at the next one; empty to show "
        "it at once."
    ),
    required=False,
    pattern="(?:[01][0-9]|2[0-3]):[0-5][0-9]",
    wrong=(
        "Give a time of day from 00:00 to 23:59 in UTC, such as 18:00, or nothing to show posts "
        "at once."
    ),
    without="shows what it is sent at once, as it knows no schedule; leave this out.",
)
ANY_MAY_HAVE = (SPEED, TIME)


@dataclass(frozen=True)
class Limits:
    """What a place accepts.

    ``counted``: how it counts title and text; ``size``: bytes of a file; 0: no limit.
    """

    title: int = 0
    text: int = 0
    counted: Literal["characters", "graphemes", "bytes"] = "characters"
    seconds: int = 0
    size: int = 0
    title_counted: Literal["characters", "graphemes", "bytes"] | None = None  # None: like the text


@dataclass(frozen=True)
class SignIn:
    """How people let a connection act for them (OAuth 2.0): the place's page, the address of its
    tokens, and their scope.

    ``more``: what else its page is asked for. ``field``: in which the connection keeps the lasting
    token.
    """

    page: str
    tokens: str
    scope: str
    more: tuple[tuple[str, str], ...] = ()
    field: str = "refresh_token"


@dataclass(frozen=True)
class Connector:
    """The description of a kind of place.

    ``own_fields``: what a connection needs beside what any may have.
    """

    name: str
    summary: str  # one sentence
    own_fields: tuple[Field, ...]
    limits: Limits = Limits()
    shapes: tuple[str, ...] = SHAPES
    takes_all: bool = False  # every file of a production, not the video alone
    beside: tuple[str, ...] = ()  # the names of other files that it takes, such as captions.vtt
    translated: bool = False  # whether it takes captions in further languages
    uploads: bool = True  # whether files are sent there; others fetch them
    schedules: bool = False  # whether it shows a post at a time that it is told
    sign_in: SignIn | None = None
    # The page where people find what was published, below this server's address, with {id} for the
    # connection.
    feed: str = ""
    title: str = "{title}"  # the templates that a connection starts with
    text: str = "{summary}\n\n{chapters}\n\n{disclosure}\n\n{hashtags}"

    @property
    def fields(self) -> tuple[Field, ...]:
        """Return the fields of a connection: its own, and those that many places share."""
        return (
            self.own_fields
            + ((SPEED,) if self.uploads else ())
            + ((TIME,) if self.schedules else ())
        )

    @property
    def secrets(self) -> frozenset[str]:
        """Return the names of the secret fields."""
        return frozenset(field.name for field in self.fields if field.secret)


@dataclass(frozen=True)
class Connection:
    """A connection of an account, with its secrets in the clear:
    only for the exchange with the place.
    """

    id: str
    account_id: str
    partner_id: str
    name: str  # the platform's name in the API
    connector: str
    shape: str
    title_template: str
    text_template: str
    values: dict[str, str]

    @property
    def bytes_per_second(self) -> int | None:
        """Return how fast files are sent there at most; None: there is no limit."""
        return int(self.values.get(SPEED.name) or 0) * 1000 or None

    def find_next_time(self, now: int) -> int | None:
        """Return when posts that are sent now are to be shown, in milliseconds; None: at once."""
        if not (times := self.values.get(TIME.name)):
            return None
        hours, _, minutes = times.partition(":")
        today = now - now % clock.DAY + int(hours) * clock.HOUR + int(minutes) * clock.MINUTE
        return today if today > now else today + clock.DAY

    def __repr__(self) -> str:  # never with secrets, which would be in a log
        return f"Connection({self.id!r}, {self.connector!r}, {self.name!r})"


def find_unknown_placeholders(template: str) -> list[str]:
    """Return the placeholders of a template that nothing is known for."""
    return [f"{{{name}}}" for name in _PLACEHOLDER.findall(template) if name not in PLACEHOLDERS]
