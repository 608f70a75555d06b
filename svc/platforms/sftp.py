"""Folders of SFTP servers, such as OpenSSH's."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from svc.base.connectors import Connection, Connector, Field
from svc.base.file_hash import hash_file
from svc.platforms import folder, values
from svc.platforms.base import PublishError
from svc.platforms.connected import ConnectedPost, Posted, Tools, UploadState

_MOST_READ = 256 * 1024  # bytes of a note
_DIGITS = 16  # of the content's hash in the name of an unfinished file


@dataclass(frozen=True)
class Sftp:
    """Stores a folder for each production. An upload that broke off goes on where it ended."""

    description = Connector(
        "SFTP",
        "A folder of an SFTP server, with a folder for each production.",
        (
            Field("host", "Host"),
            Field("port", "Port", default="22"),
            Field("user", "User"),
            Field(
                "password",
                "Password",
                "Or a private key, which is used where there are both.",
                required=False,
                secret=True,
            ),
            Field(
                "private_key",
                "Private key",
                "In OpenSSH's or PEM form, without a passphrase.",
                required=False,
                secret=True,
                lines=True,
            ),
            Field(
                "folder",
                "Folder",
                "It must exist; without a leading / it is below the user's own.",
                required=False,
            ),
            Field(
                "public_url",
                "Public address",
                "Where people see the folder, if they do; empty if not.",
                required=False,
            ),
            Field(
                "host_key",
                "Host key",
                "Pinned at the first connection.",
                required=False,
                learned=True,
            ),
        ),
        takes_all=True,
    )

    def check(self, fields: dict[str, str]) -> dict[str, str]:
        problems = values.check_host(fields) | values.check_folder(fields)
        problems |= values.check_url(fields, "public_url") if fields["public_url"] else {}
        if not fields["password"] and not fields["private_key"]:
            sentence = "Give a password or a private key."
            problems["password"] = sentence
        elif fields["private_key"] and not _is_private_key(fields["private_key"]):
            problems["private_key"] = "Give a key of Ed25519, ECDSA or RSA, without a passphrase."
        return problems

    def test(self, connection: Connection, tools: Tools) -> dict[str, str]:
        with _open_folder(connection, tools) as (files, host_key):
            folder.test(files)
        return {"host_key": host_key}

    def publish(
        self, post: ConnectedPost, connection: Connection, upload_state: UploadState, tools: Tools
    ) -> Posted:
        with _open_folder(connection, tools) as (files, _):
            return folder.publish(
                post, files, connection.shape, upload_state, connection.values["public_url"]
            )

    def withdraw(self, post_id: str | None, connection: Connection, tools: Tools) -> None:
        with _open_folder(connection, tools) as (files, _):
            folder.withdraw(post_id, files)
            if post_id:
                files.remove_folder(post_id)


class _Files:
    """Implements svc.platforms.folder.Folder. ``remote``: svc.adapters.sftp.Files."""

    def __init__(self, remote: Any):
        self._remote = remote

    def put(self, name: str, file: Path, upload_state: UploadState) -> None:
        size = file.stat().st_size
        # The name is of this content: a file that is there is its beginning.
        partial = f"{name}.{hash_file(file).sha256[:_DIGITS]}.part"
        self._make(name)
        received_bytes = self._remote.find_file_size(partial) or 0
        start = received_bytes if received_bytes <= size else 0
        upload_state.count_sent_before(start)
        if start != size:
            self._remote.append(partial, file, start, upload_state.count_sent)
        if self._remote.find_file_size(partial) != size:
            self._remote.remove(partial)
            raise PublishError(
                f"The place did not keep all of {Path(name).name}. It will be tried again.", True
            )
        self._rename(partial, name)

    def write(self, name: str, content: bytes) -> None:
        self._make(name)
        self._remote.write(f"{name}.part", content)
        self._rename(f"{name}.part", name)

    def has(self, name: str, size: int) -> bool:
        return bool(self._remote.find_file_size(name) == size)

    def read(self, name: str) -> bytes | None:
        content: bytes | None = self._remote.read(name, _MOST_READ)
        return content

    def remove(self, name: str) -> None:
        self._remote.remove(name)

    def remove_folder(self, name: str) -> None:
        self._remote.remove_folder(name)

    def _rename(self, partial: str, name: str) -> None:
        from svc.adapters.sftp import NotRenamed

        try:
            self._remote.rename(partial, name)
        except NotRenamed:
            self._remote.remove(partial)
            raise PublishError(
                "The user may not rename files there; grant the right, then retry the publication.",
                False,
            ) from None

    def _make(self, name: str) -> None:
        if inside := name.rpartition("/")[0]:
            self._remote.make_folder(inside)


@contextmanager
def _open_folder(connection: Connection, tools: Tools) -> Iterator[tuple[_Files, str]]:
    """Give the connection's folder and the key of its host.

    PublishError: anything that goes wrong there.
    """
    from svc.adapters import sftp as adapter

    fields = connection.values
    login = adapter.Login(
        fields["host"],
        int(fields["port"]),
        fields["user"],
        fields["password"],
        fields["private_key"],
    )
    target = (login, fields["folder"].rstrip("/"), fields["host_key"])
    reach = (tools.allowed, tools.lookup, tools.deadline)
    try:
        with adapter.open_files(*target, *reach) as (
            files,
            host_key,
        ):
            yield _Files(files), host_key
    except adapter.Refused as refused:
        raise PublishError(
            f"The place refuses: {refused}. Check with its operator, then renew the connection.",
            False,
        ) from None
    except adapter.Broken as failed:
        raise PublishError(
            f"The place could not be reached: {failed}. It will be tried again.", True
        ) from None
    except adapter.Unable as failed:
        raise PublishError(
            f"The place could not do it, and says: “{failed}”. It will be tried again.", True
        ) from None
    except PermissionError:
        raise PublishError(
            "The user may not write there; grant the right, then retry the publication.", False
        ) from None
    except FileNotFoundError:
        raise PublishError(
            "There is no such folder; make it, or renew the connection with another one.", False
        ) from None


def _is_private_key(text: str) -> bool:
    from svc.adapters import sftp as adapter

    return adapter.is_private_key(text)
