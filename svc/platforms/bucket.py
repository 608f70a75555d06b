"""Buckets of S3, or of a service that speaks its protocol, such as MinIO, R2, B2, Wasabi or Ceph."""

import base64
import re
from dataclasses import dataclass
from pathlib import Path

from svc.adapters.transfers import Answer, Part, md5_of
from svc.base.connectors import Connection, Connector, Field, Limits
from svc.base.processes.entry_points import Part as Module
from svc.base.processes.entry_points import load
from svc.platforms import answers, folder, values
from svc.platforms.base import PublishError
from svc.platforms.connected import ConnectedPost, Journal, Posted, Tools

_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_REGION = re.compile(r"[a-z0-9-]{1,40}")
_IN_ONE_REQUEST = 5_000_000_000  # bytes that the protocol takes in one PUT
_NOT_THERE = (403, 404)  # without the right to list, a missing object is answered with 403


@dataclass(frozen=True)
class Bucket:
    """Stores a folder of objects for each production. An object appears only when it is whole."""

    description = Connector(
        "S3",
        "A bucket of S3 or of a compatible service, with a folder for each production.",
        (
            Field("bucket", "Bucket"),
            Field("region", "Region", "Such as eu-central-1; many compatible services take us-east-1.", "us-east-1"),
            Field("endpoint", "Endpoint", "The service's https address; empty for AWS.", required=False),
            Field("folder", "Folder in it", "Empty for the top of the bucket.", required=False),
            Field("access_key_id", "Access key ID"),
            Field("secret_access_key", "Secret access key", secret=True),
            Field("public_url", "Public address", "Where people see the folder, if they do; empty if not.", required=False),
        ),
        Limits(size=_IN_ONE_REQUEST),
        takes_all=True,
    )

    def check(self, given: dict[str, str]) -> dict[str, str]:
        wrong = values.check_folder(given, "folder")
        if not _BUCKET.fullmatch(given["bucket"]):
            wrong["bucket"] = "Give 3 to 63 lower-case letters, digits, dots and hyphens."
        if not _REGION.fullmatch(given["region"]):
            wrong["region"] = "Give a region such as eu-central-1."
        for name in ("endpoint", "public_url"):
            wrong |= values.check_url(given, name) if given[name] else {}
        return wrong

    def test(self, connection: Connection, tools: Tools) -> dict[str, str]:
        folder.test(_Objects(connection, tools))
        return {}

    def publish(self, post: ConnectedPost, connection: Connection, journal: Journal, tools: Tools) -> Posted:
        objects, public_url = _Objects(connection, tools), connection.values["public_url"]
        return folder.publish(post, objects, connection.shape, journal, public_url)

    def withdraw(self, post_id: str | None, connection: Connection, tools: Tools) -> None:
        folder.withdraw(post_id, _Objects(connection, tools))


class _Objects:
    """Implements svc.platforms.folder.Folder: the library signs each request, the guarded sender makes it."""

    def __init__(self, connection: Connection, tools: Tools):
        given = connection.values
        self._tools, self._folder, self._unusable = tools, given["folder"].strip("/"), load(Module.BUCKET_LINKS).Unusable
        try:
            self._links = load(Module.BUCKET_LINKS).BucketLinks(
                given["bucket"],
                given["region"],
                given["endpoint"].rstrip("/"),
                given["access_key_id"],
                given["secret_access_key"],
            )
        except self._unusable as bad:
            raise PublishError(f"The bucket's settings cannot be used: {bad}. Renew the connection.", False) from None

    def put(self, name: str, file: Path, journal: Journal) -> None:
        self._put(name, Part(file, 0, file.stat().st_size, journal.moved), md5_of(file))

    def write(self, name: str, content: bytes) -> None:
        self._ask("PUT", name, {"Content-Type": folder.content_type(name)}, content)

    def read(self, name: str) -> bytes | None:
        answer = self._ask("GET", name, expected=_NOT_THERE)
        return None if answer.status in _NOT_THERE else answer.body

    def remove(self, name: str) -> None:
        self._ask("DELETE", name, expected=(404,))

    def _put(self, name: str, part: Part, md5: bytes) -> None:
        # The place compares the hash, and refuses what arrived otherwise.
        headers = {"Content-Type": folder.content_type(name), "Content-MD5": base64.b64encode(md5).decode()}
        self._ask("PUT", name, headers, part)

    def _ask(
        self,
        method: str,
        name: str,
        headers: dict[str, str] | None = None,
        body: bytes | Part = b"",
        expected: tuple[int, ...] = (),
    ) -> Answer:
        try:
            link = self._links.link(method, f"{self._folder}/{name}".lstrip("/"))
        except self._unusable as bad:
            raise PublishError(f"The bucket's settings cannot be used: {bad}. Renew the connection.", False) from None
        return answers.ask(self._tools.transfers, method, link, headers or {}, body, expected=expected, now=self._tools.clock())
