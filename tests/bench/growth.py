"""How much the database grows with productions:
``python -m tests.bench.growth [--productions 1000]``.

Each production is triggered, made and published through the service's own functions, and its events
are delivered to one webhook; nothing is rendered, so the clock of the machine plays no part. What
its partner asks for meanwhile is told apart.
"""

import argparse
import tempfile
from pathlib import Path

from app import create_app
from svc.base import settings
from svc.cli.installation import seed
from svc.domain.webhooks import claiming, event_types, outbox
from svc.domain.webhooks.claiming import Limits
from svc.domain.webhooks.outbox import Attempt
from svc.store import claims
from svc.store.database import db
from tests.support import plain_sql
from tests.support.cast import Clock, Person, body
from tests.support.stage import complete_steps, make, publish_all

POLLS = 20
_DRIVER = claims.Driver("bench")
_FILES = (
    ("Watch", "Video", "mp4"),
    ("WatchVertical", "Video", "mp4"),
    (None, "ClosedCaptions", "vtt"),
    (None, "ClosedCaptions", "srt"),
    (None, "AudioDescription", "mp3"),
    (None, "Transcript", "txt"),
    (None, "Transcript", "docx"),
    (None, "Transcript", "html"),
    (None, "ComplianceCertificate", "pdf"),
)


def main(number: int) -> None:
    alone, events = _grown(number, 0)
    polled, _ = _grown(number, POLLS)
    alone, polled = (1000 * each / number / 1e6 for each in (alone, polled))
    print(
        f"per 1,000 productions, each with {events:.0f} events delivered to one webhook: "
        f"{alone:.1f} MB"
    )
    print(f"and with {POLLS} polls of each in the history: {polled:.1f} MB")


def _grown(number: int, polls: int) -> tuple[int, float]:
    """Bytes by which the database has grown, and how many events each production has."""
    with tempfile.TemporaryDirectory() as folder:
        clock = Clock()
        app = create_app(
            settings.read({}, data_dir=Path(folder), base_url="http://localhost"), clock
        )
        seeded = seed.make_partner("Enterprise", clock())
        person = Person(app.test_client(), seeded, seeded["testKey"])
        types = [each for each in event_types.SPECIFIED if each != event_types.PING_EVENT]
        person.post(
            "/v1/webhooks", json={"endpointUrl": "https://93.184.215.14/hooks", "eventTypes": types}
        )
        before = _size()
        for _ in range(number):
            _produce(person, clock, polls)
        app.extensions["svc"].recorder.stop()
        events = plain_sql.row("SELECT count(*) FROM events")[0] / number
        after = _size()
        db.close()
    return after - before, events


def _produce(person: Person, clock: Clock, polls: int) -> None:
    answer = person.trigger(
        metadataMD="## The Moon pulls\n\nThe ocean follows.\n\n- Two high tides\n- Two low tides"
    )
    assert answer.status_code == 202, answer.data
    production = body(answer)["productionId"]
    made = [
        make(platform, kind, form, file=f"{production}/{kind}-{platform}.{form}")
        for platform, kind, form in _FILES
    ]
    complete_steps(clock, made=made)
    publish_all(clock)
    for _ in range(polls):
        person.get(f"/v1/productions/{production}")
    _deliver(clock)
    clock.tick(61)


def _deliver(clock: Clock) -> None:
    while claimed := claiming.claim(_DRIVER, clock(), 0, 16, Limits(16)):
        now = clock.tick()
        outbox.record_outcomes(
            [Attempt(each.id, each.token, now, now + 40, 200, None, 40.0) for each in claimed]
        )


def _size() -> int:
    pages, free, size = (
        plain_sql.row(f"PRAGMA {each}")[0] for each in ("page_count", "freelist_count", "page_size")
    )
    return (pages - free) * size


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--productions", type=int, default=1000)
    main(parser.parse_args().productions)
