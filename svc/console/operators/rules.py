"""Operators' page of the sensitivity rules, with a form to check a topic."""

from flask import render_template, request

from svc.base.errors import ServiceError
from svc.console import access, forms
from svc.console.page_blueprint import make_section
from svc.domain import locales
from svc.domain.partners import search as partner_search
from svc.domain.partners import sensitivity_rules

pages = make_section("rule_pages", "/rules", rule="operator")


@pages.get("")
def index():
    return _page()


@pages.post("")
@access.keep_form
def add():
    fields = forms.read_fields("whose", "phrase", "is_pattern?")
    scope, _, scope_id = fields["whose"].partition(":")
    rule = {
        "scope": scope,
        "scope_id": scope_id,
        "phrase": fields["phrase"],
        "is_pattern": fields["is_pattern"],
    }
    return forms.submit(
        lambda: sensitivity_rules.add(access.viewer().actor, rule, access.now()),
        "The rule is added.",
        access.link("rule_pages.index"),
        lambda error: _page(error, fields),
    )


@pages.post("/<rule_id>/remove")
def remove(rule_id: str):
    return forms.press(
        lambda: sensitivity_rules.remove(access.viewer().actor, rule_id, access.now()),
        "The rule is removed.",
        access.link("rule_pages.index"),
    )


def _page(error: ServiceError | None = None, fields: dict | None = None) -> str:
    topic, account_id = request.args.get("topic", ""), request.args.get("account") or None
    country_id = request.args.get("country") or None
    return render_template(
        "rules.html",
        title="Sensitivity rules",
        error=error,
        given=fields or {},
        topic=topic,
        rules=[
            {**rule, "whose": sensitivity_rules.name_scope(rule)}
            for rule in sensitivity_rules.list_rules()
        ],
        matching=[
            rule["id"] for rule in sensitivity_rules.find_suppressing(topic, account_id, country_id)
        ]
        if topic
        else None,
        accounts=partner_search.list_rows("account"),
        customers=partner_search.list_rows("customer"),
        countries=locales.list_countries().values(),
        account_id=account_id,
        country_id=country_id,
    )
