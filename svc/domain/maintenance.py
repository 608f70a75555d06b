"""Maintenance mode: an operator's switch that makes the API answer 503."""

from svc.store import database

_RETRY_SECONDS = 60

one_turn = database.turn  # for the guard, which asks several things of the domain in a row


def retry_after() -> int | None:
    """Seconds to wait while the service is under maintenance; None when it is not."""
    on = database.row("SELECT value FROM meta WHERE name = 'maintenance'")
    return _RETRY_SECONDS if on and on["value"] == "on" else None


def switch(on: bool) -> None:
    """Begin or end maintenance, for every process at once."""
    with database.write():
        database.execute("INSERT OR REPLACE INTO meta VALUES ('maintenance', ?)", ("on" if on else "off",))
