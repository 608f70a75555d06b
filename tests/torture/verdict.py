"""The verdict: what the database holds and what arrived, against what was acknowledged."""

import hashlib
import hmac
import json
from base64 import urlsafe_b64decode
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from svc.domain.retry_schedule import DELIVERY_RETRIES, FREE_INTERRUPTIONS
from svc.domain.webhooks.outbox import INTERRUPTED
from tests.torture.load import HEARD, Load
from tests.torture.remains import Remains, sqlite3

# Who has been interrupted so often may have been given up by the rule: the receiver itself refuses
# an event but once.
MOST_INTERRUPTIONS = FREE_INTERRUPTIONS + len(DELIVERY_RETRIES)

OPEN = """
    SELECT (SELECT COUNT(*) FROM productions WHERE status NOT IN ('Failed', 'Cancelled')),
           (SELECT COUNT(*) FROM deliveries WHERE status = 'Pending')
"""


@dataclass
class Verdict:
    """Figures to be printed, and everything that is wrong."""

    figures: dict[str, object] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)

    def none(self, name: str, found) -> None:
        """There should be none of these."""
        found = list(found)
        self.figures[name] = len(found)
        self.wrong += [f"{name}: {each}" for each in found[:5]]


def reach(load: Load, data_dir: Path, arrivals: list[dict], remains: list[Remains]) -> Verdict:
    """Compare everything. The server has ended, and nothing was open any more."""
    connection = sqlite3.connect(data_dir / "service.db")
    connection.row_factory = sqlite3.Row
    verdict = Verdict()
    try:
        _events(verdict, connection, load)
        _arrived(verdict, connection, load, arrivals)
        _order(verdict, arrivals)
        _duplicates(verdict, connection, arrivals, remains)
        _signatures(verdict, connection, load, arrivals)
        ends = [each for (each,) in connection.execute("PRAGMA integrity_check")]
    finally:
        connection.close()
    bad = [each.integrity for each in remains if each.integrity != "ok"] + [
        each for each in ends if each != "ok"
    ]
    verdict.none("integrity checks that were not ok", bad)
    return verdict


def _events(verdict: Verdict, connection, load: Load) -> None:
    """Every acknowledged production is there once, ended as it should,
    with its events in sequence.
    """
    statuses = dict(connection.execute("SELECT id, status FROM productions").fetchall())
    events = defaultdict(list)
    for production, sequence, event_type in connection.execute(
        "SELECT production_id, sequence, event_type FROM events"
    ):
        events[production].append((sequence, event_type))
    verdict.figures["acknowledged triggers"] = len(load.acknowledged)
    verdict.figures["acknowledged cancels"] = len(load.cancelled)
    verdict.figures["events recorded"] = sum(map(len, events.values()))
    verdict.none("productions that nobody was told of", statuses.keys() - load.acknowledged.keys())
    ended = {
        each: "Cancelled" if each in load.cancelled else "Failed" for each in load.acknowledged
    }
    verdict.none(
        "acknowledged productions lost",
        (each for each, end in ended.items() if statuses.get(each) != end),
    )
    verdict.none(
        "sequences with a gap, a repeat or a wrong end",
        (
            (each, found)
            for each in ended
            if (found := sorted(events[each]))
            != [(1, "production.queued"), (2, f"production.{ended[each].lower()}")]
        ),
    )


def _arrived(verdict: Verdict, connection, load: Load, arrivals: list[dict]) -> None:
    """Every event of an acknowledged production was taken by every subscription that hears it,
    and by no other.
    """
    taken = {
        (each["path"], each["production"], each["sequence"])
        for each in arrivals
        if each["status"] == 200
    }
    due = {
        (f"/{load.acknowledged[production].number}/{name}", production, sequence)
        for production, sequence, event_type in connection.execute(
            "SELECT production_id, sequence, event_type FROM events"
        )
        if production in load.acknowledged
        for name, types in HEARD.items()
        if event_type in types
    }
    verdict.figures["deliveries due"] = len(due)
    verdict.figures["arrivals, with those answered 500"] = len(arrivals)
    verdict.none("acknowledged events lost", due - taken)
    verdict.none("arrivals where they do not belong", taken - due)
    unfinished = set(
        map(
            tuple,
            connection.execute("SELECT id, status FROM deliveries WHERE status <> 'Succeeded'"),
        )
    )
    failed = {each for each in unfinished if each[1] == "Failed"}
    given_up = {
        each for each in failed if _interruptions(connection, each[0]) >= MOST_INTERRUPTIONS
    }
    verdict.figures["given up after interruptions, as is the rule"] = len(given_up)
    verdict.none("deliveries not recorded as succeeded", unfinished - given_up)


def _interruptions(connection, delivery: str) -> int:
    asked = "SELECT COUNT(*) FROM attempts WHERE delivery_id = ? AND error = ?"
    return connection.execute(asked, (delivery, INTERRUPTED)).fetchone()[0]


def _order(verdict: Verdict, arrivals: list[dict]) -> None:
    firsts: dict[tuple, list[int]] = defaultdict(list)
    for each in arrivals:
        line = firsts[each["path"], each["production"]]
        if each["sequence"] not in line:
            line.append(each["sequence"])
    verdict.none(
        "out of first-attempt order",
        ((line, found) for line, found in firsts.items() if found != sorted(found)),
    )


def _duplicates(verdict: Verdict, connection, arrivals: list[dict], remains: list[Remains]) -> None:
    """A kill may repeat what was in flight at it, marked, and nothing else;
    the log has exactly these interruptions.
    """
    # one that survived two kills is one
    claims = {claim for each in remains for claim in each.claimed}
    flown = Counter(event for _, event, _ in claims)
    came = Counter(each["event"] for each in arrivals)
    refused = Counter(each["event"] for each in arrivals if each["status"] == 500)
    unmarked = Counter(each["event"] for each in arrivals if not each["marked"])
    surplus = {event: count - refused[event] - 1 for event, count in came.items()}
    verdict.figures["in flight at the kills"] = len(claims)
    verdict.figures["most in flight at one kill"] = max(
        (len(each.claimed) for each in remains), default=0
    )
    verdict.figures["duplicates"] = sum(each for each in surplus.values() if each > 0)
    verdict.none(
        "duplicates of what was not in flight",
        (e for e, count in surplus.items() if count > flown[e]),
    )
    verdict.none(
        "duplicates that were not marked",
        (e for e, count in unmarked.items() if count - refused[e] > 1),
    )
    sql = (
        "SELECT d.event_id FROM attempts a JOIN deliveries d ON d.id = a.delivery_id "
        "WHERE a.error = ?"
    )
    logged = Counter(event for (event,) in connection.execute(sql, (INTERRUPTED,)))
    verdict.none("interruptions not in the log as they were", (logged - flown) + (flown - logged))


def _signatures(verdict: Verdict, connection, load: Load, arrivals: list[dict]) -> None:
    """What arrived are the stored bytes, signed."""
    bodies = dict(connection.execute("SELECT event_id, body FROM deliveries").fetchall())
    secrets = {
        path: _key(secret)
        for each in load.partners
        for path, (_, secret) in each.subscriptions.items()
    }
    verdict.none(
        "arrivals with other bytes or another signature",
        (
            each["event"]
            for each in arrivals
            if hashlib.sha256(bodies[each["event"]]).hexdigest() != each["digest"]
            or "sha256="
            + hmac.new(secrets[each["path"]], bodies[each["event"]], "sha256").hexdigest()
            != each["signature"]
        ),
    )


def _key(secret: str) -> bytes:
    return urlsafe_b64decode(secret + "=" * (-len(secret) % 4))


def read_arrivals(file: Path) -> list[dict]:
    """The lines of the receiver, in order."""
    return [json.loads(line) for line in file.read_text().splitlines()]
