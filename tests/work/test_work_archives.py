"""The work folder of a production travels through the bucket,
so that each of its steps may run on another machine.
"""

import io
import json
import os
import tarfile
from dataclasses import replace

import pytest
from support import plain_sql
from support.cast import body

from svc.adapters.storage import Storage
from svc.base import ids
from svc.base.errors import FileStoreUnavailable
from svc.domain.lifecycle import endings, render_queue, steps
from svc.domain.productions import progress
from svc.store.claims import Driver, LostClaim
from svc.store.database import db
from svc.work.files import work_archives
from svc.work.files.work_archives import WorkArchives
from tests.support.elsewhere import Elsewhere

FINDINGS_AT = 1_700_000_000  # seconds


@pytest.fixture
def bucket(app, tmp_path):
    store = Elsewhere(tmp_path / "bucket")
    app.extensions["svc"].storage.files = store
    return store


class Machine:
    """One of several machines that share a database and a bucket, with a disk of its own."""

    def __init__(self, app, tmp_path, name, clock):
        self.work, self.clock, self.driver = tmp_path / name, clock, Driver(name)
        self.work_archives = WorkArchives(app.extensions["svc"].storage, self.work)

    def begin(self):
        self.claim = render_queue.claim_next(self.driver, self.clock())
        self.step = progress.start_step(self.claim, self.clock())
        self.work_archives.fetch(
            self.claim.production_id, self.step["position"], lambda fraction: None
        )
        self.folder = self.work / self.claim.production_id
        self.folder.mkdir(parents=True, exist_ok=True)
        return self.folder

    def end(self):
        stored = self.work_archives.store(self.claim, self.step, lambda fraction: None)
        progress.complete_step(self.claim, self.step, self.clock(), work_archive=stored)
        render_queue.release_claim(self.claim, 0)

    def run(self, **texts):
        """Run a step that writes these files (None: removes it);
        return what it found, without these.
        """
        folder = self.begin()
        found = contents(folder)
        for name, text in texts.items():
            (folder / name).unlink() if text is None else (folder / name).write_text(text)
        self.end()
        return found


def contents(folder):
    return {path.name: path.read_text() for path in folder.iterdir() if path.is_file()}


@pytest.fixture
def production(bucket, partner):
    return body(partner.trigger())["productionId"]


@pytest.fixture
def machines(app, tmp_path, production, clock):
    return Machine(app, tmp_path, "one", clock), Machine(app, tmp_path, "other", clock)


def sent(bucket):
    """The names of the files in each archive that was sent, in their order."""
    found = []
    for name in bucket.puts:
        with tarfile.open(fileobj=io.BytesIO(bucket.read(name))) as tar:
            found.append(tar.getnames())
    return found


def test_a_machine_goes_on_where_another_one_stopped(machines, bucket):
    one, other = machines
    assert one.run(script="tea", draft="?") == {}
    assert one.run(narration="sound", draft=None) == {"script": "tea", "draft": "?"}
    assert other.run(video="film") == {"script": "tea", "narration": "sound"}
    assert one.run(captions="text") == {"script": "tea", "narration": "sound", "video": "film"}
    # nothing travels twice
    assert sent(bucket) == [["draft", "script"], ["narration"], ["video"], ["captions"]]


def test_an_older_state_on_a_machine_gives_way_to_what_the_rows_say(machines):
    one, other = machines
    one.run(script="tea", draft="?")
    other.run(script="coffee", draft=None)
    assert one.run(narration="sound") == {"script": "coffee"}


def test_what_is_on_the_machine_already_is_not_fetched(machines, bucket, monkeypatch):
    one, other = machines
    one.run(script="tea")
    monkeypatch.setattr(bucket, "stream", lambda name: pytest.fail("fetched"))
    one.run(narration="sound")
    again = WorkArchives(one.work_archives._storage, one.work)  # after a restart
    again.fetch(one.claim.production_id, 2, lambda fraction: None)


def test_a_step_that_was_not_completed_counts_for_nothing(machines):
    one, other = machines
    one.run(script="tea")
    (one.begin() / "script").write_text("spilt")
    render_queue.release_claim(one.claim)
    assert one.run() == {"script": "tea"}


def test_a_late_writer_changes_nothing(machines, bucket, clock):
    one, other = machines
    one.run(script="tea")
    (one.begin() / "narration").write_text("late")
    clock.tick(31)  # longer than a lease
    other.run(narration="sound")
    with pytest.raises(LostClaim):
        one.end()
    assert len(bucket.puts) == len(set(bucket.puts)) == 3  # it has written, under a name of its own
    assert one.run() == {"script": "tea", "narration": "sound"}


def test_files_keep_the_time_when_they_were_written(machines):
    one, other = machines
    folder = one.begin()
    (folder / "findings.json").write_text("{}")
    os.utime(folder / "findings.json", (FINDINGS_AT, FINDINGS_AT))
    one.end()
    assert (other.begin() / "findings.json").stat().st_mtime == FINDINGS_AT


def test_what_a_step_left_besides_files_stays_where_it_is(machines, bucket, tmp_path):
    one, other = machines
    (tmp_path / "secret").write_text("the secret of the service")
    folder = one.begin()
    (folder / "script").write_text("tea")
    (folder / "link").symlink_to(tmp_path / "secret")
    os.mkfifo(folder / "pipe")
    (folder / "folder").mkdir()
    for name in (".cache", "video.mp4.part", "errors.txt", "brief.json"):
        (folder / name).write_text("of this machine")
    one.end()
    assert sent(bucket) == [["script"]]
    assert contents(other.begin()) == {"script": "tea"}


@pytest.mark.parametrize("name", ["line\nfeed", "x" * 201, os.fsdecode(b"\xff")])
def test_a_name_that_no_step_gives_is_malformed(machines, name):
    one, other = machines
    (one.begin() / name).write_text("x")
    with pytest.raises(ValueError, match="not a usable name"):
        one.end()


def test_a_folder_of_too_many_files_is_malformed(machines, monkeypatch):
    monkeypatch.setattr(work_archives, "MOST_FILES", 3)
    one, other = machines
    with pytest.raises(ValueError, match="more than 3 files"):
        one.run(a="1", b="2", c="3", d="4")


def test_an_obstacle_on_this_machine_is_replaced(machines, tmp_path):
    one, other = machines
    one.run(script="tea", narration="sound")
    folder = other.work / one.claim.production_id
    (folder / "script" / "inside").mkdir(parents=True)
    (tmp_path / "precious").write_text("kept")
    (folder / "narration").symlink_to(tmp_path / "precious")
    assert other.run() == {"script": "tea", "narration": "sound"}
    assert (tmp_path / "precious").read_text() == "kept"


def entry(name, kind=tarfile.REGTYPE, **fields):
    made = tarfile.TarInfo(name)
    made.type = kind
    for field, value in fields.items():
        setattr(made, field, value)
    return made


def sparse(name, size):
    made = entry(name, size=0)
    made.pax_headers = {
        "GNU.sparse.major": "0",
        "GNU.sparse.minor": "1",
        "GNU.sparse.name": name,
        "GNU.sparse.map": f"{size},0",
        "GNU.sparse.size": str(size),
    }
    return made


HOSTILE = {
    "a symbolic link": [entry("script", tarfile.SYMTYPE, linkname="/etc/passwd")],
    "a hard link": [entry("script", tarfile.LNKTYPE, linkname="/etc/passwd")],
    "a device": [entry("script", tarfile.CHRTYPE, devmajor=1, devminor=5)],
    "a folder": [entry("script", tarfile.DIRTYPE)],
    "a name outside": [entry("../script")],
    "an absolute name": [entry("/tmp/script")],
    "a file that says that it is large": [sparse("script", 1 << 40)],
    "another content": [entry("script")],
    "nothing": [],
}


@pytest.mark.parametrize("members", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_archive_is_refused_and_writes_nothing(machines, bucket, members, tmp_path):
    one, other = machines
    one.run(script="tea")
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as tar:
        for member in members:
            tar.addfile(member, io.BytesIO(b""))
    put_in_its_place(
        one, bucket, content.getvalue(), [member.name for member in members] or ["script"]
    )
    before = everything(tmp_path)
    with pytest.raises(ValueError, match="is not a file|another content|lacks|malformed"):
        other.begin()
    assert everything(tmp_path) - before <= {other.work, other.work / one.claim.production_id}


def put_in_its_place(machine, bucket, content, names):
    """Let the bucket and the row have another archive, which says that it has these files."""
    [name] = bucket.puts
    (bucket._root / name).write_bytes(content)
    stored = Elsewhere(bucket._root.parent / "scratch").put(bucket._root / name, "x")
    row = {
        "name": name,
        "size_bytes": stored.size_bytes,
        "sha256": stored.sha256,
        "files": dict.fromkeys(names, "0" * 64),
    }
    with db.transaction():
        plain_sql.execute(
            "UPDATE production_steps SET files = ? WHERE position = 0", (json.dumps(row),)
        )


def everything(folder):
    return set(folder.rglob("*"))


@pytest.mark.parametrize("content", [b"", b"short", b"x" * 100_000])
def test_an_archive_that_is_not_the_one_of_the_row_is_refused(machines, bucket, content):
    one, other = machines
    one.run(script="tea")
    (bucket._root / bucket.puts[0]).write_bytes(content)
    with pytest.raises(ValueError, match="another content than its step stored"):
        other.begin()


def test_a_bucket_that_fails_leaves_no_trace_and_is_heard_of(machines, bucket):
    one, other = machines
    folder, heard = one.begin(), []
    (folder / "script").write_text("tea")
    bucket.failures = 1
    with pytest.raises(FileStoreUnavailable):
        one.work_archives.store(one.claim, one.step, heard.append)
    assert heard[-1] == 1.0 and sorted(one.work.iterdir()) == [folder]
    one.end()
    bucket.failures = 1
    with pytest.raises(FileStoreUnavailable):
        other.begin()
    render_queue.release_claim(other.claim)
    assert other.run() == {"script": "tea"}


def test_the_archives_go_with_the_production(machines, bucket, app, clock):
    one, other = machines
    one.run(script="tea")
    # what a cancel, retention and an erasure call
    app.extensions["svc"].storage.remove_production(one.claim.production_id)
    assert list(bucket.list_names("")) == []


def test_leftovers_are_swept_and_the_work_of_open_productions_is_not(
    machines, bucket, production, clock, tmp_path
):
    one, other = machines
    one.run(script="tea")
    (tmp_path / "late").write_text("late")
    gone = ids.make_id(clock())
    bucket.put(tmp_path / "late", f"work/{gone}/3-token.tar")
    one.work_archives.sweep()
    assert [name.split("/")[1] for name in bucket.list_names("work")] == [production]
    assert endings.fail_production(
        production, endings.Cause.EXPIRED, "EXPIRED", "Too late.", clock()
    )
    one.work_archives.sweep()
    assert list(bucket.list_names("")) == []


def test_what_is_stored_after_a_cancel_is_removed_by_who_stored_it(
    machines, bucket, production, partner, clock
):
    one, _ = machines
    (one.begin() / "script").write_text("tea")
    bucket.put(one.folder / "script", f"{production}/transcript.txt")
    one.work_archives.store(one.claim, one.step, lambda fraction: None)
    one.work_archives.discard(production)
    assert len(list(bucket.list_names(""))) == 2  # another worker goes on
    partner.delete(f"/v1/productions/{production}")
    assert endings.finish_cancel(production, clock())
    one.work_archives.discard(production)
    assert list(bucket.list_names("")) == []


def test_the_folder_of_a_transfer_stays_until_its_production_ends(production, machines, clock):
    one, _ = machines
    one.work_archives.forget_ended()  # no folder is there yet
    names = [production, f"{production}.abc", f"{ids.make_id(clock())}.abc"]
    for name in names:
        (one.work / name).mkdir(parents=True)
    one.work_archives.forget_ended()
    assert {path.name for path in one.work.iterdir()} == set(names[:2])


def test_without_a_bucket_nothing_is_asked_and_nothing_is_stored(
    app, partner, clock, tmp_path, monkeypatch
):
    partner.trigger()
    monkeypatch.setattr(db, "rows", lambda *given: pytest.fail(f"asked {given}"))
    service = app.extensions["svc"]
    files = WorkArchives(
        Storage(replace(service.settings, data_dir=tmp_path), service.ring), tmp_path / "work"
    )
    files.fetch("x", 3, lambda fraction: None)
    assert files.store(None, None, lambda fraction: None) is None
    files.finish("x")
    files.discard("x")
    files.sweep()
    assert not (tmp_path / "work").exists()


def test_the_rows_of_a_production_say_what_travelled(machines, production):
    one, other = machines
    one.run(script="tea")
    [stored] = steps.list_files_before(production, 1)
    archive = json.loads(stored)
    assert archive["name"] == f"work/{production}/0-{one.claim.token}.tar" and list(
        archive["files"]
    ) == ["script"]
