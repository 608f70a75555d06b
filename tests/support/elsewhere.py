"""A store of files that counts as remote, though its files are in a folder;
it can be told to fail.
"""

from collections.abc import Iterator
from pathlib import Path

from svc.adapters.files.directory import Directory
from svc.base.errors import FileStoreUnavailable
from svc.base.protocols import Stored
from tests.support.cast import body
from tests.support.stage import complete_steps, make, publish_all

CONTENT = {
    "landscape.mp4": b"not really a video",
    "captions.vtt": b"WEBVTT\n\n",
    "transcript.txt": b"Tides\n\nhello",
}
_KINDS = [("Watch", "Video"), (None, "ClosedCaptions"), (None, "Transcript")]
ORIGIN = "https://bucket.example.com"


class Elsewhere(Directory):
    """``failures``: how many further calls fail."""

    is_remote = True

    def __init__(self, root: Path):
        super().__init__(root)
        self.failures = 0
        self.puts: list[str] = []

    def find_local(self, name: str) -> None:
        return None

    def put(
        self, source: Path, name: str, *, sent_as="", fixed=False, alive=lambda: None
    ) -> Stored:
        self._answer()
        alive()
        self.puts.append(name)
        return Directory(self._root).put(source, name)

    def find_file_size(self, name: str) -> int | None:
        self._answer()
        return Directory(self._root).find_file_size(name)

    def has(self, name: str) -> bool:
        return self.find_file_size(name) is not None

    def read(self, name: str, start: int = 0, length: int | None = None) -> bytes:
        self._answer()
        return Directory(self._root).read(name, start, length)

    def stream(self, name: str) -> Iterator[bytes]:
        self._answer()
        return Directory(self._root).stream(name)

    def delete_folder(self, folder: str) -> None:
        self._answer()
        super().delete_folder(folder)

    def presign(self, name: str, seconds: int) -> str:
        self._answer()
        return f"{ORIGIN}/{name}?seconds={seconds}"

    def get_origin(self) -> str:
        return ORIGIN

    def find_problem(self) -> str | None:
        return "the bucket does not answer" if self.failures else None

    def _answer(self) -> None:
        if self.failures:
            self.failures -= 1
            raise FileStoreUnavailable("s3://media: 500 Internal Server Error")


def published_in(store: Elsewhere, partner, clock, folder: Path) -> str:
    """A published production whose files are in ``store``. ``folder``: for what is put there."""
    production, made = body(partner.trigger())["productionId"], []
    for (name, content), (platform, kind) in zip(CONTENT.items(), _KINDS, strict=True):
        (folder / name).write_bytes(content)
        stored = store.put(folder / name, f"{production}/{name}")
        sizes = {"file": stored.file, "size_bytes": stored.size_bytes, "sha256": stored.sha256}
        made.append(make(platform, kind, name.rpartition(".")[2], **sizes))
    complete_steps(clock, made=made)
    publish_all(clock)
    return production
