"""What a serving process has loaded is moved to huge pages, and nothing else."""

import ctypes
from types import SimpleNamespace

import pytest

from svc.base.processes import huge_pages

MAPPINGS = """\
00400000-00c00000 r-xp 00000000 fe:00 4711                               /usr/bin/python3.11
00c00000-01400000 rw-p 00800000 fe:00 4711                               /usr/bin/python3.11
01500000-02100000 rw-p 00000000 00:00 0                                  [heap]
10000000-10200000 rw-p 00000000 00:00 0 
10300000-10500000 rw-p 00000000 00:00 0 
20000000-20400000 ---p 00000000 00:00 0 
30000000-30400000 rw-s 00000000 00:01 1026                               /dev/zero (deleted)
40100000-40900000 rw-p 00000000 00:00 0                                  [anon: malloc]
50000000-50800000 rw-p 00000000 00:00 0                                  [stack]
"""  # noqa: W291 - as the kernel writes it
WHOLE = [
    (0x01600000, 0x02000000),
    (0x10000000, 0x10200000),
    (0x40200000, 0x40800000),
]


@pytest.fixture
def advised(tmp_path, monkeypatch):
    """What a kernel with these mappings was advised."""
    calls = []
    (tmp_path / "enabled").write_text("always [madvise] never\n")
    (tmp_path / "maps").write_text(MAPPINGS)
    monkeypatch.setattr(huge_pages, "_SETTING", tmp_path / "enabled")
    monkeypatch.setattr(huge_pages, "_MAPPINGS", tmp_path / "maps")

    class Advise(SimpleNamespace):
        def __call__(self, *arguments):
            calls.append(arguments)
            return -1  # refused

    madvise = Advise()
    monkeypatch.setattr(ctypes, "CDLL", lambda name: SimpleNamespace(madvise=madvise))
    return calls


def test_whole_huge_pages_of_private_memory_are_found():
    assert list(huge_pages.list_whole_pages(MAPPINGS)) == WHOLE


def test_memory_is_moved_and_a_refusal_of_the_kernel_changes_nothing(advised):
    huge_pages.use_for_loaded()
    assert advised == [(begin, end - begin, advice) for begin, end in WHOLE for advice in (14, 25)]


def test_nothing_is_moved_where_the_operator_has_turned_huge_pages_off(advised, tmp_path):
    (tmp_path / "enabled").write_text("always madvise [never]\n")
    huge_pages.use_for_loaded()
    assert advised == []


@pytest.mark.parametrize("missing", ["enabled", "maps"])
def test_nothing_is_moved_where_the_kernel_does_not_tell(advised, tmp_path, missing):
    (tmp_path / missing).unlink()
    huge_pages.use_for_loaded()
    assert advised == []
