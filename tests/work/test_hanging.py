"""A real endpoint that accepts and never answers, real threads, the real engine; only the waits are shorter, to a tenth."""

import functools

import pytest

from svc.adapters.http import Sender
from svc.domain.webhooks import outbox
from svc.work.machines import standby
from tests.bench import hanging

PACE = 10
TIMEOUT = 15 / PACE  # seconds
PER_MINUTE = 240


@pytest.mark.slow
def test_retries_at_an_endpoint_that_never_answers_are_sent_when_they_are_due(tmp_path, monkeypatch):
    monkeypatch.setattr(
        outbox,
        "RETRIES",
        {failures: (counted_from, delay // PACE) for failures, (counted_from, delay) in outbox.RETRIES.items()},
    )
    monkeypatch.setattr(standby, "Sender", functools.partial(Sender, seconds=TIMEOUT))
    found = hanging.run(tmp_path / "data", PER_MINUTE, TIMEOUT, beyond=3)
    assert max(sum(found.late.values(), [])) < hanging.ASKED_LATE
    assert [len(found.late[number]) > 20 for number in (2, 3)] == [True, True] and len(found.late[4]) >= 10
    assert 0 <= found.suspended < hanging.ASKED_LATE and 0 <= found.warned < hanging.ASKED_LATE
    assert max(found.took) < hanging.ASKED_LATE
