"""Fresh identifiers: in the order of their instants, and never twice, whatever forks."""

import subprocess
import sys
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from support.cast import NOON

from svc.base import ids

ROOT = Path(__file__).parents[2]


def test_they_are_of_version_7_and_in_the_order_of_their_instants():
    first, second = ids.make_id(NOON), ids.make_id(NOON + 1)
    assert (uuid.UUID(first).version, uuid.UUID(first).variant) == (7, uuid.RFC_4122)
    assert ids.make_lowest_id(NOON) < first < ids.make_lowest_id(NOON + 1) < second


def test_threads_never_get_the_same():
    with ThreadPoolExecutor(8) as threads:
        made = [
            each
            for some in threads.map(lambda _: [ids.make_id(NOON) for _ in range(500)], range(16))
            for each in some
        ]
    assert len(set(made)) == len(made)


FORKED = """
import os
from svc.base import ids
ids.make_id(0)  # some are spare now
child = os.fork()
lines = "".join(ids.make_id(0)[-12:] + "\\n" for _ in range(100))
os.write(1, lines.encode())  # in one piece: two processes write to one pipe
if child:
    os.waitpid(child, 0)
"""


def test_a_process_that_was_forked_never_gets_its_parents():
    ran = subprocess.run(
        [sys.executable, "-c", FORKED],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert len(set(ran.stdout.split())) == 200
