"""Operators' page of the sensitivity rules, with a form to check a topic."""

from flask import render_template, request

from svc.base.errors import ServiceError
from svc.console import access, forms
from svc.console.section import section
from svc.domain import directory, reference, rules

pages = section("rule_pages", "/rules", rule="operator")


@pages.get("")
def index():
    return _page()


@pages.post("")
def add():
    given = forms.typed("whose", "phrase", "is_pattern?")
    scope, _, scope_id = given["whose"].partition(":")
    rule = {"scope": scope, "scope_id": scope_id, "phrase": given["phrase"], "is_pattern": given["is_pattern"]}
    return forms.submit(
        lambda: rules.add(access.viewer().actor, rule, access.now()), "The rule is added.",
        access.link("rule_pages.index"), lambda error: _page(error, given),
    )  # fmt: skip


@pages.post("/<rule_id>/remove")
def remove(rule_id: str):
    return forms.press(
        lambda: rules.remove(access.viewer().actor, rule_id, access.now()), "The rule is removed.",
        access.link("rule_pages.index"),
    )  # fmt: skip


def _page(error: ServiceError | None = None, given: dict | None = None) -> str:
    topic, account_id = request.args.get("topic", ""), request.args.get("account") or None
    country_id = request.args.get("country") or None
    return render_template(
        "rules.html", title="Sensitivity rules", error=error, given=given or {}, topic=topic,
        rules=[{**rule, "whose": rules.scope_name(rule)} for rule in rules.everything()],
        matching=[rule["id"] for rule in rules.would_suppress(topic, account_id, country_id)] if topic else None,
        accounts=directory.everything("account"), customers=directory.everything("customer"),
        countries=reference.countries().values(), account_id=account_id, country_id=country_id,
    )  # fmt: skip
