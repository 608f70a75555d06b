"""The base of the two engines: what SQLite and PostgreSQL do alike, and what each does in its own
way.

svc.store.database has the one object that is open, ``db``.
"""

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

import peewee

from svc.store.engine.jobs import JobCount, Jobs, ListedJob, Periodic, Ready, Service
from svc.store.engine.shared_memory import Shared
from svc.store.engine.sqlite_driver import sqlite3

Row: TypeAlias = sqlite3.Row  # PostgreSQL's act like them
Connection: TypeAlias = sqlite3.Connection  # PostgreSQL's act like them
Parameters: TypeAlias = Sequence[Any] | Mapping[str, Any]

# How many threads use the database at the same time where nobody says it: those of
# gunicorn_config.py.
THREADS = 8
MOMENT = 0.05  # seconds to wait for the turn of a partner, where those of others are behind it

_JOINED = nullcontext()  # of a nested transaction


class OpenTransaction(threading.local):
    """The functions that this thread's transaction calls at its end; None: it has none."""

    after: list[Callable[[], None]] | None = None
    telling: list[Callable[[], None]]
    ending: list[Callable[[], None]]
    # The partners whose turns it has; None: it has that of all, or none.
    partners: frozenset[str] | None = None


class Busy(Exception):
    """Another transaction of the partner is under way, and may hang."""


class Database(ABC):
    """The open database, with the statements that svc.store.catalog asks.

    ``rows``, ``row``, ``execute`` and ``execute_many`` run what ``compiled`` wrote, for
    svc.store.queries, and those statements.
    """

    # The error that any statement may raise, here and on other connections, with both databases.
    Error: ClassVar[type[sqlite3.Error]] = sqlite3.Error

    TABLES: ClassVar[str]
    COLUMNS: ClassVar[str]  # of a table, as the next two
    PRIMARY_KEY: ClassVar[str]
    REFERRED: ClassVar[str]

    _open: OpenTransaction
    _path = Path()
    _shared: Shared | None = None  # each request asks for it a dozen times

    @abstractmethod
    def open(self, path: Path, address: str = "", threads: int = THREADS) -> None:
        """Open it for the data directory of ``path``; see
        :func:`svc.store.database.open_database`.
        """

    @abstractmethod
    def close(self) -> None:
        """Close all connections."""

    def path(self) -> Path:
        """Return the path of the open database.

        With PostgreSQL there is no such file, but its folder is the data directory.
        """
        return self._path

    def require_same_files(self) -> None:
        """Raise an error if the files of the database were removed, moved or replaced below this
        process.
        """
        return  # those of PostgreSQL are the server's

    @abstractmethod
    def compiled(self, query: peewee.Node) -> tuple[str, list[str]]:
        """Return the SQL of a query, and the names of its slots."""

    @abstractmethod
    def rows(self, sql: str, parameters: Parameters = ()) -> list[Row]:
        """Return all rows of a constant statement, which is compiled once per connection."""

    @abstractmethod
    def row(self, sql: str, parameters: Parameters = ()) -> Row | None:
        """Return the first row, or None."""

    @abstractmethod
    def execute(self, sql: str, parameters: Parameters = ()) -> int:
        """Run a statement inside a transaction, and return the number of rows that it changed."""

    @abstractmethod
    def execute_many(self, sql: str, many: Iterable[Parameters]) -> None:
        """Run a statement inside a transaction for each of ``many`` parameter sets."""

    @abstractmethod
    def snapshot(self) -> AbstractContextManager[Any]:
        """Return a context for several reads without interruption: ``with db.snapshot():``.

        Never wait for the network or the disk in it; durable writes wait for the disk.
        """

    @abstractmethod
    def separate_connection(self, seconds: float = 30.0) -> AbstractContextManager[Connection]:
        """Open a separate connection in autocommit mode, for queries that take long or must not
        wait for the lock.

        ``seconds``: how long a statement waits for another writer.
        """

    def transaction(
        self,
        durable: bool = True,
        in_turn: bool = True,
        partner: str | None = None,
        moment: float | None = None,
    ) -> AbstractContextManager[None]:
        """Run the block in a transaction, which an exception rolls back. A nested call joins the
        outer one.

        RuntimeError: the outer one has the turn of another partner. Busy: see ``moment``.

        Args:
            durable: Return only when the commit is on the disk, which is required for all that is
                reported to others.
            in_turn: Alone of all writers. Without it, nothing but a row that is changed keeps
                others waiting, or is waited for, where many machines share the database: for signs
                of life, renewals and sums, which no writer that hangs may hold up. Each must change
                one row by compare and set, or its rows in one order everywhere.
            partner: The id of the partner to whom every row belongs that the transaction changes,
                or counts on as it read it. Where many machines share the database, it is alone of
                that partner's transactions and of those in turn, and one that hangs holds up no
                other partner's. A row that belongs to several is changed by :meth:`change_shared`.
            moment: The seconds to wait for the turn of the partner, after which Busy is raised;
                None: as long as for any lock.
        """
        if self._open.after is None:
            return self._outer_transaction(durable, in_turn, partner, moment)
        if partner and self._open.partners is not None and partner not in self._open.partners:
            raise RuntimeError("a transaction of one partner may change nothing of another one's")
        return _JOINED

    @abstractmethod
    def _outer_transaction(
        self, durable: bool, in_turn: bool, partner: str | None, moment: float | None
    ) -> AbstractContextManager[None]: ...

    def transaction_of_free(
        self, partners: Collection[str]
    ) -> AbstractContextManager[frozenset[str]]:
        """Run the block in one transaction of several partners, and yield those whose turn it has:
        all whose turn is free at this moment, so that it waits for no partner. A process that hangs
        in it holds up all of them: it is for small changes of a few partners, where a commit for
        each costs too much.

        RuntimeError: it is inside another transaction.
        """
        if self.in_transaction():
            raise RuntimeError("a transaction of several partners is inside no other one")
        return self._outer_transaction_of_free(partners)

    @contextmanager
    def _outer_transaction_of_free(self, partners: Collection[str]) -> Iterator[frozenset[str]]:
        with self.transaction():
            yield frozenset(partners)

    def change_shared(self, change: Callable[[], bool]) -> None:
        """Change a row that belongs to all partners, from the present transaction: within it, or
        after its commit if it is one partner's, as whoever hangs must not keep that row.

        If the process is lost in between, the change is, too: so it is for what is learnt and for
        averages. ``change``: reads the row and changes it by compare and set, in one statement;
        returns False if another one was faster, and is then called again.
        """
        change()

    def at_commit(self) -> AbstractContextManager[None]:
        """Return a context whose statements, which change rows, are run with the commit of the
        present transaction, so that where many machines share the database, one that hangs keeps
        none of those rows. They return no number of rows; others see them no earlier anyway.

        For sums in rows that the transactions of many change. The commit fails if another one keeps
        such a row for long.
        """
        return nullcontext()

    def reserve(self, subject: str, waits: bool) -> bool:
        """Reserve a subject for the present transaction, which takes no turn, so that what it
        counts before it changes it stays as it is; with SQLite, all transactions take turns.

        ``waits``: until the one that has it has ended. Otherwise return False.
        """
        return True

    def before_commit(self, call: Callable[[], None]) -> None:
        """Register a function that makes the last changes of the present transaction, unless that
        is rolled back. What it reads stays as it is until the commit: where many machines share
        the database, those that end with such a function take turns, whatever other turns they
        have, and for no longer than it takes.

        It is for rows of all that are read and then written, where the transaction is one
        partner's, or has no turn. It changes no others, and defers no job.
        RuntimeError: there is no transaction.
        """
        if not self.in_transaction():
            raise RuntimeError("what is changed with a commit must be inside a transaction")
        self._open.ending.append(call)

    def in_transaction(self) -> bool:
        """Return whether this thread is inside :meth:`transaction`."""
        return self._open.after is not None

    def on_durable(self, call: Callable[[], None]) -> None:
        """Register a function that reports what the present transaction read, to be called inside
        a durable :meth:`transaction`.

        It is called, unless the transaction is rolled back, as soon as all that it read is
        durable: usually before its own commit.
        """
        self._open.telling.append(call)

    def after_commit(self, call: Callable[[], None]) -> None:
        """Register a function, which reports nothing to others, to be called once after the commit
        of the present transaction.
        """
        after = self._open.after
        if after is not None and call not in after:
            after.append(call)

    def shared(self) -> Shared:
        """Return what the processes of the open database share.

        RuntimeError: the database is not open.
        """
        if self._shared is None:
            raise RuntimeError("the database is not open")
        return self._shared

    def shared_if_open(self) -> Shared | None:
        """Return :meth:`shared`, or None if the database is not open."""
        return self._shared

    # What follows is for many machines, which SQLite does not have.

    def place(self) -> str:
        """Return what the claims of this data directory's processes begin with; empty: no other
        directory shares the database.
        """
        return ""

    def clock(self) -> int | None:
        """Return the time (ms) of the database's own machine; None: it is this one."""
        return None

    def jobs(
        self,
        periodic: Sequence[Periodic],
        services: Sequence[Service] = (),
        ready: Ready | None = None,
    ) -> Jobs | None:
        """Return a context in which this process does jobs for all that share the database; None:
        it is alone, and finds its work without jobs.

        Args:
            periodic: Tasks that one of all processes does when each is due.
            services: What this process does for jobs that are deferred with a commit.
            ready: Sees to it that no step waits for a job that was lost, or that nobody deferred,
                as what is due by time.
        """
        return None

    def count_jobs(self) -> list[JobCount]:
        """Return how many jobs each queue has, by status; none where one process works alone."""
        return []

    def list_jobs(self) -> list[ListedJob] | None:
        """Return the jobs that wait, run or have failed; None where one process works alone."""
        return None

    def retry_job(self, job_id: int) -> bool:
        """Make a job that failed, or whose process is gone, ready again with the present
        transaction; return whether it was one.
        """
        return False

    def abort_job(self, job_id: int) -> bool:
        """Have the process of a running job end it when the present transaction is committed;
        return whether the job had not ended before.
        """
        return False

    def announce(self, queue: Callable[[], str | None]) -> None:
        """Defer a job for other machines with the commit of the present transaction; see
        :meth:`jobs`.

        ``queue``: returns the name of its queue, and is called once, where there are other
        machines; None: there is nothing to do.
        """
        return
