"""Workers as processes of their own, each with its own directory,
as they would be on machines of their own.
"""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from tests.support.documents import ROOT


class WorkerProcess:
    """``python app.py worker``; a context manager. ``root``: of the program."""

    program: tuple[str, ...] = ("app.py",)
    root = ROOT

    def __init__(self, data_dir: Path, secret: Path, *arguments: str, **settings: str):
        data_dir.mkdir(mode=0o700, exist_ok=True)
        shutil.copy(secret, data_dir)
        outer = {name: value for name, value in os.environ.items() if not name.startswith("SVC_")}
        self._environment = outer | {"SVC_DATA_DIR": str(data_dir)} | settings
        self._arguments, self.log = arguments, data_dir / "worker.log"

    def __enter__(self) -> "WorkerProcess":
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, *self.program, "worker", *self._arguments],
                cwd=self.root,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.terminate()
            try:
                self.process.wait(20)
            finally:
                self.kill()

    def kill(self) -> None:
        """End it at once, as a loss of power would; its children end when they notice."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def told(self) -> str:
        """Return what it has printed."""
        return self.log.read_text("utf-8", "replace")


class WaitingWorker(WorkerProcess):
    """A worker whose steps only wait, for ``WAIT_SECONDS`` of its settings."""

    program = ("-m", "tests.support.waiting_worker")
