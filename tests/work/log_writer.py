"""Writes to a database when it is told to, with checkpoints of each kind:
``python log_writer.py PATH SEED``.

Each line of its input is a number of transactions, perhaps followed by the word ``die``: then it
kills itself inside the next one, of which uncommitted pages are in the log already. It answers a
line when it has written.
"""

import os
import random
import signal
import sys
from contextlib import closing
from pathlib import Path

from svc.store.backup import database_file


def write_when_told(path: str, seed: int) -> None:
    chance, connection = random.Random(seed), database_file.connect(Path(path))
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    for line in sys.stdin:
        number, *dies = line.split()
        for _ in range(int(number)):
            _insert(connection, chance, chance.randint(1, 8))
            if chance.random() < 0.2:
                connection.execute(
                    "DELETE FROM filler WHERE id IN (SELECT id FROM filler ORDER BY random() "
                    "LIMIT 3)"
                )
            connection.execute("ROLLBACK" if chance.random() < 0.1 else "COMMIT")
            _checkpoint(connection, chance, path)
        if dies:
            # pages; more than these are written before the commit
            connection.execute("PRAGMA cache_size = 10")
            _insert(connection, chance, 100)
            os.kill(os.getpid(), signal.SIGKILL)
        print("written", flush=True)


def _insert(connection, chance: random.Random, number: int) -> None:
    connection.execute("BEGIN IMMEDIATE")
    for _ in range(number):
        connection.execute(
            "INSERT INTO filler(text) VALUES (?)", (chance.randbytes(chance.randint(10, 3000)),)
        )


def _checkpoint(connection, chance: random.Random, path: str) -> None:
    if chance.random() < 0.1:
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
    if chance.random() < 0.02:
        with closing(database_file.connect(Path(path))) as other:
            other.execute("PRAGMA busy_timeout = 20")
            other.execute(
                f"PRAGMA wal_checkpoint({chance.choice(['RESTART', 'TRUNCATE'])})"
            ).fetchall()


if __name__ == "__main__":
    write_when_told(sys.argv[1], int(sys.argv[2]))
