"""The scopes of API keys (specification, "Authentication" 4)."""

TRIGGER = "productions:trigger"
READ = "productions:read"
CANCEL = "productions:cancel"
DELIVERABLES = "deliverables:read"
PERFORMANCE = "performance:read"
ACCOUNTS = "accounts:read"
WEBHOOKS = "webhooks:manage"

ALL = (TRIGGER, READ, CANCEL, DELIVERABLES, PERFORMANCE, ACCOUNTS, WEBHOOKS)
READ_ONLY = (READ, DELIVERABLES, PERFORMANCE, ACCOUNTS)

MEANINGS = {  # descriptions for people
    READ: "See productions, their events and states",
    DELIVERABLES: "Download what was made",
    PERFORMANCE: "See views and watch time",
    ACCOUNTS: "See accounts, languages and avatars",
    TRIGGER: "Trigger productions, which costs money on live accounts",
    CANCEL: "Cancel productions",
    WEBHOOKS: "Register, change and replay webhooks",
}

# The trigger scope by the name that the getting-started text gives it.
_OTHER_NAMES = {"productions:write": TRIGGER}


NAMES = (*ALL, *_OTHER_NAMES)  # the names that people may enter


def normalise(scopes: list[str]) -> list[str]:
    """Return ``scopes`` by their canonical names, without duplicates.

    ValueError: an unknown scope.
    """
    canonical = [_OTHER_NAMES.get(scope, scope) for scope in scopes]
    unknown = [scope for scope in canonical if scope not in ALL]
    if unknown:
        raise ValueError(f"no such scope: {', '.join(unknown)}; there are {', '.join(ALL)}")
    return list(dict.fromkeys(canonical))


def is_granted(held: frozenset[str] | None, needed: str) -> bool:
    """Return whether a key with the scopes ``held`` has the scope ``needed``;
    None has every scope.
    """
    return held is None or needed in held or any(_OTHER_NAMES.get(name) == needed for name in held)
