"""Maintenance mode: an operator's switch that makes the API answer 503."""

from svc.store import database

_RETRY_SECONDS = 60

_seen: tuple[int | None, bool] = (None, False)  # access version of the database, and whether maintenance was on in it


def retry_after() -> int | None:
    """Seconds to wait while the service is under maintenance; None when it is not."""
    global _seen
    version = database.access_version()
    seen, on = _seen
    if version is None or seen != version:
        row = database.row("SELECT value FROM meta WHERE name = 'maintenance'")
        on = row is not None and row["value"] == "on"
        _seen = version, on
    return _RETRY_SECONDS if on else None


def switch(on: bool) -> None:
    """Begin or end maintenance, for every process at once."""
    with database.write():
        database.execute("INSERT OR REPLACE INTO meta VALUES ('maintenance', ?)", ("on" if on else "off",))
