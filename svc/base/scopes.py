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

MEANINGS = {  # what people read beside each
    READ: "See productions, their events and states",
    DELIVERABLES: "Download what was made",
    PERFORMANCE: "See views and watch time",
    ACCOUNTS: "See accounts, languages and avatars",
    TRIGGER: "Trigger productions, which costs money on live accounts",
    CANCEL: "Cancel productions",
    WEBHOOKS: "Register, change and replay webhooks",
}

_OTHER_NAMES = {"productions:write": TRIGGER}  # the getting-started text's name for the trigger scope


NAMES = (*ALL, *_OTHER_NAMES)  # that people may give a key


def normalise(scopes: list[str]) -> list[str]:
    """``scopes`` by their names in the scope table, without repeats. ValueError: names one that does not exist."""
    named = [_OTHER_NAMES.get(each, each) for each in scopes]
    unknown = [each for each in named if each not in ALL]
    if unknown:
        raise ValueError(f"no such scope: {', '.join(unknown)}; there are {', '.join(ALL)}")
    return list(dict.fromkeys(named))


def granted(held: frozenset[str] | None, needed: str) -> bool:
    """Whether a key that holds ``held`` may do what needs ``needed``; None holds every scope."""
    return held is None or needed in held or any(_OTHER_NAMES.get(name) == needed for name in held)
