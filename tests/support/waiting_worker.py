"""``python -m tests.support.waiting_worker --steps 1``: a worker whose steps only wait, for
WAIT_SECONDS each.

All else is real: claims, leases, signs of life, the bucket, the commits. What the steps would leave
is small.
"""

import os
import time

from svc.cli import run
from svc.work.step_process import runner
from tests.support.left_files import leave_files

_SECONDS = float(os.environ.pop("WAIT_SECONDS", "1"))


def _run(name, folder, _timeout, heard, *_given):
    until = time.monotonic() + _SECONDS
    while (left := until - time.monotonic()) > 0:
        heard(1 - left / _SECONDS)
        time.sleep(min(left, 0.25))
    return leave_files(name, folder)


if __name__ == "__main__":
    runner.run_step = _run
    run.run(lambda: None)
