"""What a tool of an agent is, and what tools have in common."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from svc.base.errors import CommandError
from svc.cli.demo.client import Client

Answer = dict[str, Any]


@dataclass(frozen=True)
class Tool:
    """A tool. ``scope``: what the key needs; None: nothing. ``is_reading``: whether it changes nothing."""

    name: str
    description: str
    scope: str | None
    properties: dict[str, dict[str, Any]]
    required: tuple[str, ...]
    call: Callable[[Client, Answer], Answer]
    is_reading: bool = True

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the arguments."""
        required = {"required": list(self.required)} if self.required else {}
        return {"type": "object", "properties": self.properties, **required, "additionalProperties": False}


def text(description: str, **more: Any) -> dict[str, Any]:
    """Return the schema of a text among the arguments."""
    return {"type": "string", "description": description, **more}


PRODUCTION = {"productionId": text("The production, as trigger or list_productions gave it.", format="uuid")}
ACCOUNT = {"accountId": text("The account; may be left out where the key reaches only one.", format="uuid")}


def account_of(client: Client, arguments: Answer) -> str:
    """Return the account that a tool is asked for. CommandError: none is, and the key reaches several."""
    if "accountId" in arguments:
        return identifier(arguments["accountId"])
    found = [each["accountId"] for each in client.every("/v1/accounts")]
    if len(found) != 1:
        raise CommandError(f"accountId is needed: the key reaches {len(found)} accounts. list_accounts shows them.")
    return str(found[0])


def identifier(given: str) -> str:
    """Return an identifier as it stands in a path. CommandError: it is none."""
    try:
        return str(uuid.UUID(given))
    except ValueError as bad:
        raise CommandError(f"{given!r} is no identifier: they are UUIDs, as the other tools give them.") from bad
