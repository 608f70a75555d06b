"""Interprets the answers of places over HTTP: whether and when to try again, and what people can
do.
"""

import email.utils
import html
import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC
from http import HTTPStatus
from typing import Any

from svc.adapters.transfers import MOST_ANSWER, Answer, NotAnswered, Part, Transfers
from svc.platforms.base import PublishError

_LONGEST_PAUSE = 6 * 3600  # seconds; a place that wants longer is asked again then
_BUSY = (408, 409, 421, 423, 425, 429)  # temporary, like 5xx
GONE = (404, 410)  # what is asked for is not there
# The statuses by which places refuse an upload that is not, or not any more, one of this user.
NOT_KNOWN = (*GONE, 400, 403, 412, 416, 422)
_LONGEST_SAID = 300  # characters of a place's own words that are shown
# The names under which places say in JSON what is wrong, best first.
_SAID = ("message", "error_description", "detail", "error", "title")
# The message of S3, and of WebDAV's servers.
_SAID_IN_XML = re.compile(r"<(?:\w+:)?message(?: [^<>]*)?>([^<]+)</", re.IGNORECASE)
_CODE_IN_XML = re.compile(r"<Code>(\w{1,100})</Code>")
_REMEDIES = {
    400: (
        "It does not understand the request; check the address and the settings of the connection."
    ),
    401: "It does not accept the credentials; renew the connection with valid ones.",
    402: "It wants to be paid; settle that with the place, then retry the publication.",
    403: (
        "The credentials do not allow this, or its policy forbids it; grant the right to write, "
        "then retry the publication."
    ),
    404: "There is nothing at this address; check the address and the folder of the connection.",
    405: "It does not allow this method; check that the address leads to a place of this kind.",
    413: "The file is larger than it accepts; raise the limit there, then retry the publication.",
    451: "Its policy forbids this content.",
    507: "It has no room left; free some there, then retry the publication.",
}
_SUCCESS = range(200, 300)
# The statuses with which something before a place refuses a request: it wants to see a browser's
# user, such as a guard against robots, the sign-in of a network, or a proxy.
_GUARDED = (401, 403, 405, 406, 407)
_SIGN_IN = (302, 303)  # the redirections to a page for people, such as a network's sign-in
_HTML = re.compile(r"\s*<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_TITLE = re.compile(r"<title[^>]{0,200}>([^<]{0,500})</title>", re.IGNORECASE)
_BEGINNING = 10_000  # characters of a page in which its title is
# Says what a refusal means at one kind of place; None: what it means anywhere.
Explain = Callable[[Answer], PublishError | None]


class NotReached(PublishError):
    """There was no answer. Whether the place has carried out the request is unknown."""

    def __init__(self, reason: NotAnswered):
        super().__init__(f"The place could not be reached: {reason}. It will be tried again.", True)


def make_request(
    transfers: Transfers,
    method: str,
    url: str,
    headers: Mapping[str, str],
    body: bytes | Part,
    *,
    expected: tuple[int, ...] = (),
    now: int,
    explain: Explain = lambda answer: None,
    api: str = "",
) -> Answer:
    """Make a request and return the answer if it is a success or ``expected``. PublishError: any
    other; NotReached: none.

    Args:
        now: Milliseconds, for a Retry-After that is a date.
        api: The name of the API that the place speaks, of which no answer is a page; empty: what
            answers is a server that has pages of its own.
    """
    try:
        answer = transfers.request(method, url, headers, body)
    except NotAnswered as failed:
        raise NotReached(failed) from None
    if api and answer.status in _SUCCESS and is_page(answer):
        raise make_protocol_error(api)
    if answer.status in _SUCCESS or answer.status in expected:
        return answer
    raise explain(answer) or explain_page(answer, api) or make_error(answer, now)


def is_page(answer: Answer) -> bool:
    """Return whether an answer is a page of HTML, whatever its type says."""
    return _HTML.match(answer.text[:_BEGINNING]) is not None


def explain_page(answer: Answer, api: str = "") -> PublishError | None:
    """Return the error for a refusal by something before the place, such as a firewall; None if it
    is not such a page.

    ``api``: as :func:`make_request` has it. A server's own pages have the status in their title.
    """
    if answer.status not in _GUARDED or not is_page(answer):
        return None
    title = _TITLE.search(answer.text[:_BEGINNING])
    if not api and (title is None or str(answer.status) in title[1]):
        return None
    return PublishError(
        f"Something before the place answered {answer.status} with a page, as for people: a guard "
        "against robots, or a sign-in. Let this server through there. It will be tried again.",
        True,
    )


def read_json(answer: Answer) -> Any:
    """Return the JSON in an answer; None: there is none, or only its beginning, because a long
    answer is not read to its end.

    Raises:
        PublishError: A success ends before its JSON does. A server that tells no length and is
            stopped seems to have said all.
    """
    try:
        return json.loads(answer.text)
    except json.JSONDecodeError as invalid:
        if answer.status in _SUCCESS and _ends_early(answer, invalid):
            raise PublishError(
                "The answer of the place ended early. It will be tried again.", True
            ) from None
        return None
    except (ValueError, RecursionError):
        return None


def _ends_early(answer: Answer, decode_error: json.JSONDecodeError) -> bool:
    """Return whether an answer that is not valid JSON is empty, or cut off after its beginning."""
    if len(answer.body) >= MOST_ANSWER or decode_error.msg == "Extra data":
        return False
    text = answer.text.lstrip()
    is_promised = "json" in answer.headers.get("content-type", "")
    return text[:1] in ("{", "[") if text else is_promised and answer.status == HTTPStatus.OK


def read_json_object(answer: Answer) -> dict[str, Any]:
    """Return the JSON object in an answer; empty: there is none."""
    content = read_json(answer)
    return content if isinstance(content, dict) else {}


def read_received_bytes(answer: Answer, size: int) -> int:
    """Return how many bytes of an upload a place has by its Range header: bytes=0-99 are 100; none,
    or bytes=0--1, are 0.
    """
    last_byte = answer.headers.get("range", "").removeprefix("bytes=").removeprefix("0-")
    return (
        min(int(last_byte) + 1, size)
        if last_byte.isascii() and last_byte.isdigit() and len(last_byte) < 19
        else 0
    )


def make_error(answer: Answer, now: int) -> PublishError:
    """Return the error for an answer that is not a success."""
    status = answer.status
    if status in _BUSY or (status >= 500 and status != 507):
        return PublishError(
            f"{describe(answer)} It will be tried again.",
            True,
            read_retry_after(answer.headers, now),
        )
    if status in _SIGN_IN:
        return PublishError(
            (
                f"The place answered {status}, a redirection, which is not followed; if it stays "
                "so, enter its final address. It will be tried again."
            ),
            True,
        )
    if 300 <= status < 400:
        return PublishError(
            (
                f"The place answered {status}, a redirection, which is not followed; enter its "
                "final address."
            ),
            False,
        )
    return PublishError(f"{describe(answer)} {_REMEDIES.get(status, _REMEDIES[400])}", False)


def make_protocol_error(name: str) -> PublishError:
    """Return the error for a status of success without the expected content, such as a page.

    It passes: the connection was tried before it was stored, so this is a page of something before
    the place, or one of maintenance.
    """
    return PublishError(
        f"The place does not answer as {name} does; check its address. It will be tried again.",
        True,
    )


def explain_ended_sign_in(answer: Answer) -> PublishError | None:
    """Return the error for an access token that is refused after requests were accepted with it.

    It has expired or was ended meanwhile; the next attempt gets another one and goes on.
    """
    if answer.status != HTTPStatus.UNAUTHORIZED:
        return None
    return PublishError(
        f"{describe(answer)} The sign-in of this attempt has ended. It will be tried again.", True
    )


def describe(answer: Answer) -> str:
    """Return a sentence with the status of an answer and, if the place says anything, its own
    words.
    """
    excerpt = _take_excerpt(answer)
    return (
        f"The place answered {answer.status} and says: “{excerpt}”."
        if excerpt
        else f"The place answered {answer.status}."
    )


def read_xml_code(answer: Answer) -> str:
    """Return the code of an error as S3 gives it; empty: there is none."""
    code = _CODE_IN_XML.search(answer.text)
    return code[1] if code else ""


def _take_excerpt(answer: Answer) -> str:
    """Return the words of a place on one line; empty: none that can be shown.

    They are untrusted.
    """
    reply: Any = read_json_object(answer)
    if isinstance(reply.get("error"), dict):  # Google's
        reply = reply["error"]
    words = next(
        (reply[name] for name in _SAID if isinstance(reply.get(name), str) and reply[name].strip()),
        "",
    )
    if not words and (in_xml := _SAID_IN_XML.search(answer.text)):
        words = html.unescape(in_xml[1])
    line = "".join(sign for sign in " ".join(words.split()) if sign.isprintable())
    return line if len(line) <= _LONGEST_SAID else f"{line[: _LONGEST_SAID - 1]}…"


def read_retry_after(headers: Mapping[str, str], now: int) -> int | None:
    """Return the seconds of a Retry-After header, at most six hours;
    None: there is none that can be read.
    """
    value = headers.get("retry-after", "").strip()
    if value.isascii() and value.isdigit() and len(value) < 10:
        return min(int(value), _LONGEST_PAUSE)
    try:
        date = email.utils.parsedate_to_datetime(value)
        # one without a zone is in UTC, as all of them are (RFC 9110 §5.6.7)
        at = (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
    return int(min(max(0, at - now / 1000), _LONGEST_PAUSE))
