"""What models charge: estimated and reserved at the trigger, recorded answer by answer,
settled at the end.
"""

from decimal import Decimal

import pytest
from support import plain_sql
from support.cast import body
from support.stage import claim, complete_steps

from svc.base import settings
from svc.domain import retry_schedule
from svc.domain.lifecycle import endings
from svc.domain.lifecycle.lifecycle import Cause
from svc.domain.productions import progress
from svc.domain.usage import model_costs
from svc.domain.usage.model_costs import Prices
from svc.store.database import db

PRICES = Prices(Decimal("2.50"), Decimal(10), Decimal(15))
SCRIPT = {"purpose": "script", "model": "m", "units_in": 1201, "units_out": 300}
SPEECH = {"purpose": "speech", "model": "t", "units_in": 1000, "units_out": 0}
COST = 3003 + 3000 + 15_000  # millionths: 1201 × 2.50 rounded up, 300 × 10, 1000 × 15


@pytest.fixture
def production(partner):
    """The id of a production whose type costs 5.00."""
    with db.transaction():
        plain_sql.execute("UPDATE project_types SET price = 5000000")
    return body(partner.trigger())["productionId"]


def entry(production) -> tuple[int, int | None, int]:
    return tuple(
        plain_sql.row(
            "SELECT reserved, settled, for_models FROM ledger WHERE production_id = ?",
            (production,),
        )
    )


def spent() -> set[int]:
    """Of the account and of its customer."""
    return {
        row["amount"] for row in plain_sql.rows("SELECT amount FROM spend_months WHERE amount > 0")
    }


def charge(production, clock) -> None:
    for each in (SCRIPT, SPEECH):
        model_costs.record(production, each, PRICES, clock())


def test_prices_are_per_million_units_and_round_up():
    assert PRICES.compute_cost("script", 1201, 300) == 6003
    assert PRICES.compute_cost("speech", 1000, 0) == 15_000
    assert Prices(Decimal("0.0001")).compute_cost("script", 1, 0) == 1
    assert Prices().estimate(4096) == 0


def test_a_model_that_is_not_configured_costs_nothing():
    prices = {"SVC_SCRIPT_PRICE_INPUT": "2.50", "SVC_SPEECH_PRICE": "15"}
    assert Prices.from_settings(settings.read(prices)) == Prices()
    configured = settings.read(
        {**prices, "SVC_SCRIPT_URL": "http://127.0.0.1:1/v1", "SVC_SCRIPT_MODEL": "m"}
    )
    assert Prices.from_settings(configured) == Prices(
        Decimal("2.50"), Decimal(0), Decimal(0), has_script_model=True
    )


def test_a_longer_brief_is_estimated_to_cost_more():
    assert 0 < PRICES.estimate(0) < PRICES.estimate(4096)


def test_the_estimate_is_reserved_with_the_price_and_replaced_by_the_charges(app, partner, clock):
    with db.transaction():
        plain_sql.execute("UPDATE project_types SET price = 5000000")
    object.__setattr__(app.extensions["svc"].settings, "script_url", "http://127.0.0.1:1/v1")
    object.__setattr__(app.extensions["svc"].settings, "script_price_output", Decimal(10))
    production = body(partner.trigger())["productionId"]
    reserved, settled, for_models = entry(production)
    assert for_models > 15_000 and reserved == 5_000_000 + for_models and settled is None
    assert spent() == {reserved}
    charge(production, clock)
    complete_steps(clock)
    assert entry(production)[1] == 5_000_000 + COST and spent() == {5_000_000 + COST}


def test_the_estimate_counts_at_the_budget_gate(app, partner):
    with db.transaction():
        plain_sql.execute("UPDATE accounts SET monthly_ceiling = 10000")
    object.__setattr__(app.extensions["svc"].settings, "script_url", "http://127.0.0.1:1/v1")
    object.__setattr__(app.extensions["svc"].settings, "script_price_output", Decimal(10))
    assert body(partner.trigger())["error"] == "BUDGET_GATE_1_FAILED"


def test_what_ended_early_pays_its_share_and_all_of_the_models(production, clock):
    charge(production, clock)
    held = complete_steps(clock, 1)
    progress.fail_step(
        held, progress.start_step(held, clock()), "SCRIPT_INVALID", "It is not JSON.", clock()
    )
    assert entry(production)[1] == 5_000_000 // 7 + COST and spent() == {5_000_000 // 7 + COST}


def test_a_charge_that_comes_after_the_end_is_added(production, clock):
    held = claim(clock)
    progress.start_step(held, clock())
    endings.fail_production(production, Cause.EXPIRED, "EXPIRED", "Too late.", clock())
    charge(production, clock)
    assert entry(production)[1] == COST and spent() == {COST}


def test_every_answer_is_on_record(production, clock):
    charge(production, clock)
    sql = (
        "SELECT purpose, model, units_in, units_out, cost FROM model_charges "
        "WHERE production_id = ?"
    )
    rows = plain_sql.rows(sql, (production,))
    assert [tuple(row) for row in rows] == [
        ("script", "m", 1201, 300, 6003),
        ("speech", "t", 1000, 0, 15_000),
    ]


def test_a_step_whose_model_is_down_is_tried_again_later_and_later_and_then_fails(
    production, clock
):
    for wait in retry_schedule.STEP_DELAYS:
        held = claim(clock)
        progress.postpone_step(
            held, progress.start_step(held, clock()), "MODEL_UNAVAILABLE", "It is down.", clock()
        )
        clock.tick(wait / 1000 - 1)
        assert claim(clock) is None
        clock.tick(1)
    held = claim(clock)
    progress.postpone_step(
        held, progress.start_step(held, clock()), "MODEL_UNAVAILABLE", "It is down.", clock()
    )
    row = plain_sql.row(
        "SELECT status, error_code, failed_step FROM productions WHERE id = ?", (production,)
    )
    assert tuple(row) == ("Failed", "MODEL_UNAVAILABLE", "script")


def test_what_was_put_off_can_be_cancelled(production, clock, partner):
    held = claim(clock)
    progress.postpone_step(
        held, progress.start_step(held, clock()), "MODEL_UNAVAILABLE", "It is down.", clock()
    )
    assert partner.delete(f"/v1/productions/{production}").status_code == 202
    assert endings.finish_cancel(production, clock())
