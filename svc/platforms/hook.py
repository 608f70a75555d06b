"""The outgoing hook: a signed POST with the post's texts and signed links of its files,
for relays such as n8n or Zapier.
"""

import base64
import binascii
import json
from dataclasses import dataclass
from typing import Any

from svc.base import clock
from svc.base.connectors import Connection, Connector, Field, Limits
from svc.base.crypto import signing
from svc.platforms import answers, values
from svc.platforms.connected import ConnectedPost, Posted, PostFile, Tools, UploadState

_LONGEST_ID = 200  # characters


@dataclass(frozen=True)
class Hook:
    """Posts to an endpoint, which recognises a repeated post by its ``webhook-id`` and may answer
    with an id and a URL.
    """

    description = Connector(
        "Hook",
        "A signed POST with links to the files, which a relay of yours carries further.",
        (
            Field("url", "Address", "An https address that takes a POST."),
            Field(
                "signing_secret",
                "Signing secret",
                "whsec_ and Base64 of 24 to 64 bytes; one is made if you give none.",
                required=False,
                secret=True,
                made=True,
            ),
        ),
        Limits(title=500, text=10_000),
        uploads=False,
        schedules=True,
    )

    def check(self, fields: dict[str, str]) -> dict[str, str]:
        problems = values.check_url(fields, "url")
        if _decode_secret(fields["signing_secret"]) is None:
            sentence = "Give whsec_ and Base64 of 24 to 64 bytes."
            problems["signing_secret"] = sentence
        return problems

    def test(self, connection: Connection, tools: Tools) -> dict[str, str]:
        self._post(
            {"type": "test", "platform": connection.name},
            f"test-{tools.clock()}",
            connection,
            tools,
        )
        return {}

    def publish(
        self, post: ConnectedPost, connection: Connection, upload_state: UploadState, tools: Tools
    ) -> Posted:
        message = {
            "type": "publish",
            "idempotencyKey": upload_state.key,
            "platform": connection.name,
            "accountId": post.account_id,
            **post.to_json(),
            "publishAt": clock.format_time(post.publish_at),
            "files": [_describe_file(file) for file in post.files if file.link],
        }
        return _read_posted(self._post(message, upload_state.key, connection, tools))

    def withdraw(self, post_id: str | None, connection: Connection, tools: Tools) -> None:
        message = {"type": "withdraw", "platform": connection.name, "id": post_id}
        self._post(message, f"withdraw-{post_id}", connection, tools)

    def _post(self, message: dict[str, Any], key: str, connection: Connection, tools: Tools) -> str:
        body = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()
        now = tools.clock()
        secret = _decode_secret(connection.values["signing_secret"]) or b""
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "partner-production",
            "Idempotency-Key": key,
            "webhook-id": key,
            "webhook-timestamp": str(now // 1000),
            "webhook-signature": signing.make_standard_signature(secret, key, now // 1000, body),
            "X-SERVICE-Signature": signing.make_service_signature(secret, body),
        }
        return answers.make_request(
            tools.transfers, "POST", connection.values["url"], headers, body, now=now
        ).text


def _describe_file(file: PostFile) -> dict[str, Any]:
    return {
        "name": file.name,
        "type": file.type,
        "language": file.language,
        "sizeBytes": file.size_bytes,
        "sha256": file.sha256,
        "url": file.link,
        "urlExpiresAt": file.link_ends,
    }


def _read_posted(text: str) -> Posted:
    """Return the id and URL in an answer.

    One without them is a success too: many relays answer with nothing.
    """
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError):
        return Posted(None)
    if not isinstance(answer, dict):
        return Posted(None)
    return Posted(
        values.read_printable_line(answer.get("id"), _LONGEST_ID),
        values.parse_web_address(answer.get("url")),
    )


def _decode_secret(text: str) -> bytes | None:
    """Return the bytes of a signing secret as Standard Webhooks writes it; None: it is not one."""
    try:
        secret = base64.b64decode(text.removeprefix("whsec_"), validate=True)
    except (binascii.Error, ValueError):
        return None
    return secret if text.startswith("whsec_") and 24 <= len(secret) <= 64 else None
