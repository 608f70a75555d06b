"""``python app.py rule``: content sensitivity rules, and whether a topic would pass."""

import click

from svc.base import clock, ids
from svc.cli import operating
from svc.cli.operating import Done, command, given, me, plain
from svc.domain import rules

rule = operating.group("rule", "Sensitivity rules, and whether a topic would pass.")


@command(rule, "list")
def list_():
    """List every rule."""
    return [_view(row) for row in rules.everything()]


@command(rule, "add")
@click.argument("phrase")
@click.option("--pattern", is_flag=True, help="It is a regular expression.")
@click.option("--customer", help="For this customer only.")
@click.option("--account", help="For this account only.")
@click.option("--country", help="For this country only, such as DE.")
def add(phrase, pattern, customer, account, country):
    """Refuse topics, subjects and notes with that phrase: for everybody, or for one customer, account or country."""
    chosen = {"customer": customer, "account": account, "country": country}
    named = [(scope, value) for scope, value in chosen.items() if value]
    if len(named) > 1:
        raise click.UsageError("Name one of --customer, --account and --country.")
    scope, scope_id = named[0] if named else ("operator", None)
    if scope == "country" and scope_id:
        scope_id = ids.named("country", scope_id.upper())
    asked = given(phrase=phrase, scope=scope, scope_id=scope_id, is_pattern="on" if pattern else "off")
    made = rules.add(me().actor, asked, clock.now())
    return Done(f"added the rule {made}", {"id": made})


@command(rule, "remove", removes="the rule")
@click.argument("rule_id")
def remove(rule_id):
    """Remove a rule."""
    rules.remove(me().actor, rule_id, clock.now())
    return Done(f"removed {rule_id}", {"removed": rule_id})


@command(rule, "try")
@click.argument("topic")
@click.option("--account", help="On this account; without it, whatever the account.")
@click.option("--country", help="For this country, such as DE.")
def try_(topic, account, country):
    """Say whether a topic would pass."""
    found = rules.would_suppress(topic, account, ids.named("country", country.upper()) if country else None)
    if not found:
        return Done("it would pass", {"passes": True, "rules": []})
    named = "\n".join(f"  {each['phrase']}  ({rules.scope_name(each)})" for each in found)
    return Done(f"it would be refused by\n{named}", {"passes": False, "rules": [_view(each) for each in found]})


def _view(row) -> dict:
    return {**plain(row, "id", "scope", "scope_id", "phrase", "is_pattern", "created_at"), "for": rules.scope_name(row)}
