"""Signing in at a place that asks for it (OAuth 2.0 with PKCE, RFC 6749 and 7636): its page,
and the way back.
"""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from urllib.parse import urlencode

from svc.base.connectors import Connector, SignIn
from svc.base.crypto import connection_secrets
from svc.base.crypto.signing import KeyRing
from svc.base.errors import Conflict, InvalidRequest
from svc.platforms import PublishError, answers, values
from svc.platforms.connected import Tools

DRAFT_LIFETIME = 600  # for the whole way
_LONGEST = 3800  # characters of a cookie; browsers drop longer ones than 4096 with their name


@dataclass(frozen=True)
class Draft:
    """What waits, sealed in the browser, until its user comes back from the place's page."""

    account_id: str
    connector: str
    connection_id: str  # empty: a new connection
    given: dict[str, str]
    state: str
    verifier: str
    return_to: str  # the address of this server to which the place sends the user back
    ends_at: int  # milliseconds


def begin_sign_in(
    ring: KeyRing,
    user_id: str,
    connector: Connector,
    account_id: str,
    connection_id: str,
    fields: Mapping[str, str],
    return_to: str,
    now: int,
) -> tuple[str, str]:
    """Return the address of the place's page, and the sealed draft.

    InvalidRequest: the kind or a value does not allow it.
    """
    sign_in = _require_sign_in(connector)
    needed = [] if connection_id else [field.name for field in connector.fields if field.required]
    missing = [name for name in needed if not fields.get(name)]
    if missing:
        raise InvalidRequest(
            "A value is required.", fields={name: ["A value is required."] for name in missing}
        )
    draft = Draft(
        account_id,
        connector.name,
        connection_id,
        dict(fields),
        secrets.token_urlsafe(32),
        secrets.token_urlsafe(48),
        return_to,
        now + DRAFT_LIFETIME * 1000,
    )
    query = {
        "client_id": fields["client_id"],
        "redirect_uri": return_to,
        "response_type": "code",
        "scope": sign_in.scope,
        "state": draft.state,
        "code_challenge": _make_challenge(draft.verifier),
        "code_challenge_method": "S256",
        **dict(sign_in.more),
    }
    sealed = base64.urlsafe_b64encode(
        connection_secrets.seal(ring, _owner(user_id), asdict(draft))
    ).decode()
    if len(sealed) > _LONGEST:
        raise InvalidRequest(
            "This is too much to keep during the sign-in; shorten the templates, and change them "
            "afterwards."
        )
    return f"{sign_in.page}?{urlencode(query)}", sealed


def open_draft(ring: KeyRing, user_id: str, sealed: str, state: str, now: int) -> Draft:
    """Return the draft of a user who comes back.

    Conflict: it is another's, another way's, or too late.
    """
    try:
        draft = Draft(
            **connection_secrets.unseal(
                ring, _owner(user_id), base64.urlsafe_b64decode(sealed) or b"-"
            )
        )
    except (ValueError, TypeError):
        raise Conflict(
            "This browser has not begun to sign in, or took longer than ten minutes; begin again."
        ) from None
    if not hmac.compare_digest(draft.state.encode(), state.encode()) or now >= draft.ends_at:
        raise Conflict(
            "This is not the answer to the sign-in that was begun last, or it came too late; "
            "begin again."
        )
    return draft


def refresh_token(draft: Draft, connector: Connector, code: str, tools: Tools) -> str:
    """Return the token for which the place exchanges its code. Conflict: it does not."""
    form = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": draft.return_to,
        "code_verifier": draft.verifier,
        "client_id": draft.given["client_id"],
        "client_secret": draft.given["client_secret"],
    }
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    tokens, now = _require_sign_in(connector).tokens, tools.clock()
    try:
        reply = answers.read_json_object(
            answers.make_request(
                tools.transfers, "POST", tokens, headers, urlencode(form).encode(), now=now
            )
        )
    except PublishError as failed:
        raise Conflict(
            f"The sign-in did not work. {failed.message} Check client id, client secret and "
            "redirect URI."
        ) from None
    token = values.read_printable_line(reply.get("refresh_token"), 4000)
    if token is None:
        raise Conflict(
            "The place gave no lasting permission. Remove this program's access in your account "
            "there, then sign in."
        )
    return token


def _make_challenge(verifier: str) -> str:
    """Return the code challenge of a verifier (RFC 7636, 4.2)."""
    digest = hashlib.sha256(verifier.encode()).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def _require_sign_in(connector: Connector) -> SignIn:
    if connector.sign_in is None:
        raise InvalidRequest(
            f"{connector.name} needs no sign-in; give the values of the connection."
        )
    return connector.sign_in


def _owner(user_id: str) -> str:
    return f"sign-in of {user_id}"
