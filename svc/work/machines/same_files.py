"""Whether the servers and workers of one database keep their files in one place."""

from svc.base.errors import StartRefused
from svc.base.settings import Settings
from svc.domain.monitoring import workers
from svc.store import database, meta

_NONE = "no bucket"


def require(settings: Settings, now: int) -> None:
    """StartRefused: others that run on the same database keep the files elsewhere,
    so that neither would find the other's.
    """
    if database.place() and (
        difference := differs(settings.storage_url, meta.texts("storage_url"), now)
    ):
        raise StartRefused(
            f"{difference} Give all servers and workers the same SVC_STORAGE_URL, or stop all of "
            "them before it is changed (one that was killed counts as running for "
            f"{workers.SILENT // 1000} seconds)."
        )


def differs(own: str, recorded: dict[str, str], now: int) -> str:
    """Return a sentence on the difference; empty if there is none, or if no server drives.

    ``recorded``: values of meta.
    """
    theirs = recorded.get("storage_url", "")
    if theirs == own or not any(
        each["role"] == "driver" and not each["is_silent"] for each in workers.shown(now)
    ):
        return ""  # the server that drives recorded it
    return (
        f"SVC_STORAGE_URL is {own or _NONE} here, and {theirs or _NONE} where the others on this "
        "database run."
    )
