"""WebDAV folders (RFC 4918), such as those of Nextcloud, of a NAS, or of a web server."""

import base64
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from urllib.parse import quote, urlsplit

from svc.adapters.transfers import Answer, Part
from svc.base import media_types
from svc.base.connectors import Connection, Connector, Field
from svc.platforms import answers, folder, values
from svc.platforms.base import PublishError
from svc.platforms.connected import ConnectedPost, Posted, Tools, UploadState

# The answers to MKCOL of a folder that is there: by RFC 4918, 9.3.1, and by some servers.
_EXISTS = (405, 409)
# The answer to PUT and MOVE where the folder is missing (RFC 4918, 9.7.1 and 9.9.4).
_NO_FOLDER = 409
# The answers about a Destination that the server, behind a proxy, does not know as its own address.
_ELSEWHERE = (400, 403, 502)
_NO_MOVES = (403, 405, 501)


@dataclass(frozen=True)
class WebDav:
    """Stores a folder for each production.

    A file is sent under another name, and moved to its own when it is whole.
    """

    description = Connector(
        "WebDAV",
        "A WebDAV folder, such as one of Nextcloud, with a folder for each production.",
        (
            Field(
                "url",
                "Address of the folder",
                "It must exist, such as https://cloud.example.com/remote.php/dav/files/ada/videos",
            ),
            Field("user", "User", required=False),
            Field(
                "password",
                "Password",
                "Better one for this program alone.",
                required=False,
                secret=True,
            ),
            Field(
                "public_url",
                "Public address",
                "Where people see the folder, if they do; empty if not.",
                required=False,
            ),
        ),
        takes_all=True,
    )

    def check(self, fields: dict[str, str]) -> dict[str, str]:
        problems = values.check_url(fields, "url") | (
            values.check_url(fields, "public_url") if fields["public_url"] else {}
        )
        if "?" in fields["url"]:
            problems["url"] = (
                "Give the address of a folder, without a question mark and what follows it."
            )
        if ":" in fields["user"]:
            problems["user"] = "The name of a user has no colon (RFC 7617)."
        return problems

    def test(self, connection: Connection, tools: Tools) -> dict[str, str]:
        folder.test(_Files(connection, tools))
        return {}

    def publish(
        self, post: ConnectedPost, connection: Connection, upload_state: UploadState, tools: Tools
    ) -> Posted:
        return folder.publish(
            post,
            _Files(connection, tools),
            connection.shape,
            upload_state,
            connection.values["public_url"],
        )

    def withdraw(self, post_id: str | None, connection: Connection, tools: Tools) -> None:
        files = _Files(connection, tools)
        folder.withdraw(post_id, files)
        if post_id:
            files.remove(f"{post_id}/")


class _Files:
    """Implements svc.platforms.folder.Folder."""

    def __init__(self, connection: Connection, tools: Tools):
        fields, self._tools = connection.values, tools
        self._base, self._made = fields["url"].rstrip("/"), set[str]()
        # Older servers want the whole address; those behind a proxy that ends TLS know themselves
        # by another one.
        self._forms: tuple[str, ...] = (self._base, urlsplit(self._base).path)
        login = base64.b64encode(f"{fields['user']}:{fields['password']}".encode()).decode()
        self._headers = {"Authorization": f"Basic {login}"} if fields["user"] else {}

    def put(self, name: str, file: Path, upload_state: UploadState) -> None:
        size = file.stat().st_size
        self._store(name, Part(file, 0, size, upload_state.count_sent))
        answer = self._ask("HEAD", name, expected=(404,))
        stored_size = (
            "0" if answer.status == 404 else answer.headers.get("content-length", str(size))
        )
        if stored_size != str(size):
            raise PublishError(
                (
                    f"The place has {stored_size} of {size} bytes of {Path(name).name}. It will be "
                    "tried again."
                ),
                True,
            )

    def write(self, name: str, content: bytes) -> None:
        self._store(name, content)

    def read(self, name: str) -> bytes | None:
        answer = self._ask("GET", name, expected=(404,))
        return None if answer.status == 404 else answer.body

    def has(self, name: str, size: int) -> bool:
        answer = self._ask("HEAD", name, expected=(404,))
        return answer.status != 404 and answer.headers.get("content-length", str(size)) == str(size)

    def remove(self, name: str) -> None:
        _require_no_page(self._ask("DELETE", name, expected=(404,)))

    def _store(self, name: str, body: bytes | Part) -> None:
        self._make(name.rpartition("/")[0])
        partial = f"{name}.part"
        try:
            self._ask("PUT", partial, {"Content-Type": media_types.find_media_type(name)}, body)
            self._move(partial, name)
        except answers.NotReached:
            raise
        except PublishError:
            with suppress(PublishError):  # the refusal says more than that it could not be removed
                self.remove(partial)
            raise

    def _move(self, partial: str, name: str) -> None:
        """Give a file its name. PublishError: the place does not let it be moved."""
        for base in self._forms:
            headers = {"Destination": f"{base}/{quote(name)}", "Overwrite": "T"}
            answer = self._ask("MOVE", partial, headers, expected=(*_ELSEWHERE, *_NO_MOVES, 404))
            if answer.status < 300:
                self._forms = (base,)
                return
            if explanation := answers.explain_page(answer):
                raise explanation
            if answer.status not in _ELSEWHERE:
                break
        if answer.status == 404:  # what took it was a page of something before the place
            raise PublishError(
                f"The place does not have {Path(name).name} after taking it. It will be tried "
                "again.",
                True,
            )
        if answer.status in _NO_MOVES:
            raise PublishError(
                f"{answers.describe(answer)} It does not let files be renamed: allow MOVE there "
                "for this user, then retry the publication.",
                False,
            )
        raise answers.make_error(answer, self._tools.clock())

    def _make(self, inside: str) -> None:
        """Make a folder in the connection's own, if it is not there.

        Whether that is there itself, the next request says.
        """
        if inside and inside not in self._made:
            answer = self._ask("MKCOL", f"{inside}/", expected=_EXISTS)
            if explanation := answers.explain_page(answer):
                raise explanation
            _require_no_page(answer)
            self._made.add(inside)

    def _make_address(self, name: str) -> str:
        return f"{self._base}/{quote(name)}"

    def _ask(
        self,
        method: str,
        name: str,
        headers: dict[str, str] | None = None,
        body: bytes | Part = b"",
        expected: tuple[int, ...] = (),
    ) -> Answer:
        all_headers = {**self._headers, **(headers or {})}
        return answers.make_request(
            self._tools.transfers,
            method,
            self._make_address(name),
            all_headers,
            body,
            expected=expected,
            now=self._tools.clock(),
            explain=_make_folder_error if method in ("PUT", "MOVE") else lambda answer: None,
        )


def _require_no_page(answer: Answer) -> None:
    """Raise the error for a page in place of the expected answer.

    To what is made, 201, and removed, 204, some servers add a page of their own.
    """
    if answer.status == HTTPStatus.OK and answers.is_page(answer):
        raise answers.make_protocol_error("WebDAV")


def _make_folder_error(answer: Answer) -> PublishError | None:
    if answer.status != _NO_FOLDER:
        return None
    return PublishError(
        f"{answers.describe(answer)} The folder of the connection does not exist, or none can be "
        "made in it: make it at the place, or renew the connection with the address of one "
        "that exists.",
        False,
    )
