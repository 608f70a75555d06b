"""The errors of the service: each class has an HTTP status,
a code and a sentence that says how to fix the request.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Self

MOST_NAMED = 20  # errors of one answer; the message says how many more there are
_LONGEST_NAME = 60  # characters of a field's name, which may be one that was sent


class ServiceError(Exception):
    """An error that is returned in the error envelope (specification, "Errors").

    ``fields``: messages by field, at most :data:`MOST_NAMED` of those that were given. ``more``:
    how many others there are. ``all_fields``: all that were given; the API's answers have the first
    alone.
    """

    status = 500
    code = "INTERNAL_ERROR"
    message = "Something went wrong on our side. Quote the correlation id to support."

    def __init__(
        self,
        message: str | None = None,
        *,
        fields: Mapping[str, Sequence[str]] | None = None,
        retry_after: int | None = None,
    ):
        self.fields: dict[str, list[str]] | None = None
        self.all_fields: Mapping[str, Sequence[str]] = fields or {}
        self.more = 0
        if fields is not None:
            self.fields, self.more = _list_first(fields)
        self.message = (message or self.message) + _mention_others(self.more)
        super().__init__(self.message)
        self.retry_after = retry_after

    @classmethod
    def from_fields(cls, wrong: Mapping[str, Sequence[str]]) -> Self:
        """Return the error for ``wrong``, messages by field.

        Its message names those that its ``fields`` have, each in a sentence of its own.
        """
        first_messages, _ = _list_first(wrong)
        said = [f"{quote_name(name)}: {' '.join(texts)}" for name, texts in first_messages.items()]
        return cls(" ".join([*map(_end_sentence, said[:-1]), *said[-1:]]), fields=wrong)


def quote_name(name: str) -> str:
    """Return the name of a field as a sentence has it: in quotation marks where it could not be
    seen, such as the empty one of ``?=1``.
    """
    return name if name.strip() and name.isprintable() else repr(name)


def _end_sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _list_first(wrong: Mapping[str, Sequence[str]]) -> tuple[dict[str, list[str]], int]:
    """Return the first messages of ``wrong``, and how many others there are."""
    messages_by_name: dict[str, list[str]] = {}
    places_left = MOST_NAMED
    for name, texts in wrong.items():
        if places_left and texts:
            messages_by_name.setdefault(str(name)[:_LONGEST_NAME], []).extend(texts[:places_left])
            places_left -= len(texts[:places_left])
    return messages_by_name, sum(map(len, wrong.values())) - (MOST_NAMED - places_left)


def _mention_others(count: int) -> str:
    return f" (and {count:,} more error{'' if count == 1 else 's'})" if count else ""


class InvalidRequest(ServiceError):
    status, code, message = 400, "INVALID_REQUEST", "The request is not valid."


class InvalidLimit(ServiceError):
    status, code, message = 400, "INVALID_LIMIT", "limit must be a whole number from 1 to 100."


class Unauthorized(ServiceError):
    status, code, message = (
        401,
        "UNAUTHORIZED",
        "Send a valid, unrevoked API key in the X-API-Key header.",
    )


class PartnerNotActive(ServiceError):
    status, code, message = (
        403,
        "PARTNER_NOT_ACTIVE",
        "This partner account is not active. Ask the operator to activate it.",
    )


class PermissionDenied(ServiceError):
    status, code, message = (
        403,
        "PERMISSION_DENIED",
        "This key lacks the permission that the operation needs.",
    )


class InsufficientScope(ServiceError):
    status, code = 403, "INSUFFICIENT_SCOPE"
    message = (
        "This key may not address that account. GET /v1/partner/accounts lists the accounts "
        "that it may."
    )


class AccountNotActive(ServiceError):
    status, code, message = (
        403,
        "ACCOUNT_NOT_ACTIVE",
        "Productions need an account whose status is Active or Pilot.",
    )


class CancellationNotPermitted(ServiceError):
    status, code = 403, "CANCELLATION_NOT_PERMITTED"
    message = "Only productions that were triggered through the API can be cancelled through it."


class SelfServeDisabled(ServiceError):
    status, code = 403, "SELF_SERVE_DISABLED"
    message = "The operator has not enabled this self-serve operation for your partner account."


class LinkExpired(ServiceError):
    status, code = 403, "LINK_EXPIRED"
    message = "This download link has expired. Request a new one from the deliverables endpoint."


class LinkInvalid(ServiceError):
    status, code = 403, "LINK_INVALID"
    message = (
        "This download link has no valid signature. Use sasUrl from the deliverables endpoint "
        "unchanged."
    )


class NotFound(ServiceError):
    status, code, message = 404, "NOT_FOUND", "There is no resource at this address."


class MethodNotAllowed(ServiceError):
    status, code, message = (
        405,
        "METHOD_NOT_ALLOWED",
        "This path does not support that method; see the Allow header.",
    )


class BudgetGate1Failed(ServiceError):
    status, code = 409, "BUDGET_GATE_1_FAILED"
    message = (
        "The account's monthly spend ceiling would be exceeded. It resets on the first of the "
        "month (UTC)."
    )


class BudgetGate2Failed(ServiceError):
    status, code = 409, "BUDGET_GATE_2_FAILED"
    message = (
        "The customer's monthly spend ceiling would be exceeded. It resets on the first of the "
        "month (UTC)."
    )


class ConcurrencyLimitReached(ServiceError):
    status, code = 409, "CONCURRENCY_LIMIT_REACHED"
    message = (
        "The ceiling of concurrent productions is reached. Try again when one of them has finished."
    )
    waiting_helps = True  # False: what is triggered together is more than the ceiling


class DiskQuotaReached(ServiceError):
    status, code = 409, "DISK_QUOTA_REACHED"
    message = (
        "The partner's files use all the storage that is allowed. Ask the operator to remove "
        "files or to raise the limit."
    )


class BatchRefused(ServiceError):
    status, code = 409, "BATCH_REFUSED"
    message = (
        "At least one brief of the batch would be refused, so none is triggered; fields says "
        "which and why."
    )


class TemplateLimitReached(ServiceError):
    status, code, message = (
        409,
        "TEMPLATE_LIMIT_REACHED",
        "An account may have 100 templates. Delete one first.",
    )


class ScriptNotReady(ServiceError):
    status, code, message = (
        409,
        "SCRIPT_NOT_READY",
        "The script is not written yet. Ask again in some seconds.",
    )


class ScriptChanged(ServiceError):
    status, code, message = (
        409,
        "SCRIPT_CHANGED",
        "The script was changed or approved meanwhile. Read it again.",
    )


class CorrectionNotPossible(ServiceError):
    status, code, message = (
        409,
        "CORRECTION_NOT_POSSIBLE",
        "Only a production that awaits its release can be corrected.",
    )


class BatchCancelling(ServiceError):
    status, code, message = (
        409,
        "BATCH_CANCELLING",
        "The batch is still being cancelled. Try again in some seconds.",
    )


class BatchNotCancelled(ServiceError):
    status, code = 409, "BATCH_NOT_CANCELLED"
    message = "The batch was not cancelled, so there is nothing to resume."


class TranslationNotAwaited(ServiceError):
    status, code, message = (
        409,
        "TRANSLATION_NOT_AWAITED",
        "The brief was translated already, or its production has ended.",
    )


class SensitivityRuleSuppressed(ServiceError):
    status, code = 409, "SENSITIVITY_RULE_SUPPRESSED"
    message = (
        "A content sensitivity rule suppresses this topic. Choose another topic or ask the "
        "operator."
    )


class AlreadyTerminal(ServiceError):
    status, code, message = (
        409,
        "ALREADY_TERMINAL",
        "The production has already finished and cannot be cancelled.",
    )


class CancelInProgress(ServiceError):
    status, code = 409, "CANCEL_IN_PROGRESS"
    message = (
        "Another cancel of this production is being processed. Ask for its status in 5 to 10 "
        "seconds."
    )


class PerformanceDataNotReady(ServiceError):
    status, code, message = (
        409,
        "PERFORMANCE_DATA_NOT_READY",
        "Performance data exists once the production is Published.",
    )


class SubscriptionNotActive(ServiceError):
    status, code, message = (
        409,
        "SUBSCRIPTION_NOT_ACTIVE",
        "Only an Active webhook can be pinged; reinstate it first.",
    )


class SubscriptionNotFailed(ServiceError):
    status, code, message = (
        409,
        "SUBSCRIPTION_NOT_FAILED",
        "Only a Failed webhook can be reinstated.",
    )


class ReplayInProgress(ServiceError):
    status, code = 409, "REPLAY_IN_PROGRESS"
    message = (
        "An earlier replay of this webhook is still being sent. Try again when its first attempts "
        "have been made."
    )


class SubscriptionLimitReached(ServiceError):
    status, code, message = (
        409,
        "SUBSCRIPTION_LIMIT_REACHED",
        "A partner may hold 100 active webhooks. Delete one first.",
    )


class KeyAlreadyRotated(ServiceError):
    status, code, message = (
        409,
        "KEY_ALREADY_ROTATED",
        "This key was rotated before. Rotate with the key that replaced it.",
    )


class RequestInProgress(ServiceError):
    status, code = 409, "REQUEST_IN_PROGRESS"
    message = (
        "The first request with this Idempotency-Key is still being answered. Try again in "
        "a second."
    )


class PayloadTooLarge(ServiceError):
    status, code, message = 413, "PAYLOAD_TOO_LARGE", "The request body is over 64 KiB."


class UnsupportedMediaType(ServiceError):
    status, code, message = (
        415,
        "UNSUPPORTED_MEDIA_TYPE",
        "Send the body as Content-Type: application/json.",
    )


class PreconditionFailed(ServiceError):
    status, code = 412, "PRECONDITION_FAILED"
    message = (
        "What is here is not what If-Match or If-Unmodified-Since names; leave the header out, or "
        "send today's ETag."
    )


class RangeNotSatisfiable(ServiceError):
    status, code, message = (
        416,
        "RANGE_NOT_SATISFIABLE",
        "The range begins after the end of the file; see Content-Range.",
    )


class Unprocessable(ServiceError):
    status = 422


class SubjectOverrideMissing(Unprocessable):
    code = "SUBJECT_OVERRIDE_MISSING"
    message = "The title template of this project type names {subject}: send subjectOverride."


class IdempotencyKeyReused(Unprocessable):
    code = "IDEMPOTENCY_KEY_REUSED"
    message = "This Idempotency-Key was used with another request. Use a new one for a new request."


class HttpsRequired(Unprocessable):
    code, message = "HTTPS_REQUIRED", "endpointUrl must begin with https://."


class InvalidEndpointUrl(Unprocessable):
    code = "INVALID_ENDPOINT_URL"
    message = "endpointUrl must be a well-formed URL whose host resolves to public addresses only."


class InvalidEventType(Unprocessable):
    code, message = "INVALID_EVENT_TYPE", "eventTypes names an event that does not exist."


class LexiconEntryRepeated(Unprocessable):
    code, message = (
        "LEXICON_ENTRY_REPEATED",
        "The lexicon has two entries for the same word; keep one of them.",
    )


class DateRangeTooWide(Unprocessable):
    code, message = "DATE_RANGE_TOO_WIDE", "The window from `from` to `to` may be at most 30 days."


class InvalidDateFormat(Unprocessable):
    code = "INVALID_DATE_FORMAT"
    message = (
        "`from` and `to` must be ISO 8601 datetimes such as 2026-11-20T09:30:00Z, and `from` not "
        "after `to`."
    )


class InvalidStatusClass(Unprocessable):
    code, message = "INVALID_STATUS_CLASS", "status must be 2, 4 or 5."


class InvalidMonthsParam(Unprocessable):
    code, message = "INVALID_MONTHS_PARAM", "months must be a whole number from 1 to 12."


class RateLimitExceeded(ServiceError):
    status, code, message = (
        429,
        "RATE_LIMIT_EXCEEDED",
        "The limit is reached. Wait for retryAfterSeconds.",
    )


class InternalError(ServiceError):
    pass


class ServiceUnavailable(ServiceError):
    status, code, message = (
        503,
        "SERVICE_UNAVAILABLE",
        "The service is under maintenance. Try again shortly.",
    )


class Refusal(ServiceError):
    """An error for the console and the command line only; the API never returns one."""


class SignInFailed(Refusal):
    status, code, message = 401, "SIGN_IN_FAILED", "The e-mail address or the password is wrong."


class SecondFactorFailed(Refusal):
    status, code, message = 401, "SECOND_FACTOR_FAILED", "This code is wrong."


class NotYours(Refusal):
    status, code, message = 403, "NOT_YOURS", "Your role does not allow this."


class Conflict(Refusal):
    status, code, message = 409, "CONFLICT", "This is not possible in the current state."


class EditConflict(Refusal):
    """Somebody else has changed the same fields.

    ``stored``: those fields as they are stored now. ``merged``: the form's fields, where those that
    only the other has changed are as stored.
    """

    status, code = 409, "EDIT_CONFLICT"
    message = (
        "Somebody else saved this while you edited it. Nothing of yours is saved yet: compare the "
        "two, and choose."
    )

    def __init__(self, stored: Mapping[str, Any], merged: Mapping[str, Any]):
        super().__init__()
        self.stored, self.merged = dict(stored), dict(merged)


class LinkSpent(Refusal):
    status, code, message = (
        410,
        "LINK_SPENT",
        "This one-time link has been used, withdrawn or has expired. Ask for a new one.",
    )


class TooManySignIns(Refusal):
    status, code, message = (
        429,
        "TOO_MANY_SIGN_INS",
        "Too many attempts to sign in. Wait before you try again.",
    )


class SignInsBusy(Refusal):
    status, code = 503, "SIGN_INS_BUSY"
    message = "Too many passwords are being checked at this moment. Try again in a few seconds."


class ModelUnavailable(Exception):
    """A model's endpoint is down or busy, and the call can be retried.

    The text is for the partner: no address, no key.
    """

    code = "MODEL_UNAVAILABLE"


class ModelRefused(Exception):
    """A model's endpoint rejects the call, and a retry would not help.

    The text is for the partner.
    """

    code = "MODEL_REFUSED"


class SettingsError(Exception):
    """A setting is not valid, and the service does not start.

    The text names it and its valid values.
    """


class StartRefused(Exception):
    """The machine or the data directory prevents the start. The text says why and how to fix it."""


class CommandError(Exception):
    """A command failed; the text is shown to the operator without a traceback."""


class FileStoreUnavailable(OSError):
    """The store of the finished files does not answer, or refuses the service.

    The text is for the operator.
    """
