"""Whether the servers and workers of one database keep their files in one place."""

from svc.base.errors import StartRefused
from svc.base.settings import Settings
from svc.domain.monitoring import workers
from svc.domain.tables.productions import ShownWorker
from svc.store import meta
from svc.store.database import db

_NONE = "no bucket"
_KILLED = f"one that was killed counts as running for {workers.SILENT_AFTER // 1000} seconds"


def require(settings: Settings, now: int) -> None:
    """StartRefused: others that run on the same database keep the files elsewhere,
    so that neither would find the other's.
    """
    if not (place := db.place()):
        return
    if difference := describe_difference(settings.storage_url, meta.read_texts("storage_url"), now):
        raise StartRefused(
            f"{difference} Give all servers and workers the same SVC_STORAGE_URL, or stop all of "
            f"them before it is changed ({_KILLED})."
        )
    others = [each for each in _servers(now) if not each["id"].startswith(place)]
    if others and not settings.storage_url:
        raise StartRefused(
            f"A server on {others[0]['hostname']} works on this database, too, and neither would "
            "find the files that the other makes: set SVC_STORAGE_URL to one bucket for all of "
            f"them, or stop that one first ({_KILLED})."
        )


def describe_difference(own: str, recorded: dict[str, str], now: int) -> str:
    """Return a sentence on the difference; empty if there is none, or if no server runs.

    ``recorded``: values of meta.
    """
    theirs = recorded.get("storage_url", "")
    if theirs == own or not _servers(now):
        return ""  # the servers that run recorded it
    return (
        f"SVC_STORAGE_URL is {own or _NONE} here, and {theirs or _NONE} where the others on this "
        "database run."
    )


def _servers(now: int) -> list[ShownWorker]:
    """Return the servers that run."""
    return [
        each
        for each in workers.list_with_steps(now)
        if each["role"] == "driver" and not each["is_silent"]
    ]
