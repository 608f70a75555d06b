"""The life cycle of productions: its table of transitions is obeyed, is documented,
and stands in one module alone.
"""

import ast
import re
from pathlib import Path

import pytest
from support import plain_sql
from support.cast import body
from support.stage import claim, complete_steps

from svc.base import states
from svc.domain.lifecycle import lifecycle
from svc.domain.lifecycle.lifecycle import TRANSITIONS, Cause
from svc.domain.partners import admin as partner_admin
from svc.store.claims import LostClaim
from svc.store.database import Row, db
from tests.support.documents import require_table

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "svc").rglob("*.py"))
TABLE_BY_NAME = "svc/domain/partners/admin.py"  # writes UPDATE {table}: see the test about it
_UPDATE = re.compile(
    (
        r"\bUPDATE\s+(?:OR\s+\w+\s+)?[\"`]?(?:productions|"
        r"\{\})[\"`]?(?:\s+AS\s+\w+)?\s+SET\s+(.*?)(?:\bWHERE\b|\bFROM\b|\bRETURNING\b|$)"
    ),
    re.I | re.S,
)
_INSERT = re.compile(r"\b(?:INSERT(?:\s+OR\s+\w+)?|REPLACE)\s+INTO\s+[\"`]?productions\b", re.I)


_COLUMN = re.compile(r"\b_?(?:Production|PRODUCTION)\b")
_OF_MODEL = re.compile(
    r"(?:\w+\.)?_?(?:Production|PRODUCTION)\.(update|insert|insert_many|insert_from|replace)"
)


def writes_of(source: str) -> list[str]:
    """The columns of this table's life cycle that a module's SQL writes;
    "?" where the text does not say which it writes.
    """
    tree = ast.parse(source)
    found = [each for text in strings_of(tree) for each in written_by(text)]
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    found += [name for call in calls for name in _written_by_model(call)]
    insertions = [
        ast.unparse(each) for each in calls if ast.unparse(each.func).endswith("Insertion")
    ]
    return found + ["?" for each in insertions if _COLUMN.search(each)]


def _written_by_model(call: ast.Call) -> list[str]:
    """What a query of the model Production, under any of the names that modules give it,
    writes of the columns.
    """
    if not (found := _OF_MODEL.fullmatch(ast.unparse(call.func))):
        return []
    if found[1] != "update" or call.args:
        return ["?"]
    names = [keyword.arg for keyword in call.keywords]
    return [name or "?" for name in names if name is None or name in lifecycle.OWN_COLUMNS]


def strings_of(tree: ast.AST) -> list[str]:
    """Every string, with ``{}`` for what an f-string fills in."""
    return [
        "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
        if isinstance(node, ast.JoinedStr)
        else node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        or (isinstance(node, ast.Constant) and isinstance(node.value, str))
    ]


def written_by(sql: str) -> list[str]:
    found = ["?"] if _INSERT.search(sql) else []
    # arguments and subqueries have commas and FROM, too
    while sql != (sql := re.sub(r"\([^()]*\)", "", sql)):
        pass
    for assigned in _UPDATE.findall(sql):
        for each in assigned.split(","):
            name, equals, _ = each.partition("=")
            if not equals or not re.fullmatch(r"\w+", name.strip()):
                found.append("?")
            elif name.strip().lower() in lifecycle.OWN_COLUMNS:
                found.append(name.strip())
    return found


@pytest.mark.slow
def test_no_other_module_writes_the_columns_of_the_life_cycle():
    writing = {
        str(path.relative_to(ROOT)) for path in SOURCES if writes_of(path.read_text("utf-8"))
    }
    assert writing - {TABLE_BY_NAME} == {str(Path(lifecycle.__file__).relative_to(ROOT))}


def test_the_module_that_names_its_tables_at_run_time_does_not_name_productions():
    kinds = [each for each in vars(partner_admin).values() if isinstance(each, partner_admin.Kind)]
    assert {each.model._meta.table_name for each in kinds} == {"partners", "customers", "accounts"}


@pytest.mark.parametrize(
    "source",
    [
        "sql = \"UPDATE productions SET title = 'x', status = 'Failed' WHERE id = ?\"",
        "sql = 'UPDATE productions AS p SET claim_until = 1'",
        "sql = f'UPDATE {table} SET claim_token = NULL'",
        "sql = f'UPDATE productions SET {assignments} WHERE id = ?'",
        "sql = 'UPDATE productions SET (title, status) = (?, ?)'",
        "sql = 'UPDATE productions SET title = max(?, 1), updated_at = max(?, updated_at + 1)'",
        "sql = 'UPDATE productions SET title = (SELECT name FROM accounts), updated_at = 1'",
        "query = Insertion([models.Production.id, models.Production.title])",
        "sql = 'INSERT INTO productions (id) VALUES (?)'",
        "query = Production.update(title='x', status='Failed')",
        "query = models.Production.update({'status': 'Failed'})",
        "query = _PRODUCTION.update(**changes)",
        "query = Production.insert(slots('id'))",
    ],
)
def test_a_write_elsewhere_is_seen(source):
    assert writes_of(source)


@pytest.mark.parametrize(
    "source",
    [
        "sql = 'UPDATE productions SET lane = 0 WHERE status = ?'",
        (
            "sql = 'UPDATE productions SET not_before = iif(not_before < 1, 2, 3) "
            "WHERE updated_at < ?'"
        ),
        "sql = 'UPDATE publications SET status = ?'",
        "sql = 'SELECT status FROM productions'",
        "query = Production.update(lane=0).where(Production.status == 'Queued')",
        "query = Publication.update(status='Failed')",
    ],
)
def test_what_writes_other_columns_is_left_alone(source):
    assert writes_of(source) == []


@pytest.fixture
def production(partner):
    """The id of a production of a live account, which waits for its release."""
    return body(partner.live().trigger())["productionId"]


def place(production: str, status: str, **columns) -> None:
    """Put a production into any status, as no program would."""
    columns = {
        "status": status,
        "cancel_token": None,
        "released_at": None,
        "claim_token": None,
        **columns,
    }
    assignments = ", ".join(f"{name} = ?" for name in columns)
    with db.transaction():
        plain_sql.execute(
            f"UPDATE productions SET {assignments} WHERE id = ?", (*columns.values(), production)
        )


def row_of(production: str) -> Row:
    return plain_sql.row("SELECT * FROM productions WHERE id = ?", (production,))


FULFILLED = {
    lifecycle.HELD: {"claim_token": "mine"},
    lifecycle.UNCANCELLED: {},
    lifecycle.UNRELEASED: {},
    lifecycle.RELEASED: {"released_at": 1},
    lifecycle.REVIEWED: {"review": "Awaited"},
    lifecycle.CANCELLING: {"cancel_token": "x"},
}
VIOLATED = {
    lifecycle.HELD: [
        {"claim_token": "another's"},
        {"claim_token": None},
        {"claim_token": "mine", "cancel_token": "x"},
    ],
    lifecycle.UNCANCELLED: [{"cancel_token": "x"}],
    lifecycle.UNRELEASED: [{"cancel_token": "x"}, {"released_at": 1}],
    lifecycle.RELEASED: [{}, {"released_at": 1, "cancel_token": "x"}],
    lifecycle.REVIEWED: [{}, {"review": "Approved"}, {"review": "Awaited", "cancel_token": "x"}],
    lifecycle.CANCELLING: [{}],
}
MOVES = [cause for cause in TRANSITIONS if cause is not Cause.TRIGGERED]


@pytest.mark.parametrize("cause", MOVES)
def test_a_transition_is_made_from_its_statuses_and_from_no_other(production, clock, cause):
    transition = TRANSITIONS[cause]
    for status in states.PRODUCTION_STATES:
        place(production, status, **FULFILLED[transition.condition])
        before = row_of(production)
        with db.transaction():
            moved = lifecycle.move(production, cause, clock(), "mine")
        after = row_of(production)
        assert moved is (status in transition.sources)
        assert after["status"] == (transition.target if moved else status)
        assert (after["updated_at"] > before["updated_at"]) is moved


@pytest.mark.parametrize("cause", MOVES)
def test_a_transition_is_not_made_where_its_condition_does_not_hold(production, clock, cause):
    transition = TRANSITIONS[cause]
    for columns in VIOLATED[transition.condition]:
        place(production, transition.sources[0], **columns)
        with db.transaction():
            assert not lifecycle.move(production, cause, clock(), "mine")
        assert row_of(production)["status"] == transition.sources[0]


def test_a_transition_that_is_not_in_the_table_is_not_made(production, clock, monkeypatch):
    monkeypatch.setattr(lifecycle, "TRANSITIONS", {})
    with pytest.raises(KeyError), db.transaction():
        lifecycle.move(production, Cause.EXPIRED, clock())
    assert row_of(production)["status"] == "Queued"


def test_nothing_leaves_a_terminal_status():
    assert (
        not {source for each in TRANSITIONS.values() for source in each.sources}
        & states.TERMINAL_STATES
    )
    assert {each.target for each in TRANSITIONS.values()} == set(states.PRODUCTION_STATES)


def test_the_claim_ends_with_the_work(production, clock):
    complete_steps(clock)
    assert row_of(production)["claim_token"] is None
    place(production, "Producing", claim_token="mine", claim_boot="x", claim_until=clock() + 1)
    with db.transaction():
        assert lifecycle.move(production, Cause.STEP_FAILED, clock(), "mine")
    ended = row_of(production)
    assert (ended["claim_token"], ended["claim_boot"], ended["claim_until"]) == (None, None, None)
    assert ended["finished_at"] == clock()


def test_the_callers_of_a_change_do_not_set_the_columns_of_the_life_cycle(production, clock):
    held = claim(clock)
    for change in (
        lambda: lifecycle.move(production, Cause.EXPIRED, clock(), updated_at=0),
        lambda: lifecycle.renew_lease(held, clock(), status="Published"),
        lambda: lifecycle.set_held(held, claim_until=2**62),
    ):
        with pytest.raises(ValueError, match="lifecycle alone"), db.transaction():
            change()


def test_a_change_under_a_lost_claim_raises(production, clock):
    held = claim(clock)
    place(production, "Queued", claim_token="another's")
    for change in (
        lambda: lifecycle.renew_lease(held, clock(), step_fraction=0.5),
        lambda: lifecycle.set_held(held, not_before=0),
        lambda: lifecycle.note_change(held, clock()),
        lambda: lifecycle.postpone(held, clock(), clock() + 1),
    ):
        with pytest.raises(LostClaim), db.transaction():
            change()


def test_the_documentation_shows_the_table():
    require_table(
        "docs/architecture.md",
        lifecycle.START,
        lifecycle.END,
        "svc.domain.lifecycle.lifecycle.format_table()",
        lifecycle.format_table(),
    )
