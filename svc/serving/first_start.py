"""Notes why gunicorn ends before its first worker, such as where its address is taken: what ends
later, a worker notes.
"""

import atexit
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from svc.base import clock
from svc.base.errors import StartRefused
from svc.base.processes import owner
from svc.domain.monitoring import start_notes
from svc.serving import options


def note_failure(gunicorn: Any, data_dir: Path) -> None:
    """Note at the end of this process that it could not start, if it has begun no worker by then.

    gunicorn ends by SystemExit there, after lines that say why.
    """
    atexit.register(_record_failure, gunicorn, data_dir, os.getpid())


def _record_failure(gunicorn: Any, data_dir: Path, process: int) -> None:
    is_begun = gunicorn.worker_age > 0
    if not is_begun and os.getpid() == process:  # no worker, which inherits this call
        record(data_dir, _explain(gunicorn.cfg))


def _explain(cfg: Any) -> str:
    try:
        options.check_options(cfg)
    except options.Refused as refused:
        return str(refused)
    return f"Nothing can listen at {', '.join(cfg.bind)}: the log says why."


def record(data_dir: Path, why: str) -> None:
    """Note why gunicorn cannot start, unless another one serves the data directory."""
    if start_notes.is_served(data_dir):
        return
    with suppress(StartRefused, OSError):  # the note is the service's, also if root makes it
        owner.become_owner(data_dir)
    start_notes.record(data_dir, why, clock.now())
