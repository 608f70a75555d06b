"""The queue of one cell in simulation: partners, productions,
and workers that take steps by the service's own rule.
"""

import heapq
import itertools
import random
from collections import deque
from dataclasses import dataclass, field

from svc.base.steps import STEPS
from svc.domain.tiers import RENDER_WEIGHTS

# seconds that a refused client waits before it asks again, with the same Idempotency-Key
RETRY_AFTER = 30.0


@dataclass
class Partner:
    number: int
    tier: str
    a_day: float
    turn: float = 0.0
    waiting: deque["Production"] = field(default_factory=deque)

    @property
    def weight(self) -> int:
        return RENDER_WEIGHTS[self.tier]


@dataclass
class Production:
    partner: Partner
    asked: float  # when the client first asked for it
    accepted: float
    steps: int = 0
    started: float | None = None
    finished: float | None = None


class Cell:
    """A cell's queue and its workers, event by event.

    ``fair``: by the service's rule; else first come, first served.
    """

    def __init__(
        self, workers: int, step_seconds: list[float], chance: random.Random, fair: bool = True
    ):
        self._free, self._step_seconds, self._chance, self._fair = (
            workers,
            step_seconds,
            chance,
            fair,
        )
        self._turn = 0.0
        self._events: list[tuple[float, int, str, Production | None]] = []
        self._order = itertools.count()
        self._queue: dict[int, Partner] = {}
        self.down: tuple[float, float] = (0.0, 0.0)  # from, until
        self.productions: list[Production] = []
        self.refused, self.run_again, self.longest_queue, self._waiting = 0, 0, 0, 0

    def ask(self, at: float, partner: Partner) -> None:
        """Let a client ask for a production at a time."""
        self._push(at, "ask", Production(partner, at, at))

    def run(self, until: float) -> None:
        while self._events and self._events[0][0] <= until:
            now, _, kind, production = heapq.heappop(self._events)
            assert production is not None
            if kind == "ask":
                self._asked(now, production)
            else:
                self._step_ended(now, production)

    def _push(self, at: float, kind: str, production: Production) -> None:
        heapq.heappush(self._events, (at, next(self._order), kind, production))

    def _asked(self, now: float, production: Production) -> None:
        if self._is_down(now):
            self.refused += 1
            self._push(now + RETRY_AFTER * self._chance.uniform(0.8, 1.2), "ask", production)
            return
        production.accepted = now
        self.productions.append(production)
        self._wait(production)
        self._start(now)

    def _wait(self, production: Production) -> None:
        partner = production.partner
        partner.waiting.append(production)
        self._queue[partner.number] = partner
        self._waiting += 1
        self.longest_queue = max(self.longest_queue, self._waiting)

    def _start(self, now: float) -> None:
        while self._free and self._queue:
            partner = min(self._queue.values(), key=self._rank)
            production = partner.waiting.popleft()
            if not partner.waiting:
                del self._queue[partner.number]
            self._waiting -= 1
            self._turn = max(self._turn, partner.turn)
            seconds = self._step_seconds[production.steps] * self._chance.uniform(0.7, 1.3)
            partner.turn = self._turn + seconds / partner.weight
            production.started = now if production.started is None else production.started
            self._free -= 1
            self._push(now + seconds, "step", production)

    def _rank(self, partner: Partner) -> tuple[float, float]:
        first = partner.waiting[0].accepted
        return (max(self._turn, partner.turn), first) if self._fair else (first, 0.0)

    def _step_ended(self, now: float, production: Production) -> None:
        # its worker was lost with the cell: the step runs again once the cell is back
        if self._is_down(now):
            self.run_again += 1
            self._push(
                self.down[1] + self._chance.uniform(0, 1) + self._step_seconds[production.steps],
                "step",
                production,
            )
            return
        self._free += 1
        production.steps += 1
        if production.steps == len(STEPS):
            production.finished = now
        else:
            self._wait(production)
        self._start(now)

    def _is_down(self, now: float) -> bool:
        return self.down[0] <= now < self.down[1]
