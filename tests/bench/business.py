"""Fills a database with business as it would be after months:
what the console's benchmark and its screenshots look at.
"""

import json
import random

from svc.base import clock, ids, states
from svc.base.steps import STEPS
from svc.cli.installation import seed
from svc.domain.webhooks import event_types
from svc.store.database import db
from tests.support import plain_sql

_TOPICS = (
    "How tides work",
    "Why bread rises",
    "The night train returns",
    "What a heat pump does",
    "Learning to read music",
    "Bees in the city",
    "A short history of zero",
    "How vaccines are tested",
    "The colour of the sea",
    "Why bridges sing",
    "Growing tomatoes on a balcony",
    "Who owns the moon?",
    "Salt, and what it did to the world",
    "כיצד פועלים הגאות והשפל",
    "How to keep a very long title that goes on and on from breaking any page that it is shown on",
)
_OPEN = ("Queued", "Producing", "AwaitingApproval", "Distributing")
_PATHS = (
    ("GET", "/v1/productions/{}"),
    ("POST", "/v1/accounts/{}/productions"),
    ("GET", "/v1/productions/{}/deliverables"),
)
_FILES = (
    ("Video", "Watch", "mp4", 84.2),
    ("Video", "WatchVertical", "mp4", 84.2),
    ("ClosedCaptions", None, "srt", None),
    ("ClosedCaptions", None, "vtt", None),
    ("Transcript", None, "txt", None),
    ("Transcript", None, "docx", None),
    ("ComplianceCertificate", None, "pdf", None),
)
_NOTES = (
    "## The moon pulls\n\nThe sea rises **towards** the moon.\n\n- Two tides a day\n"
    "- Higher at full moon\n"
)


class Filler:
    """Rows gathered by table, written many at a time."""

    def __init__(self):
        self._rows: dict[str, list[dict]] = {}

    def add(self, table: str, **row) -> None:
        self._rows.setdefault(table, []).append(row)

    def flush(self) -> None:
        for table, rows in self._rows.items():
            names = list(rows[0])
            marks = ", ".join(f":{name}" for name in names)
            plain_sql.execute_many(
                f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks})", rows
            )
        self._rows = {}


def make(productions: int, partners: int, now: int, chance: random.Random) -> list[dict]:
    """So many productions of the last 60 days; a fifth are the first partner's.

    What the partners are seeded as.
    """
    connection = db.peewee_database.connection()
    connection.execute("PRAGMA foreign_keys = off")
    with db.transaction(durable=False):
        seeded = [seed.make_partner("Enterprise", now - 60 * clock.DAY) for _ in range(partners)]
        plain_sql.execute_many(
            "UPDATE partners SET name = ? WHERE id = ?",
            [(f"Partner {number:04}", each["partnerId"]) for number, each in enumerate(seeded)],
        )
        filler = Filler()
        hooks = [_subscribe(filler, each, now) for each in seeded]
        filler.flush()
        for number in range(productions):
            whose = 0 if number % 5 == 0 else chance.randrange(partners)
            at = now - int((productions - number) / productions * 60 * clock.DAY) - 1000
            _produce(
                filler,
                seeded[whose],
                hooks[whose],
                at,
                number >= productions - max(8, productions // 1000),
                chance,
            )
            if number % 2000 == 1999:
                filler.flush()
        filler.flush()
        _count(now)
        plain_sql.execute("INSERT OR REPLACE INTO meta VALUES ('heartbeat', ?)", (str(now),))
    connection.execute("PRAGMA foreign_keys = on")
    return seeded


def _subscribe(filler: Filler, seeded: dict, now: int) -> str:
    subscription = ids.make_id(now - 60 * clock.DAY)
    filler.add(
        "subscriptions",
        id=subscription,
        partner_id=seeded["partnerId"],
        environment="live",
        event_types=json.dumps(event_types.SPECIFIED_OF_PRODUCTIONS),
        endpoint_url=f"https://hooks.example.com/{subscription[-6:]}",
        secret_version=1,
        created_at=now - 60 * clock.DAY,
        last_delivery_at=now - clock.HOUR,
        status="Active",
        failure_count=0,
    )
    return subscription


def _produce(
    filler: Filler, seeded: dict, subscription: str, at: int, is_open: bool, chance: random.Random
) -> None:
    account = seeded["liveAccountId" if chance.random() < 0.8 else "sandboxAccountId"]
    status = (
        chance.choice(_OPEN)
        if is_open
        else chance.choices(("Published", "Failed", "Cancelled"), (90, 7, 3))[0]
    )
    production, correlation = ids.make_id(at), f"{at:012x}{chance.getrandbits(80):020x}"
    done = {"Queued": 0, "Producing": 3, "Failed": 2, "Cancelled": 4}.get(status, 7)
    customer = seeded.setdefault("customerId", _customer(account))
    end = None if is_open else at + chance.randrange(40_000, 900_000)
    failed = status == "Failed"
    filler.add(
        "productions",
        id=production,
        partner_id=seeded["partnerId"],
        account_id=account,
        customer_id=customer,
        status=status,
        title=chance.choice(_TOPICS),
        topic="How tides work",
        language_id=seeded["languageId"],
        metadata_md=_NOTES,
        country_id=seeded["countryId"],
        avatar_id=seeded["avatarId"],
        project_type="explainer",
        api_triggered=1,
        auto_release=0,
        correlation_id=correlation,
        steps_complete=done,
        steps_total=7,
        last_sequence=done + 1,
        step_fraction=0.4 if status == "Producing" else 0,
        created_at=at,
        updated_at=end or at + 30_000,
        finished_at=end,
        error_code="RENDER_FAILED" if failed else None,
        failed_step="video" if failed else None,
        error_message="The encoder refused the third scene: its picture is empty."
        if failed
        else None,
        rendered_seconds=84.2,
        expires_at=at + 72 * clock.HOUR,
        released_at=end,
    )
    for position, (name, label) in enumerate(STEPS):
        state = (
            "Completed"
            if position < done
            else "Failed"
            if failed and position == done
            else "Pending"
        )
        state = "Running" if status == "Producing" and position == done else state
        filler.add(
            "production_steps",
            production_id=production,
            position=position,
            name=name,
            label=label,
            status=state,
            started_at=at + position * 4000 if state != "Pending" else None,
            completed_at=at + position * 4000 + 3900 if state in ("Completed", "Failed") else None,
        )
    _tell(filler, seeded, account, production, subscription, correlation, at, done, status, chance)
    for platform in ("Watch", "WatchVertical"):
        shown = {"Published": "Published", "Failed": "Withdrawn", "Cancelled": "Withdrawn"}.get(
            status, "Pending"
        )
        filler.add(
            "publications",
            production_id=production,
            platform=platform,
            account_id=account,
            status=shown,
            published_at=end if shown == "Published" else None,
            platform_post_id=None,
        )
    if status in states.STATES_WITH_DELIVERABLES:
        for position, (kind, platform, form, seconds) in enumerate(_FILES):
            filler.add(
                "deliverables",
                id=ids.make_id(at),
                production_id=production,
                position=position,
                type=kind,
                platform=platform,
                format=form,
                file=f"{production}/{position}.{form}",
                size_bytes=chance.randrange(900, 9_000_000),
                sha256=f"{chance.getrandbits(256):064x}",
                duration_seconds=seconds,
                language="en",
                created_at=at,
            )
    filler.add(
        "ledger",
        production_id=production,
        account_id=account,
        customer_id=customer,
        month=clock.format_month(at),
        reserved=500_000,
        settled=None if is_open else 500_000,
    )
    for number, (method, path) in enumerate(_PATHS):
        code = chance.choices((200, 202, 404, 429, 500), (80, 10, 6, 3, 1))[0]
        filler.add(
            "requests",
            request_id=ids.make_id(at),
            partner_id=seeded["partnerId"],
            at=at + number * 1000,
            counted=1,
            method=method,
            path=path.format(production if "productions/" in path else account),
            status_code=code,
            error_code={404: "NOT_FOUND", 429: "RATE_LIMIT_EXCEEDED", 500: "INTERNAL_ERROR"}.get(
                code
            ),
            duration_ms=round(chance.uniform(0.4, 9), 2),
            key_prefix="svc_live_a1b2",
            correlation_id=correlation
            if method == "POST"
            else f"{at:012x}{chance.getrandbits(80):020x}",
        )


def _tell(
    filler, seeded, account, production, subscription, correlation, at, done, status, chance
) -> None:
    last = {
        "Published": "production.published",
        "Failed": "production.failed",
        "Cancelled": "production.cancelled",
    }
    step = "production.step.complete"
    kinds = ["production.queued", *[step] * max(0, done - 1), last.get(status, step)]
    for sequence, kind in enumerate(kinds[: done + 1], 1):
        data = {
            "status": status,
            "stepsComplete": sequence - 1,
            "currentStep": STEPS[max(0, sequence - 2)][1],
        }
        when = at + sequence * 4000
        filler.add(
            "events",
            production_id=production,
            sequence=sequence,
            partner_id=seeded["partnerId"],
            account_id=account,
            event_type=kind,
            at=when,
            correlation_id=correlation,
            data=json.dumps(data),
        )
        went = chance.choices(("Succeeded", "Failed"), (97, 3))[0]
        delivery = ids.make_id(when)
        filler.add(
            "deliveries",
            id=delivery,
            subscription_id=subscription,
            partner_id=seeded["partnerId"],
            event_id=ids.make_id(when),
            event_type=kind,
            production_id=production,
            sequence=sequence,
            status=went,
            created_at=when,
            body=json.dumps({"eventType": kind, "productionId": production, "data": data}).encode(),
            finished_at=when + 90,
        )
        for number in range(4 if went == "Failed" else 1):
            answered = {
                "headers": {"Content-Type": "text/plain"},
                "body": "ok" if went == "Succeeded" else "try again later",
            }
            filler.add(
                "attempts",
                delivery_id=delivery,
                attempted_at=when + number * 60_000,
                duration_ms=chance.uniform(8, 300),
                status_code=200 if went == "Succeeded" else 503,
                answer=json.dumps(answered),
                error=None if went == "Succeeded" else "answered with status 503",
            )


def _customer(account_id: str) -> str:
    return plain_sql.row("SELECT customer_id FROM accounts WHERE id = ?", (account_id,))[0]


def _count(now: int) -> None:
    """The counters by day, as they would have moved with all that."""
    day = "strftime('%Y-%m-%d', {} / 1000, 'unixepoch')"
    plain_sql.execute(
        f"""INSERT INTO production_days (account_id, day, triggered, published, failed, cancelled,
                                         rendered_ms)
            SELECT account_id, {day.format("created_at")}, count(*), sum(status = 'Published'),
                sum(status = 'Failed'),
                   sum(status = 'Cancelled'), sum(rendered_seconds * 1000 * (status = 'Published'))
            FROM productions GROUP BY 1, 2"""
    )
    plain_sql.execute(
        f"""INSERT INTO usage_days (partner_id, day, requests, status2xx, status4xx, status5xx,
                                    rate_limited,
                deliveries_succeeded, deliveries_failed)
            SELECT partner_id, {day.format("at")}, count(*), sum(status_code < 300),
                sum(status_code BETWEEN 400 AND 499), sum(status_code >= 500),
                    sum(status_code = 429), count(*) * 2,
                count(*) / 30
            FROM requests GROUP BY 1, 2"""
    )
    plain_sql.execute(
        "INSERT OR REPLACE INTO spend_months SELECT account_id, month, sum(reserved) FROM ledger "
        "GROUP BY account_id, month"
    )
