"""Actions of people on productions: trigger, retry, release, reject, cancel;
each is entered in the audit log.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from svc.base import states
from svc.base.api_fields import Option, TextRule
from svc.base.errors import CommandError, Conflict, NotFound, NotYours
from svc.base.text.text_rules import is_blank, is_storable
from svc.domain import form_fields, partner_status
from svc.domain.audit import audit
from svc.domain.lifecycle import briefs, render_queue, script_review
from svc.domain.lifecycle.briefs import Brief
from svc.domain.people.users import Viewer
from svc.domain.productions import detail as production_detail
from svc.domain.productions import distribution, productions
from svc.domain.productions.detail import ProductionDetail
from svc.domain.tables.partners import Account
from svc.domain.translation import translations
from svc.domain.usage.model_costs import Prices
from svc.store.models import partners as models
from svc.store.models.productions import Production
from svc.store.queries import Prepared, slot

RETRIABLE_STATES = frozenset((states.FAILED, states.CANCELLED))
LONGEST_REASON = 500

_MOST_ACCOUNTS = 200

_ACCOUNT = models.Account
_ACCOUNTS = Prepared(
    _ACCOUNT.select()
    .where(
        _ACCOUNT.partner_id == slot("partner"),
        _ACCOUNT.status.in_(("Active", "Pilot")),
        (slot("everywhere") == 1) | (_ACCOUNT.environment == states.SANDBOX),
    )
    .order_by(_ACCOUNT.created_at, _ACCOUNT.id)
    .limit(_MOST_ACCOUNTS),
    Account,
)
_FIND_ACCOUNT = Prepared(_ACCOUNT.select().where(_ACCOUNT.id == slot("id")), Account)
_PARTNER_OF = Prepared(_ACCOUNT.select(_ACCOUNT.partner_id).where(_ACCOUNT.id == slot("id")))
_RETRIES = Prepared(Production.update(retry_of=slot("before")).where(Production.id == slot("id")))


def text(longest: int, shortest: int = 0) -> form_fields.Reader:
    """Return a reader of text with the API's rules: line ends become LF,
    and surrounding white space is trimmed.
    """

    def reader(value: str) -> str | None:
        trimmed = value.replace("\r\n", "\n").strip()
        if not is_storable(trimmed):
            raise ValueError("Remove the control characters.")
        if not shortest <= len(trimmed) <= longest:
            raise ValueError(
                f"Give {shortest} to {longest:,} characters; this text has {len(trimmed):,}."
            )
        if shortest and is_blank(trimmed):
            raise ValueError("Give a character that can be seen.")
        return trimmed or None

    return reader


def read_languages(value: str, most: int = briefs.MOST_LANGUAGES) -> tuple[str, ...]:
    """Return the further languages of a brief, with spaces between, each once.

    ValueError: there are too many.
    """
    named = value.split()
    if len(named) > most:
        raise ValueError(f"Choose at most {most} languages; these are {len(named):,}.")
    return tuple(dict.fromkeys(named))


def read_caption_languages(value: str) -> tuple[str, ...]:
    """Return the languages of captions in the same way."""
    return read_languages(value, briefs.MOST_CAPTION_LANGUAGES)


def read_option(option: Option) -> form_fields.Reader:
    """Return a reader of an option of a brief; None for an empty text: it is left out."""
    if isinstance(option.rule, TextRule):
        return text(option.rule.longest)
    return _choice_or_none(*option.rule)


def _choice_or_none(*allowed: str) -> form_fields.Reader:
    chosen = form_fields.choice(*allowed)
    return lambda value: chosen(value) if value else None


class BriefField(NamedTuple):
    """A field of a brief in forms. ``attribute``: of :class:`Brief`."""

    attribute: str
    read: form_fields.Reader


BRIEF_FIELDS = {  # by their names in forms and the API
    "topic": BriefField("topic", text(briefs.TOPIC.longest, briefs.TOPIC.shortest)),
    "projectTypeSlug": BriefField("project_type", lambda value: value or None),
    "subjectOverride": BriefField("subject_override", text(briefs.SUBJECT.longest)),
    "languageId": BriefField("language_id", str),
    "countryId": BriefField("country_id", str),
    "avatarId": BriefField("avatar_id", str),
    "metadataMD": BriefField("metadata_md", text(briefs.METADATA.longest)),
    "externalId": BriefField("external_id", text(briefs.EXTERNAL_ID.longest)),
    "review": BriefField("review", _choice_or_none("script", "none")),
    **{
        option.name: BriefField(attribute, read_option(option))
        for attribute, option in briefs.OPTIONS.items()
    },
    "languageIds": BriefField("further_languages", read_languages),
    "translation": BriefField(
        "translation", _choice_or_none(translations.PEOPLE, translations.MODEL)
    ),
    "captionLanguageIds": BriefField("caption_languages", read_caption_languages),
}


def parse_form(form: Mapping[str, str]) -> Brief:
    """Return the brief of a submitted form with the API's field names.

    InvalidRequest: names each invalid field.
    """
    readers = {name: field.read for name, field in BRIEF_FIELDS.items()}
    values = form_fields.read(readers, {name: form.get(name, "") for name in readers})
    return Brief(**{BRIEF_FIELDS[name].attribute: value for name, value in values.items()})


def list_accounts(viewer: Viewer, partner_id: str) -> list[Account]:
    """Return the accounts in which this person may trigger: all for an operator, sandboxes for a
    partner's people.

    Live productions need a live key, which only the operator issues
    (specification, "Authentication" 3).
    """
    if not (viewer.sees(partner_id) and viewer.may_change):
        return []
    return _ACCOUNTS.rows(partner=partner_id, everywhere=int(viewer.is_operator))


def trigger(
    viewer: Viewer,
    account_id: str,
    form: Mapping[str, str],
    now: int,
    correlation_id: str,
    prices: Prices,
) -> str:
    """Trigger a production from the console, through the gates of the API; return its id.

    ``prices``: of the configured models. Raises NotFound or NotYours for the account,
    InvalidRequest, and the gates' errors.
    """
    account = find_account(viewer, account_id)
    partner_status.require_active(account["partner_id"])
    if not may_trigger(viewer, account["environment"]):
        raise NotYours(
            "In the console, a partner's users trigger productions only in sandboxes; use a live "
            "key for live accounts."
        )
    return _trigger(
        viewer, account, parse_form(form), now, correlation_id, prices, "production.trigger"
    )


def find_account(viewer: Viewer, account_id: str) -> Account:
    """Return an account. NotFound: there is none that this person may see."""
    account = _FIND_ACCOUNT.row(id=account_id)
    if account is None or not viewer.sees(account["partner_id"]):
        raise NotFound("There is no such account.")
    return account


def sees_account(viewer: Viewer, account_id: str) -> bool:
    """Return whether there is an account of this id that this person may see."""
    row = _PARTNER_OF.row(id=account_id)
    return row is not None and viewer.sees(row["partner_id"])


def may_trigger(viewer: Viewer, environment: str) -> bool:
    """Return whether this person may trigger productions of an account.

    ``environment``: of the account.
    """
    return viewer.is_operator or (viewer.may_change and environment == "sandbox")


def _trigger(
    viewer: Viewer,
    account: Account,
    brief: Brief,
    now: int,
    correlation_id: str,
    prices: Prices,
    action: str,
    retried: str | None = None,
) -> str:
    screenings = productions.screen_before_trigger(account["id"], brief, prices)
    partner_id = account["partner_id"]
    with audit.recording(viewer.actor, action, None, now, in_turn_of=partner_id) as entry:
        triggered = productions.trigger(
            account,
            brief,
            now,
            correlation_id=correlation_id,
            ttl_hours=None,
            prices=prices,
            screenings=screenings,
        )
        if retried:
            _RETRIES.execute(id=triggered.production_id, before=retried)
        entry.describe(
            json.loads(triggered.text)["title"],
            subject_id=triggered.production_id,
            partner_id=partner_id,
            after={"account": account["name"], "retryOf": retried}
            if retried
            else {"account": account["name"]},
        )
    return triggered.production_id


def retry(viewer: Viewer, production_id: str, now: int, correlation_id: str, prices: Prices) -> str:
    """Retry a production that failed or was cancelled, as a new one that refers to it; return the
    new id.

    Raises:
        NotFound: There is none that the caller may see.
        NotYours: The role of the person does not permit it.
        PartnerNotActive: The partner is suspended or closed.
        Conflict: It is neither Failed nor Cancelled.

    The gates of a trigger raise their own errors.
    """
    production = production_detail.find(viewer.partner_id, production_id)
    account = _FIND_ACCOUNT.one(id=production["account_id"])
    partner_status.require_active(account["partner_id"])
    if not may_trigger(viewer, account["environment"]):
        raise NotYours(
            "In the console, a partner's users retry productions only in sandboxes; trigger this "
            "one again with a live key."
        )
    if production["status"] not in RETRIABLE_STATES:
        raise Conflict(
            "Only a production that failed or was cancelled can be retried; this one is "
            f"{production['status']}."
        )
    brief = briefs.rebuild_brief(production, translations.find_awaited_source(production_id))
    return _trigger(
        viewer, account, brief, now, correlation_id, prices, "production.retry", production_id
    )


def release(viewer: Viewer, production_id: str, now: int) -> None:
    """Release a production.

    Raises:
        NotFound: There is none that the caller may see.
        NotYours: The person is no operator.
        Conflict: It does not await its release.
    """
    production = _for_operator(viewer, production_id)
    with _entered(viewer, "production.release", production, now):
        distribution.release(production_id, now)


def reject(viewer: Viewer, production_id: str, reason: str, now: int) -> None:
    """Reject a production; the partner gets the reason.

    Errors as :func:`release`; InvalidRequest: there is no reason.
    """
    production = _for_operator(viewer, production_id)
    reason = form_fields.read({"reason": text(LONGEST_REASON, 1)}, {"reason": reason})["reason"]
    with _entered(viewer, "production.reject", production, now, after={"reason": reason}):
        distribution.reject(production_id, reason, now)


def cancel(viewer: Viewer, production_id: str, now: int, correlation_id: str | None = None) -> None:
    """Request the cancel of any production, also of one from the console.

    Raises:
        NotFound: There is none that the caller may see.
        NotYours: The role of the person does not permit it.
        AlreadyTerminal: It has ended.
        CancelInProgress: A cancel is requested already.
    """
    production = production_detail.find(viewer.partner_id, production_id)
    if not viewer.may_change:
        raise NotYours()
    with _entered(viewer, "production.cancel", production, now):
        productions.request_cancel(production_id, now, correlation_id)


def move_to_front(viewer: Viewer, production_id: str, now: int) -> None:
    """Move a production to the front of the queue.

    Raises:
        NotFound: There is none that the caller may see.
        NotYours: The person is no operator.
        Conflict: It is not being made.
    """
    render_queue.move_to_front(
        viewer, production_detail.find(viewer.partner_id, production_id), now
    )


def list_allowed_actions(viewer: Viewer, production: ProductionDetail) -> set[str]:
    """Return the actions that this person may take in its present state: release, reject, correct,
    front, cancel, retry.
    """
    status, actions = production["status"], set()
    waits = status == states.AWAITING_APPROVAL and production["released_at"] is None
    if (
        production["cancel_token"] is None
        and viewer.may_change
        and status not in states.TERMINAL_STATES
    ):
        actions.add("cancel")
        if waits and viewer.is_operator:
            actions |= {"release", "reject"}
        if waits and script_review.find_written_script(production["id"]) is not None:
            actions.add("correct")
        if (
            status in (states.QUEUED, states.PRODUCING)
            and production["lane"] != render_queue.FRONT
            and viewer.is_operator
        ):
            actions.add("front")
    if status in RETRIABLE_STATES and may_trigger(viewer, production["environment"]):
        actions.add("retry")
    return actions


def _for_operator(viewer: Viewer, production_id: str) -> ProductionDetail:
    production = production_detail.find(viewer.partner_id, production_id)
    if not viewer.is_operator:
        raise NotYours("Only operators release and reject productions.")
    return production


@contextmanager
def _entered(
    viewer: Viewer,
    action: str,
    production: ProductionDetail,
    now: int,
    after: dict[str, Any] | None = None,
) -> Iterator[None]:
    """Enter an action in the audit log, as audit.recording; raise CommandError as Conflict,
    which the console shows.
    """
    entered = audit.recording(
        viewer.actor,
        action,
        production["title"],
        now,
        subject_id=production["id"],
        partner_id=production["partner_id"],
        after=after,
        in_turn_of=production["partner_id"],
    )
    try:
        with entered:
            yield
    except CommandError as error:
        raise Conflict(str(error)) from error
