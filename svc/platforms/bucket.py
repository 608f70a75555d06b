"""Buckets of S3, or of a service that speaks its protocol, such as MinIO, R2, B2,
Wasabi or Ceph.
"""

import base64
import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from svc.adapters.transfers import Answer, Part, compute_md5
from svc.base import media_types
from svc.base.connectors import Connection, Connector, Field, Limits
from svc.platforms import answers, folder, values
from svc.platforms.base import PublishError
from svc.platforms.connected import ConnectedPost, Posted, Tools, UploadState

_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_REGION = re.compile(r"[a-z0-9-]{1,40}")
_IN_ONE_REQUEST = 5_000_000_000  # bytes that the protocol takes in one PUT
_NOT_THERE = (403, 404)  # without the right to list, a missing object is answered with 403
# The answers to a request that was signed for, or sent to, another region than the bucket's.
_OTHER_REGION = (301, 307, 400)
_REGION_IN_XML = re.compile(r"<Region>([a-z0-9-]{1,40})</Region>")
# The codes that S3 gives with 3xx and 4xx for what passes by itself.
_PASSING = ("BadDigest", "IncompleteBody", "RequestTimeout", "TemporaryRedirect")
_REMEDIES = {  # by S3's codes (docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html)
    "NoSuchBucket": (
        "There is no such bucket; check its name, its region and the endpoint of the connection."
    ),
    "RequestTimeTooSkewed": (
        "Its clock and that of this server differ; set the wrong one, then retry the publication."
    ),
}


@dataclass(frozen=True)
class Bucket:
    """Stores a folder of objects for each production. An object appears only when it is whole."""

    description = Connector(
        "S3",
        "A bucket of S3 or of a compatible service, with a folder for each production.",
        (
            Field("bucket", "Bucket"),
            Field(
                "region",
                "Region",
                "Such as eu-central-1; many compatible services take us-east-1.",
                "us-east-1",
            ),
            Field(
                "endpoint",
                "Endpoint",
                "The service's https address; empty for AWS.",
                required=False,
            ),
            Field("folder", "Folder in it", "Empty for the top of the bucket.", required=False),
            Field("access_key_id", "Access key ID"),
            Field("secret_access_key", "Secret access key", secret=True),
            Field(
                "public_url",
                "Public address",
                "Where people see the folder, if they do; empty if not.",
                required=False,
            ),
        ),
        Limits(size=_IN_ONE_REQUEST),
        takes_all=True,
    )

    def check(self, fields: dict[str, str]) -> dict[str, str]:
        problems = values.check_folder(fields)
        if not _BUCKET.fullmatch(fields["bucket"]):
            problems["bucket"] = "Give 3 to 63 lower-case letters, digits, dots and hyphens."
        if not _REGION.fullmatch(fields["region"]):
            problems["region"] = "Give a region such as eu-central-1."
        for name in ("endpoint", "public_url"):
            problems |= values.check_url(fields, name) if fields[name] else {}
        return problems

    def test(self, connection: Connection, tools: Tools) -> dict[str, str]:
        folder.test(_Objects(connection, tools))
        return {}

    def publish(
        self, post: ConnectedPost, connection: Connection, upload_state: UploadState, tools: Tools
    ) -> Posted:
        objects, public_url = _Objects(connection, tools), connection.values["public_url"]
        return folder.publish(post, objects, connection.shape, upload_state, public_url)

    def withdraw(self, post_id: str | None, connection: Connection, tools: Tools) -> None:
        folder.withdraw(post_id, _Objects(connection, tools))


class _Objects:
    """Implements svc.platforms.folder.Folder: the library signs each request,
    the guarded sender makes it.
    """

    def __init__(self, connection: Connection, tools: Tools):
        fields = connection.values
        self._region = fields["region"]
        from svc.adapters import bucket_links

        self._tools = tools
        self._folder = fields["folder"].strip("/")
        self._unusable = bucket_links.Unusable
        try:
            self._links = bucket_links.BucketLinks(
                fields["bucket"],
                fields["region"],
                fields["endpoint"].rstrip("/"),
                fields["access_key_id"],
                fields["secret_access_key"],
            )
        except self._unusable as bad:
            raise PublishError(
                f"The bucket's settings cannot be used: {bad}. Renew the connection.", False
            ) from None

    def put(self, name: str, file: Path, upload_state: UploadState) -> None:
        size = file.stat().st_size
        self._put(name, Part(file, 0, size, upload_state.count_sent), compute_md5(file))
        # a success of something before the place, such as a page of maintenance, stores nothing
        if not self.has(name, size):
            raise PublishError(
                f"The place does not have {Path(name).name} after taking it. It will be tried "
                "again.",
                True,
            )

    def write(self, name: str, content: bytes) -> None:
        self._put(name, content, hashlib.md5(content, usedforsecurity=False).digest())

    def read(self, name: str) -> bytes | None:
        answer = self._ask("GET", name, expected=_NOT_THERE)
        return None if answer.status in _NOT_THERE else answer.body

    def has(self, name: str, size: int) -> bool:
        answer = self._ask("HEAD", name, expected=_NOT_THERE)
        # a proxy may leave the length of a HEAD out
        length = answer.headers.get("content-length", str(size))
        return answer.status not in _NOT_THERE and length == str(size)

    def remove(self, name: str) -> None:
        self._ask("DELETE", name, expected=(404,))

    def _put(self, name: str, body: bytes | Part, md5: bytes) -> None:
        # The place compares the hash, and refuses what arrived otherwise; buckets with Object Lock
        # take nothing without one.
        headers = {
            "Content-Type": media_types.find_media_type(name),
            "Content-MD5": base64.b64encode(md5).decode(),
        }
        self._ask("PUT", name, headers, body)

    def _ask(
        self,
        method: Literal["GET", "HEAD", "PUT", "DELETE"],
        name: str,
        headers: dict[str, str] | None = None,
        body: bytes | Part = b"",
        expected: tuple[int, ...] = (),
    ) -> Answer:
        try:
            link = self._links.make_link(method, f"{self._folder}/{name}".lstrip("/"))
        except self._unusable as bad:
            raise PublishError(
                f"The bucket's settings cannot be used: {bad}. Renew the connection.", False
            ) from None
        return answers.make_request(
            self._tools.transfers,
            method,
            link,
            headers or {},
            body,
            expected=expected,
            now=self._tools.clock(),
            explain=self._explain_refusal,
            # what is stored may be a page
            api="" if method in ("GET", "HEAD") else "S3",
        )

    def _explain_refusal(self, answer: Answer) -> PublishError | None:
        """Return what S3 means by an answer, where its status alone says something else."""
        code, in_xml = answers.read_xml_code(answer), _REGION_IN_XML.search(answer.text)
        region = answer.headers.get("x-amz-bucket-region", "") or (in_xml[1] if in_xml else "")
        if code in _PASSING:
            return PublishError(f"{answers.describe(answer)} It will be tried again.", True)
        if answer.status in _OTHER_REGION and _REGION.fullmatch(region) and region != self._region:
            place = (
                f"The bucket is in the region {region}, not in {self._region}; renew the "
                f"connection with region={region}"
            )
            return PublishError(
                (
                    f"The place answered {answer.status}. {place}, and with that region's "
                    "endpoint if it has one."
                ),
                False,
            )
        return (
            PublishError(f"{answers.describe(answer)} {_REMEDIES[code]}", False)
            if code in _REMEDIES
            else None
        )
