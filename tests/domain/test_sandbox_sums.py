"""What runs in sandboxes moves no sum and takes no place of a customer's live accounts,
nor the other way round.
"""

import pytest
from support import plain_sql
from support.cast import body, refused
from support.stage import complete_cancels, complete_steps

from svc.domain.partners import admin
from svc.domain.usage import counters
from svc.domain.webhooks import usage_thresholds
from svc.store.database import db

PRICE = 500_000  # millionths


@pytest.fixture
def customer(partner) -> str:
    """The customer of the partner's live account and of its sandbox."""
    [row] = plain_sql.rows(
        "SELECT DISTINCT customer_id FROM accounts WHERE partner_id = ?",
        (partner.seeded["partnerId"],),
    )
    return row["customer_id"]


def set_ceilings(customer: str, **columns) -> None:
    with db.transaction():
        for name, value in columns.items():
            plain_sql.execute(f"UPDATE customers SET {name} = ? WHERE id = ?", (value, customer))


def sums(clock, *owners: str) -> list[int]:
    return [admin.sum_month_spent(each, clock()) for each in owners]


def test_a_live_customer_s_budget_is_not_spent_by_its_sandboxes(partner, customer, clock):
    set_ceilings(customer, monthly_ceiling=2 * PRICE)
    assert [partner.trigger().status_code for _ in range(2)] == [202, 202]
    # the sandboxes have the same ceiling, for themselves
    refused(partner.trigger(), 409, "BUDGET_GATE_2_FAILED")
    live = partner.live()
    assert [live.trigger().status_code for _ in range(2)] == [202, 202]
    refused(live.trigger(), 409, "BUDGET_GATE_2_FAILED")
    assert sums(clock, customer, live.account, partner.account) == [2 * PRICE] * 3


def test_live_work_leaves_the_sandboxes_their_budget(partner, customer):
    set_ceilings(customer, monthly_ceiling=PRICE)
    assert partner.live().trigger().status_code == 202
    assert partner.trigger().status_code == 202


def test_scripts_that_wait_in_sandboxes_take_no_place_of_live_productions(partner, customer):
    set_ceilings(customer, concurrency_ceiling=2)
    for person in (partner, partner.live()):
        assert [person.trigger().status_code for _ in range(2)] == [202, 202]
        assert "customer" in refused(person.trigger(), 409, "CONCURRENCY_LIMIT_REACHED")["message"]


@pytest.mark.parametrize("ends", ["finished", "cancelled"])
def test_the_settlement_of_a_sandbox_production_moves_its_account_alone(
    partner, customer, clock, ends
):
    production = body(partner.trigger())["productionId"]
    if ends == "finished":
        complete_steps(clock)
    else:
        partner.delete(f"/v1/productions/{production}")
        complete_cancels(clock)
    assert sums(clock, customer, partner.account) == [0, PRICE if ends == "finished" else 0]


def test_an_estimate_says_what_the_trigger_would(partner, customer):
    set_ceilings(customer, monthly_ceiling=0)
    for person in (partner, partner.live()):
        found = body(
            person.post(f"/v1/accounts/{person.account}/productions/estimate", json=person.brief())
        )
        assert "BUDGET_GATE_2_FAILED" in str(found)
    set_ceilings(customer, monthly_ceiling=PRICE)
    partner.trigger()
    live = partner.live()
    found = body(live.post(f"/v1/accounts/{live.account}/productions/estimate", json=live.brief()))
    assert "BUDGET_GATE_2_FAILED" not in str(found)


def test_the_threshold_of_a_customer_s_budget_is_that_of_its_live_accounts(
    partner, customer, clock
):
    set_ceilings(customer, monthly_ceiling=PRICE)
    partner.trigger()
    told = usage_thresholds.record_events(clock())
    assert "customerBudget" not in {
        row["name"] for row in plain_sql.rows("SELECT name FROM usage_thresholds")
    }
    partner.live().trigger()
    assert usage_thresholds.record_events(clock()) > told == 0
    assert "customerBudget" in {
        row["name"] for row in plain_sql.rows("SELECT name FROM usage_thresholds")
    }


def test_usage_shows_what_sandboxes_would_have_cost_apart(partner, clock):
    for _ in range(3):
        partner.trigger()
    live = partner.live()
    live.trigger()
    for person, expected in ((live, (0.5, 1.5)), (partner, (1.5, 1.5))):
        found = body(person.get("/v1/partner/usage?months=2"))
        for each in (found["months"][0], found["totals"]):
            assert (each["spend"], each["sandboxSpend"]) == expected
        assert (found["months"][1]["spend"], found["months"][1]["sandboxSpend"]) == (0, 0)
    whole = counters.report(partner.seeded["partnerId"], "Standard", 1, clock())["totals"]
    assert (whole["spend"], whole["sandboxSpend"]) == (0.5, 1.5)
