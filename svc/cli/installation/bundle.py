"""``python app.py bundle FILE``: package the program and its dependencies as
one executable file.
"""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

import click

from svc.base import atomic_file
from svc.base.errors import CommandError
from svc.base.file_hash import hash_file
from svc.base.processes.entry_points import ROOT
from svc.cli import progress

_SHIV = "shiv==1.0.8"  # only this command needs it, so only this command fetches it
_PROGRAM = ("app.py", "wsgi.py", "schema.sql", "LICENSE", "README.md", "docs", "sdk", "svc")
_VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"
# Another version of Python would fail inside a library with a misleading message.
_PREAMBLE = f"""
import sys, sysconfig
made_for = ({tuple(sys.version_info[:2])}, {sysconfig.get_platform()!r})
if (sys.version_info[:2], sysconfig.get_platform()) != made_for:
    sys.exit(
        "error: this file was made for Python {_VERSION} on {sysconfig.get_platform()}; "
        "make one: python app.py bundle"
    )
"""


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
def bundle(file: Path) -> None:
    """Package the program as FILE, which runs on any machine of the same kind with the same version
    of Python.

    On its first start FILE unpacks itself under ~/.shiv, or under SHIV_ROOT. The data directory is
    still ./data by default.
    """
    if not (ROOT / "requirements.txt").exists():
        raise CommandError("This is already a bundle; copy it, or make a new one from the source.")
    if not file.name or not file.parent.is_dir():  # said before minutes of work
        raise CommandError(f"FILE is {str(file)!r}; name a file in a folder that is there.")
    with tempfile.TemporaryDirectory(prefix="bundle.") as folder, progress.show_steps(2) as begin:
        site, tool = Path(folder, "site"), Path(folder, "tool")
        begin("fetching the dependencies")
        _fetch_dependencies(Path(folder), site, tool)
        for name in _PROGRAM:
            _copy(ROOT / name, site / name)
        begin("packing")
        whole = _pack(Path(folder), site, tool)
        file.parent.mkdir(parents=True, exist_ok=True)
        with atomic_file.replace(file) as partial:
            shutil.copy(whole, partial)
    click.echo(
        f"{file}: {file.stat().st_size / 1e6:.0f} MB, for Python {_VERSION} on "
        f"{sysconfig.get_platform()}"
    )
    click.echo(
        f"SHA-256 {write_checksum(file)}, also in {name_checksum_file(file)}: "
        "sha256sum --check reads it"
    )


def _fetch_dependencies(folder: Path, site: Path, tool: Path) -> None:
    """Install the libraries of the program in ``site``, and what packs them in ``tool``."""
    requirements, versions = folder / "requirements.txt", folder / "versions.txt"
    requirements.write_text(read_requirements((ROOT / "requirements.txt").read_text("utf-8")))
    versions.write_text(read_lock((ROOT / "requirements.lock").read_text("utf-8")))
    install = "pip", "install", "--quiet", "--disable-pip-version-check", "--target"
    _run(*install, site, "--requirement", requirements, "--constraint", versions)
    _run(*install, tool, _SHIV)


def _pack(folder: Path, site: Path, tool: Path) -> Path:
    """Pack ``site`` into one file in ``folder``, and return it."""
    preamble, packed = folder / "preamble.py", folder / "whole"
    preamble.write_text(_PREAMBLE)
    _run(
        "shiv",
        "--site-packages",
        site,
        "--entry-point",
        "app:main",
        "--python",
        f"/usr/bin/env python{_VERSION}",
        "--compressed",
        "--reproducible",
        "--extend-pythonpath",
        "--preamble",
        preamble,
        "--output-file",
        packed,
        PYTHONPATH=str(tool),
    )
    return packed


def read_requirements(requirements: str) -> str:
    """Return the requirements without the lock, whose versions serve as constraints."""
    return "".join(f"{line}\n" for line in re.findall(r"^[\w.-]+==.*$", requirements, re.MULTILINE))


def name_checksum_file(file: Path) -> Path:
    """Return the path of a bundle's SHA-256 file."""
    return file.with_name(file.name + ".sha256")


def write_checksum(file: Path) -> str:
    """Write the SHA-256 of ``file`` next to it in the format of ``sha256sum``;
    return the hash in hex.
    """
    digest = hash_file(file).sha256
    name_checksum_file(file).write_text(f"{digest}  {file.name}\n", "utf-8")
    return digest


def read_lock(lock: str) -> str:
    """Return the versions in a lock without hashes: with hashes,
    older versions of pip require one for every requirement.
    """
    return "".join(f"{line}\n" for line in re.findall(r"^[\w.-]+==[^\\\n]+", lock, re.MULTILINE))


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(
            source, target, ignore=shutil.ignore_patterns("__pycache__", "node_modules")
        )
    else:
        shutil.copy(source, target)


def _run(module: str, *words: object, **environment: str) -> None:
    """Run a Python module. CommandError: it failed; the message ends with its last output."""
    completed = subprocess.run(
        [sys.executable, "-m", module, *map(str, words)],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if completed.returncode:
        raise CommandError(f"{module} failed:\n{(completed.stdout + completed.stderr)[-2000:]}")
