"""Writes to a database for ever, with checkpoints of each kind: ``python log_writer.py PATH SEED``."""

import random
import sys
import time
from contextlib import closing
from pathlib import Path

from svc.store.backup import archive


def write_for_ever(path: str, seed: int) -> None:
    chance, connection = random.Random(seed), archive.connect(Path(path))
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    while True:
        connection.execute("BEGIN IMMEDIATE")
        for _ in range(chance.randint(1, 8)):
            connection.execute("INSERT INTO filler(text) VALUES (?)", (chance.randbytes(chance.randint(10, 3000)),))
        if chance.random() < 0.2:
            connection.execute("DELETE FROM filler WHERE id IN (SELECT id FROM filler ORDER BY random() LIMIT 3)")
        connection.execute("ROLLBACK" if chance.random() < 0.1 else "COMMIT")
        time.sleep(chance.random() * 0.002)
        if chance.random() < 0.1:
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        if chance.random() < 0.02:
            with closing(archive.connect(Path(path))) as other:
                other.execute("PRAGMA busy_timeout = 20")
                other.execute(f"PRAGMA wal_checkpoint({chance.choice(['RESTART', 'TRUNCATE'])})").fetchall()


if __name__ == "__main__":
    write_for_ever(sys.argv[1], int(sys.argv[2]))
