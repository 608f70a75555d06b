"""``python app.py rule``: content sensitivity rules, and a check of a topic against them."""

import click

from svc.base import clock
from svc.base.errors import CommandError
from svc.base.text import read_aloud
from svc.cli import command_support
from svc.cli.command_support import (
    Done,
    command,
    get_terminal_user,
    list_given_options,
    to_plain_row,
)
from svc.cli.records.filters import require_named
from svc.domain import locales
from svc.domain.partners import sensitivity_rules

rule = command_support.group("rule", "Sensitivity rules, and a check of a topic against them.")


@command(rule, "list")
def list_():
    """List all rules."""
    return [_represent_rule(row) for row in sensitivity_rules.list_rules()]


@command(rule, "add")
@click.argument("phrase")
@click.option("--pattern", is_flag=True, help="Treat the phrase as a regular expression.")
@click.option("--customer", help="Apply the rule only to this customer.")
@click.option("--account", help="Apply the rule only to this account.")
@click.option("--country", help="Apply the rule only to this country, such as DE.")
def add(phrase, pattern, customer, account, country):
    """Refuse topics, subjects and notes that contain a phrase, for all partners or one customer,
    account or country.
    """
    scope_values = {"customer": customer, "account": account, "country": country}
    # an empty one, as of a variable that is not set, must not apply the rule to everybody
    scopes_given = [(scope, value) for scope, value in scope_values.items() if value is not None]
    if len(scopes_given) > 1:
        raise click.UsageError("Use only one of --customer, --account and --country.")
    scope, scope_id = scopes_given[0] if scopes_given else ("operator", None)
    if country is not None:
        scope_id = _find_country(country)
    options = list_given_options(
        phrase=phrase, scope=scope, scope_id=scope_id, is_pattern="on" if pattern else "off"
    )
    rule_id = sensitivity_rules.add(get_terminal_user().actor, options, clock.now())
    return Done(f"added the rule {rule_id}", {"id": rule_id})


@command(rule, "remove", removes="the rule")
@click.argument("rule_id")
def remove(rule_id):
    """Remove a rule."""
    sensitivity_rules.remove(get_terminal_user().actor, rule_id, clock.now())
    return Done(f"removed {rule_id}", {"removed": rule_id})


@command(rule, "try")
@click.argument("topic")
@click.option("--account", help="The account to check for; all accounts by default.")
@click.option("--country", help="The country to check for, such as DE.")
def try_(topic, account, country):
    """Check whether a topic would pass the rules."""
    from svc.media.text import read_aloud as reader

    require_named(account_id=account)
    read_aloud.set_reader(reader.read)
    matching = sensitivity_rules.find_suppressing(
        topic, account, None if country is None else _find_country(country)
    )
    if not matching:
        return Done("it would pass", {"passes": True, "rules": []})
    lines = "\n".join(
        f"  {row['phrase']}  ({sensitivity_rules.name_scope(row)})" for row in matching
    )
    return Done(
        f"it would be refused by\n{lines}",
        {"passes": False, "rules": [_represent_rule(row) for row in matching]},
    )


def _find_country(code: str) -> str:
    """Return the identifier of a country. CommandError: there is none with this code."""
    try:
        return locales.find_country(code)
    except ValueError as unknown:
        raise CommandError(str(unknown)) from unknown


def _represent_rule(row) -> dict:
    return {
        **to_plain_row(row, "id", "scope", "scope_id", "phrase", "is_pattern", "created_at"),
        "for": sensitivity_rules.name_scope(row),
    }
