"""The application for machines that ask a great deal: no budget runs out, every name resolves, and
cancelling is done at once.

What gunicorn loads in the contract tests; the rules that are lifted here have tests of their own.
"""

from pathlib import Path

from support import plain_sql

from app import create_app
from svc.adapters import addresses
from svc.base import clock, settings
from svc.domain import tiers
from svc.domain.lifecycle import endings
from svc.domain.webhooks import long_polls, subscriptions

_PLENTY = 10**9


def _finish_cancels() -> None:
    """What the engine does while the cancelling call waits for it."""
    for row in plain_sql.rows("SELECT id FROM productions WHERE cancel_token IS NOT NULL"):
        endings.finish_cancel(row["id"], clock.now())


def _check_url(url: str, partner_id: str) -> None:
    addresses.check_url(url, (), lambda _host, _seconds: ["93.184.215.14"])


def make(given: settings.Settings):
    """The application with room."""
    tiers.TIERS["Enterprise"] = tiers.Tier(_PLENTY, None, None)
    subscriptions.MOST_ACTIVE = _PLENTY
    subscriptions.PING_INTERVAL = _PLENTY
    long_polls.room._sleep = lambda _version, _deadline: _finish_cancels()
    app = create_app(given)
    service = app.extensions["svc"]
    object.__setattr__(service, "check_url", _check_url)
    return app


def app_of(data_dir: str, base_url: str):
    """For ``gunicorn 'tests.contract.spacious:app_of("…", "…")'``."""
    return make(settings.read({}, data_dir=Path(data_dir), base_url=base_url))
