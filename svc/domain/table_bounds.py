"""The bounds of each table that a partner can make grow: its limit, and how long its rows are kept.

:data:`BOUNDS` is the table in docs/SECURITY.md. A test compares it with ``schema.sql``: a new table
needs an entry.
"""

from collections.abc import Mapping
from typing import NamedTuple

from svc.domain.access import idempotency, key_admin, keys
from svc.domain.briefing import batches, corrections, templates
from svc.domain.lifecycle import script_review
from svc.domain.lifecycle.title_words import MOST_SIGNS, MOST_WORDS
from svc.domain.partners import avatars, lexicon
from svc.domain.people import kept_forms, saved_filters, sent_forms, sessions, users
from svc.domain.publishing import connections
from svc.domain.usage import refusals
from svc.domain.webhooks import signing_secrets, subscriptions

START, END = "<!-- bounds -->", "<!-- /bounds -->"  # around the table in docs/SECURITY.md
_OPERATOR = "operators alone add rows"
_PRODUCTION = "with its production"
_HISTORY = "`SVC_HISTORY_DAYS`"
_DISK = "`SVC_PARTNER_DISK_MEGABYTES`"
_BY_PRODUCTION = "daily productions of the tier, ceilings of account and customer"


class Bound(NamedTuple):
    """``limit``: how much there may be, in words. ``kept``: for how long."""

    limit: str
    kept: str


BOUNDS: Mapping[str, Bound] = {
    "partners": Bound(_OPERATOR, "until `partner erase`, as every row below"),
    "customers": Bound(_OPERATOR, "as long as the partner"),
    "accounts": Bound(f"{_OPERATOR}, and one sandbox for each user", "as long as the partner"),
    "brand_fonts": Bound(f"one an account; {_DISK}", "until it is replaced"),
    "music_tracks": Bound(f"one an account; {_DISK}", "until it is replaced"),
    "intro_clips": Bound(f"one an account; {_DISK}", "until it is replaced"),
    "outro_clips": Bound(f"one an account; {_DISK}", "until it is replaced"),
    "lexicons": Bound(f"one an account, {lexicon.MOST_ENTRIES} entries", "until it is replaced"),
    "project_types": Bound(_OPERATOR, "until it is removed"),
    "avatars": Bound(f"{avatars.MOST} a customer", "until it is removed"),
    "assets": Bound(
        f"one logo an account, one portrait an avatar; {_DISK}", "until it is replaced"
    ),
    "connected_platforms": Bound(
        "one for each place and connection of an account", "until it is removed"
    ),
    "connections": Bound(
        f"{connections.MOST} an account",
        "removed ones, without their secrets, as long as the account",
    ),
    "connection_tries": Bound(
        "a quarter of a server's threads, for 20 seconds each", "an hour, until the next one"
    ),
    "sensitivity_rules": Bound(_OPERATOR, "until it is removed"),
    "api_keys": Bound(
        f"{key_admin.MOST} in use, {keys.MOST_A_DAY} a day", f"{_HISTORY} after their end"
    ),
    "activation_keys": Bound(_OPERATOR, f"{_HISTORY} after their end"),
    "requests": Bound(
        "the tier's requests a minute and a day; refusals outside them once a minute and kind",
        _HISTORY,
    ),
    "refusals": Bound(f"{refusals.MOST:,} a partner", "`SVC_REFUSAL_DAYS`"),
    "production_days": Bound("one a day and account", "400 days"),
    "usage_days": Bound("one a day", "400 days"),
    "sandbox_days": Bound("one a day and user", "400 days"),
    "ledger": Bound("one a production", _PRODUCTION),
    "model_charges": Bound(
        "one for each answer of a model, which steps ask for a bounded number of times", _PRODUCTION
    ),
    "spend_months": Bound(
        "one a month, account and customer",
        "as long as the partner: budgets are compared with them",
    ),
    "usage_thresholds": Bound("two for each limit and period", "some days after their period"),
    "idempotency_keys": Bound(
        "one a request: the tier's requests", f"{idempotency.LIFETIME // 3_600_000} hours"
    ),
    "productions": Bound(_BY_PRODUCTION, "`SVC_PRODUCTION_DAYS`, `SVC_SANDBOX_PRODUCTION_DAYS`"),
    "production_steps": Bound("seven a production", _PRODUCTION),
    "scripts": Bound(
        (
            f"the first and the newest {script_review.MOST_VERSIONS} versions; "
            f"{corrections.MOST_REVISIONS} revisions"
        ),
        _PRODUCTION,
    ),
    "settled_briefs": Bound("one a production", _PRODUCTION),
    "translations": Bound("one a production", _PRODUCTION),
    "partner_storage": Bound("one", "as long as the partner"),
    "render_queues": Bound("one", "as long as the partner"),
    "publications": Bound("one for each place of a production", _PRODUCTION),
    "deliverables": Bound(_DISK, "`SVC_MEDIA_DAYS`, `SVC_SANDBOX_MEDIA_DAYS`"),
    "events": Bound("some for each step and publication of a production", _PRODUCTION),
    "title_words": Bound(f"{MOST_WORDS + MOST_SIGNS} a production", _PRODUCTION),
    "batches": Bound(
        (
            f"{batches.MOST_KEPT:,} an account that have finished, of the last day more: "
            f"{batches.MOST_A_DAY:,} items a day"
        ),
        f"{_HISTORY}, and no longer than productions",
    ),
    "batch_items": Bound(f"{batches.MOST_ITEMS:,} a batch", "with their batch"),
    "templates": Bound(f"{templates.MOST} an account", "until it is deleted"),
    "subscriptions": Bound(
        f"{subscriptions.MOST_ACTIVE} active, {subscriptions.MOST_A_DAY:,} registered a day",
        "as long as the partner: the specification keeps deleted ones",
    ),
    "rolled_secrets": Bound(
        f"{signing_secrets.MOST_KEPT} a webhook", "until newer ones take their place"
    ),
    "deliveries": Bound(
        "one for each event and webhook; a replay sends the same ones", "`SVC_DELIVERY_DAYS`"
    ),
    "attempts": Bound(
        "four for each delivery, and one for each redelivery: the tier's requests",
        "`SVC_DELIVERY_DAYS`",
    ),
    "plays": Bound(
        "viewers of watch pages, not partners, by the flood limit", "until they are added up"
    ),
    "play_days": Bound("one a day and place of a production", _PRODUCTION),
    "play_viewers": Bound("one for each place of a production", _PRODUCTION),
    "alerts": Bound("what operators should know, most of it once an hour", _HISTORY),
    "users": Bound(
        f"{users.MOST_USERS:,} a partner",
        "as long as the partner: disabled ones keep the audit log readable",
    ),
    "sessions": Bound(f"{sessions.MOST} a user", "until they are idle for too long"),
    "invitations": Bound(
        f"{users.MOST_INVITATIONS} open ones a partner", f"{_HISTORY} after their end"
    ),
    "sent_forms": Bound(f"{sent_forms.MOST} a user", f"{sent_forms.LIFETIME // 3_600_000} hours"),
    "kept_forms": Bound(
        f"{kept_forms.MOST} a user, {kept_forms.LARGEST // 1024} KiB each",
        "an hour, until the next day",
    ),
    "saved_filters": Bound(f"{saved_filters.MOST} a user and list", "until they are removed"),
    "second_factors": Bound("one a user", "as long as the user"),
    "recovery_codes": Bound("one set a user", "until there are new ones"),
}


def format_table() -> str:
    """Return :data:`BOUNDS` as the Markdown table of ``docs/SECURITY.md``."""
    lines = ["| table | limit of a partner | kept |", "|---|---|---|"]
    lines += [f"| `{table}` | {bound.limit} | {bound.kept} |" for table, bound in BOUNDS.items()]
    return "\n".join(lines)
