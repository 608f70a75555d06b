"""Publications: the publishing of a released production on each platform, as a queue with leases and retries."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from svc.base import clock
from svc.domain import rows
from svc.domain.productions import distribution, lifecycle
from svc.domain.tables.productions import PublishableVideo
from svc.store import claims, database, wake

LEASE = 5 * clock.MINUTE
LAST_EXCHANGE = clock.MINUTE  # that a lost process may have under way with a place: svc.adapters.transfers
_COUNTED_AFTER = clock.HOUR  # when the figures of a place are read first
_WAITS = (5 * clock.SECOND, 30 * clock.SECOND, 2 * clock.MINUTE)  # before the second, third and fourth attempt
# At a place of the account's own, which may be out for longer, and may say itself when to come back.
_WAITS_OF_PLACES = (10 * clock.SECOND, clock.MINUTE, 5 * clock.MINUTE, 15 * clock.MINUTE, clock.HOUR)
_MOST_OF_PARTNER = 2  # running publications at places, so that slow places of one partner do not hold up others

_DUE = f"status IN ('Pending', 'Publishing') AND next_attempt_at <= :now AND {claims.FREE}"
_NEXT = f"""
    WITH next AS (
        SELECT production_id, platform, connection_id FROM publications WHERE {_DUE} AND connection_id IS NULL
        ORDER BY next_attempt_at LIMIT 1
    )
    SELECT next.*, p.partner_id, p.correlation_id FROM next JOIN productions p ON p.id = next.production_id
"""
# One at a time for each connection, and few for each partner; who has fewest comes first. What this process carries out counts
# until it has ended, even when its lease was lost before; what others carry out ends with its lease.
_NEXT_AT_PLACES = f"""
    WITH running AS (
        SELECT r.connection_id, q.partner_id FROM publications r JOIN productions q ON q.id = r.production_id
        WHERE r.claim_token IS NOT NULL AND r.connection_id IS NOT NULL AND r.claim_until > :now
          AND r.claim_token NOT IN (SELECT value FROM json_each(:tokens))
    ), taken AS (
        SELECT partner_id, count(*) AS workers
        FROM (SELECT partner_id FROM running UNION ALL SELECT value FROM json_each(:partners)) AS each_one GROUP BY partner_id
    )
    SELECT due.production_id, due.platform, due.connection_id, p.partner_id, p.correlation_id
    FROM publications due JOIN productions p ON p.id = due.production_id LEFT JOIN taken ON taken.partner_id = p.partner_id
    WHERE due.status IN ('Pending', 'Publishing') AND due.next_attempt_at <= :now
      AND (due.claim_token IS NULL OR due.claim_until <= :now) AND due.connection_id IS NOT NULL
      AND due.connection_id NOT IN (SELECT connection_id FROM running)
      AND due.connection_id NOT IN (SELECT value FROM json_each(:connections))
      AND coalesce(taken.workers, 0) < {_MOST_OF_PARTNER}
    ORDER BY coalesce(taken.workers, 0), due.next_attempt_at LIMIT 1
"""
_CLAIM = f"""
    UPDATE publications SET status = 'Publishing', claim_token = :token, claim_boot = :boot, claim_until = :until
    WHERE production_id = :production AND platform = :platform AND status IN ('Pending', 'Publishing')
      AND next_attempt_at <= :now AND {claims.FREE}
"""
_END_SOON = """
    UPDATE publications SET claim_until = min(claim_until, ?)
    WHERE claim_token IS NOT NULL AND claim_boot = ? AND connection_id IS NOT NULL
"""
# A post is not withdrawn that another worker has recorded, or is about to find by the same idempotency key.
_STANDS = """
    SELECT 1 FROM publications WHERE production_id = ? AND platform = ?
      AND (status IN ('Pending', 'Publishing') OR status = 'Published' AND platform_post_id IS NOT DISTINCT FROM ?)
"""
_VIDEO = """
    SELECT d.*, p.title, p.account_id, a.name AS account_name, pub.description FROM deliverables d
    JOIN productions p ON p.id = d.production_id JOIN accounts a ON a.id = p.account_id
    JOIN publications pub ON pub.production_id = d.production_id AND pub.platform = d.platform
    WHERE d.production_id = ? AND d.platform = ? AND d.type = 'Video'
"""


@dataclass(frozen=True)
class Claim:
    """A publication that this process holds until the lease ends."""

    production_id: str
    platform: str
    token: str
    partner_id: str
    correlation_id: str
    connection_id: str | None = None  # None: on a platform of this server


def claim_next(driver: claims.Driver, now: int, at_places: bool = False, running: Sequence[Claim] = ()) -> Claim | None:
    """Lease and return the publication that has been due longest; None: none is due.

    The first one of a production moves it to ``Distributing``. ``at_places``: those at places to which accounts are connected;
    otherwise those on this server's own platforms, which never wait for a place. ``running``: what this process carries out
    at places.
    """
    if at_places:
        counted = {
            "tokens": json.dumps([claim.token for claim in running]),
            "partners": json.dumps([claim.partner_id for claim in running]),
            "connections": json.dumps([claim.connection_id for claim in running]),
        }
        row = database.row(_NEXT_AT_PLACES, {"now": now, **counted})
    else:
        row = database.row(_NEXT, {"now": now})
    if row is None:
        return None
    token, of = claims.new_token(), (row["partner_id"], row["correlation_id"], row["connection_id"])
    claim = Claim(row["production_id"], row["platform"], token, *of)
    with database.write():
        claimed = database.execute(_CLAIM, {
            "token": claim.token, "boot": driver.boot, "until": now + LEASE, "now": now,
            "production": claim.production_id, "platform": claim.platform,
        })  # fmt: skip
        if claimed and distribution.start_distributing(claim.production_id, now):
            lifecycle.touch(claim.production_id, now)
            if not _is_held(claim.production_id):
                return claim
            _held(claim, "next_attempt_at = NULL", ())  # a sandbox scenario holds the production: it is never due
        # Cancelled or rejected in the meantime, which withdraws the publications.
        give_back(claim)
    return None


def renew(running: Sequence[Claim], until: int) -> list[Claim]:
    """Renew leases, and return the claims that were lost: the publication is another's, or free to be taken.

    One that was given up, by a skip or a cancel, is not lost: nobody else carries it out, and what its attempt posts is
    withdrawn by that attempt.
    """
    lost = []
    with database.write(durable=False):
        for claim in running:
            if not _held(claim, "claim_until = ?", (until,)):
                sql = "SELECT status FROM publications WHERE production_id = ? AND platform = ?"
                row = database.row(sql, (claim.production_id, claim.platform))
                if row is None or row["status"] in ("Pending", "Publishing"):
                    lost.append(claim)
    return lost


def give_back(claim: Claim) -> None:
    """Release a claim, so that another process can take the publication."""
    with database.write():
        _held(claim, claims.FREED, ())


def release_earlier_boots(driver: claims.Driver) -> int:
    """Release every claim of an earlier boot, whose process is gone, and return their number. Inside write()."""
    sql = f"UPDATE publications SET {claims.FREED} WHERE {claims.OF_EARLIER_BOOTS}"
    return database.execute(sql, {"boot": driver.boot, "place": driver.place})


def lose(boot: str, now: int) -> int:
    """Release the claims of a process that gives no sign of life; return their number. Its late results change nothing.

    A process that is only cut off may have a request under way to a place, which cannot be asked yet what it has: there the
    lease ends when that request has ended.
    """
    with database.write():
        sql = f"UPDATE publications SET {claims.FREED} WHERE claim_boot = ? AND connection_id IS NULL"
        freed = database.execute(sql, (boot,))
        database.execute(_END_SOON, (now + LAST_EXCHANGE, boot))
        if freed:
            wake.on_commit()
    return freed


def is_first_attempt(claim: Claim) -> bool:
    """Return whether the publication has not been attempted before."""
    sql = "SELECT attempts FROM publications WHERE production_id = ? AND platform = ?"
    return bool(database.one(sql, (claim.production_id, claim.platform))["attempts"] == 0)


def video_of(claim: Claim) -> PublishableVideo | None:
    """Return the video deliverable to publish, with title, account_id and account_name; None: the platform has none."""
    return rows.first(PublishableVideo, _VIDEO, (claim.production_id, claim.platform))


def platforms_of(production_id: str) -> list[str]:
    """Return the names of the platforms on which a production is published."""
    sql = "SELECT platform FROM publications WHERE production_id = ? ORDER BY platform"
    return [row["platform"] for row in database.rows(sql, (production_id,))]


def describe(production_id: str, descriptions: Mapping[str, str]) -> None:
    """Store the text beside the video on each platform. ``descriptions``: by the name of the platform."""
    sql = "UPDATE publications SET description = ? WHERE production_id = ? AND platform = ?"
    with database.write():
        database.execute_many(sql, [(text, production_id, platform) for platform, text in descriptions.items()])


def descriptions(production_id: str) -> list[dict[str, str]]:
    """Return the text beside the video on each platform, as far as there is one."""
    sql = "SELECT platform, description FROM publications WHERE production_id = ? ORDER BY platform"
    stored = database.rows(sql, (production_id,))
    return [{"platform": row["platform"], "text": row["description"]} for row in stored if row["description"] is not None]


def record_published(
    claim: Claim, platform_post_id: str | None, now: int, url: str | None = None, details: dict[str, Any] | None = None
) -> bool:
    """Commit a publication, and return whether the post may stay.

    If not (it was cancelled or skipped, or another post is recorded), the caller withdraws the post. It may stay when an
    earlier call, whose answer was lost, or another worker recorded it, and while another worker goes on with it.
    ``url``: where people see it. ``details``: what pages of this server need of it.
    """
    with database.write():
        held = _held(
            claim,
            f"status = 'Published', platform_post_id = ?, published_at = ?, error = NULL, {claims.FREED}, "
            "next_attempt_at = NULL, attempts = attempts + 1, post_url = ?, details = ?, "
            "figures_due = CASE WHEN connection_id IS NULL THEN NULL WHEN publish_at > ? THEN publish_at + ? ELSE ? END",
            (
                platform_post_id,
                now,
                url,
                json.dumps(details, ensure_ascii=False) if details is not None else None,
                now,
                _COUNTED_AFTER,
                now + _COUNTED_AFTER,
            ),
        )
        if held:
            lifecycle.touch(claim.production_id, now)
            distribution.finish_distributing(claim.production_id, now)
        return held or database.row(_STANDS, (claim.production_id, claim.platform, platform_post_id)) is not None


def record_failed(claim: Claim, error: str, retryable: bool, now: int, retry_after: int | None = None) -> None:
    """Commit a failed attempt: the publication is retried later, or is ``Failed``; other platforms are not affected.

    ``retry_after``: seconds that the place wants to be left alone.
    """
    waits = _WAITS_OF_PLACES if claim.connection_id else _WAITS
    with database.write():
        row = database.one(
            "SELECT attempts FROM publications WHERE production_id = ? AND platform = ?", (claim.production_id, claim.platform)
        )
        attempts = row["attempts"] + 1
        again = retryable and attempts <= len(waits)
        due = now + max(waits[attempts - 1], (retry_after or 0) * clock.SECOND) if again else None
        held = _held(
            claim,
            f"status = ?, error = ?, attempts = ?, next_attempt_at = ?, {claims.FREED}",
            ("Publishing" if again else "Failed", error, attempts, due),
        )
        if held:
            lifecycle.touch(claim.production_id, now)
            distribution.finish_distributing(claim.production_id, now)
        wake.on_commit()


def _is_held(production_id: str) -> bool:
    return bool(database.one("SELECT held_in IS NOT DISTINCT FROM status FROM productions WHERE id = ?", (production_id,))[0])


def _held(claim: Claim, assignments: str, values: tuple[Any, ...]) -> bool:
    changed = database.execute(
        f"UPDATE publications SET {assignments} WHERE production_id = ? AND platform = ? AND claim_token = ?",
        (*values, claim.production_id, claim.platform, claim.token),
    )
    return bool(changed)
