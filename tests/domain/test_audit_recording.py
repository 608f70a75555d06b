"""An action of people and its entry in the audit log are one transaction."""

import json

import pytest
from support import plain_sql

from svc.domain.audit import audit
from svc.domain.audit.audit import Actor
from svc.domain.monitoring import maintenance
from svc.store.database import db

pytestmark = pytest.mark.usefixtures("app")
US = Actor("u1", "ada@example.com")


def entries() -> list[tuple]:
    names = "at, actor_id, actor, action, partner_id, subject_id, subject, before, after"
    shown = plain_sql.rows(f"SELECT {names} FROM audit WHERE action = 'rule.move'")
    return [tuple(row) for row in shown]


def test_an_entry_says_who_did_what_to_what(clock):
    values = {"before": {"phase": "new", "kept": 1}, "after": {"phase": "full", "kept": 1}}
    with audit.recording(
        US, "rule.move", "The moon", clock(), subject_id="m", partner_id="p", **values
    ):
        pass
    told = (clock(), US.id, US.name, "rule.move", "p", "m", "The moon")
    assert entries() == [(*told, '{"phase": "new"}', '{"phase": "full"}')]


def test_the_block_describes_what_it_learns(clock):
    with audit.recording(US, "rule.move", None, clock()) as entry:
        entry.describe("The moon", subject_id="m", partner_id="p", before={"phase": "new"})
        entry.after = {"phase": "full"}
    [(*_, partner_id, subject_id, subject, before, after)] = entries()
    assert (partner_id, subject_id, subject) == ("p", "m", "The moon")
    assert (json.loads(before), json.loads(after)) == ({"phase": "new"}, {"phase": "full"})


def test_the_change_and_its_entry_are_undone_together(clock):
    with pytest.raises(ZeroDivisionError), audit.recording(US, "rule.move", "The moon", clock()):
        maintenance.set_maintenance(True)
        raise ZeroDivisionError
    assert entries() == [] and maintenance.retry_after() is None


def test_an_entry_without_a_subject_undoes_the_change(clock):
    with pytest.raises(ValueError, match=r"rule\.move describes no subject"):
        with audit.recording(US, "rule.move", None, clock()):
            maintenance.set_maintenance(True)
    assert entries() == [] and maintenance.retry_after() is None


def test_the_entry_is_of_the_outer_transaction(clock):
    with pytest.raises(ZeroDivisionError), db.transaction():
        with audit.recording(US, "rule.move", "The moon", clock()):
            pass
        raise ZeroDivisionError
    assert entries() == []


def test_what_changed_nothing_can_be_left_out(clock):
    with audit.recording(US, "rule.move", "The moon", clock()) as entry:
        entry.omit()
    assert entries() == []


def test_an_action_of_an_unlisted_kind_is_refused(clock):
    """People look for entries by the kinds that the filter offers."""
    with pytest.raises(ValueError, match=r"add moon to audit\.KINDS"):
        with audit.recording(US, "moon.move", "The moon", clock()):
            maintenance.set_maintenance(True)
    assert entries() == [] and maintenance.retry_after() is None
