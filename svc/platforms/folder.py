"""Places that are folders: a folder for each production, with its files,
and last of all a note that it is complete.
"""

import json
import re
import unicodedata
from pathlib import Path
from typing import Any, Protocol

from svc.platforms.base import PublishError
from svc.platforms.connected import ConnectedPost, Posted, PostFile, UploadState, open_verified

NOTE = "publication.json"
TRIAL = ".connection-test"  # a file that a try writes and removes
_LONGEST_NAME = 60
_NOT_PLAIN = re.compile(r"[^a-z0-9]+")


class Folder(Protocol):
    """A folder of files. Every method may be repeated; PublishError: it did not work."""

    def put(self, name: str, file: Path, upload_state: UploadState) -> None:
        """Store a file under ``name``, where it appears only when it is whole;
        one that is there is replaced.
        """

    def write(self, name: str, content: bytes) -> None:
        """Store a short content in the same way."""

    def read(self, name: str) -> bytes | None:
        """Return a short content; None: there is no such file."""
        ...

    def has(self, name: str, size: int) -> bool:
        """Return whether there is a file of this size."""
        ...

    def remove(self, name: str) -> None:
        """Remove a file, if it exists."""


def test(folder: Folder) -> None:
    """Write, read and remove a small file. PublishError: one of these does not work."""
    content = b"This file was written to try a connection, and may be removed.\n"
    folder.write(TRIAL, content)
    returned = folder.read(TRIAL)
    folder.remove(TRIAL)
    if returned != content:
        raise PublishError(
            "The place took a file and did not return the same content; check the address.", False
        )


def publish(
    post: ConnectedPost, folder: Folder, shape: str, upload_state: UploadState, public_url: str
) -> Posted:
    """Store the files of a post that are not there yet, then the note;
    a note with this post's key says that all is there.
    """
    inside = name_folder(post, shape)
    posted = Posted(
        inside, f"{public_url.rstrip('/')}/{inside}/{post.video.name}" if public_url else None
    )
    if _find_key_in(folder.read(f"{inside}/{NOTE}")) == upload_state.key:
        return posted
    stored_names = [] if upload_state.begun_anew else list(upload_state.session.get("stored", ()))
    for file in post.files:
        # What was stored may have been removed since, or the connection leads to another folder by
        # now.
        if file.name in stored_names and folder.has(f"{inside}/{file.name}", file.size_bytes):
            upload_state.count_sent_before(file.size_bytes)
        else:
            with open_verified(file) as path:
                # To fetch and to hash a large file takes a while, in which the claim must be held.
                upload_state.count_sent(0)
                folder.put(f"{inside}/{file.name}", path, upload_state)
            stored_names = [*stored_names, file.name]
            upload_state.save({"stored": stored_names})
    folder.write(
        f"{inside}/{NOTE}",
        json.dumps(_note(post, upload_state.key), ensure_ascii=False, indent=2).encode(),
    )
    # what something before the place answered with a page of its own was not stored
    if _find_key_in(folder.read(f"{inside}/{NOTE}")) != upload_state.key:
        raise PublishError(
            "The place took the files and did not return them. It will be tried again.", True
        )
    return posted


def withdraw(post_id: str | None, folder: Folder) -> None:
    """Remove the files that the note of a post names, and last the note."""
    note = folder.read(f"{post_id}/{NOTE}") if post_id else None
    if note is None:
        return
    for name in _list_names_in(note):
        folder.remove(f"{post_id}/{name}")
    folder.remove(f"{post_id}/{NOTE}")


def name_folder(post: ConnectedPost, shape: str) -> str:
    """Return the name of a production's folder: its title in plain letters, and its id."""
    ascii_title = (
        unicodedata.normalize("NFKD", post.title).encode("ascii", "ignore").decode().lower()
    )
    words = _NOT_PLAIN.sub("-", ascii_title)[:_LONGEST_NAME].strip("-")
    return "-".join(
        filter(None, (words, post.production_id, "" if shape == "landscape" else shape))
    )


def _note(post: ConnectedPost, key: str) -> dict[str, Any]:
    return {
        "key": key,
        **post.to_json(),
        "files": [_describe_file(file) for file in post.files],
    }


def _describe_file(file: PostFile) -> dict[str, Any]:
    return {
        "name": file.name,
        "type": file.type,
        "language": file.language,
        "sizeBytes": file.size_bytes,
        "sha256": file.sha256 or None,
    }


def _read(note: bytes | None) -> dict[str, Any]:
    """Return the note; what somebody else wrote there instead counts as none."""
    try:
        content = json.loads(note or b"{}")
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def _find_key_in(note: bytes | None) -> object:
    return _read(note).get("key")


def _list_names_in(note: bytes) -> list[str]:
    """Return the names in a note that are plain, so that a changed note removes nothing outside
    of its folder.
    """
    files = _read(note).get("files")
    names = (
        [file.get("name") for file in files if isinstance(file, dict)]
        if isinstance(files, list)
        else []
    )
    return [
        name
        for name in names
        if isinstance(name, str) and re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.-]*", name)
    ]
