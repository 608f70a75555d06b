"""How good the estimates of completion are: real productions of all lengths through a real engine,
one after the other.

``python -m tests.bench.estimates [--productions N]`` prints how far off ``estimatedCompletionAt``
was, as a share of what the production took: as it was said at the trigger, and as it was said when
half of the steps were done.
"""

import argparse
import json
import random
import statistics
import tempfile
import time
from pathlib import Path

from app import create_app
from svc.base import clock, settings
from svc.cli.installation import seed
from svc.store.database import db
from svc.work.engine import Engine
from tests.support import plain_sql

_TEXT = (
    "water leaf kettle morning garden slow river stone light paper market bread window story "
    "winter summer hand road city small great open quiet early often always never because between "
    "under over after before while until within every other"
)
_WORDS = _TEXT.split()
_LEARNING = 4  # productions before the errors count


def brief(chance: random.Random) -> str:
    """Notes of up to 4,096 characters: headings, sentences, lists."""
    wanted, text = chance.randrange(60, 4000), ""
    while len(text) < wanted:
        words = [chance.choice(_WORDS) for _ in range(chance.randrange(6, 16))]
        kind = chance.random()
        if kind < 0.12:
            text += "\n\n## " + " ".join(words[:3]) + "\n\n"
        elif kind < 0.3:
            text += "\n- " + " ".join(words[:6])
        else:
            text += " ".join(words).capitalize() + ". "
    return text[:4096]


def produce(client, seeded: dict, notes: str) -> tuple[float, float | None, float | None]:
    """Seconds that it took, and the two errors as shares of them."""
    body = {"topic": "A measured production", "metadataMD": notes}
    body |= {name: seeded[name] for name in ("languageId", "countryId", "avatarId")}
    headers = {"X-API-Key": seeded["testKey"]}
    path = f"/v1/accounts/{seeded['sandboxAccountId']}/productions"
    production = json.loads(client.post(path, json=body, headers=headers).data)["productionId"]
    row, half = None, None
    while row is None or row["status"] in ("Queued", "Producing"):
        time.sleep(0.05)
        row = plain_sql.row("SELECT * FROM productions WHERE id = ?", (production,))
        if half is None and row["steps_complete"] >= row["steps_total"] // 2:
            half = row["estimated_at"]
    sql = "SELECT max(completed_at) FROM production_steps WHERE production_id = ?"
    ended = plain_sql.row(sql, (production,))[0]
    took = ended - row["created_at"]
    errors = (abs(said - ended) / took if said else None for said in (row["promised_at"], half))
    return took / 1000, *errors


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--productions", type=int, default=16)
    number, chance = parser.parse_args().productions, random.Random(2026)
    with tempfile.TemporaryDirectory() as folder:
        app = create_app(
            settings.read({}, data_dir=Path(folder) / "data", base_url="http://localhost")
        )
        service = app.extensions["svc"]
        seeded = seed.make_partner("Enterprise", clock.now())
        engine = Engine(service.settings, service.storage, service.ring)
        engine.start()
        found = []
        try:
            for _ in range(number):
                notes = brief(chance)
                found.append(produce(app.test_client(), seeded, notes))
                took, *errors = found[-1]
                off = ", ".join(
                    f"{name} {_share(error)}"
                    for name, error in zip(("trigger", "half-way"), errors, strict=True)
                )
                print(f"{len(notes):5} characters  {took:6.1f} s   off at: {off}", flush=True)
        finally:
            engine.stop()
            service.finisher.stop()
            db.close()
    for name, place in (("at the trigger", 1), ("half-way", 2)):
        errors = sorted(each[place] for each in found[_LEARNING:] if each[place] is not None)
        ninth = errors[int(0.9 * (len(errors) - 1))]
        print(
            f"error {name}: median {statistics.median(errors):.0%}, nine of ten within {ninth:.0%}"
        )


def _share(error: float | None) -> str:
    return "   —" if error is None else f"{error:4.0%}"


if __name__ == "__main__":
    main()
