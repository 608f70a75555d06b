"""Downloads every deliverable of the demo and checks it against the API's entry."""

from collections import Counter
from dataclasses import dataclass
from email.message import Message
from pathlib import Path

import requests
from rich.markup import escape
from rich.table import Column, Table

from svc.base import deliverable_kinds
from svc.base.file_hash import Hashing

_SECONDS = 60  # without a byte
_BLOCK = 1024 * 1024


@dataclass(frozen=True)
class Fetched:
    """A deliverable's entry in the API, the downloaded file, and the problems found in it."""

    entry: dict
    path: Path | None
    size: int
    problems: list[str]


def fetch(entry: dict, folder: Path) -> Fetched:
    """Download one deliverable into ``folder``, and compare its size and SHA-256 with
    the API's entry.
    """
    name = f"{entry['type']} ({entry['format']})"
    with _open_session() as session:
        response = session.get(entry["sasUrl"], timeout=_SECONDS, stream=True)
        if response.status_code != 200:
            return Fetched(
                entry, None, 0, [f"{name}: its link answered with status {response.status_code}."]
            )
        path = folder / choose_file_name(response.headers.get("Content-Disposition", ""), entry)
        size, digest = _save(response, path)
    problems = []
    if size != entry["sizeBytes"]:
        problems.append(f"{name}: {size} bytes arrived, the API says {entry['sizeBytes']}.")
    if digest != entry["sha256"]:
        problems.append(f"{name}: its SHA-256 is {digest}, the API says {entry['sha256']}.")
    return Fetched(entry, path, size, problems)


def choose_file_name(disposition: str, entry: dict) -> str:
    """Return the file name that the server proposes, without any directory."""
    header = Message()
    header["Content-Disposition"] = disposition
    return Path(header.get_filename() or f"{entry['deliverableId']}.{entry['format']}").name


def _save(response: requests.Response, path: Path) -> tuple[int, str]:
    """Write the body to ``path``; return its size and SHA-256."""
    hashing = Hashing()
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        for block in hashing.pass_through(response.iter_content(_BLOCK)):
            file.write(block)
    return hashing.size, hashing.sha256


def describe_missing(entries: list[dict], platforms: list[str]) -> list[str]:
    """Return a sentence for each deliverable that ``entries`` lack and for each that they
    should not contain.
    """
    expected_kinds = Counter(
        [("Video", "mp4", platform) for platform in platforms]
        + [(*kind, None) for kind in deliverable_kinds.ONCE.values()]
    )
    actual = Counter((entry["type"], entry["format"], entry["platform"]) for entry in entries)
    problems = [f"There is no {_describe_kind(kind)}." for kind in expected_kinds - actual]
    return problems + [
        f"There is a {_describe_kind(kind)} that is not expected."
        for kind in actual - expected_kinds
    ]


def _describe_kind(kind: tuple) -> str:
    return f"{kind[0]} as {kind[1]}" + (f" for {kind[2]}" if kind[2] else "")


def check_public(address: str) -> list[str]:
    """Return the problems with opening ``address`` without a key; empty if it opens."""
    with _open_session() as session:
        status = session.get(address, timeout=_SECONDS).status_code
    return (
        []
        if status == 200
        else [f"{address} answered a request without a key with status {status}."]
    )


def _open_session() -> requests.Session:
    """Return a session without a key, and without a proxy to this machine."""
    session = requests.Session()
    session.trust_env = False
    return session


def make_table(files: list[Fetched]) -> Table:
    """Return a table of the files with their sizes and durations."""
    table = Table(
        Column("File", overflow="fold"),
        *(Column(name, justify="right") for name in ("Size", "Length", "SHA-256")),
    )
    for download in files:
        name = (
            download.path.name
            if download.path
            else f"{download.entry['type']} ({download.entry['format']})"
        )
        verdict = "[red]wrong[/]" if download.problems else "[green]right[/]"
        table.add_row(
            escape(name),
            _format_size(download.size),
            _format_length(download.entry["durationSeconds"]),
            verdict,
        )
    return table


def _format_size(size: int) -> str:
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{size / 1e3:.1f} KB"


def _format_length(seconds: float | None) -> str:
    return f"{seconds:.1f} s" if seconds is not None else ""
