"""When a production's files should be there, learnt from how long each step took on this machine for briefs of what length.

For each step a line is kept through what was measured, later measurements weighing more: so many milliseconds, and so many for
each character of the brief (West 1979, with a weight that fades).
"""

from dataclasses import dataclass

from svc.base.steps import STEPS
from svc.domain.productions import render_queue
from svc.domain.productions.render_queue import LIVE
from svc.store import database, meta
from svc.store.read_cache import Remembered

_FADES = 0.1  # of the weight of what is known goes to each new measurement, once there are ten
_ENOUGH = 3  # measurements before the length counts
_LEAST = 0.2  # of the mean: no line leads below it
_TELLING = 0.15  # of a step: from there on its own pace is believed more and more

_LEARN = """
    INSERT INTO step_paces (step, number, mean_size, mean_ms, size_variance, covariance) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (step) DO UPDATE SET number = excluded.number, mean_size = excluded.mean_size, mean_ms = excluded.mean_ms,
        size_variance = excluded.size_variance, covariance = excluded.covariance
"""
# When the last one of each partner's in lanes that go before or with ``:lane`` is expected, and the partner's weight.
_QUEUES = f"""
    WITH RECURSIVE {render_queue.PARTNERS}
    SELECT w.partner_id, {render_queue.WEIGHT} AS weight, max(p.estimated_at) AS expected
    FROM waiting w JOIN partners a ON a.id = w.partner_id CROSS JOIN lanes l CROSS JOIN productions p ON p.id = (
        SELECT c.id FROM productions c
        WHERE c.{render_queue.OPEN} AND c.partner_id = w.partner_id AND c.lane = l.lane AND c.not_before IS NOT NULL
        ORDER BY c.not_before DESC LIMIT 1
    )
    WHERE l.lane <= :lane GROUP BY w.partner_id LIMIT :most
"""
_MOST_QUEUES = 50  # that are looked at: more make little difference
_known = Remembered("paces")  # of _paces and _workers


@dataclass(frozen=True)
class Pace:
    """How long a step takes, as far as it is known."""

    number: int = 0
    mean_size: float = 0.0
    mean_ms: float = 0.0
    size_variance: float = 0.0
    covariance: float = 0.0

    def of(self, size: int) -> float:
        """Milliseconds for a brief of ``size`` characters."""
        slope = self.covariance / self.size_variance if self.number >= _ENOUGH and self.size_variance > 1 else 0.0
        return max(_LEAST * self.mean_ms, self.mean_ms + max(0.0, slope) * (size - self.mean_size))

    def after(self, size: int, took: float) -> "Pace":
        """With one more measurement."""
        share = max(1 / (self.number + 1), _FADES)
        by_size, by_ms = size - self.mean_size, took - self.mean_ms
        return Pace(
            self.number + 1,
            self.mean_size + share * by_size,
            self.mean_ms + share * by_ms,
            (1 - share) * (self.size_variance + share * by_size**2),
            (1 - share) * (self.covariance + share * by_size * by_ms),
        )


def at_trigger(size: int, now: int, partner_id: str = "", lane: int = LIVE) -> int | None:
    """When a production that is triggered now should be ready: after its partner's own, and in turns with those of others.
    None: nothing is known yet. ``lane``: of svc.domain.productions.render_queue."""
    paces, workers = _known.get("", lambda: (_paces(), _workers()))
    if paces is None:
        return None
    work = sum(pace.of(size) for pace in paces)
    queues = _queues(lane)
    own = next((row for row in queues if row["partner_id"] == partner_id), None)
    if own is None and not queues:
        return int(now + work)
    begin = max(now, own["expected"] or 0) if own else now
    return int(max(now + work, begin + (work + _between(queues, partner_id, begin, work)) / workers))


def _queues(lane: int) -> list[database.Row]:
    return database.rows(_QUEUES, {"lane": lane, "most": _MOST_QUEUES})


def _between(queues: list[database.Row], partner_id: str, begin: int, work: float) -> float:
    """Milliseconds of others' work that are done in turns with so many of a partner's own, from the instant ``begin`` on."""
    weight = next((row["weight"] for row in queues if row["partner_id"] == partner_id), 1)
    others: float = sum(
        min(max(0, (row["expected"] or 0) - begin), work * row["weight"] / weight)
        for row in queues
        if row["partner_id"] != partner_id
    )
    return others


def under_way(row: database.Row, now: int, elapsed: int = 0, fraction: float = 0.0) -> int | None:
    """When a production whose next step runs since ``elapsed`` milliseconds, and is done to ``fraction``, should be ready."""
    paces = _paces()
    if paces is None or row["steps_complete"] >= len(paces):
        return None
    running, *others = (pace.of(size_of(row)) for pace in paces[row["steps_complete"] :])
    left = max(running - elapsed, _LEAST * running * (1 - fraction))
    if fraction >= _TELLING:
        left = (1 - fraction) * left + fraction * elapsed * (1 - fraction) / fraction
    rest = sum(others)
    if len(queues := _queues(row["lane"])) > (workers := _workers()):
        rest += _between(queues, row["partner_id"], int(now + left), rest) / workers
    return int(now + left + rest)


def size_of(row: database.Row) -> int:
    """Characters that the brief of a production gives to say."""
    return len(row["topic"]) + len(row["subject_override"] or "") + len(row["metadata_md"] or "")


def learn(step: str, size: int, took: int) -> None:
    """Enter that a step took so many milliseconds. Inside write()."""
    known = database.row("SELECT number, mean_size, mean_ms, size_variance, covariance FROM step_paces WHERE step = ?", (step,))
    pace = (Pace(*known) if known else Pace()).after(size, took)
    database.execute(_LEARN, (step, pace.number, pace.mean_size, pace.mean_ms, pace.size_variance, pace.covariance))


def judge(row: database.Row, now: int) -> float | None:
    """How far off the estimate of the trigger was, as a share of what it took; kept as a fading mean. Inside write()."""
    if row["promised_at"] is None:
        return None
    error: float = abs(now - row["promised_at"]) / max(1, now - row["created_at"])
    known = meta.text("estimate_error")
    mean = error if known is None else (1 - _FADES) * float(known) + _FADES * error
    meta.put("estimate_error", f"{mean:.4f}")
    return error


def _workers() -> int:
    """How many productions are made side by side."""
    return meta.number("render_workers") or 1


def _paces() -> list[Pace] | None:
    """Of each step in order; None until each has been measured."""
    found = database.rows("SELECT step, number, mean_size, mean_ms, size_variance, covariance FROM step_paces")
    known = {row["step"]: Pace(*tuple(row)[1:]) for row in found}
    return [known[name] for name, _ in STEPS] if all(name in known for name, _ in STEPS) else None
