"""The audit log is a chain: what is changed, removed, added or redacted by anybody but the
service is found.
"""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from support import plain_sql
from support.cast import body

from svc.domain import key_retirement
from svc.domain.access import rotation
from svc.domain.audit import audit, audit_chain, audit_head
from svc.domain.audit.audit import Actor
from svc.domain.paging import Page
from svc.domain.partners import erase as partner_records
from svc.store.database import db
from svc.work.backup import make

US = Actor(None, "olga at the command line")
ROOT = Path(__file__).parents[2]


@pytest.fixture
def secret(app):
    return app.extensions["svc"].settings.secret


def enter(number: int = 1, **more) -> None:
    for each in range(number):
        with audit.recording(US, "rule.done", f"thing {each}", 1000 + each, **more):
            pass


def add_signing_key(secret: Path) -> None:
    """Add a master key, and sign with it from now on."""
    version = rotation.begin(secret, 5)
    assert rotation.sign_with_waiting_key(5, version)


def tamper(sql: str, *parameters) -> None:
    """Change the database as somebody does who has its file, but not the secret."""
    with db.transaction():
        plain_sql.execute(sql, parameters)


def test_an_empty_log_and_one_with_entries_are_whole(app):
    assert audit_chain.verify() == audit_chain.Verdict(0, 0, 0, "")
    enter(3, before={"name": "a"}, after={"name": "ä 💡"})
    verdict = audit_chain.verify()
    assert (verdict.entries, verdict.broken_id, len(verdict.head)) == (3, None, 64)


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE audit SET actor = 'somebody else' WHERE id = 2",
        'UPDATE audit SET after = \'{"name": "c"}\' WHERE id = 2',
        "UPDATE audit SET at = at - 1 WHERE id = 2",
        "UPDATE audit SET actor_id = 'x' WHERE id = 2",
        (
            "UPDATE audit SET subject = '(erased)', before = NULL, after = NULL, salt = NULL, "
            "redacted_at = 5 WHERE id = 2"
        ),
        "UPDATE audit SET seal = hash WHERE id = 2",
        "UPDATE audit SET salt = hash WHERE id = 2",
        "UPDATE audit SET hash = NULL, seal = NULL WHERE id = 2",
        "UPDATE audit SET key_version = 9 WHERE id = 2",
    ],
)
def test_an_entry_that_was_changed_is_named(app, sql):
    enter(3, before={"name": "a"}, after={"name": "b"})
    tamper(sql)
    verdict = audit_chain.verify()
    assert (verdict.broken_id, verdict.entries) == (2, 1) and verdict.why


def test_an_entry_that_was_removed_added_or_moved_is_noticed_at_the_next(app):
    enter(4)
    tamper("DELETE FROM audit WHERE id = 2")
    assert (
        audit_chain.verify().broken_id == 3
        and "does not follow entry 1" in audit_chain.verify().why
    )
    tamper("UPDATE audit SET id = 2 WHERE id = 4")
    assert audit_chain.verify().broken_id == 2


def test_an_entry_cannot_be_forged_with_the_database_alone(app):
    enter(2)
    last = plain_sql.row("SELECT * FROM audit WHERE id = 2")
    forged = dict(last) | {"id": 3, "subject": "forged"}
    digest = audit_chain._hash_row(
        forged, last["hash"], audit_chain._hash_content(forged, last["salt"])
    )
    # these need no secret
    forged |= {"content_hash": audit_chain._hash_content(forged, last["salt"]), "hash": digest}
    tamper(
        f"INSERT INTO audit ({', '.join(forged)}) VALUES ({', '.join('?' * len(forged))})",
        *forged.values(),
    )
    assert audit_chain.verify().broken_id == 3


def sealed_head() -> str:
    return plain_sql.one("SELECT value FROM meta WHERE name = 'audit_head'")["value"]


def put_back(head: str) -> None:
    tamper("UPDATE meta SET value = ? WHERE name = 'audit_head'", head)


def newest(number: int = 1) -> list[dict]:
    return audit.list_page(Page(number))["data"]


NEVER_BEGUN = (
    "UPDATE audit SET hash = NULL, seal = NULL, salt = NULL, content_hash = NULL, key_version "
    "= NULL"
)
UNSEALED = "UPDATE audit SET hash = NULL, seal = NULL, salt = NULL, content_hash = NULL"
NO_HEAD = "DELETE FROM meta WHERE name = 'audit_head'"


@pytest.mark.parametrize(
    ("statements", "broken_id"),
    [
        ([NEVER_BEGUN], 1),
        ([UNSEALED], 1),
        ([NEVER_BEGUN, NO_HEAD], 1),
        ([NEVER_BEGUN, "UPDATE meta SET value = '{}' WHERE name = 'audit_head'"], 1),
        ([f"{NEVER_BEGUN} WHERE id = 4"], 4),
        ([f"{NEVER_BEGUN} WHERE id <= 2"], 1),
        ([f"{NEVER_BEGUN} WHERE id = 4", NO_HEAD], 4),
        (["UPDATE audit SET salt = NULL WHERE id = 4"], 4),
        (["UPDATE audit SET content_hash = NULL WHERE id = 4"], 4),
        (["UPDATE audit SET subject = 'forged' WHERE id = 4"], 4),
        (["DELETE FROM audit"], 1),
        (["DELETE FROM audit", NO_HEAD], 1),
        (["DELETE FROM audit WHERE id >= 3"], 3),
        (["DELETE FROM audit WHERE id >= 3", NO_HEAD], 3),
        ([NO_HEAD], 5),
        (
            [
                (
                    "UPDATE meta SET value = replace(value, '\"id\": 4', '\"id\": 3') "
                    "WHERE name = 'audit_head'"
                )
            ],
            5,
        ),
        (
            [
                (
                    "UPDATE meta SET value = replace(value, '\"key\": 1', '\"key\": 9') "
                    "WHERE name = 'audit_head'"
                )
            ],
            5,
        ),
        (["DELETE FROM audit WHERE id <= 2"], 3),
    ],
)
def test_a_chain_that_has_begun_is_neither_begun_anew_nor_cut_off(app, statements, broken_id):
    enter(4)
    for sql in statements:
        tamper(sql)
    assert audit_chain.verify().broken_id == broken_id
    seals = [row["seal"] for row in audit_chain.read_entries()]
    enter(2)
    # nothing was sealed over
    assert [row["seal"] for row in audit_chain.read_entries()][: len(seals)] == seals
    assert newest()[0]["subject"] == "thing 1"  # and what happens is recorded
    assert not audit_chain.verify().is_whole
    marks = audit.list_page(Page(9), action=audit_chain.BROKEN)["data"]
    # the end is as it was: nothing but a verification looks at the front
    at_front = statements[0].endswith("<= 2")
    assert [mark["actor"] for mark in marks] == ([] if at_front else ["the service"])
    assert all(mark["after"]["why"] for mark in marks)


def test_a_break_stays_visible_when_its_traces_are_removed(app):
    enter(4)
    tamper("DELETE FROM audit")
    enter(1)
    first, second = audit_chain.read_entries()
    # no number is given twice
    assert (first["action"], first["id"], second["id"]) == (audit_chain.BROKEN, 5, 6)
    verdict = audit_chain.verify()
    assert verdict.broken_id == 5 and "the entries up to 4 were removed" in verdict.why
    tamper("DELETE FROM audit WHERE id = 5")
    assert audit_chain.verify().broken_id == 6


def test_an_older_head_does_not_vouch_for_newer_entries(app):
    enter(2)
    older = sealed_head()
    enter(2)
    put_back(older)
    assert audit_chain.verify().broken_id == 3
    enter(1)
    assert audit.list_page(Page(9), action=audit_chain.BROKEN)["data"][0]["after"][
        "why"
    ].startswith("entry 2 was the newest")
    assert not audit_chain.verify().is_whole


def test_an_older_state_that_is_put_back_as_a_whole_is_known_to_the_machine_that_has_seen_more(app):
    enter(2)
    older = sealed_head()
    enter(3)
    tamper("DELETE FROM audit WHERE id > 2")
    put_back(older)
    verdict = audit_chain.verify()
    assert verdict.broken_id == 3 and "audit-head.json" in verdict.why
    enter(5)  # as many as there were, and more: the note does not follow
    verdict = audit_chain.verify()
    assert verdict.broken_id == 4 and "restored a backup" in verdict.why


def test_a_backup_that_was_restored_is_no_forgery_where_the_note_is_removed(app):
    enter(2)
    older = sealed_head()
    enter(3)
    tamper("DELETE FROM audit WHERE id > 2")
    put_back(older)
    (db.path().parent / audit_head.NOTE).unlink()
    assert audit_chain.verify().is_whole
    enter(2)
    assert (audit_chain.verify().entries, audit_chain.verify().broken_id) == (4, None)


def test_the_note_is_one_entry_behind_and_is_no_part_of_a_backup(app):
    enter(3)
    assert audit_head.read_noted_head().id == 2
    assert audit_head.NOTE in make._NOT_KEPT


def test_a_note_that_a_power_failure_emptied_proves_nothing(app):
    enter(3)
    (db.path().parent / audit_head.NOTE).write_text("")
    assert audit_chain.verify().is_whole
    enter(1)
    assert audit_head.read_noted_head().id == 3


def test_a_chain_of_an_earlier_release_gets_its_head_with_the_next_entry(app):
    enter(3)
    tamper(NO_HEAD)
    (db.path().parent / audit_head.NOTE).unlink()
    assert audit_chain.verify().is_whole
    enter(1)
    assert audit_chain.verify().entries == 4 and '"id": 4' in sealed_head()


def test_a_chain_of_an_earlier_release_that_is_broken_stays_so(app):
    enter(3)
    tamper("UPDATE audit SET actor = 'bob' WHERE id = 1")
    tamper(NO_HEAD)
    (db.path().parent / audit_head.NOTE).unlink()
    enter(1)
    assert "entry 1 was changed" in newest(2)[1]["after"]["why"]
    assert audit_chain.verify().broken_id == 1


def test_an_erased_partner_is_erased_from_a_broken_log_too_and_nothing_is_sealed_for_it(
    app, partner
):
    mine = partner.seeded["partnerId"]
    enter(3, partner_id=mine, after={"note": "ada.example"})
    tamper(NEVER_BEGUN)
    assert audit_chain.redact(mine, 5) == 3
    assert "ada.example" not in str(newest(9))
    assert (
        not audit_chain.verify().is_whole
        and [row["seal"] for row in audit_chain.read_entries()][0] is None
    )


def test_a_retired_key_leaves_the_head_sealed_with_the_newest(app, secret):
    enter(2)
    older = sealed_head()
    add_signing_key(secret)
    key_retirement.retire(secret, 1, US, 5)
    assert '"key": 2' in sealed_head() and audit_chain.verify().is_whole
    tamper("DELETE FROM audit WHERE id > 2")
    put_back(older)
    assert not audit_chain.verify().is_whole


def test_sealing_again_moves_the_head_to_the_newest_key_but_never_one_that_was_forged(app, secret):
    enter(2)
    add_signing_key(secret)
    audit_chain.seal_again(1)
    assert '"key": 2' in sealed_head() and audit_chain.verify().is_whole
    add_signing_key(secret)
    forged = sealed_head().replace('"id": 2', '"id": 1')
    put_back(forged)
    audit_chain.seal_again(2)
    assert sealed_head() == forged


def test_a_head_that_was_noted_elsewhere_shows_that_the_newest_entry_was_taken_back_with_the_head(
    app,
):
    enter(2)
    before, head = sealed_head(), audit_chain.verify().head
    enter(1)
    assert audit_chain.verify(head).knows_head
    head = audit_chain.verify().head
    tamper("DELETE FROM audit WHERE id = 3")
    put_back(before)
    assert audit_chain.verify().is_whole
    assert audit_chain.verify(head).knows_head is False


@pytest.mark.parametrize("moment", ["before the entries", "after the entries"])
def test_entries_that_are_added_during_a_verification_do_not_break_it(app, monkeypatch, moment):
    enter(3)
    read = audit_chain.read_entries

    def while_others_write():
        if moment == "before the entries":
            enter(2)
        yield from read()
        if moment == "after the entries":
            enter(2)

    monkeypatch.setattr(audit_chain, "read_entries", while_others_write)
    assert audit_chain.verify().broken_id is None


def test_entries_from_before_the_chain_are_taken_over_by_the_next_one(app):
    for number in range(1, 4):
        tamper(
            (
                "INSERT INTO audit (id, at, actor, action, subject) "
                "VALUES (?, 5, 'ada', 'old.thing', 'x')"
            ),
            number,
        )
    assert (audit_chain.verify().unchained, audit_chain.verify().broken_id) == (3, None)
    enter(1)
    last, begin, *old = audit.list_page(Page())["data"]
    assert (last["action"], begin["action"], begin["after"]) == (
        "rule.done",
        "audit.begin",
        {"entriesBefore": 3},
    )
    assert len(old) == 3 and audit_chain.verify().entries == 5
    tamper("UPDATE audit SET actor = 'bob' WHERE id = 1")
    assert audit_chain.verify().broken_id == 1


def test_threads_write_one_chain(app):
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda _: enter(5), range(8)))
    assert (audit_chain.verify().entries, audit_chain.verify().broken_id) == (40, None)


WRITER = """
import sys
from pathlib import Path
from svc.domain.audit import audit
from svc.store.database import db, open_database
open_database(Path(sys.argv[1]))
for number in range(20):
    with audit.recording(audit.Actor(None, "a process"), "rule.done", str(number), number):
        pass
db.close()
"""


@pytest.mark.sqlite("its processes open the file")
def test_processes_write_one_chain(app):
    path = app.extensions["svc"].settings.database
    running = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path)], cwd=ROOT) for _ in range(2)
    ]
    enter(20)
    assert [each.wait(60) for each in running] == [0, 0]
    assert (audit_chain.verify().entries, audit_chain.verify().broken_id) == (60, None)


def test_an_erased_partner_leaves_a_chain_that_is_whole_without_names_and_values(
    app, owner, partner, clock
):
    mine = partner.seeded["partnerId"]
    ada = Actor(owner.user_id, "Ada Lovelace")
    with audit.recording(
        ada,
        "webhook.add",
        "https://ada.example",
        clock(),
        partner_id=mine,
        after={"url": "https://ada.example"},
    ):
        pass
    enter(2, partner_id=mine, after={"note": "ada.example"})
    enter(1)
    partner_records.erase(mine, "Kettle & Co", US, clock())
    verdict = audit_chain.verify()
    assert verdict.broken_id is None and verdict.redacted >= 3
    log = audit.list_page(Page(100))["data"]
    assert "ada.example" not in str(log) and "Lovelace" not in str(log)
    mine_alone = [each for each in log if each["partnerId"] == mine]
    assert {"webhook.add", "rule.done", "partner.erase"} <= {each["action"] for each in mine_alone}
    assert {each["actor"] for each in mine_alone if each["action"] == "rule.done"} == {US.name}
    tamper("UPDATE audit SET actor = 'bob' WHERE action = 'webhook.add'")
    assert audit_chain.verify().broken_id


def test_a_rotated_ring_goes_on_with_the_chain_and_a_retired_key_leaves_it_whole(app, secret):
    enter(2)
    add_signing_key(secret)
    enter(2)
    assert [row["key_version"] for row in audit_chain.read_entries()] == [1, 1, 2, 2]
    key_retirement.retire(secret, 1, US, 5)
    assert {row["key_version"] for row in audit_chain.read_entries()} == {2}
    assert (audit_chain.verify().entries, audit_chain.verify().broken_id) == (5, None)


def test_retiring_a_key_does_not_vouch_for_what_was_tampered_with_before(app, secret):
    enter(3)
    tamper("UPDATE audit SET actor = 'bob' WHERE id = 2")
    add_signing_key(secret)
    key_retirement.retire(secret, 1, US, 5)
    assert audit_chain.verify().broken_id == 2


def test_rotations_and_activations_through_the_api_are_entered_with_their_key_and_without_a_secret(
    partner,
):
    made = body(partner.post("/v1/partners/keys/rotate"))
    [entry] = audit.list_page(Page(), action="key.rotate")["data"]
    assert entry["partnerId"] == partner.seeded["partnerId"] and partner.key[:15] in entry["actor"]
    assert entry["after"] == {"prefix": made["keyPrefix"]} and made["apiKey"] not in str(entry)


def test_a_rotation_that_is_refused_is_not_entered(partner):
    partner.post("/v1/partners/keys/rotate")
    assert partner.post("/v1/partners/keys/rotate").status_code == 409
    assert len(audit.list_page(Page(), action="key.rotate")["data"]) == 1
