"""A server of PostgreSQL of a test's own, from Debian's packages, on a port of its own."""

import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from svc.cli.demo.demo_server import find_free_port

PROGRAMS = max(
    Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name), default=None
)

_SESSIONS = "SELECT count(*) FROM pg_stat_activity WHERE datname = %s"
# waits for each
_END_SESSIONS = "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = %s"


class PostgresServer:
    """Runs until it is stopped; a context manager."""

    def __init__(self, fsync: bool = False):
        """``fsync``: whether a commit waits for the disk, as it must where figures count."""
        self._fsync = "on" if fsync else "off"
        assert PROGRAMS is not None, "apt-get install postgresql"
        # short: the path of a socket has at most 107 characters
        self._folder = Path(tempfile.mkdtemp(prefix="pg-"))
        self._port = find_free_port(0)
        # PostgreSQL refuses to run as root.
        self._user = (
            {"user": "postgres", "group": "postgres", "extra_groups": []}
            if os.geteuid() == 0
            else {}
        )
        if self._user:
            entry = pwd.getpwnam("postgres")
            os.chown(self._folder, entry.pw_uid, entry.pw_gid)

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [PROGRAMS / program, "--pgdata", self._folder / "data", *arguments],
            check=True,
            cwd=self._folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            **self._user,
        )

    def __enter__(self) -> "PostgresServer":
        self._run(
            "initdb",
            "--username=service",
            "--auth=trust",
            "--no-locale",
            "--encoding=UTF8",
            "--no-sync",
        )
        self.start()
        return self

    def __exit__(self, *_) -> None:
        try:
            self.stop("fast")
        finally:
            shutil.rmtree(self._folder)

    def start(self) -> None:
        options = (
            f"-c listen_addresses=127.0.0.1 -c port={self._port} -c "
            f"unix_socket_directories={self._folder}"
        )
        options += f" -c fsync={self._fsync} -c max_connections=300"
        self._run(
            "pg_ctl", "--wait", "--log", str(self._folder / "log"), "--options", options, "start"
        )

    def stop(self, how: str = "immediate") -> None:
        """``how``: "immediate" is as a crash."""
        self._run("pg_ctl", "--wait", "--mode", how, "stop")

    def make(self, name: str) -> str:
        """Make an empty database and return its address."""
        with psycopg.connect(self._address("postgres"), autocommit=True) as connection:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        return self._address(name)

    def end_sessions(self, address: str) -> None:
        """End all that are connected to a database, and return when they are gone."""
        name = address.rpartition("/")[2]
        with psycopg.connect(self._address("postgres"), autocommit=True) as connection:
            connection.execute(_END_SESSIONS, (name,))
            assert connection.execute(_SESSIONS, (name,)).fetchone() == (0,)

    def _address(self, name: str) -> str:
        return f"postgresql://service@127.0.0.1:{self._port}/{name}"


@pytest.fixture(scope="module")
def postgres():
    """A server for the tests of a module, which a ``conftest`` imports;
    each test makes its own database there.
    """
    with PostgresServer() as server:
        yield server
