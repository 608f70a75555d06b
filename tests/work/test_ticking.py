"""When ticks are due after the clock was set."""

from datetime import UTC, datetime, timedelta

import pytest

from svc.work.ticking import Interval

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.mark.parametrize("missed", [timedelta(seconds=5), timedelta(days=40), timedelta(days=9000)])
def test_what_was_missed_is_passed_over_in_one_step(missed):
    every = Interval(seconds=10, timezone=UTC)
    last = NOON - timedelta(seconds=5)
    due = every.get_next_fire_time(last, last + missed)
    assert last + missed < due <= last + missed + timedelta(seconds=10)
    assert (due - last) % timedelta(seconds=10) == timedelta()


def test_a_tick_that_was_not_missed_is_due_after_its_interval():
    every = Interval(seconds=10, timezone=UTC)
    assert every.get_next_fire_time(NOON, NOON) == NOON + timedelta(seconds=10)
