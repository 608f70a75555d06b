"""What gunicorn loads where the clock is set while it runs:
everything of ours that asks for the time gets the told one.
"""

import atexit
import datetime
import os
import time
from pathlib import Path

import apscheduler.executors.base
import apscheduler.schedulers.base

import svc.work.engine
from app import create_app, start_engine
from svc.base import logs, settings


def _ahead() -> float:
    return float(Path(os.environ["CLOCK_FILE"]).read_text())


class _Datetime(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return datetime.datetime.now(tz) + datetime.timedelta(seconds=_ahead())


for module in (apscheduler.executors.base, apscheduler.schedulers.base, svc.work.engine):
    module.datetime = _Datetime

given = settings.read()
logs.install(given.log_format)
app = create_app(given, lambda: time.time_ns() // 1_000_000 + round(1000 * _ahead()))
atexit.register(app.extensions["svc"].recorder.stop)
start_engine(app)
