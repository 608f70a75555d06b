"""Amounts of money have a currency and two digits, and a duration is never nothing of a unit."""

import pytest
from support import plain_sql
from support.cast import body, text
from support.stage import complete_steps

from svc.console import filters
from svc.store.database import db


@pytest.mark.parametrize(
    ("millionths", "shown"),
    [
        (0, "USD 0.00"),
        (1_234_567_890, "USD 1,234.57"),
        (2_500_000, "USD 2.50"),
        (4_999, "under USD 0.01"),
        (5_000, "USD 0.01"),
        (-2_345_678, "-USD 2.35"),
        (12, "under USD 0.01"),
    ],
)
def test_an_amount_has_its_currency_and_two_digits(app, millionths, shown):
    with app.app_context():
        assert filters.money(millionths) == shown


@pytest.mark.parametrize(
    ("ms", "shown"),
    [
        (0, "0 s"),
        (0.2, "under 1 ms"),
        (1, "1 ms"),
        (999, "999 ms"),
        (1500, "1.5 s"),
        (3_660_000, "1 h 1 min"),
    ],
)
def test_a_duration_is_never_said_to_be_no_milliseconds(ms, shown):
    assert filters.span(ms) == shown


def test_the_console_shows_costs_in_the_operators_currency(app, owner, operator, partner, clock):
    object.__setattr__(app.extensions["svc"].settings, "currency", "CHF")
    production_id = body(partner.live().trigger())["productionId"]
    with db.transaction():
        plain_sql.execute("UPDATE ledger SET reserved = 1234567")
    assert "CHF 1.23" in text(owner.get(f"/console/productions/{production_id}"))
    assert "CHF" in text(owner.get("/console/usage/"))
    page = text(operator.get(f"/console/accounts/{partner.live().account}"))
    assert "Price of one production (CHF)" in page and "Spend a month (CHF)" in page


def test_a_step_that_took_no_time_and_a_month_without_video_do_not_say_0_ms(owner, partner, clock):
    production_id = body(partner.trigger())["productionId"]
    complete_steps(clock, 2)
    with db.transaction():
        plain_sql.execute(
            "UPDATE production_steps SET completed_at = started_at WHERE position = 0"
        )
    for place in (f"/console/productions/{production_id}", "/console/usage/"):
        assert ">0 ms" not in text(owner.get(place)), place
