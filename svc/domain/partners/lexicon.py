"""The pronunciation lexicon of an account: how its own words are spoken in its productions."""

import json
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from svc.base import clock, key_texts
from svc.base.errors import InvalidRequest, LexiconEntryRepeated
from svc.base.text.text_rules import is_storable
from svc.domain.audit import audit
from svc.domain.audit.audit import Actor
from svc.domain.partners import admin
from svc.store.models.partners import Lexicon
from svc.store.queries import Prepared, slot, slots
from svc.store.read_cache import ReadCache

MOST_ENTRIES = 500
LONGEST_WRITTEN, LONGEST_SPOKEN = 64, 200  # characters
# The words of a change, and the characters of one, that the audit log keeps: it keeps them for
# ever.
_MOST_LOGGED, _LONGEST_LOGGED = 20, 64
_LONGEST_LINE = 2000  # characters of a form's line, with white space that is left out
_DIVIDER = " = "  # between the two parts of a form's line
_STORE = Prepared(
    Lexicon.insert(slots("account_id", "entries", "updated_at")).on_conflict(
        conflict_target=[Lexicon.account_id], preserve=[Lexicon.entries, Lexicon.updated_at]
    )
)
_FIND = Prepared(
    Lexicon.select(Lexicon.entries, Lexicon.updated_at).where(
        Lexicon.account_id == slot("account_id")
    )
)
_pairs = ReadCache("estate", 512)  # by account: what every trigger there is matched with


@dataclass(frozen=True)
class Entry:
    """How a written word, or several, is spoken.

    One without a capital letter is for every form of the word.
    """

    written: str
    spoken: str


def list_entries(account_id: str) -> list[Entry]:
    """Return the entries of an account's lexicon, in the order in which they were sent."""
    row = _FIND.row(account_id=account_id)
    return [Entry(*pair) for pair in json.loads(row["entries"])] if row else []


def list_pairs(account_id: str) -> tuple[tuple[str, str], ...]:
    """Return the entries as pairs of written and spoken, for svc.base.text.read_aloud."""
    return _pairs.get(
        account_id,
        lambda: tuple((entry.written, entry.spoken) for entry in list_entries(account_id)),
    )


def represent(account_id: str) -> dict[str, Any]:
    """Return an account's lexicon as the API represents it; empty if it was never set."""
    row = _FIND.row(account_id=account_id)
    return {
        "accountId": account_id,
        "entries": [
            {"written": entry.written, "spoken": entry.spoken} for entry in list_entries(account_id)
        ],
        "updatedAt": clock.format_time(row["updated_at"]) if row else None,
    }


def replace(actor: Actor, account_id: str, new: Iterable[Entry], now: int) -> list[Entry]:
    """Replace an account's lexicon, and return its entries.

    Raises:
        NotFound: There is none that the caller may see.
        InvalidRequest: A field is not valid; the error names it.
        LexiconEntryRepeated: Two entries are for the same words.
    """
    checked = check(new)
    turn = admin.find_partner_of_account(account_id)
    with audit.recording(actor, "account.lexicon", None, now, in_turn_of=turn) as entry:
        account = admin.find(admin.ACCOUNT, account_id)
        before = list_entries(account_id)
        if checked == before:
            entry.omit()
            return checked
        stored = json.dumps(
            [[entry.written, entry.spoken] for entry in checked], ensure_ascii=False
        )
        _STORE.execute(account_id=account_id, entries=stored, updated_at=now)
        left, came = _summarise_changes(before, checked)
        entry.describe(
            account["name"],
            subject_id=account_id,
            partner_id=account["partner_id"],
            before=left,
            after=came,
        )
    return checked


def check(new: Iterable[Entry]) -> list[Entry]:
    """Return the entries in their stored form. InvalidRequest: an entry cannot be used.
    LexiconEntryRepeated: two are for the same word."""
    entries = list(new)
    if len(entries) > MOST_ENTRIES:
        _refuse_field(f"A lexicon has at most {MOST_ENTRIES} entries; these are {len(entries):,}.")
    checked = [
        Entry(_normalise_line(entry.written), _normalise_line(entry.spoken)) for entry in entries
    ]
    places: dict[str, int] = {}
    for number, entry in enumerate(checked, 1):
        _check_entry(number, entry)
        if (first := places.setdefault(entry.written, number)) != number:
            message = (
                f"Entries {first} and {number} are both for “{entry.written}”; keep one of them."
            )
            raise LexiconEntryRepeated(message, fields={"entries": [message]})
    return checked


def from_lines(text: str) -> list[Entry]:
    """Return the entries of a form's text, one a line: ``SQL = sequel``. InvalidRequest: a line has
    no equals sign.

    A line is divided at its last equals sign between spaces, or at its first one if none is: what
    is written may have others.
    """
    raw = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if len(raw) > MOST_ENTRIES:
        _refuse_field(
            f"A lexicon has at most {MOST_ENTRIES} entries; these are {len(raw):,} lines."
        )
    # The length is checked before words are normalised, which takes the square of the length of a
    # line of accents.
    for number, line in raw:
        if "=" not in line:
            _refuse_field(f"Line {number} has no equals sign; write for example SQL = sequel.")
        if len(line) > _LONGEST_LINE:
            _refuse_field(
                f"Line {number} has {len(line):,} characters; at most {_LONGEST_LINE:,} are read."
            )
    lines = [(number, _normalise_line(line)) for number, line in raw]
    parts = (
        line.rpartition(_DIVIDER) if _DIVIDER in line else line.partition("=") for _, line in lines
    )
    return [Entry(written.strip(), spoken.strip()) for written, _, spoken in parts]


def as_lines(listed: Sequence[Entry]) -> str:
    """Return entries as the text that :func:`from_lines` reads."""
    return "\n".join(f"{entry.written}{_DIVIDER}{entry.spoken}" for entry in listed)


def _check_entry(number: int, entry: Entry) -> None:
    way = f"entries[{number - 1}]"
    for name, text, longest in (
        ("written", entry.written, LONGEST_WRITTEN),
        ("spoken", entry.spoken, LONGEST_SPOKEN),
    ):
        if not is_storable(text):
            _refuse_field(f"Entry {number}: {name} has a control character.", f"{way}.{name}")
        if key_texts.holds_key(text):
            _refuse_field(f"Entry {number}: {name}: {key_texts.REFUSAL}", f"{way}.{name}")
        if not 1 <= len(text) <= longest:
            _refuse_field(
                f"Entry {number}: {name} must be 1 to {longest} characters long; this is "
                f"{len(text)}.",
                f"{way}.{name}",
            )
        if not any(character.isalnum() for character in text):
            _refuse_field(f"Entry {number}: {name} has no letter and no digit.", f"{way}.{name}")
    if _DIVIDER in f" {entry.spoken}":
        _refuse_field(
            f"Entry {number}: spoken has an equals sign that stands alone before another word. The "
            "console shows an entry as the line “written = spoken”, which it would divide there; "
            "write it as it is said, for example as “equals”.",
            f"{way}.spoken",
        )
    if len(entry.spoken.split()) < len(entry.written.split()):
        _refuse_field(
            f"Entry {number}: spoken must have at least as many words as written, so that each "
            "word has its time.",
            f"{way}.spoken",
        )


def _refuse_field(message: str, field: str = "entries") -> None:
    raise InvalidRequest(message, fields={field: [message]})


def _normalise_line(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


def _summarise_changes(
    before: Iterable[Entry], after: Iterable[Entry]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what the audit log keeps of a change: the first changed words as they were and as they
    are, and counts of all.
    """
    old, new = ({entry.written: entry.spoken for entry in listed} for listed in (before, after))
    changed = [written for written in {**old, **new} if old.get(written) != new.get(written)]
    was, now_is = (
        {
            written: spoken[written][:_LONGEST_LOGGED]
            for written in changed[:_MOST_LOGGED]
            if written in spoken
        }
        for spoken in (old, new)
    )
    added, removed = len(new.keys() - old.keys()), len(old.keys() - new.keys())
    counts = {"added": added, "changed": len(changed) - added - removed, "removed": removed}
    return {"entries": was}, {"entries": now_is, **counts}
