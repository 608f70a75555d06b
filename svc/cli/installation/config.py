"""``python app.py config``: the settings as this process reads them, and where each comes from."""

import json
import os
from dataclasses import Field, fields

import click

from svc.base import settings
from svc.base.settings import Settings
from svc.cli import tables

_MASK = "(set, not shown)"
# Of the settings with ``repr=False``, what is shown: addresses without their passwords and tokens,
# and what a refusal does not repeat, but which is no secret once it was accepted.
_SHOWN_IN_PART = {"alert_urls", "script_url", "speech_url", "database_url"}
_SHOWN = {"backup_recipients", "script_key_file", "speech_key_file"}


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def config(as_json: bool) -> None:
    """Show every setting, its value and where it comes from; secrets are masked."""
    rows = list_effective_settings(settings.read(), os.environ)
    if as_json:
        click.echo(json.dumps(rows, ensure_ascii=False, indent=2))
    else:
        tables.write_table(rows)


def list_effective_settings(effective: Settings, environment) -> list[dict]:
    """Return a row for each setting: its variable, its value,
    and whether it comes from the environment or the default.
    """
    rows = []
    for field in fields(Settings):
        name = settings.name_variable(field.name)
        source = "environment" if environment.get(name) else "default"
        rows.append(
            {
                "setting": name,
                "value": _format_value(field, getattr(effective, field.name)),
                "source": source,
            }
        )
    return rows


def _format_value(field: Field, value) -> str:
    if not value and value != 0:
        return ""
    if field.name in _SHOWN_IN_PART:
        addresses = value if isinstance(value, tuple) else (value,)
        return ", ".join(_mask_credentials(address) for address in addresses)
    if not field.repr and field.name not in _SHOWN:
        return _MASK
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _mask_credentials(address: str) -> str:
    """Return ``address`` without secrets.

    The addresses of alerts may contain tokens anywhere after the scheme.
    """
    scheme, separator, remainder = address.partition("://")
    if scheme in ("http", "https") and "@" not in remainder and "?" not in remainder:
        return address
    return f"{scheme}{separator}{_MASK}" if separator else _MASK
