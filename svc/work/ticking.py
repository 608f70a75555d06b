"""When ticks are due: at an interval, and once for all times that were missed."""

from datetime import datetime, timedelta

from apscheduler.triggers.interval import IntervalTrigger


class Interval(IntervalTrigger):  # type: ignore[misc]
    """An interval that passes over what was missed in one step.

    The library's own lists each missed time, though only one run follows: after a clock was set
    ahead by 40 days, a tick of a second takes minutes and a gigabyte, and nothing else is done
    meanwhile.
    """

    def get_next_fire_time(
        self, previous_fire_time: datetime | None, now: datetime
    ) -> datetime | None:
        due: datetime | None = super().get_next_fire_time(previous_fire_time, now)
        if previous_fire_time is None or due is None or due > now:
            return due
        missed: int = (now - due) // self.interval + 1
        return due + missed * timedelta(seconds=self.interval_length)
