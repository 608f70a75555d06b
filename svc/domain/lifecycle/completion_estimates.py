"""Estimates of when a production will be ready, learnt from the durations of earlier steps on this
machine.

Each step has a regression line of milliseconds over the length of the brief in characters; later
measurements weigh more (West 1979, with exponentially decaying weights).
"""

from dataclasses import dataclass

from svc.base import states
from svc.base.steps import STEPS
from svc.domain.lifecycle import render_queue
from svc.domain.lifecycle.render_queue import LIVE
from svc.domain.tables.productions import Production as ProductionRow
from svc.store import meta
from svc.store.database import Row, db
from svc.store.expressions import JOIN, Select, fn
from svc.store.models.partners import Partner
from svc.store.models.productions import Production, StepPace
from svc.store.queries import Prepared, slot, slots
from svc.store.read_cache import ReadCache

_FADES = 0.1  # weight of each new measurement, once there are ten
_ENOUGH = 3  # measurements before the length counts
_LEAST = 0.2  # share of the mean below which no estimate falls
_TELLING = 0.15  # fraction of a step from which its own pace counts, increasingly

_NUMBERS = ("number", "mean_size", "mean_ms", "size_variance", "covariance")
_LEARN = Prepared(
    StepPace.insert(slots("step", *_NUMBERS)).on_conflict(
        conflict_target=[StepPace.step],
        preserve=[getattr(StepPace, name) for name in _NUMBERS],
        where=StepPace.number == slot("number") - 1,  # another one has not measured meanwhile
    )
)
_PACES = Prepared(StepPace.select(StepPace.step, *(getattr(StepPace, name) for name in _NUMBERS)))
_PACE = Prepared(
    StepPace.select(*(getattr(StepPace, name) for name in _NUMBERS)).where(
        StepPace.step == slot("step")
    )
)
_LAST = Production.alias("last")
_NEWEST = (
    _LAST.select(_LAST.id)
    .where(
        _LAST.status.in_((states.QUEUED, states.PRODUCING)),
        _LAST.partner_id == render_queue.WAITING_STEPS.c.partner_id,
        _LAST.lane == render_queue.LANES.c.lane,
        _LAST.not_before.is_null(False),
    )
    .order_by(_LAST.not_before.desc())
    .limit(1)
)
_MOST_QUEUES = 50  # that are read; more would make little difference
# The partner's weight, and when its last production in lanes up to and including ``lane`` is
# expected.
_QUEUES = Prepared(
    Select(
        (render_queue.WAITING_STEPS,),
        (
            render_queue.WAITING_STEPS.c.partner_id,
            render_queue.WEIGHT.alias("weight"),
            fn.max(Production.estimated_at).alias("expected"),
        ),
    )
    .join(Partner, on=Partner.id == render_queue.WAITING_STEPS.c.partner_id)
    .join(render_queue.LANES, JOIN.CROSS)
    .join(Production, JOIN.CROSS)
    .where(Production.id == _NEWEST, render_queue.LANES.c.lane <= slot("lane"))
    .group_by(render_queue.WAITING_STEPS.c.partner_id, Partner.tier)
    .limit(_MOST_QUEUES)
    .with_cte(render_queue.WAITING_STEPS, render_queue.LANES)
)
_known = ReadCache("paces")  # of _read_paces and _read_worker_count


@dataclass(frozen=True)
class Pace:
    """The regression line of a step's duration."""

    number: int = 0
    mean_size: float = 0.0
    mean_ms: float = 0.0
    size_variance: float = 0.0
    covariance: float = 0.0

    def estimate(self, size: int) -> float:
        """Return the milliseconds for a brief of ``size`` characters."""
        slope = (
            self.covariance / self.size_variance
            if self.number >= _ENOUGH and self.size_variance > 1
            else 0.0
        )
        return max(_LEAST * self.mean_ms, self.mean_ms + max(0.0, slope) * (size - self.mean_size))

    def with_measurement(self, size: int, took: float) -> "Pace":
        """Return the pace after one more measurement: ``took`` milliseconds
        for ``size`` characters.
        """
        share = max(1 / (self.number + 1), _FADES)
        by_size, by_ms = size - self.mean_size, took - self.mean_ms
        return Pace(
            self.number + 1,
            self.mean_size + share * by_size,
            self.mean_ms + share * by_ms,
            (1 - share) * (self.size_variance + share * by_size**2),
            (1 - share) * (self.covariance + share * by_size * by_ms),
        )


def estimate_after_trigger(
    size: int, now: int, partner_id: str = "", lane: int = LIVE
) -> int | None:
    """Return when a production that is triggered now should be ready; None: nothing has been
    measured yet.

    It waits for the partner's own productions and alternates with those of other partners.
    ``lane``: of svc.domain.lifecycle.render_queue.
    """
    paces, workers = _known.get("", lambda: (_read_paces(), _read_worker_count()))
    if paces is None:
        return None
    work = sum(pace.estimate(size) for pace in paces)
    queues = _read_queues(lane)
    own = next((row for row in queues if row["partner_id"] == partner_id), None)
    if own is None and not queues:
        return int(now + work)
    begin = max(now, own["expected"] or 0) if own else now
    return int(
        max(
            now + work,
            begin + (work + _estimate_alternating_work(queues, partner_id, begin, work)) / workers,
        )
    )


def _read_queues(lane: int) -> list[Row]:
    return _QUEUES.rows(lane=lane)


def _estimate_alternating_work(
    queues: list[Row], partner_id: str, begin: int, work: float
) -> float:
    """Return the milliseconds of other partners' work that alternate with ``work`` of a partner's
    own, from ``begin`` on.
    """
    weight = next((row["weight"] for row in queues if row["partner_id"] == partner_id), 1)
    others: float = sum(
        min(max(0, (row["expected"] or 0) - begin), work * row["weight"] / weight)
        for row in queues
        if row["partner_id"] != partner_id
    )
    return others


def estimate_under_way(
    row: ProductionRow, now: int, elapsed: int = 0, fraction: float = 0.0
) -> int | None:
    """Return when a production should be ready whose step has run ``elapsed`` milliseconds and is
    done to ``fraction``.
    """
    paces = _read_paces()
    if paces is None or row["steps_complete"] >= len(paces):
        return None
    running, *others = (pace.estimate(measure_size(row)) for pace in paces[row["steps_complete"] :])
    left = max(running - elapsed, _LEAST * running * (1 - fraction))
    if fraction >= _TELLING:
        left = (1 - fraction) * left + fraction * elapsed * (1 - fraction) / fraction
    rest = sum(others)
    if len(queues := _read_queues(row["lane"])) > (workers := _read_worker_count()):
        rest += (
            _estimate_alternating_work(queues, row["partner_id"], int(now + left), rest) / workers
        )
    return int(now + left + rest)


def measure_size(row: ProductionRow) -> int:
    """Return the number of characters of text to be spoken in a production."""
    return len(row["topic"]) + len(row["subject_override"] or "") + len(row["metadata_md"] or "")


def record_duration(step: str, size: int, took: int) -> None:
    """Record that a step took ``took`` milliseconds for a brief of ``size`` characters.

    Inside a transaction.
    """

    def learn() -> bool:
        known = _PACE.row(step=step)
        pace = (Pace(*known) if known else Pace()).with_measurement(size, took)
        return bool(_LEARN.execute(step=step, **vars(pace)))

    db.change_shared(learn)


def record_error(row: ProductionRow, now: int) -> float | None:
    """Return the error of the estimate at the trigger, relative to the real duration, and update
    its moving average.

    Inside a transaction. None: there was no estimate.
    """
    if row["promised_at"] is None:
        return None
    error: float = abs(now - row["promised_at"]) / max(1, now - row["created_at"])

    def average() -> bool:
        known = meta.read_text("estimate_error")
        mean = error if known is None else (1 - _FADES) * float(known) + _FADES * error
        return meta.exchange("estimate_error", known, f"{mean:.4f}")

    db.change_shared(average)
    return error


def _read_worker_count() -> int:
    """Return the number of productions that are made concurrently."""
    return meta.read_number("render_workers") or 1


def _read_paces() -> list[Pace] | None:
    """Return the pace of each step, in order; None until every step has been measured."""
    known = {row["step"]: Pace(*tuple(row)[1:]) for row in _PACES.rows()}
    return [known[name] for name, _ in STEPS] if all(name in known for name, _ in STEPS) else None
