"""Whatever crosses in batches, each is finished exactly when all of its items have ended, and tells
so once each time. The order is another one in each run, as ids are.
"""

import random
from collections.abc import Iterator
from typing import Any

import pytest
from support import plain_sql
from support.stage import DRIVER, complete_cancels, make, publish_all

from svc.base import ids, states
from svc.domain.briefing import batches
from svc.domain.lifecycle import endings, render_queue
from svc.domain.productions import progress
from svc.domain.usage.model_costs import Prices
from svc.store.claims import LostClaim
from svc.store.database import db

_OPEN_ITEM = """
    SELECT 1 FROM batch_items LEFT JOIN productions ON productions.id = batch_items.production_id
    WHERE batch_id = ? AND (brief IS NOT NULL AND stopped = 0 OR productions.status NOT IN ({}))
""".format(", ".join(f"'{state}'" for state in sorted(states.TERMINAL_STATES)))


class Crossing:
    """What partners, people and the engine do, in an order that ``chance`` decides."""

    def __init__(self, partner, clock, chance: random.Random):
        self._partner, self._clock, self._chance = partner, clock, chance
        self._account = f"/v1/accounts/{partner.account}"

    def list_acts(self) -> list[Any]:
        often = [self.trigger, self.cancel_one, self.resume, self.carry_on, self.trigger_waiting]
        others = [self.cancel_batch, self.expire, self.change_ceiling, self.go_on, self.publish]
        return [*often, *often, *others, self.end_cancels]

    def _choose(self, table: str) -> str | None:
        rows = plain_sql.rows(f"SELECT id FROM {table} ORDER BY id")
        return self._chance.choice(rows)["id"] if rows else None

    def trigger(self) -> None:
        kinds = ({}, {}, {"avatarId": self._partner.seeded["partnerId"]})
        others = ({"languageIds": [ids.derive_id("language", "es")]}, {"review": "script"})
        items = [
            {**self._partner.brief(), **self._chance.choice((*kinds, *others))}
            for _ in range(self._chance.randint(1, 4))
        ]
        mode = self._chance.choice(("each", "each", "atomic"))
        self._partner.post(f"{self._account}/batches", json={"items": items, "mode": mode})

    def cancel_one(self) -> None:
        if production := self._choose("productions"):
            self._partner.delete(f"/v1/productions/{production}")

    def cancel_batch(self) -> None:
        if batch := self._choose("batches"):
            self._partner.post(f"/v1/batches/{batch}/cancel")

    def resume(self) -> None:
        if batch := self._choose("batches"):
            self._partner.post(f"/v1/batches/{batch}/resume")

    def carry_on(self) -> None:
        """Complete some steps of the next production."""
        if (held := render_queue.claim_next(DRIVER, self._clock())) is None:
            return
        try:
            for _ in range(self._chance.randint(1, 7)):
                step = progress.start_step(held, self._clock())
                progress.complete_step(held, step, self._clock.tick(1), [make()])
            render_queue.release_claim(held)
        except LostClaim:  # at the end of its steps
            pass

    def publish(self) -> None:
        publish_all(self._clock)

    def end_cancels(self) -> None:
        complete_cancels(self._clock)

    def expire(self) -> None:
        if self._chance.random() < 0.2:
            self._clock.tick(73 * 3600)
            endings.expire_unreleased(self._clock())

    def change_ceiling(self, ceilings: tuple[int | None, ...] = (None, 1, 2, 4)) -> None:
        with db.transaction():
            ceiling = self._chance.choice(ceilings)
            plain_sql.execute("UPDATE accounts SET concurrency_ceiling = ?", (ceiling,))

    def trigger_waiting(self) -> None:
        batches.trigger_waiting(self._clock(), 72, Prices())

    def go_on(self) -> None:
        batches.continue_batches(self._clock(), 72, Prices())


def list_wrong() -> Iterator[Any]:
    """The batches that are finished too early or not yet, or told so another number of times."""
    for batch in plain_sql.rows("SELECT * FROM batches"):
        is_ended = batch["under_way"] is None and not plain_sql.rows(_OPEN_ITEM, (batch["id"],))
        told = plain_sql.rows(
            "SELECT sequence FROM deliveries WHERE production_id = ? ORDER BY sequence",
            (batch["id"],),
        )
        if is_ended != (batch["finished_at"] is not None) or [row["sequence"] for row in told] != [
            *range(1, batch["completions"] + 1)
        ]:
            yield dict(batch), is_ended, len(told)


@pytest.mark.parametrize("seed", range(3))
def test_a_batch_is_finished_exactly_when_its_items_have_ended(partner, clock, monkeypatch, seed):
    partner.post(
        "/v1/webhooks",
        json={"endpointUrl": "https://93.184.215.14/hooks", "eventTypes": ["batch.completed"]},
    )
    chance = random.Random(seed)
    crossing = Crossing(partner, clock, chance)
    screen = batches._screen_brief

    def screen_meanwhile(*given):
        """Screen a brief, while productions of the same batch may end."""
        if chance.random() < 0.3:
            crossing.cancel_one()
            crossing.end_cancels()
        return screen(*given)

    monkeypatch.setattr(batches, "_screen_brief", screen_meanwhile)
    monkeypatch.setattr(batches, "ITEMS_IN_ONE_PIECE", 2)
    acts = crossing.list_acts()
    for _ in range(120):
        act = chance.choice(acts)
        act()
        clock.tick(chance.choice((0, 1, 90)))
        assert not list(list_wrong()), act.__name__
    for batch in plain_sql.rows("SELECT id FROM batches"):
        for asked in ("cancel", "resume", "cancel"):
            partner.post(f"/v1/batches/{batch['id']}/{asked}")
            crossing.go_on()
            crossing.end_cancels()
            assert not list(list_wrong()), asked
        clock.tick(90)
    crossing.publish()
    assert not list(list_wrong())
    assert plain_sql.one("SELECT count(*) FROM batches WHERE finished_at IS NULL")[0] == 0
