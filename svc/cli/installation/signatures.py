"""What the commands ``verify`` and ``identity`` share: the process that loads the libraries of
signatures, and this installation's secret.
"""

import json

from svc.base import settings
from svc.base.errors import CommandError
from svc.base.processes.entry_points import Process
from svc.base.processes.module_process import run_module


def find_secret_in() -> str:
    """Return this installation's data directory; empty if there is no installation yet."""
    folder = settings.read().data_dir
    return str(folder) if (folder / "secret").is_file() else ""


def run_job(job: dict) -> dict:
    """Return the answer of the process that loads the libraries. CommandError: it gives none."""
    completed = run_module(Process.VERIFICATION, given=job, shows_errors=True)
    if completed.returncode:
        raise CommandError("The files could not be checked; the error is shown above.")
    answer = json.loads(completed.stdout)
    if "error" in answer:
        raise CommandError(answer["error"])
    return answer
