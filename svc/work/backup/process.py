"""The backup process: makes an incremental backup
and prunes (``python -m svc.work.backup.process``).
"""

import signal
import sys
from pathlib import Path

from svc.base.errors import CommandError
from svc.base.processes import confinement
from svc.base.processes.exit_status import WITH_WARNING
from svc.work.backup import incremental

_PATIENCE = 600.0  # seconds to wait for another backup


def _run_backup(data_dir: str, place: str, keep: str, recipients: str) -> int:
    confinement.lower_priority()
    # an exception, so that partial files are removed
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        repo = incremental.open_scheduled(Path(data_dir), place, recipients)
        written = incremental.add_backup(Path(data_dir), repo, keep=int(keep), patience=_PATIENCE)
    except (CommandError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    if warning := incremental.describe_gaps(written.missing, written.damaged, written.recovered):
        print(warning, file=sys.stderr)
        return WITH_WARNING
    return 0


if __name__ == "__main__":
    sys.exit(_run_backup(*sys.argv[1:]))
