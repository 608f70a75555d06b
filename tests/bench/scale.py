"""``python -m tests.bench.api --scale``: every read beside 1,000,000 productions, and beside almost
none.

Two databases with the same partner, who asks. In the second there are 2,000 other partners,
1,000,000 productions and 5,000,000 rows of request history too; a twentieth of all that is older
business of the one who asks. The reads go through the application in this process, in turn about,
so that neither server nor network is part of the ratio.
"""

import statistics
import time
from pathlib import Path

from app import create_app
from svc.base import clock, ids, settings
from svc.domain.caller import Caller
from svc.domain.lifecycle import deliverables
from svc.domain.usage import recorder
from svc.domain.webhooks import subscriptions
from svc.store import database
from svc.store.database import db
from tests.bench import crowd, partners
from tests.support import plain_sql
from tests.support.plans import Recorder, scans

ASKED = 1.3  # times as long as beside almost nothing
ROUNDS, TIMES = 9, 30
PAGE = 20  # rows of a page, by default
SMALL = {"meta"}


class World:
    """A data directory with the partner who asks, whose clock runs a second a request,
    so that the real limits hold.
    """

    def __init__(self, folder: Path, *, crowded: bool):
        self._settings, self._now = (
            settings.read({}, data_dir=folder, base_url="http://localhost"),
            clock.now(),
        )
        self._app = create_app(self._settings, self._tick)
        self._client = self._app.test_client()
        self._asker = partners.make(1)[0]
        self._subscription = _finish_and_subscribe(self._app, self._asker, self._now)
        for _ in range(PAGE):  # refused ones, so that both have a page of those
            self._client.get(f"/v1/productions/{ids.NIL}", headers={"X-API-Key": self._asker.key})
        self._app.extensions["svc"].recorder.flush()
        if crowded:
            crowd.gather(self._asker.account, self._now - PAGE * clock.SECOND)

    def close(self) -> None:
        """End what it runs, with its database open."""
        self._app.extensions["svc"].recorder.stop()
        db.close()

    def _tick(self) -> int:
        self._now += clock.SECOND
        return self._now

    def reads(self) -> dict[str, str]:
        """Name to path."""
        production, account = (
            f"/v1/productions/{self._asker.production}",
            f"/v1/accounts/{self._asker.account}",
        )
        day = clock.format_time(self._now - clock.DAY)
        return {
            "status": production,
            "list": f"{account}/productions",
            "list of a status": f"{account}/productions?status=Published",
            "list of a day": f"{account}/productions?from={day}",
            "events": f"{production}/events",
            "deliverables": f"{production}/deliverables",
            "performance": f"{production}/performance",
            "accounts": "/v1/partner/accounts",
            "account": account,
            "usage": "/v1/partner/usage?months=12",
            "history": "/v1/partner/requests",
            "history, refused": "/v1/partner/requests?status=4",
            "webhooks": "/v1/webhooks",
            "deliveries": f"/v1/webhooks/{self._subscription}/deliveries",
        }

    def enter(self) -> None:
        """Open this one's database, and ask once for everything."""
        database.open_database(self._settings.database)
        # as each start does: requests are numbered after the last
        recorder.recover(self._settings.data_dir / "journal")
        for path in self.reads().values():
            self.ask(path)
        # what it holds has its numbers, which the next opening begins after
        self._app.extensions["svc"].recorder.flush()

    def ask(self, path: str) -> float:
        """How many seconds the answer took."""
        began = time.perf_counter()
        answer = self._client.get(path, headers={"X-API-Key": self._asker.key})
        took = time.perf_counter() - began
        if answer.status_code != 200:
            raise SystemExit(f"{path}: {answer.get_data(as_text=True)}")
        return took

    def time(self) -> dict[str, float]:
        """The median of each read, in milliseconds."""
        self.enter()
        taken = {
            name: statistics.median(self.ask(path) for _ in range(TIMES)) * 1000
            for name, path in self.reads().items()
        }
        self._app.extensions["svc"].recorder.flush()
        return taken

    def scanned(self) -> list[str]:
        """The statements of all reads that read a whole table."""
        database.open_database(self._settings.database)
        with Recorder() as recorder:
            self.enter()
        return [sql for sql, given in recorder.statements.items() if set(scans(sql, given)) - SMALL]


def main(folder: Path) -> bool:
    """Make both, time the reads, print; whether every ratio is as asked and no statement reads
    a whole table.
    """
    began = time.perf_counter()
    few, many = World(folder / "few", crowded=False), World(folder / "many", crowded=True)
    size = (folder / "many" / "service.db").stat().st_size / 1e9
    print(f"{crowd.SAID}, {size:.1f} GB, made in {time.perf_counter() - began:.0f} s")
    measured = [(few.time(), many.time()) for _ in range(ROUNDS)]
    slow = []
    print(f"{'ms':20}{'few':>8}{'many':>8}{'ratio':>8}")
    for name in few.reads():
        ratio = statistics.median(large[name] / small[name] for small, large in measured)
        small, large = (
            statistics.median(each[which][name] for each in measured) for which in (0, 1)
        )
        print(f"{name:20}{small:8.2f}{large:8.2f}{ratio:8.2f}")
        slow += [name] * (ratio > ASKED)
    scanned = many.scanned()
    print(
        "\n".join([f"SLOW {name}" for name in slow] + [f"SCANS {sql}" for sql in scanned])
        or "as asked; no statement scans"
    )
    return not slow and not scanned


def _finish_and_subscribe(app, asker: partners.Asker, now: int) -> str:
    """Finish the productions of the one who asks and subscribe it to them; a subscription's id."""
    found = plain_sql.row("SELECT * FROM accounts WHERE id = ?", (asker.account,))
    caller = Caller(
        "",
        "",
        "",
        "live",
        None,
        None,
        None,
        found["partner_id"],
        "",
        "Active",
        "Enterprise",
        True,
        True,
        None,
    )
    files = [
        deliverables.FinishedFile("Video", each, "mp4", f"{each}.mp4", 1, "0" * 64, 1.0, "en")
        for each in ("Watch", "WatchVertical")
    ]
    with db.transaction():
        plain_sql.execute("UPDATE productions SET status = 'Published', finished_at = ?", (now,))
        deliverables.add_files(asker.production, files, now)
    made = subscriptions.register(
        caller,
        endpoint_url="https://hooks.example.com/",
        event_types=["production.published"],
        account_ids=None,
        account_scope_id=None,
        now=now,
        ring=app.extensions["svc"].ring,
        check_url=lambda _: None,
    )
    return made["subscriptionId"]
