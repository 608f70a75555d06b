"""A rotation of the master keys over machines that share a PostgreSQL: nobody signs with the new
key before all that live have it, and nobody with the old one when it is retired.
"""

import shutil

import pytest
from support import plain_sql
from support.cast import body, refused

from svc.base import outage
from svc.base.crypto import connection_secrets, key_ring, signing
from svc.base.crypto.key_ring import FileRing
from svc.base.crypto.signing import KeyMissing
from svc.base.errors import SettingsError, StartRefused
from svc.cli.command_support import get_terminal_user
from svc.domain import key_retirement, master_keys
from svc.domain.access import rotation
from svc.domain.monitoring import workers
from svc.domain.monitoring.workers import Process
from svc.store.database import db
from svc.work.machines import presence

LINK = "/files/01890a5d-ac96-774b-bcce-b302099a8057?expires=9999999999&signature=AAAA"
HOOK = {"endpointUrl": "https://93.184.215.14/hooks", "eventTypes": ["production.queued"]}


@pytest.fixture(autouse=True)
def only_on_postgres(app):
    if db.list_jobs() is None:
        pytest.skip("SQLite's one machine has one file of master keys")


class Machine:
    """A server with a data directory of its own; its steady clock stands until it is moved."""

    def __init__(self, folder, clock):
        self.folder, self.secret, self.clock, self.steady = folder, folder / "secret", clock, 0.0
        self.wake()

    def wake(self) -> None:
        self.ring = FileRing(
            self.secret,
            master_keys.matches_database,
            master_keys._read_states,
            master_keys._HOLDS_SECONDS,
            lambda: self.steady,
        )

    def beat(self) -> None:
        """Give a sign of life, some seconds after the last one."""
        self.steady += 4.0
        process = Process(self.folder.name, self.folder.name, 1, "1.91.0", [], self.clock())
        keys = presence._list_keys(self.ring)
        workers.record_heartbeat(process, "driver", 1, self.clock(), keys=keys)

    def copy_from(self, other: "Machine") -> None:
        shutil.copy(other.secret, self.secret)


@pytest.fixture
def machines(app, tmp_path, clock):
    """Two machines that have the application's secret, and live."""
    ours = app.extensions["svc"].settings.secret
    (tmp_path / "there").mkdir()
    shutil.copy(ours, tmp_path / "there" / "secret")
    here, there = Machine(ours.parent, clock), Machine(tmp_path / "there", clock)
    for each in (here, there):
        each.beat()
    return here, there


def rotate(here: Machine, *others: Machine) -> None:
    """Rotate, to the end."""
    version = rotation.begin(here.secret, here.clock())
    for each in (here, *others):
        if each is not here:
            each.copy_from(here)
        each.beat()
    assert rotation.sign_with_waiting_key(here.clock())
    for each in (here, *others):
        each.beat()
        assert each.ring.newest == version


def retire(here: Machine, version: int) -> list:
    return key_retirement.retire(here.secret, version, get_terminal_user().actor, here.clock())


def test_a_key_signs_only_when_all_that_live_have_it(machines, clock):
    here, there = machines
    assert rotation.begin(here.secret, clock()) == 2
    for each in machines:
        each.beat()
    assert not rotation.sign_with_waiting_key(clock())
    assert [row["id"] for row in rotation.list_lacking(2, clock())] == ["there"]
    assert (here.ring.newest, here.ring.versions, there.ring.newest) == (1, [2, 1], 1)
    there.copy_from(here)
    assert not rotation.sign_with_waiting_key(clock())  # it has not said so yet
    there.beat()
    assert there.ring.newest == 1
    assert rotation.sign_with_waiting_key(clock())
    for each in machines:
        each.beat()
    assert (here.ring.newest, there.ring.newest) == (2, 2)


def test_a_link_of_either_key_is_opened_by_all(machines, clock):
    here, there = machines
    links = [signing.make_link_signature(there.ring, "a file", 99)]
    rotate(here, there)
    links += [signing.make_link_signature(each.ring, "a file", 99) for each in machines]
    assert len(set(links)) == 2
    for each in machines:
        assert all(signing.link_is_ours(each.ring, "a file", 99, link) for link in links)


def test_who_slept_through_a_rotation_refuses_nothing_and_signs_nothing(machines, clock):
    """It is not known to live, so that the others did not wait for it."""
    here, there = machines
    clock.tick(60)
    here.beat()
    rotate(here)
    link = signing.make_link_signature(here.ring, "a file", 99)
    sealed = connection_secrets.seal(here.ring, "a connection", {"password": "x"})
    there.steady += 60
    for use in (
        lambda: connection_secrets.unseal(there.ring, "a connection", sealed),
        lambda: there.ring.newest,
        lambda: signing.make_link_signature(there.ring, "a file", 99),
        lambda: signing.link_is_ours(there.ring, "a file", 99, link),
        lambda: signing.derive_webhook_secret(there.ring, "a subscription", 2),
        lambda: signing.read_portal_token(there.ring, "A" * 96),
        there.ring.require_complete,
    ):
        with pytest.raises(KeyMissing, match="lacks master key 2"):
            use()
    there.copy_from(here)
    assert signing.link_is_ours(there.ring, "a file", 99, link) and there.ring.newest == 2
    assert not signing.link_is_ours(there.ring, "another", 99, link)


def test_who_slept_with_the_new_key_at_hand_signs_with_it(machines, clock):
    here, there = machines
    rotation.begin(here.secret, clock())
    there.copy_from(here)
    assert there.ring.versions == [2, 1]
    clock.tick(60)
    here.beat()
    assert rotation.sign_with_waiting_key(clock())
    here.beat()
    retire(here, 1)
    there.steady += 60
    assert (there.ring.newest, there.ring.versions) == (2, [2])


def test_a_server_that_lacks_the_key_answers_that_it_waits(machines, app, partner, clock):
    """The application is the machine that slept."""
    here, there = machines
    clock.tick(60)
    there.beat()
    rotate(there)
    with pytest.MonkeyPatch.context() as patched:
        # the clock of the application's own ring
        patched.setattr(app.extensions["svc"].ring, "_ask_at", -1e9)
        refused(
            partner.client.get(LINK),
            503,
            "SERVICE_UNAVAILABLE",
        )
        refused(partner.post("/v1/webhooks", json=HOOK), 503, "SERVICE_UNAVAILABLE")
        assert partner.client.get("/readyz").status_code == 503
        shutil.copy(there.secret, here.secret)
        refused(partner.client.get(LINK), 403, "LINK_INVALID")
        created = body(partner.post("/v1/webhooks", json=HOOK))
    secret = signing.derive_webhook_secret(there.ring, created["subscriptionId"], 2)
    assert signing.encode_base64url(secret) == created["signingSecret"]


def test_a_key_is_not_retired_while_one_may_sign_with_it(machines, clock):
    here, there = machines
    rotation.begin(here.secret, clock())
    with pytest.raises(SettingsError, match="does not sign yet; .*server 1 on there"):
        retire(here, 1)
    there.copy_from(here)
    here.beat(), there.beat()
    assert rotation.sign_with_waiting_key(clock())
    here.beat()
    with pytest.raises(SettingsError, match="server 1 on there .* may not sign with master key 2"):
        retire(here, 1)
    there.beat()
    retire(here, 1)
    assert sorted(key_ring.read(here.secret)) == [2]


def test_a_retired_key_is_refused_where_the_file_still_has_it(machines, clock):
    here, there = machines
    link = signing.make_link_signature(here.ring, "a file", 99)
    rotate(here, there)
    retire(here, 1)
    assert sorted(key_ring.read(there.secret)) == [1, 2]
    there.beat()
    assert there.ring.versions == [2]
    assert not signing.link_is_ours(there.ring, "a file", 99, link)
    there.wake()  # started again, with the same file
    assert there.ring.versions == [2]


def test_what_is_registered_after_a_retirement_refers_to_no_retired_key(machines, app, partner):
    """The process was asked within the seconds for which it acts on what it learned."""
    here, there = machines
    rotate(here, there)
    ring = app.extensions["svc"].ring
    ring.refresh()
    ring._signs, ring._ask_at = 1, 1e12  # as if it had read that before the rotation
    retire(there, 1)
    created = body(partner.post("/v1/webhooks", json=HOOK))
    sql = "SELECT secret_version FROM subscriptions WHERE id = ?"
    assert plain_sql.row(sql, (created["subscriptionId"],))[0] == 2


def test_an_older_file_leaves_a_process_its_keys_and_starts_none(machines, clock, tmp_path):
    """A backup of the time before the rotation was put back, the file alone."""
    here, there = machines
    shutil.copy(here.secret, tmp_path / "older")
    rotate(here, there)
    shutil.copy(tmp_path / "older", there.secret)
    there.beat()
    assert (there.ring.newest, there.ring.versions) == (2, [2, 1])
    with pytest.raises(StartRefused, match="does not contain master key 2"):
        master_keys.open_ring(there.secret, clock())


def test_a_backup_of_before_the_second_phase_starts_with_the_older_file(machines, clock):
    here, there = machines
    rotation.begin(here.secret, clock())
    assert master_keys.open_ring(there.secret, clock()).versions == [1]


def test_a_rotation_that_was_interrupted_is_begun_anew(machines, clock, monkeypatch):
    here, there = machines
    with monkeypatch.context() as patched:
        patched.setattr(key_ring, "_replace", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            rotation.begin(here.secret, clock())
    with pytest.raises(StartRefused, match="added elsewhere"):
        rotation.begin(there.secret, clock())
    clock.tick(60)
    here.beat(), there.beat()
    assert not rotation.sign_with_waiting_key(clock())  # nobody has it
    rotate(here, there)
    assert here.ring.versions == [3, 1]


def test_a_rotation_that_waits_is_gone_on_with(machines, clock):
    here, there = machines
    assert rotation.begin(here.secret, clock()) == rotation.begin(here.secret, clock()) == 2
    here.beat()
    clock.tick(60)
    here.beat()
    with pytest.raises(StartRefused, match=r"added elsewhere \(the server 1 on"):
        rotation.begin(there.secret, clock())


def test_the_command_waits_for_those_that_live(machines, clock):
    here, there = machines
    version, looks = rotation.begin(here.secret, clock()), []

    def sleep(seconds):
        looks.append(seconds)
        here.beat()
        if len(looks) == 3:
            there.copy_from(here)
        there.beat()

    assert rotation.await_all(version, clock, sleep) == []
    assert len(looks) == 3
    silent = rotation.begin(here.secret, clock())
    assert [row["id"] for row in rotation.await_all(silent, clock, looks.append)] == [
        "data",
        "there",
    ]


def test_beside_an_earlier_release_no_rotation_begins(machines, clock):
    here, _ = machines
    old = Process("old", "old", 7, "1.90.0", [], clock())
    workers.record_heartbeat(old, "worker", 1, clock())
    with pytest.raises(StartRefused, match="the worker 7 on old .release 1.90.0. has not"):
        rotation.begin(here.secret, clock())
    assert sorted(key_ring.read(here.secret)) == [1]


def test_a_file_that_cannot_be_read_is_tried_again(machines, clock):
    here, there = machines
    rotate(here, there)
    whole = there.secret.read_bytes()
    there.secret.write_bytes(whole[:40])
    assert there.ring.versions == [2, 1]
    there.secret.unlink()
    assert there.ring.newest == 2
    there.secret.write_bytes(whole)
    assert there.ring.versions == [2, 1]


def test_a_database_that_is_away_leaves_what_it_said(machines, monkeypatch):
    here, there = machines
    rotate(here, there)

    class Away(Exception):
        outage = outage.UNREACHABLE

    def fail():
        raise Away

    there.steady += 60
    with monkeypatch.context() as patched:
        patched.setattr(there.ring, "_recorded", fail)
        assert there.ring.versions == [2, 1] and there.ring.newest == 2
        with pytest.raises(Away):  # what is stored must be known to be right
            there.ring.refresh()
        asked = []
        patched.setattr(there.ring, "_recorded", lambda: asked.append(1) or fail())
        assert there.ring.newest == 2 and not asked  # in a moment
    there.steady += 1
    assert there.ring.newest == 2
