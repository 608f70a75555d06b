"""``python app.py bundle FILE``: the program with all it needs as one file, to be run by a Python of this version elsewhere."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

import click

from svc.base.errors import CommandError
from svc.cli import progress

_SHIV = "shiv==1.0.8"  # needed here alone, so it is fetched here alone
_ROOT = Path(__file__).parents[2]
_PROGRAM = ("app.py", "wsgi.py", "schema.sql", "LICENSE", "svc")
_VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"
# Another Python would fail somewhere inside a library, with a message about that library.
_PREAMBLE = f"""
import sys, sysconfig
if (sys.version_info[:2], sysconfig.get_platform()) != ({tuple(sys.version_info[:2])}, {sysconfig.get_platform()!r}):
    sys.exit("error: this file was made for Python {_VERSION} on {sysconfig.get_platform()}; make one: python app.py bundle")
"""


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
def bundle(file: Path) -> None:
    """Make FILE, which serves, demos and administers on any machine like this one that has the same Python.

    On its first start it unpacks itself under ~/.shiv (SHIV_ROOT names another place). The data directory is ./data as ever.
    """
    if not (_ROOT / "requirements.txt").exists():
        raise CommandError("This is a bundle itself; copy it, or make one from the source.")
    with tempfile.TemporaryDirectory(prefix="bundle.") as folder, progress.of_steps(2) as begin:
        site, tool = Path(folder, "site"), Path(folder, "tool")
        requirements, preamble, whole = Path(folder, "requirements.txt"), Path(folder, "preamble.py"), Path(folder, "whole")
        requirements.write_text(needed((_ROOT / "requirements.txt").read_text("utf-8")))
        versions = Path(folder, "versions.txt")
        versions.write_text(locked((_ROOT / "requirements.lock").read_text("utf-8")))
        preamble.write_text(_PREAMBLE)
        begin("fetching what it needs")
        _run("pip", "install", "--quiet", "--disable-pip-version-check", "--target", site, "--requirement", requirements,
             "--constraint", versions)  # fmt: skip
        _run("pip", "install", "--quiet", "--disable-pip-version-check", "--target", tool, _SHIV)
        for name in _PROGRAM:
            _copy(_ROOT / name, site / name)
        begin("packing")
        _run(
            "shiv", "--site-packages", site, "--entry-point", "app:main", "--python", f"/usr/bin/env python{_VERSION}",
            "--compressed", "--reproducible", "--extend-pythonpath", "--preamble", preamble, "--output-file", whole,
            PYTHONPATH=str(tool),
        )  # fmt: skip
        file.parent.mkdir(parents=True, exist_ok=True)
        partial = file.with_name(file.name + ".part")
        shutil.copy(whole, partial)
        partial.replace(file)  # there only when whole
    click.echo(f"{file}: {file.stat().st_size / 1e6:.0f} MB, for Python {_VERSION} on {sysconfig.get_platform()}")
    click.echo(f"SHA-256 {write_checksum(file)}, also in {checksum_file(file)}: sha256sum --check reads it")


def needed(requirements: str) -> str:
    """The requirements without the lock, whose versions are constraints here."""
    return "".join(f"{line}\n" for line in re.findall(r"^[\w.-]+==.*$", requirements, re.MULTILINE))


def checksum_file(file: Path) -> Path:
    """Where the SHA-256 of a bundle stands."""
    return file.with_name(file.name + ".sha256")


def write_checksum(file: Path) -> str:
    """Write the SHA-256 of ``file`` beside it as ``sha256sum`` does; the hash in hex."""
    with file.open("rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
    checksum_file(file).write_text(f"{digest}  {file.name}\n", "utf-8")
    return digest


def locked(lock: str) -> str:
    """The versions of a lock, without the hashes: older pips want one for each requirement then, in its very spelling."""
    return "".join(f"{line}\n" for line in re.findall(r"^[\w.-]+==[^\\\n]+", lock, re.MULTILINE))


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy(source, target)


def _run(module: str, *words: object, **environment: str) -> None:
    """Run a module of Python's. CommandError: it failed, with the end of what it said."""
    done = subprocess.run(
        [sys.executable, "-m", module, *map(str, words)], env=os.environ | environment, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    if done.returncode:
        raise CommandError(f"{module} failed:\n{(done.stdout + done.stderr)[-2000:]}")
