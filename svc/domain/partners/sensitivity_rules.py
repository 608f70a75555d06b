"""Administration of sensitivity rules, and a check of a topic against them."""

from collections.abc import Iterable, Mapping
from typing import Any

from svc.base import ids
from svc.base.errors import InvalidRequest, NotFound
from svc.domain import form_fields, locales
from svc.domain.audit import audit
from svc.domain.audit.audit import Actor
from svc.domain.monitoring import alerts
from svc.domain.partners import admin as partner_admin
from svc.domain.partners import lexicon, patterns, sensitivity
from svc.domain.tables.partners import NamedRule, Rule
from svc.store.database import Connection, db
from svc.store.expressions import JOIN, fn
from svc.store.models.partners import Account, Customer, SensitivityRule
from svc.store.models.service import Alert
from svc.store.queries import Prepared, slot, slots

SCOPES = ("operator", "customer", "account", "country")
# The alert about a pattern that is matched with a time limit.
REFUSED_ALERT = "SensitivityPatternSlow"
LONGEST = 200  # characters of a phrase
_READERS = {
    "scope": form_fields.choice(*SCOPES),
    "scope_id": lambda text: text.strip() or None,
    "phrase": form_fields.words(LONGEST),
    "is_pattern": form_fields.read_flag,
}
_PATTERNS = Prepared(
    SensitivityRule.select(SensitivityRule.id, SensitivityRule.phrase, SensitivityRule.is_pattern)
    .where(SensitivityRule.is_pattern == 1)
    .order_by(SensitivityRule.id),
    Rule,
)
_NAMED = Prepared(
    SensitivityRule.select(
        SensitivityRule, fn.coalesce(Account.name, Customer.name).alias("scope_name")
    )
    .join(
        Account,
        JOIN.LEFT_OUTER,
        on=(SensitivityRule.scope == "account") & (Account.id == SensitivityRule.scope_id),
    )
    .join(
        Customer,
        JOIN.LEFT_OUTER,
        on=(SensitivityRule.scope == "customer") & (Customer.id == SensitivityRule.scope_id),
    )
    .order_by(
        (SensitivityRule.scope == "operator").desc(),
        SensitivityRule.created_at.desc(),
        SensitivityRule.id,
    )
    .limit(1000),
    NamedRule,
)
_ADD = Prepared(
    SensitivityRule.insert(slots("id", "scope", "scope_id", "phrase", "is_pattern", "created_at"))
)
_FIND = Prepared(
    SensitivityRule.select(
        SensitivityRule.scope,
        SensitivityRule.scope_id,
        SensitivityRule.phrase,
        SensitivityRule.is_pattern,
    ).where(SensitivityRule.id == slot("id"))
)
_REMOVE = Prepared(SensitivityRule.delete().where(SensitivityRule.id == slot("id")))
_OPEN_ALERT = Prepared(
    Alert.select(Alert.id).where(
        Alert.name == REFUSED_ALERT, Alert.subject_id == slot("rule_id"), Alert.closed_at.is_null()
    )
)


def list_rules() -> list[NamedRule]:
    """Return all rules, those with the scope operator first,
    with ``scope_name`` for those of a customer or account.
    """
    return _NAMED.rows()


def name_scope(rule: NamedRule) -> str:
    """Return the scope of a rule as a text."""
    if rule["scope"] == "operator":
        return "Everybody"
    if rule["scope"] == "country":
        return str(
            locales.list_countries().get(rule["scope_id"] or "", {}).get("name", rule["scope_id"])
        )
    return str(rule["scope_name"] or rule["scope_id"])


def add(actor: Actor, fields: Mapping[str, str], now: int) -> str:
    """Add a rule and return its id. InvalidRequest: names the invalid field."""
    values = {
        "scope": "operator",
        "scope_id": None,
        "is_pattern": 0,
        **form_fields.read(_READERS, fields),
    }
    if "phrase" not in values:
        raise InvalidRequest(
            "phrase: This field is required.", fields={"phrase": ["This field is required."]}
        )
    _check_phrase(values["phrase"], values["is_pattern"])
    _check_scope(values["scope"], values["scope_id"])
    rule_id = ids.make_id(now)
    with audit.recording(
        actor, "rule.add", values["phrase"], now, subject_id=rule_id, after=values
    ):
        _ADD.execute(id=rule_id, created_at=now, **values)
    return rule_id


def remove(actor: Actor, rule_id: str, now: int) -> None:
    """Remove a rule. NotFound: there is none."""
    with audit.recording(actor, "rule.remove", None, now) as entry:
        row = _FIND.row(id=rule_id)
        if row is None:
            raise NotFound("There is no such rule.")
        _REMOVE.execute(id=rule_id)
        entry.describe(row["phrase"], subject_id=rule_id, before=dict(row))


def find_suppressing(
    text: str, account_id: str | None = None, country_id: str | None = None
) -> list[NamedRule]:
    """Return the rules that would suppress a brief with ``text`` as its topic or notes.

    Its language is not known: it is that of most letters, and figures are read in English.
    ``account_id`` and ``country_id``: None includes the rules of all accounts or countries.
    """
    account = None if account_id is None else partner_admin.find(partner_admin.ACCOUNT, account_id)
    applying = [
        rule
        for rule in list_rules()
        if rule["scope"] == "operator"
        or (rule["scope"] == "country" and country_id in (None, rule["scope_id"]))
        or (rule["scope"] == "account" and (account is None or account["id"] == rule["scope_id"]))
        or (
            rule["scope"] == "customer"
            and (account is None or account["customer_id"] == rule["scope_id"])
        )
    ]
    entries = lexicon.list_pairs(account["id"]) if account else ()
    return list(
        sensitivity.find_matching(
            applying,
            sensitivity.extract_brief_texts("", text, None, text, None, entries, "en"),
        )
    )


def find_refused_patterns() -> list[dict[str, Any]]:
    """Return the stored rules whose pattern this release would refuse, each with the reason in
    ``why``.

    They are still matched, with the time limit patterns.SECONDS_PER_SEARCH.
    """
    return _find_refused(_PATTERNS.rows())


def find_refused_patterns_by(connection: Connection) -> list[dict[str, Any]]:
    """Return :func:`find_refused_patterns` of the database of ``connection``."""
    return _find_refused(_PATTERNS.rows_by(connection))


def _find_refused(rules: Iterable[Rule]) -> list[dict[str, Any]]:
    checked = [
        {**rule, "why": sensitivity.explain_refused_pattern(rule["phrase"])} for rule in rules
    ]
    return [rule for rule in checked if rule["why"]]


def alert_refused_patterns(now: int) -> None:
    """Raise an alert for each of :func:`find_refused_patterns` that has no open alert."""
    for rule in find_refused_patterns():
        if _OPEN_ALERT.row(rule_id=rule["id"]) is None:
            message = (
                f"The pattern {rule['phrase']!r} of a sensitivity rule is given up after "
                f"{patterns.SECONDS_PER_SEARCH * 1000:.0f} ms on a brief, which then passes. "
                f"{rule['why']} "
                f"Rewrite it: `rule remove {rule['id']}`, `rule add --pattern …`."
            )
            with db.transaction():
                alerts.raise_alert(REFUSED_ALERT, "warning", message, now, subject_id=rule["id"])


def _check_phrase(phrase: str, is_pattern: int) -> None:
    message = None
    if is_pattern:
        message = sensitivity.explain_refused_pattern(phrase)
        if message is None and sensitivity.any_matches(
            [{"phrase": phrase, "is_pattern": 1}], sensitivity.Texts([" "])
        ):
            message = "This pattern matches every text, even an empty one."
    elif not sensitivity.normalise(phrase):
        message = "This phrase is empty once accents and invisible characters are removed."
    if message:
        raise InvalidRequest(message, fields={"phrase": [message]})


def _check_scope(scope: str, scope_id: str | None) -> None:
    message = None
    if scope == "operator":
        message = (
            "A rule for all partners must not name an account, customer or country."
            if scope_id
            else None
        )
    elif scope == "country":
        message = None if scope_id in locales.list_countries() else "There is no such country."
    else:
        try:
            if scope == "account":
                partner_admin.find(partner_admin.ACCOUNT, scope_id or "")
            else:
                partner_admin.find(partner_admin.CUSTOMER, scope_id or "")
        except NotFound as absent:
            message = absent.message
    if message:
        raise InvalidRequest(message, fields={"scope_id": [message]})
