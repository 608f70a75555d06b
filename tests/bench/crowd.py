"""Fills a database with other partners' business in a few statements:
copies of rows that are there, told apart by number.
"""

from svc.base import clock
from svc.store import database
from svc.store.database import db
from svc.store.engine.sqlite_driver import sqlite3

PARTNERS, PRODUCTIONS, REQUESTS, DAYS = 2_000, 1_000_000, 5_000_000, 30
SAID = f"{PRODUCTIONS:,} productions, {REQUESTS:,} requests, {PARTNERS:,} partners"

_ID = "printf('00000000-0000-7000-8000-%012x', {})"
_WHO = "iif(i % 20 = 0, 0, i % {partners} + 1)"  # 0 is the one who asks
_NUMBERS = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})"
_WITHOUT_INDEXES = ("productions", "requests", "events", "deliverables")


def gather(account_id: str, now: int) -> None:
    """Fill the open database around the owner of an account, whose rows are the models;
    everything is older than ``now``.
    """
    path = db.path()
    db.close()
    connection = sqlite3.connect(path, isolation_level=None)
    for pragma in (
        "journal_mode = off",
        "synchronous = off",
        "foreign_keys = off",
        "cache_size = -1000000",
    ):
        connection.execute(f"PRAGMA {pragma}")
    marks = ", ".join(f"'{each}'" for each in _WITHOUT_INDEXES)
    indexes = connection.execute(
        f"SELECT name, sql FROM sqlite_master WHERE tbl_name IN ({marks}) "
        "AND sql LIKE 'CREATE INDEX%'"
    ).fetchall()
    for name, _ in indexes:
        connection.execute(f"DROP INDEX {name}")
    connection.execute("BEGIN")
    _fill(connection, account_id, now)
    connection.execute("COMMIT")
    for _, sql in indexes:
        connection.execute(sql)
    connection.execute("PRAGMA journal_mode = wal")
    connection.close()
    database.open_database(path)


def _fill(connection, account_id: str, now: int) -> None:
    connection.execute(
        (
            "CREATE TEMP TABLE crowd AS SELECT 0 AS who, partner_id, id AS account_id, "
            "customer_id FROM accounts WHERE id = ?"
        ),
        (account_id,),
    )
    ids = ", ".join(_ID.format(f"i * 10 + {kind}") for kind in range(3))
    connection.execute(
        f"{_NUMBERS.format(count=PARTNERS)} INSERT INTO crowd SELECT i, {ids} FROM n"
    )
    connection.execute("CREATE UNIQUE INDEX temp.crowd_by_number ON crowd (who)")
    crowd = "crowd WHERE who > 0"
    _copy(connection, "partners", crowd, id="partner_id")
    _copy(connection, "customers", crowd, id="customer_id", partner_id="crowd.partner_id")
    _copy(
        connection,
        "accounts",
        crowd,
        f"id = '{account_id}'",
        id="crowd.account_id",
        partner_id="crowd.partner_id",
        customer_id="crowd.customer_id",
    )
    _copy(
        connection,
        "subscriptions",
        crowd,
        id=_ID.format("who * 10 + 3"),
        partner_id="crowd.partner_id",
    )
    theirs = {"partner_id": "crowd.partner_id", "account_id": "crowd.account_id"}
    production, made_at = (
        _ID.format("1000000000 + i"),
        f"{now - DAYS * clock.DAY} + i * {DAYS * clock.DAY // PRODUCTIONS}",
    )
    many = _numbered(PRODUCTIONS)
    _copy(
        connection,
        "productions",
        many,
        id=production,
        customer_id="crowd.customer_id",
        created_at=made_at,
        **theirs,
    )
    _copy(connection, "events", many, production_id=production, at=made_at, **theirs)
    _copy(
        connection, "deliverables", many, production_id=production, id=_ID.format("3000000000 + i")
    )
    connection.execute(f"""
        {_NUMBERS.format(count=REQUESTS)} INSERT INTO requests (request_id, partner_id, at, counted,
                                                                method, path, status_code,
            duration_ms, key_prefix, correlation_id)
        SELECT {_ID.format("5000000000 + i")}, partner_id,
            {now - DAYS * clock.DAY} + i * {DAYS * clock.DAY // REQUESTS}, 1,
            'GET', '/v1/partner/accounts', iif(i % 1000 < 2, 404, 200), 1.5, 'svc_live_abcd',
                {_ID.format("i")}
        FROM n CROSS JOIN crowd ON crowd.who = {_WHO.format(partners=PARTNERS)}
    """)
    days = (
        f"crowd CROSS JOIN ({_NUMBERS.format(count=DAYS)} "
        f"SELECT date({now} / 1000, 'unixepoch', -i || ' days') AS day FROM n)"
    )
    connection.execute(
        "INSERT OR IGNORE INTO usage_days (partner_id, day, requests, status2xx) "
        f"SELECT partner_id, day, 9, 9 FROM {days}"
    )
    connection.execute(
        "INSERT OR IGNORE INTO production_days (account_id, day, triggered) "
        f"SELECT account_id, day, 3 FROM {days}"
    )


def _numbered(count: int) -> str:
    who = _WHO.format(partners=PARTNERS)
    return f"({_NUMBERS.format(count=count)} SELECT i FROM n) CROSS JOIN crowd ON crowd.who = {who}"


def _copy(connection, table: str, source: str, which: str = "TRUE", **changed: str) -> None:
    """Copy one row of a table for each row of ``source``, with the columns that tell the
    copies apart changed.
    """
    names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    values = ", ".join(changed.get(name, f"model.{name}") for name in names)
    model = f"(SELECT * FROM {table} WHERE {which} LIMIT 1) AS model"
    connection.execute(f"INSERT INTO {table} SELECT {values} FROM {model} CROSS JOIN {source}")
