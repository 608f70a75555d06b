"""Hears at once, by LISTEN and NOTIFY, what other machines have committed; without a connection,
asks to look each second.
"""

import logging
import threading
from collections.abc import Callable
from typing import Any

import psycopg

from svc.store.postgres import keepalives

CHANNEL = "service_wake"
_PATIENCE = 5  # seconds to connect
# seconds between looks whether to stop, and for work while there is no connection
_LOOK_EVERY = 1.0

log = logging.getLogger("svc.listening")


class Listening:
    """A context manager: inside it, a thread with a connection of its own calls ``heard``,
    which must not raise.
    """

    def __init__(self, address: str, place: str, heard: Callable[[], None]):
        """``place``: of this data directory, whose own processes wake each other
        without the database.
        """
        self._address, self._place, self._heard = address, place, heard
        self._stopping, self._is_lost = threading.Event(), False
        self._thread = threading.Thread(target=self._run, name="listening", daemon=True)

    def __enter__(self) -> "Listening":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._thread.join(timeout=_PATIENCE)

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                with self._connected() as connection:
                    self._is_lost = False
                    self._heard()  # of what was committed before
                    self._listen(connection)
            except psycopg.Error as failure:
                self._lost(failure)
                self._stopping.wait(_LOOK_EVERY)

    def _connected(self) -> psycopg.Connection[Any]:
        connection: psycopg.Connection[Any] = psycopg.connect(
            self._address,
            autocommit=True,
            connect_timeout=_PATIENCE,
            application_name="listening",
            **keepalives.OURS,
        )
        try:
            connection.execute(f"{keepalives.ITS}; LISTEN {CHANNEL}")
        except BaseException:
            connection.close()
            raise
        return connection

    def _listen(self, connection: psycopg.Connection[Any]) -> None:
        while not self._stopping.is_set():
            for notification in connection.notifies(timeout=_LOOK_EVERY):
                if notification.payload != self._place:
                    self._heard()
                if self._stopping.is_set():
                    return

    def _lost(self, failure: psycopg.Error) -> None:
        if not self._is_lost:
            log.warning(
                "wake-ups of other machines are not heard, and work is looked for each second: %s",
                failure,
            )
        self._is_lost = True
        self._heard()
