"""The stream of commits: every moment is restored exactly, beside checkpoints,
logs that begin anew, and kills.
"""

import fcntl
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pyrage
import pytest
from support import plain_sql
from support.cast import body
from support.stage import complete_steps, make, publish_all

from svc.adapters.objects import Directory
from svc.base import clock as wall_clock
from svc.base.crypto import key_ring
from svc.base.crypto.age_encryption import Opener, Sealer
from svc.base.errors import CommandError
from svc.domain import master_keys
from svc.store import upkeep
from svc.store.backup import database_file, wal_frames
from svc.store.backup.wal_frames import Follower
from svc.store.database import Row, db
from svc.store.sqlite.commit_mark import CommitMark
from svc.store.sqlite.wal import Checkpointer
from svc.work.backup import incremental, restore, shipping, shipping_process, sources, stream
from svc.work.backup import make as backup
from svc.work.backup.repository import BASE, Entry, Repository
from svc.work.backup.shipping import Shipping
from svc.work.backup.shipping_process import Sender

pytestmark = pytest.mark.sqlite("the log of SQLite's file is shipped")

ROOT = Path(__file__).parents[2]
HOUR = wall_clock.HOUR


@pytest.fixture
def data_dir(app, partner) -> Path:
    return app.extensions["svc"].settings.data_dir


@pytest.fixture
def repo(tmp_path) -> Repository:
    return Repository(Directory(tmp_path / "repository"))


def note(name: str, value: object) -> None:
    with db.transaction():
        plain_sql.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, str(value)))


def value(path: Path, name: str):
    with closing(database_file.connect(path)) as connection:
        row = connection.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
    return row and row[0]


def at_moment(repo: Repository, at: int, target: Path) -> Path:
    """Restore a moment: the database, which is whole."""
    with stream.make_temporary_folder() as scratch:
        restore.restore_from(stream.Moment(repo, at, Path(scratch)), target)
    with closing(database_file.connect(target / "service.db")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    return target / "service.db"


def table_contents(path: Path) -> dict[str, list]:
    """Every row of every table."""
    with closing(database_file.connect(path)) as connection:
        tables = [
            name
            for (name,) in connection.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
            )
        ]
        return {name: connection.execute(f'SELECT * FROM "{name}"').fetchall() for name in tables}


class Hand:
    """A clock that a test moves."""

    def __init__(self):
        self.at = wall_clock.now()

    def __call__(self) -> int:
        return self.at


@pytest.fixture
def hand() -> Hand:
    return Hand()


@pytest.fixture
def sender(data_dir, repo, hand):
    made = Sender(data_dir, repo, hand)
    made.begin()
    made.wait_for_base()
    yield made
    made.close()


def test_every_moment_has_what_was_committed_before_it_and_nothing_else(
    data_dir, repo, sender, hand, tmp_path
):
    began = hand.at
    for number in range(1, 6):
        hand.at += 1000
        note("number", number)
        sender.send_changes()
    for number in range(6):
        restored = at_moment(repo, began + number * 1000 + 500, tmp_path / str(number))
        assert value(restored, "number") == (str(number) if number else None)
    assert table_contents(tmp_path / "5" / "service.db") == table_contents(data_dir / "service.db")


def test_what_was_undone_is_not_sent(data_dir, repo, sender, hand, tmp_path):
    note("number", 1)
    with pytest.raises(ZeroDivisionError), db.transaction():
        plain_sql.execute("UPDATE meta SET value = 'undone' WHERE name = 'number'")
        raise ZeroDivisionError
    hand.at += 1000
    sender.send_changes()
    assert value(at_moment(repo, hand.at, tmp_path / "there"), "number") == "1"


def test_the_log_begins_anew_while_it_is_followed_and_nothing_is_missed(
    data_dir, repo, sender, hand, tmp_path, monkeypatch
):
    monkeypatch.setattr(shipping_process, "_LARGE_LOG", 40)
    checkpointer = Checkpointer(data_dir / "service.db", db.snapshot(), CommitMark(data_dir))
    salts = set()
    with closing(database_file.connect(data_dir / "service.db")) as connection:
        for number in range(60):
            hand.at += 1000
            for part in range(4):
                note(f"filler {number}-{part}", "x" * 2000)
            note("number", number)
            checkpointer.checkpoint(connection)
            sender.send_changes()
            salts.add(sender._follower.position.salts)
    assert len(salts) > 5
    assert (data_dir / "service.db-wal").stat().st_size < 4 << 20
    restored = at_moment(repo, hand.at, tmp_path / "there")
    assert table_contents(restored) == table_contents(data_dir / "service.db")
    middle = at_moment(repo, hand.at - 30_000, tmp_path / "middle")
    assert value(middle, "number") == "29"


def test_a_moment_before_the_stream_is_refused_with_the_earliest_one(repo, sender, hand, tmp_path):
    with pytest.raises(CommandError, match="the earliest moment is "):
        at_moment(repo, hand.at - 1, tmp_path / "there")
    with pytest.raises(CommandError, match="no database was ever sent there"):
        at_moment(Repository(Directory(tmp_path / "other")), hand.at, tmp_path / "there")


def test_a_stream_that_began_within_this_second_is_restored_by_the_command_that_is_named(tmp_path):
    at = 1_795_000_000_085
    date = tmp_path / "date"  # that of the machine, at a clock that stands
    date.write_text(f'#!/bin/sh\nexec {shutil.which("date")} --date=@{at / 1000} "$@"\n')
    date.chmod(0o755)
    base = Entry("base", BASE, wall_clock.format_time(at), False, 1, 1, "detail", ())
    command = " ".join(sources.Source(tmp_path, at, False, base).whole)
    said = subprocess.run(
        ["sh", "-ec", f"echo {command}"],
        env={"PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    option, moment = said.split()
    assert option == "--at" and at <= wall_clock.parse(moment) < at + wall_clock.SECOND


def test_a_moment_after_the_stream_says_that_it_is_not_complete(
    data_dir, repo, sender, hand, tmp_path
):
    note("number", 1)
    hand.at += 1000
    sender.send_changes()
    with stream.make_temporary_folder() as scratch:
        assert not stream.Moment(repo, hand.at + 60_000, Path(scratch)).complete
    hand.at += 60_000
    sender.send_changes()  # nothing was committed; it says so after a while
    with stream.make_temporary_folder() as scratch:
        assert stream.Moment(repo, hand.at, Path(scratch)).complete


def test_a_segment_that_is_missing_or_changed_is_found(data_dir, repo, sender, hand, tmp_path):
    for number in range(3):
        hand.at += 1000
        note("number", number)
        sender.send_changes()
    names = sorted(name for name in repo.objects.list_names("wal") if not name.endswith("until"))
    path = repo.objects.root / names[1]
    sound = path.read_bytes()
    path.write_bytes(sound[:-3] + bytes(3))
    with pytest.raises(CommandError, match="Segment 1 of the stream is damaged"):
        at_moment(repo, hand.at, tmp_path / "there")
    path.unlink()
    with pytest.raises(CommandError, match="Segment 1 of the stream .* is missing"):
        at_moment(repo, hand.at, tmp_path / "there")
    path.write_bytes((repo.objects.root / names[0]).read_bytes())
    with pytest.raises(CommandError, match="does not follow the one before it"):
        at_moment(repo, hand.at, tmp_path / "there")
    assert not (tmp_path / "there").exists()


def test_what_a_destination_does_not_take_is_sent_later(
    data_dir, repo, sender, hand, tmp_path, monkeypatch
):
    put = Directory.put

    def full(self, name, content):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(Directory, "put", full)
        for number in range(2):
            note(f"number {number}", number)
            hand.at += 1000
            with pytest.raises(OSError):
                sender.send_changes()
    assert Directory.put is put
    hand.at += 1000
    sender.send_changes()
    restored = at_moment(repo, hand.at, tmp_path / "there")
    assert (value(restored, "number 0"), value(restored, "number 1")) == ("0", "1")


def test_a_destination_that_takes_nothing_does_not_make_the_log_grow_for_ever(
    repo, sender, hand, monkeypatch
):
    monkeypatch.setattr(shipping_process, "_MOST_PENDING", 4096)
    monkeypatch.setattr(Directory, "put", lambda *_: (_ for _ in ()).throw(OSError(28, "full")))
    with pytest.raises((wal_frames.Lost, OSError)):
        for number in range(3):
            note("a" * 5000, number)
            sender.send_changes()
    with pytest.raises(wal_frames.Lost, match="does not accept"):
        note("b" * 5000, 1)
        sender.send_changes()


def test_a_new_base_goes_on_where_the_last_stream_ended(data_dir, repo, sender, hand, tmp_path):
    note("number", 1)
    hand.at += 1000
    sender.send_changes()
    hand.at += wall_clock.DAY
    note("number", 2)
    sender.send_changes()
    sender.wait_for_base()
    assert len(repo.list_entries()) == 2
    note("number", 3)
    hand.at += 1000
    sender.send_changes()
    for number, back in ((1, 1000 + wall_clock.DAY), (2, 1000), (3, 0)):
        assert value(at_moment(repo, hand.at - back, tmp_path / str(number)), "number") == str(
            number
        )


def test_a_base_that_was_removed_is_sent_anew(data_dir, repo, sender, hand, tmp_path):
    shutil.rmtree(repo.objects.root)  # or another disk was mounted there
    hand.at += 10 * wall_clock.MINUTE
    note("number", 1)
    sender.send_changes()
    sender.wait_for_base()
    assert value(at_moment(repo, hand.at, tmp_path / "there"), "number") == "1"


def test_what_is_made_by_the_clock_makes_no_directory_in_place_of_a_disk(data_dir, tmp_path):
    place, inside = tmp_path / "disk" / "backups", data_dir / "backups"
    repo = incremental.open_scheduled(data_dir, str(place), "")
    with pytest.raises(CommandError, match="it is not there: make it, or mount its disk"):
        incremental.add_backup(data_dir, repo)
    assert not place.parent.exists()
    assert (
        incremental.add_backup(
            data_dir, incremental.open_scheduled(data_dir, str(inside), "")
        ).entry
        in Repository(Directory(inside)).list_entries()
    )


def test_what_is_committed_after_the_clock_was_set_back_is_restored_by_its_time(
    data_dir, repo, sender, hand, tmp_path
):
    began = hand.at
    for number, at in enumerate((began + 1000, began + 2 * HOUR, began + 9000, began + 10_000), 1):
        hand.at = at  # two hours ahead for the second, and back
        note("number", number)
        sender.send_changes()
        sender.wait_for_base()
    for number, at in ((1, began + 8000), (3, began + 9500), (4, began + 10_000)):
        target = at_moment(repo, at, tmp_path / str(number))
        assert value(target, "number") == str(number)


def test_a_backup_that_prunes_leaves_the_stream_that_follows_a_clock_that_was_set_back(
    data_dir, repo, sender, hand, tmp_path
):
    with backup.hold_locks(data_dir):  # as by a backup that is being made, and prunes at its end
        for number, back in ((1, 2 * HOUR), (2, -1000)):
            hand.at -= back
            note("number", number)
            sender.send_changes()
        repo.prune(1, hand.at)
    sender.wait_for_base()
    assert value(at_moment(repo, hand.at, tmp_path / "there"), "number") == "2"


def test_a_moment_has_the_files_of_the_newest_full_backup(
    data_dir, repo, sender, hand, partner, clock, tmp_path
):
    production = body(partner.trigger())["productionId"]
    path = data_dir / "media" / production / "transcript.txt"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"tides")
    complete_steps(clock, made=[make(file=f"{production}/transcript.txt")])
    publish_all(clock)
    hand.at += 1000
    sender.send_changes()
    with stream.make_temporary_folder() as scratch:
        assert stream.Moment(repo, hand.at, Path(scratch)).missing == (
            f"media/{production}/transcript.txt",
        )
    incremental.add_backup(data_dir, repo)
    there = at_moment(repo, hand.at, tmp_path / "there").parent
    assert (there / "media" / production / "transcript.txt").read_bytes() == b"tides"
    assert (there / "secret").read_bytes() == (data_dir / "secret").read_bytes()


def test_a_moment_after_a_rotation_has_the_keys_of_then(data_dir, repo, sender, hand, tmp_path):
    before = hand.at
    old = (data_dir / "secret").read_bytes()
    key_ring.rotate(data_dir / "secret")
    hand.at += 1000
    sender.send_changes()
    sender.wait_for_base()
    incremental.add_backup(data_dir, repo)
    for number, (at, keys) in enumerate(
        ((before, old), (hand.at, (data_dir / "secret").read_bytes()))
    ):
        assert (at_moment(repo, at, tmp_path / str(number)).parent / "secret").read_bytes() == keys


def test_a_moment_between_a_rotation_and_the_next_base_has_the_keys_it_needs(
    data_dir, repo, sender, hand, tmp_path
):
    master_keys.rotate(data_dir / "secret", data_dir / "service.db", hand.at)
    hand.at += 1000
    sender._send()  # as by a turn that looked at the master keys just before
    between = hand.at
    hand.at += 1000
    sender.send_changes()
    sender.wait_for_base()
    there = at_moment(repo, between, tmp_path / "there")
    with closing(database_file.connect(there)) as connection:
        connection.row_factory = Row
        recorded = master_keys.list_recorded_by(connection)
    assert [row["version"] for row in recorded] == [1, 2]
    assert master_keys.describe_mismatch(there.parent / "secret", recorded) is None


def test_a_backup_that_prunes_leaves_a_stream_whose_base_is_still_being_sent(
    data_dir, repo, hand, tmp_path
):
    with backup.hold_locks(data_dir):  # as by a backup that is being made, and prunes at its end
        sender = Sender(data_dir, repo, hand)
        sender.begin()
        note("number", 1)
        hand.at += 1000
        sender.send_changes()
        repo.prune(1, hand.at)
    sender.wait_for_base()
    sender.close()
    assert value(at_moment(repo, hand.at, tmp_path / "there"), "number") == "1"


def test_old_streams_go_although_no_backup_is_made_by_the_clock(data_dir, repo, hand):
    sender = Sender(data_dir, repo, hand, keep=2)
    sender.begin()
    for number in range(5):
        sender.wait_for_base()
        hand.at += wall_clock.DAY + 1
        note("number", number)
        sender.send_changes()
    sender.wait_for_base()
    sender.close()
    left = {name.split("/")[1] for name in repo.objects.list_names("wal")}
    kept = [entry.id for entry in repo.list_entries()]
    assert len(kept) == 3 and left <= set(kept)


def test_an_encrypted_stream_needs_the_private_key(data_dir, tmp_path, hand):
    identity = pyrage.x25519.Identity.generate()
    sealed = Repository(Directory(tmp_path / "repository"), Sealer([str(identity.to_public())]))
    sender = Sender(data_dir, sealed, hand)
    sender.begin()
    sender.wait_for_base()
    note("number", "a very rare word")
    hand.at += 1000
    sender.send_changes()
    sender.close()
    assert not [
        path
        for path in (tmp_path / "repository").rglob("*")
        if path.is_file() and b"very rare" in path.read_bytes()
    ]
    with pytest.raises(CommandError, match="--identity"):
        at_moment(sealed, hand.at, tmp_path / "there")
    mine = Repository(sealed.objects, opener=Opener([identity]))
    assert value(at_moment(mine, hand.at, tmp_path / "there"), "number") == "a very rare word"


def test_the_log_is_emptied_beside_a_stream(data_dir, sender, hand):
    for number in range(2):
        note("number", number)
        sender.send_changes()
    assert not upkeep.checkpoint(0.05)  # it is held
    hand.at += 31_000
    sender.send_changes()
    assert upkeep.checkpoint(0.05)
    assert (data_dir / "service.db-wal").stat().st_size == 0
    note("number", 2)
    hand.at += 1000
    assert sender.send_changes() > 0


def test_what_was_read_before_a_failure_is_not_lost(
    data_dir, repo, sender, hand, tmp_path, monkeypatch
):
    monkeypatch.setattr(shipping_process, "_LARGE_LOG", 1)
    note("number", 1)
    checkpoint, failed = Follower._checkpoint, []

    def failing(self):
        if not failed:
            failed.append(1)
            raise OSError(5, "Input/output error")
        checkpoint(self)

    monkeypatch.setattr(Follower, "_checkpoint", failing)
    hand.at += 1000
    with pytest.raises(OSError):
        sender.send_changes()
    hand.at += 1000
    sender.send_changes()
    assert value(at_moment(repo, hand.at, tmp_path / "there"), "number") == "1"


@pytest.mark.slow
def test_torture_writers_that_are_killed_checkpoints_and_restarts_of_the_log_lose_no_commit(
    tmp_path,
):
    path, chance = tmp_path / "service.db", random.Random(7)
    with closing(database_file.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = wal")
        connection.execute("CREATE TABLE filler (id INTEGER PRIMARY KEY AUTOINCREMENT, text BLOB)")

    def begin() -> subprocess.Popen:
        program = [
            sys.executable,
            str(Path(__file__).with_name("log_writer.py")),
            str(path),
            str(chance.randrange(1 << 30)),
        ]
        environment = os.environ | {"PYTHONPATH": str(ROOT)}
        return subprocess.Popen(
            program,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )

    writers = [begin() for _ in range(2)]
    follower, salts, compared, killed = Follower(path), set(), 0, 0
    follower.copy(tmp_path / "base.db")
    wal_frames.apply_changes(tmp_path / "base.db", iter(()), follower.page_size)
    while len(salts) < 12 or compared < 12 or killed < 6:
        dying = chance.randrange(len(writers)) if chance.random() < 0.06 else None
        for place, writer in enumerate(writers):
            writer.stdin.write(f"{chance.randint(1, 8)} {'die' if place == dying else ''}\n")
        change = follower.read_changes(checkpoint=chance.random() < 0.3)
        if change:
            wal_frames.apply_changes(
                tmp_path / "base.db", iter([(change.pages, change.page_count)]), follower.page_size
            )
        salts.add(follower.position.salts)
        if chance.random() < 0.1:
            (tmp_path / "truth.db").unlink(missing_ok=True)
            follower.copy(tmp_path / "truth.db")  # by SQLite itself, of what is held
            assert (tmp_path / "truth.db").read_bytes()[100:] == (
                tmp_path / "base.db"
            ).read_bytes()[100:]
            compared += 1
        for place, writer in enumerate(writers):
            said = writer.stdout.readline()
            assert (said == "") == (place == dying)
            if place == dying:
                writer.communicate()  # closes the pipes
                assert writer.returncode == -signal.SIGKILL
                writers[place], killed = begin(), killed + 1
    for each in writers:
        each.kill()
        each.communicate()
    follower.close()


@pytest.mark.slow
def test_the_process_sends_until_it_is_told_to_end_and_a_kill_costs_a_new_base_at_most(
    data_dir, repo, tmp_path
):
    repo.objects.root.mkdir()
    command = [
        sys.executable,
        "-m",
        "svc.work.backup.shipping_process",
        str(data_dir),
        str(repo.objects),
        "1",
        "7",
        "",
    ]

    def start():
        return subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE)

    def sent(number: int) -> bool:
        names = [name for name in repo.objects.list_names("wal") if not name.endswith("until")]
        return len(names) >= number

    for number, kill in enumerate((True, True, False), 1):
        process = start()
        wait(lambda number=number: len(repo.list_entries()) == number)
        note("number", number)
        wait(lambda number=number: sent(number))
        if kill:
            process.kill()
        else:
            note("number", 4)
        process.stdin.close()
        process.wait(60)
        assert process.returncode == (-9 if kill else 0)
    assert value(at_moment(repo, wall_clock.now(), tmp_path / "there"), "number") == "4"


def wait(condition) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.slow
def test_a_process_that_ends_is_told_as_an_alert_and_started_again_later(
    app, data_dir, tmp_path, clock, monkeypatch
):
    monkeypatch.setattr(shipping, "_AGAIN_SECONDS", 0.0)
    given = app.extensions["svc"].settings
    blocked = tmp_path / "file"
    blocked.write_text("x")
    keeper = Shipping(
        given.__class__(**{**given.__dict__, "backup_dir": blocked, "backup_ship_seconds": 1}),
        clock,
    )
    keeper.keep_running()
    keeper._child.wait(60)
    keeper.keep_running()
    [alert] = plain_sql.rows("SELECT * FROM alerts")
    assert (alert["name"], alert["severity"]) == ("ShippingFailed", "critical") and str(
        blocked
    ) in alert["message"]
    keeper.keep_running()
    assert keeper._child is not None
    keeper.stop()


def test_what_a_killed_process_left_is_removed_when_shipping_is_switched_off(app, data_dir, clock):
    def leave() -> Path:
        folder = data_dir / "base-killed.part"
        folder.mkdir()
        (folder / "service.db").write_bytes(b"x")
        return folder

    settings = app.extensions["svc"].settings
    with (data_dir / "shipping.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # a process is still shipping
        left = leave()
        Shipping(settings, clock).keep_running()
        assert left.exists()
    keeper = Shipping(settings, clock)
    keeper.keep_running()
    assert not left.exists()
    left = leave()
    keeper.keep_running()  # it looks once, not on every tick of the engine
    assert left.exists()


def test_a_service_that_never_shipped_has_nothing_to_remove(app, data_dir, clock):
    Shipping(app.extensions["svc"].settings, clock).keep_running()
    assert not (data_dir / "shipping.lock").exists()
