"""The checks that a trigger must pass, in the order of DECISIONS.md §5; each raises its error or
returns None.

A trigger runs them to the first error, an estimate to the end.

``account`` is the result of :func:`svc.domain.lifecycle.briefs.check`: the account with its
customer's ceilings, its tier and its project type.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from svc.base import clock, states
from svc.base.errors import (
    AccountNotActive,
    BudgetGate1Failed,
    BudgetGate2Failed,
    ConcurrencyLimitReached,
    RateLimitExceeded,
    SensitivityRuleSuppressed,
    SubjectOverrideMissing,
)
from svc.base.text import read_aloud
from svc.domain import locales, partner_status
from svc.domain.lifecycle import briefs
from svc.domain.lifecycle.briefs import Brief
from svc.domain.partners import disk_quota, lexicon, look_alikes, sensitivity
from svc.domain.partners.accounts import needs_subject
from svc.domain.tables.partners import AccountWithCeilings, BriefedAccount, Rule
from svc.domain.tiers import TIERS
from svc.store.database import Row
from svc.store.expressions import JOIN, fn
from svc.store.models.partners import Account, SensitivityRule
from svc.store.models.productions import Production
from svc.store.models.usage import ProductionDay, SpendMonth
from svc.store.queries import Prepared, slot
from svc.store.read_cache import ReadCache

_rules = ReadCache("estate")  # rows of _RULES
_RULES = Prepared(
    SensitivityRule.select(
        SensitivityRule.id, SensitivityRule.phrase, SensitivityRule.is_pattern
    ).where(
        (SensitivityRule.scope == "operator")
        | (
            (SensitivityRule.scope == "customer")
            & (SensitivityRule.scope_id == slot("customer_id"))
        )
        | ((SensitivityRule.scope == "account") & (SensitivityRule.scope_id == slot("account_id")))
        | ((SensitivityRule.scope == "country") & (SensitivityRule.scope_id == slot("country_id")))
    ),
    Rule,
)
_IS_OPEN = Production.status.in_(states.OPEN_STATES)
_OPEN_OF_ACCOUNT = Prepared(
    Production.select(fn.count(Production.id)).where(
        Production.account_id == slot("owner_id"), _IS_OPEN
    )
)
# Sandboxes are a world of their own: what runs there takes no place, and spends no money, of a
# customer's live accounts.
_OF_CUSTOMER = (Account.customer_id == slot("owner_id")) & (
    Account.environment == slot("environment")
)
_OPEN_OF_CUSTOMER = Prepared(
    Account.select(fn.count(Production.id))
    .join(Production, JOIN.CROSS)
    .where(_OF_CUSTOMER, Production.account_id == Account.id, _IS_OPEN)
)
_SPENT = Prepared(
    SpendMonth.select(SpendMonth.amount).where(
        SpendMonth.owner_id == slot("owner_id"), SpendMonth.month == slot("month")
    )
)
_SPENT_IN_SANDBOXES = Prepared(
    Account.select(fn.coalesce(fn.sum(SpendMonth.amount), 0))
    .join(SpendMonth, JOIN.CROSS)
    .where(
        Account.customer_id == slot("owner_id"),
        Account.environment == states.SANDBOX,
        SpendMonth.owner_id == Account.id,
        SpendMonth.month == slot("month"),
    )
)
_TRIGGERED = Prepared(
    ProductionDay.select(ProductionDay.triggered).where(
        ProductionDay.account_id == slot("account_id"), ProductionDay.day == slot("day")
    )
)
_SCOPES = Prepared(
    Production.select(Production.account_id, Production.customer_id, Production.country_id).where(
        Production.id == slot("id")
    )
)


def list_checks(
    account: BriefedAccount,
    brief: Brief,
    cost: int,
    screening: "Screening",
    now: int,
    number: int,
) -> Iterator[Callable[[], None]]:
    """Yield the checks of a trigger in their order.

    ``number``: of productions that are triggered together. ``cost``: of all of them, in millionths,
    with that of the models.
    """
    yield partial(partner_status.check, account["partner_status"])
    yield partial(check_account_status, account)
    yield partial(check_subject_override, account["title_template"], brief.subject_override)
    yield partial(check_sensitivity, account, brief, screening)
    yield partial(check_budgets, account, cost, clock.format_month(now))
    yield partial(check_concurrency, account, number)
    yield partial(check_daily_quota, account, now, number)
    yield partial(disk_quota.require_room, account["partner_id"])


def check_account_status(account: BriefedAccount) -> None:
    if account["status"] not in states.ACCOUNT_MAY_PRODUCE:
        raise AccountNotActive(
            f"The account is {account['status']}; productions need an account that is Active "
            "or Pilot."
        )


def check_subject_override(title_template: str, subject: str | None) -> None:
    if needs_subject(title_template) and not subject:
        raise SubjectOverrideMissing()


class Screening(NamedTuple):
    """The result of matching a brief with the sensitivity rules, with the ``rules``, the ``title``
    and the lexicon (``said``) that were matched, and the brief's ``warnings`` in their stored form.
    """

    rules: list[Rule]
    title: str
    suppressed: bool
    warnings: str | None = None
    said: read_aloud.Entries = ()


def screen_brief(account: BriefedAccount, brief: Brief) -> Screening:
    """Match a brief with its sensitivity rules.

    As this may take long, call it before the transaction that triggers.
    """
    rules = find_rules_for_account(account["id"], account["customer_id"], brief.country_id)
    if not rules:
        return Screening(rules, "", False)
    title = briefs.make_title(account, brief)
    said = lexicon.list_pairs(account["id"])
    return Screening(
        rules, title, sensitivity.any_matches(rules, _list_texts(brief, title, said)), said=said
    )


def screen_each_language(account: BriefedAccount, each: Sequence[Brief]) -> list[Screening]:
    """Match a brief in several languages as :func:`screen_brief` does: once for each script, or in
    each language if the spoken form of something differs from the written one.
    """
    if len(each) == 1:
        return [screen_brief(account, each[0])]
    said = lexicon.list_pairs(account["id"])
    by_reading: dict[str | None, Screening] = {}
    screened = []
    for brief in each:
        code = _find_language_code(brief)
        texts = (
            briefs.make_title(account, brief),
            brief.topic,
            brief.subject_override or "",
            brief.metadata_md or "",
        )
        is_read = any(read_aloud.may_differ(text, said) for text in texts)
        reading = f"in {code}" if is_read else look_alikes.find_writing_system(code)
        if reading not in by_reading:
            by_reading[reading] = screen_brief(account, brief)
        screened.append(by_reading[reading])
    return screened


def check_sensitivity(account: BriefedAccount, brief: Brief, screening: Screening) -> None:
    """Raise SensitivityRuleSuppressed if a rule matches. Inside the transaction that triggers.

    ``screening`` is used unless the rules, the title or the account's lexicon have changed since.
    """
    rules = find_rules_for_account(account["id"], account["customer_id"], brief.country_id)
    if not rules:
        return
    same_rules = rules is screening.rules or rules == screening.rules
    same_words = screening.said == lexicon.list_pairs(account["id"])
    if not (same_rules and same_words) or briefs.make_title(account, brief) != screening.title:
        screening = screen_brief(account, brief)
    if screening.suppressed:
        raise SensitivityRuleSuppressed()


def find_rules_for_account(account_id: str, customer_id: str, country_id: str) -> list[Rule]:
    """Return the rules that apply to an account of a customer and a country."""
    key = customer_id, account_id, country_id
    return _rules.get(
        key,
        lambda: _RULES.rows(customer_id=customer_id, account_id=account_id, country_id=country_id),
    )


def find_rules_of_production(production_id: str) -> list[Rule]:
    """Return the rules that apply to a production: those of its account and its country."""
    row = _SCOPES.one(id=production_id)
    return find_rules_for_account(row["account_id"], row["customer_id"], row["country_id"])


def _list_texts(brief: Brief, title: str, said: read_aloud.Entries) -> sensitivity.Texts:
    return sensitivity.extract_brief_texts(
        title,
        brief.topic,
        brief.subject_override,
        brief.metadata_md,
        _find_language_code(brief),
        said,
        locales.find_reading(brief.language_id, brief.country_id),
    )


def _find_language_code(brief: Brief) -> str | None:
    return locales.list_languages().get(brief.language_id, {}).get("code")


def check_budgets(account: BriefedAccount, cost: int, month: str) -> None:
    """Check the monthly ceilings of account (gate 1) and customer (gate 2). A ``cost`` that reaches
    one exactly passes.

    The sandboxes of a customer have the same ceiling as its live accounts, and a sum of their own.
    """
    for spent, ceiling, error_class in (
        (find_account_spent, account["monthly_ceiling"], BudgetGate1Failed),
        (find_customer_spent, account["customer_monthly_ceiling"], BudgetGate2Failed),
    ):
        if ceiling is not None and spent(account, month) + cost > ceiling:
            raise error_class()


def find_account_spent(account: AccountWithCeilings, month: str) -> int:
    """Return the costs, spent and reserved, of an account in a month, in millionths."""
    return _measure_spend(_SPENT, account["id"], month)


def find_customer_spent(account: AccountWithCeilings, month: str) -> int:
    """Return the costs of the account's customer in a month.

    They are those of its live accounts or, for a sandbox, of its sandboxes.
    """
    of_customer = _SPENT_IN_SANDBOXES if account["environment"] == states.SANDBOX else _SPENT
    return _measure_spend(of_customer, account["customer_id"], month)


def _measure_spend(query: Prepared[Row], owner_id: str, month: str) -> int:
    return int(query.value(owner_id=owner_id, month=month) or 0)


def check_concurrency_of_batch(account: BriefedAccount, number: int) -> None:
    """Check that productions that are triggered together are not more than the ceilings of account
    and customer could ever allow.
    """
    for ceiling, name in (
        (account["concurrency_ceiling"], "account"),
        (account["customer_concurrency_ceiling"], "customer"),
    ):
        if ceiling is not None and number > ceiling:
            several = (
                f"{number:,} productions at once are more than the {name}'s ceiling of {ceiling:,}."
            )
            refused = ConcurrencyLimitReached(several)
            refused.waiting_helps = False
            raise refused


def check_concurrency(account: BriefedAccount, number: int = 1) -> None:
    """Check the ceilings of productions at once of account and customer; of a customer,
    live and sandbox ones count apart.
    """
    check_concurrency_of_batch(account, number)
    for running, ceiling, name in (
        (count_open_of_account, account["concurrency_ceiling"], "account"),
        (count_open_of_customer, account["customer_concurrency_ceiling"], "customer"),
    ):
        if ceiling is not None and running(account) + number > ceiling:
            raise ConcurrencyLimitReached(
                f"The {name}'s ceiling of {ceiling} concurrent productions is reached; try again "
                "when one has finished."
            )


def count_open_of_account(account: AccountWithCeilings) -> int:
    """Return how many productions of an account have not ended."""
    return int(_OPEN_OF_ACCOUNT.value(owner_id=account["id"]))


def count_open_of_customer(account: AccountWithCeilings) -> int:
    """Return how many productions of the account's customer have not ended.

    Live and sandbox ones are counted apart.
    """
    return int(
        _OPEN_OF_CUSTOMER.value(owner_id=account["customer_id"], environment=account["environment"])
    )


def count_triggered_of_account(account: AccountWithCeilings, day: str) -> int:
    """Return how many productions of an account were triggered on a day."""
    return int(_TRIGGERED.value(account_id=account["id"], day=day) or 0)


def check_daily_quota(account: BriefedAccount, now: int, number: int = 1) -> None:
    limit = TIERS[account["tier"]].daily_productions_per_account
    if limit is None:
        return
    if count_triggered_of_account(account, clock.format_day(now)) + number > limit:
        raise RateLimitExceeded(
            (
                f"The limit of {limit} productions a day for an account is reached; it resets at "
                "midnight UTC."
            ),
            retry_after=clock.count_seconds_until(clock.find_next_midnight(now), now),
        )
