"""Dumps of a database of PostgreSQL, made, restored and read by its own programs;
no password stands in their arguments.
"""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from svc.base.errors import CommandError

DUMP = "service.dump"  # the database in a backup, in the custom format of pg_dump
_INSTALL = "install PostgreSQL's client programs (Debian: apt-get install postgresql-client)"
_LONGEST = 600  # characters of what a program says


@dataclass(frozen=True)
class Server:
    """A server of PostgreSQL.

    ``address``: without a password, which is in ``environment``; ``release``: such as 15.
    """

    address: str
    environment: dict[str, str]
    release: int


def require(program: str, server: Server) -> None:
    """Raise CommandError unless a program is installed, and at least of the server's release."""
    release = _release(program)
    if release < server.release:
        raise CommandError(
            f"{program} is of PostgreSQL {release} and the server of {server.release}, whose "
            f"databases it cannot read: {_INSTALL} of version {server.release} or newer, first "
            "in PATH."
        )


def dump(server: Server, snapshot: str, target: Path) -> None:
    """Write the database, as it is in an exported snapshot, to a new file.

    CommandError: it cannot be done, and why.
    """
    target.touch(mode=0o600)
    options = (
        "--format=custom",
        "--no-owner",
        "--no-privileges",
        # Its jobs repeat what the tables say; those of a restored database are deferred anew.
        "--exclude-table-data=queue.*",
        f"--snapshot={snapshot}",
        f"--file={target}",
    )
    _run_program("pg_dump", (*options, f"--dbname={server.address}"), server.environment)


def restore(server: Server, source: Path) -> None:
    """Restore a dump into an empty database, in one transaction.

    CommandError: it cannot be done, and why.
    """
    require("pg_restore", server)
    options = (
        "--no-owner",
        "--no-privileges",
        "--single-transaction",
        "--exit-on-error",
        f"--dbname={server.address}",
    )
    _run_program("pg_restore", (*options, str(source)), server.environment)


def check(source: Path) -> None:
    """Read a dump to its end. CommandError: it is damaged, or pg_restore is missing."""
    _release("pg_restore")
    _run_program("pg_restore", (f"--file={os.devnull}", str(source)), {})


def _release(program: str) -> int:
    if shutil.which(program) is None:
        raise CommandError(
            f"{program} is missing, which backs up and restores PostgreSQL: {_INSTALL}."
        )
    said = _run_program(program, ("--version",), {})
    match = re.search(r"\(PostgreSQL\) (\d+)", said)
    if match is None:
        raise CommandError(
            f"{program} does not say which PostgreSQL it is of: {said.strip()[:80]!r}."
        )
    return int(match[1])


def _run_program(program: str, arguments: tuple[str, ...], environment: dict[str, str]) -> str:
    try:
        done = subprocess.run(
            [program, *arguments],
            env={**os.environ, "LC_ALL": "C", **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
    except OSError as failed:
        raise CommandError(f"{program} could not be started: {failed}.") from failed
    if done.returncode != 0:
        raise CommandError(f"{program} failed: {' '.join(done.stderr.split())[:_LONGEST]}")
    return done.stdout
