"""Makes an incremental backup and prunes: a process of its own (``python -m svc.work.backup.process``)."""

import signal
import sys
from pathlib import Path

from svc.base.errors import CommandError
from svc.base.processes import confinement
from svc.work.backup import incremental

_PATIENCE = 600.0  # seconds for another backup that is being made


def _main(data_dir: str, place: str, keep: str, recipients: str) -> int:
    confinement.lower_priority()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that nothing half done is left
    try:
        repo = incremental.repository(place, [each for each in recipients.split(",") if each])
        incremental.make(Path(data_dir), repo, keep=int(keep), patience=_PATIENCE)
    except (CommandError, OSError) as failed:
        print(failed, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(_main(*sys.argv[1:]))
