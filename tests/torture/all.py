"""``python -m tests.torture.all --minutes 10``: everything at once, and nothing that was
acknowledged may be lost.

A mixed load through nginx and three gunicorn workers, with SIGKILL of the server, its workers and
its steps, reloads, full disks (as root: the data directory is then a small file system in memory),
a clock that is set by an hour, and every half minute a backup that is restored and checked. What is
wrong makes it end with 1 and leave everything there.
"""

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path

from svc.base import clock
from svc.base.settings import Settings
from svc.cli.installation import seed
from svc.cli.signals import end_as_by_ctrl_c
from svc.domain.productions.progress import CRASHES_ALLOWED
from svc.store import database
from svc.store.database import db
from tests.support.front import ROOT, Gunicorn, Nginx, remove_data
from tests.torture import verdict
from tests.torture.load import Partner
from tests.torture.mixed import Mixed
from tests.torture.remains import sqlite3
from tests.torture.victim import Sink, answers

WORKERS, PARTNERS, ROTATING, THREADS = 3, 24, 40, 5
DISK_MEGABYTES = 256  # a minute, so that what is made and kept does not fill it by itself
BETWEEN = (2.0, 6.0)  # seconds from one event to the next
BACKUP_EVERY = 30.0
_REST = 25.0  # seconds at the beginning and at the end without any event, in which it is measured
_POOL = 2 * Settings.webhook_workers  # threads
_DRAIN_SECONDS = 420.0
_GROWTH = 1.3  # by which the medians of the last quiet time may be over those of the first


class Torture:
    """What is tortured, and what has been done to it."""

    def __init__(self, folder: Path, number: int, minutes: float):
        self.folder, self.lots = folder, random.Random(number)
        self.disk = _small_disk(folder, minutes)
        self.clock_file = folder / "clock"
        self.clock_file.write_text("0")
        settings = {"SVC_RENDER_WORKERS": "2", "SVC_TRUSTED_PROXIES": "1"}
        self.service = Gunicorn((self.disk or folder) / "data", workers=WORKERS, **settings)
        self.service.log = folder / "gunicorn.log"
        self.service.command[-1] = "tests.faults.clocked:app"
        self.service.environment["CLOCK_FILE"] = str(self.clock_file)
        self.done: Counter[str] = Counter()
        self.killed: Counter[str] = Counter()  # steps by production
        self.wrong: list[str] = []
        self.measured: dict[str, list[tuple]] = defaultdict(list)

    def begin(self) -> tuple[list[Partner], list[Partner]]:
        database.open_database(self.service.data_dir / "service.db")
        made = [
            Partner(each, seed.make_partner("Enterprise", clock.now()))
            for each in range(PARTNERS + ROTATING)
        ]
        db.close()
        self.service.start()
        return made[:PARTNERS], made[PARTNERS:]

    def run(self, seconds: float) -> None:
        """Let one thing happen after the other."""
        began = time.monotonic()
        self.measure("at the beginning", _REST)
        backup_at = time.monotonic()
        events = [
            self.kill_worker,
            self.kill_worker,
            self.kill_step,
            self.kill_server,
            self.reload,
            self.set_clock,
        ]
        events += [self.fill_disk] if self.disk else []
        while time.monotonic() - began < seconds - _REST:
            time.sleep(self.lots.uniform(*BETWEEN))
            self.lots.choice(events)()
            if time.monotonic() - backup_at > BACKUP_EVERY:
                backup_at = time.monotonic()
                self.back_up()
        self._set_clock(0)
        self.service.wait_until(lambda: len(self.service.workers()) == WORKERS)
        self.measure("at the end", _REST)

    def kill_worker(self) -> None:
        for each in self.service.workers()[:1]:
            _kill(each)
            self.done["workers killed"] += 1

    def kill_step(self) -> None:
        """Of one production no more than fail it: what crashes too often is rightly given up."""
        listed = subprocess.run(
            [
                "pgrep",
                "--full",
                "--list-full",
                f"svc.work.step_process.child .*{self.service.data_dir}",
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        for line in listed.stdout.splitlines():
            process, production = line.split()[0], line.rpartition("/")[2]
            if self.killed[production] < CRASHES_ALLOWED - 1:
                self.killed[production] += 1
                _kill(int(process))
                self.done["steps killed"] += 1
                return

    def kill_server(self) -> None:
        self.service.kill()
        self.service.launch()
        self.service.wait_until(lambda: answers(self.service.port))
        self.done["servers killed"] += 1

    def reload(self) -> None:
        self.service.tell(signal.SIGHUP)
        self.done["reloads"] += 1

    def set_clock(self) -> None:
        self._set_clock(self.lots.choice([-3600, 0, 3600]))
        self.done["clock settings"] += 1

    def _set_clock(self, seconds: int) -> None:
        partial = self.clock_file.with_suffix(".part")
        partial.write_text(str(seconds))
        partial.replace(self.clock_file)  # whoever reads it meanwhile reads the one or the other

    def fill_disk(self) -> None:
        ballast = self.disk / "ballast"
        try:
            with ballast.open("wb", buffering=0) as writing:
                while writing.write(bytes(1 << 16)):
                    pass
        except OSError:
            pass
        try:
            time.sleep(self.lots.uniform(2.0, 5.0))
        finally:
            ballast.unlink()
        self.done["times the disk was full"] += 1

    def back_up(self) -> None:
        """Back up while it serves, restore elsewhere, and compare with what was there when
        the backup began.
        """
        made, there = self.folder / "backup.tar", self.folder / "restored"
        before = _count(self.service.data_dir)
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith("SVC_")
        }
        for words, data_dir in (
            (["backup"], self.service.data_dir),
            (["backup", "--verify"], there),
            (["restore"], there),
        ):
            done = subprocess.run(
                [sys.executable, "app.py", *words, str(made)],
                cwd=ROOT,
                env=environment | {"SVC_DATA_DIR": str(data_dir)},
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode:
                self.wrong.append(f"{' '.join(words)}: {done.stdout}{done.stderr}")
                break
        else:
            after = _count(there)
            if after < before:
                self.wrong.append(
                    f"a restored backup has {after} productions and events, there were {before} "
                    "before it"
                )
            self.done["backups restored and sound"] += 1
        made.unlink(missing_ok=True)
        shutil.rmtree(there, ignore_errors=True)

    def measure(self, when: str, seconds: float) -> None:
        """Descriptors, threads and megabytes of gunicorn and its workers together,
        while nothing happens to them.
        """
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            time.sleep(1.0)
            found = [_held(each) for each in [self.service.process.pid, *self.service.workers()]]
            if len(found) == WORKERS + 1 and None not in found:
                self.measured[when].append(tuple(map(sum, zip(*found, strict=True))))


def _small_disk(folder: Path, minutes: float) -> Path | None:
    if os.geteuid():
        print("not root: no small disk, and so none that is full")
        return None
    disk = folder / "disk"
    disk.mkdir()
    megabytes = DISK_MEGABYTES * max(2, round(minutes))
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", disk], check=True)
    return disk


def _kill(process: int) -> None:
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        pass  # it has ended by itself


def _held(process: int) -> tuple[int, int, float] | None:
    place = Path("/proc", str(process))
    try:
        lines = dict(line.split(":", 1) for line in (place / "status").read_text().splitlines())
        return (
            len(list((place / "fd").iterdir())),
            int(lines["Threads"]),
            int(lines["VmRSS"].split()[0]) / 1024,
        )
    except (OSError, KeyError):
        return None


def _count(data_dir: Path) -> tuple[int, int]:
    connection = sqlite3.connect(f"file:{data_dir / 'service.db'}?mode=ro", uri=True)
    try:
        return connection.execute(
            "SELECT (SELECT count(*) FROM productions), (SELECT count(*) FROM events)"
        ).fetchone()
    finally:
        connection.close()


def judge(
    torture: Torture, load: Mixed, arrivals: list[dict], lost_keys: list[str]
) -> verdict.Verdict:
    """What the database holds and what arrived, against what was acknowledged."""
    found = verdict.Verdict()
    connection = sqlite3.connect(torture.service.data_dir / "service.db")
    try:
        statuses = dict(connection.execute("SELECT id, status FROM productions").fetchall())
        reasons = dict(
            connection.execute(
                "SELECT id, error_code || ' in ' || coalesce(failed_step, 'no step') || ': ' || "
                "error_message FROM productions "
                "WHERE status = 'Failed'"
            ).fetchall()
        )
        events = connection.execute(
            "SELECT production_id, sequence, event_type FROM events"
        ).fetchall()
        integrity = [
            each for (each,) in connection.execute("PRAGMA integrity_check") if each != "ok"
        ]
    finally:
        connection.close()
    wanted = {
        each: "Cancelled" if each in load.cancelled else "Failed" for each in load.acknowledged
    }
    wanted |= dict.fromkeys(load.real, "Published")
    found.figures |= {
        "acknowledged productions": len(wanted),
        "of them really made": len(load.real),
        "events": len(events),
        "deliveries that arrived": len(arrivals),
        "keys rotated": len(load.keys),
        "downloads, each by its hash": load.downloads,
    }
    found.none(
        "acknowledged productions lost",
        (
            (each, end, statuses.get(each), reasons.get(each))
            for each, end in wanted.items()
            if statuses.get(each) != end
        ),
    )
    found.none("productions that nobody was told of", statuses.keys() - wanted.keys())
    found.none("acknowledged keys lost", lost_keys)
    _judge_events(found, load, wanted, events, arrivals)
    found.none("integrity checks that were not ok", integrity)
    found.none("answers that the API does not give", load.strange)
    found.none("backups that were wrong", torture.wrong)
    found.none("errors in the server's log", _tracebacks(torture.service.said()))
    return found


def _judge_events(
    found: verdict.Verdict, load: Mixed, wanted: dict, events: list, arrivals: list[dict]
) -> None:
    lines = defaultdict(list)
    for production, sequence, _ in events:
        lines[production].append(sequence)
    found.none(
        "sequences with a gap or a repeat",
        (
            (each, lines[each])
            for each in wanted
            if sorted(lines[each]) != list(range(1, len(lines[each]) + 1)) or not lines[each]
        ),
    )
    taken = {
        (each["path"], each["production"], each["sequence"])
        for each in arrivals
        if each["status"] == 200
    }
    due = {
        (f"/{load.acknowledged[production].number}/all", production, sequence)
        for production, sequence, _ in events
        if production in load.acknowledged
    }
    found.none("acknowledged events lost", due - taken)
    numbers = defaultdict(set)
    for each in arrivals:
        numbers[each["path"], each["production"], each["sequence"]].add(each["event"])
    found.none(
        "sequence numbers given twice", (each for each, names in numbers.items() if len(names) > 1)
    )


def _tracebacks(said: str) -> list[str]:
    return [part[:1500] for part in said.split("Traceback")[1:]]


def _lost(load: Mixed) -> list[str]:
    """Of each partner the key that was acknowledged last; those before are valid for a day,
    and are tried too.
    """
    return [f"…{each[-4:]}" for each in load.keys if not load.works(each)]


def _drain(data_dir: Path) -> list[str]:
    deadline = time.monotonic() + _DRAIN_SECONDS
    connection = sqlite3.connect(f"file:{data_dir / 'service.db'}?mode=ro", uri=True)
    sql = """SELECT (SELECT COUNT(*) FROM productions
                     WHERE status NOT IN ('Failed', 'Cancelled', 'Published')),
                    (SELECT COUNT(*) FROM deliveries WHERE status = 'Pending')"""
    try:
        while any(left := connection.execute(sql).fetchone()) and time.monotonic() < deadline:
            time.sleep(0.2)
    finally:
        connection.close()
    return [f"{left[0]} productions, {left[1]} deliveries"] if any(left) else []


def growth(measured: dict[str, list[tuple]]) -> list[str]:
    """Prints what was held at the beginning and at the end; what has grown."""
    grown = []
    for number, name in enumerate(("descriptors", "threads", "megabytes")):
        first, last = (
            sorted(each[number] for each in measured[when])[len(measured[when]) // 2]
            for when in measured
        )
        print(
            f"{name} of gunicorn and {WORKERS} workers: {first:.0f} at the beginning, {last:.0f} "
            "at the end"
        )
        # it starts a thread when all that it has are busy, and keeps it
        lazy = _POOL if name == "threads" else 0
        if last > _GROWTH * first + 8 + lazy:
            grown.append(f"{name}: {first:.0f} became {last:.0f}")
    return grown


def main() -> None:
    asked = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    asked.add_argument("--minutes", type=float, default=10)
    asked.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    given = asked.parse_args()
    end_as_by_ctrl_c()
    print(
        f"--minutes {given.minutes:g} --seed {given.seed}, SQLite {sqlite3.sqlite_version}",
        flush=True,
    )
    folder = Path(tempfile.mkdtemp(prefix="torture."))
    folder.chmod(0o711)
    torture = Torture(folder, given.seed, given.minutes)
    try:
        found = _torture(torture, given)
        for name, count in [*sorted(torture.done.items()), *found.figures.items()]:
            print(f"{name:50}{count:>9}")
        found.wrong += [f"growth: {each}" for each in growth(torture.measured)]
        print("\n".join(f"WRONG {each}" for each in found.wrong), end="\n" if found.wrong else "")
        if found.wrong and torture.disk:
            shutil.copytree(
                torture.service.data_dir, folder / "left", ignore=shutil.ignore_patterns("wake")
            )
    finally:
        torture.service.kill()
        if torture.disk:
            subprocess.run(["umount", "--lazy", torture.disk], check=True)
    if found.wrong:
        raise SystemExit(f"WRONG; everything is left in {folder}")
    remove_data(folder)
    print("as asked")


def _torture(torture: Torture, given) -> verdict.Verdict:
    partners, rotating = torture.begin()
    journal = torture.folder / "arrivals.jsonl"
    with Sink(journal, given.seed) as sink:
        with Nginx(
            torture.folder / "nginx", f"127.0.0.1:{torture.service.port}", torture.service.data_dir
        ) as front:
            load = Mixed(front, partners, rotating, given.seed, THREADS)
            load.register(sink.port)
            load.start()
            torture.run(60 * given.minutes)
            load.stop()
            left = _drain(torture.service.data_dir)
            lost = _lost(load)
            load.close()
        torture.service.end()
    found = judge(torture, load, verdict.read_arrivals(journal), lost)
    found.none("productions and deliveries still open", left)
    for status, count in sorted(load.answers.items()):
        found.figures[f"answers {status}"] = count
    for message, count in load.refused.items():
        found.figures[f"503: {message[:44]}"] = count
    return found


if __name__ == "__main__":
    main()
