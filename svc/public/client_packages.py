"""The client libraries as files that pip and npm install from this server, written from the sources
in ``sdk/``.

They need neither a network nor a build backend, and the same sources become the same bytes: a wheel
(PEP 427, metadata 2.4) and a tarball as ``npm pack`` makes it.
"""

import base64
import gzip
import hashlib
import io
import json
import tarfile
import tomllib
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from svc.base.errors import NotFound
from svc.base.processes.entry_points import ROOT

CHANGELOG = "sdk/CHANGELOG.md"
Text = Callable[[str, str], str]  # of a document and an address: the text, whose links lead there

_WHEEL_DATE = (1980, 1, 1, 0, 0, 0)  # the earliest that a ZIP can have
_TARBALL_DATE = 499162500  # that of npm's own tarballs
_MODE = 0o644


@dataclass(frozen=True)
class Package:
    """A file to install. ``command``: what installs it, without its address."""

    filename: str
    content: bytes
    media_type: str
    command: str


def list_clients() -> list[str]:
    """Return the clients whose sources are installed here."""
    return [name for name in _WRITERS if (ROOT / "sdk" / name).is_dir()]


@lru_cache(maxsize=8)
def build_package(name: str, base: str, text: Text) -> Package:
    """Return the package of a client, whose links lead to ``base``.

    NotFound: there is no such client here.
    """
    if name not in list_clients():
        raise NotFound()
    return _WRITERS[name](ROOT / "sdk" / name, base, text)


def _build_wheel(source: Path, base: str, text: Text) -> Package:
    project = tomllib.loads((source / "pyproject.toml").read_text("utf-8"))["project"]
    distribution = f"{project['name'].replace('-', '_')}-{project['version']}"
    folder = f"{distribution}.dist-info"
    files = _list_files(source / "src")
    files |= {
        f"{folder}/METADATA": _write_metadata(project, base, text).encode(),
        f"{folder}/WHEEL": (
            b"Wheel-Version: 1.0\nGenerator: partner-production-api\nRoot-Is-Purelib: true\n"
            b"Tag: py3-none-any\n"
        ),
        f"{folder}/licenses/LICENSE": _read_license(),
    }
    record = [
        f"{path},sha256={_hash_content(content)},{len(content)}" for path, content in files.items()
    ]
    files[f"{folder}/RECORD"] = "\n".join([*record, f"{folder}/RECORD,,", ""]).encode()
    wheel = io.BytesIO()
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path, _WHEEL_DATE)
            entry.external_attr, entry.compress_type = _MODE << 16, zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    filename = f"{distribution}-py3-none-any.whl"
    return Package(filename, wheel.getvalue(), "application/octet-stream", "pip install")


def _write_metadata(project: dict[str, Any], base: str, text: Text) -> str:
    """Return the core metadata of a wheel."""
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {project['name']}",
        f"Version: {project['version']}",
        f"Summary: {project['description']}",
        "Description-Content-Type: text/markdown",
        f"License-Expression: {project['license']}",
        "License-File: LICENSE",
        f"Requires-Python: {project['requires-python']}",
        *(f"Classifier: {each}" for each in project["classifiers"]),
        *(f"Requires-Dist: {each}" for each in project["dependencies"]),
        f"Project-URL: Documentation, {base}/sdk/python/README.md",
        f"Project-URL: Changelog, {base}/{CHANGELOG}",
        f"Project-URL: API, {base}/docs",
    ]
    return "\n".join(lines) + "\n\n" + text("sdk/python/README.md", base)


def _build_tarball(source: Path, base: str, text: Text) -> Package:
    about = json.loads((source / "package.json").read_text("utf-8"))
    about |= {"homepage": f"{base}/sdk/typescript/README.md"}
    files = {
        "package.json": (json.dumps(about, indent=2) + "\n").encode(),
        "README.md": text("sdk/typescript/README.md", base).encode(),
        "CHANGELOG.md": text(CHANGELOG, base).encode(),
        "LICENSE": _read_license(),
    }
    for folder in (each for each in about["files"] if (source / each).is_dir()):
        files |= {
            f"{folder}/{path}": content for path, content in _list_files(source / folder).items()
        }
    tarball = io.BytesIO()
    with tarfile.open(fileobj=tarball, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path, content in files.items():
            entry = tarfile.TarInfo(f"package/{path}")
            entry.size, entry.mode, entry.mtime = len(content), _MODE, _TARBALL_DATE
            archive.addfile(entry, io.BytesIO(content))
    filename = f"{about['name']}-{about['version']}.tgz"
    packed = gzip.compress(tarball.getvalue(), mtime=0)
    return Package(filename, packed, "application/octet-stream", "npm install")


_WRITERS: dict[str, Callable[[Path, str, Text], Package]] = {
    "python": _build_wheel,
    "typescript": _build_tarball,
}


def _list_files(folder: Path) -> dict[str, bytes]:
    """Return the files below a folder by their paths in it,
    without what running them leaves behind.
    """
    paths = sorted(
        path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts
    )
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def _read_license() -> bytes:
    """Return the licence without the notice, which is about the service and its media libraries."""
    text = (ROOT / "LICENSE").read_text("utf-8").partition("\nNOTICE\n")[0]
    return (text.rstrip().rstrip("-").rstrip() + "\n").encode()


def _hash_content(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
