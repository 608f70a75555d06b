"""The cache stores complete files only, stays within its bound, and is optional."""

import os
import random

import pytest

from svc.media.cache import Cache, make_cache_key
from tests.support.processes import at_once

NAMES = [make_cache_key("test", number) for number in range(40)]


@pytest.fixture
def cache(tmp_path):
    return Cache(tmp_path / "cache", 10_000)


def aged(folder, *names) -> None:
    """The first was used longest ago."""
    for age, name in enumerate(names):
        os.utime(folder / name, (1000 + age, 1000 + age))


def size(folder) -> int:
    return sum(file.stat().st_size for file in folder.iterdir())


def test_what_was_kept_is_found_by_another_process(cache, tmp_path):
    cache.keep(NAMES[0], b"spoken")
    assert Cache(tmp_path / "cache").find(NAMES[0]) == b"spoken"
    assert cache.find(NAMES[1]) is None


def test_nothing_is_kept_without_a_folder_or_a_bound(tmp_path):
    for cache in (Cache(None), Cache(tmp_path / "cache", 0)):
        cache.keep(NAMES[0], b"spoken")
        assert cache.find(NAMES[0]) is None
    assert not (tmp_path / "cache").exists()


def test_a_key_depends_on_every_part_and_on_their_order():
    parts = [
        ("a", "b"),
        ("b", "a"),
        ("ab",),
        ("a", ["b"]),
        ("a", {"b": 1}),
        ("a", {"b": 2}),
        ("a", "b", None),
        ("a", "b", 0),
    ]
    assert len({make_cache_key(*arguments) for arguments in parts}) == len(parts)
    assert make_cache_key({"x": 1, "y": 2}) == make_cache_key({"y": 2, "x": 1})


@pytest.mark.parametrize(
    "damage", [lambda raw: raw[:-1], lambda raw: b"", lambda raw: raw[:40] + b"X" + raw[41:]]
)
def test_a_file_that_is_not_whole_is_not_there(cache, tmp_path, damage):
    cache.keep(NAMES[0], b"spoken words")
    path = tmp_path / "cache" / NAMES[0]
    path.write_bytes(damage(path.read_bytes()))
    assert cache.find(NAMES[0]) is None
    assert not path.exists()


def test_what_was_not_used_for_longest_goes_first(cache, tmp_path):
    for name in NAMES[:9]:
        cache.keep(name, bytes(1000))
    aged(tmp_path / "cache", *NAMES[:9])
    cache.find(NAMES[0])  # used now
    cache.keep(NAMES[9], bytes(1000))
    kept = [name for name in NAMES[:10] if cache.find(name)]
    assert NAMES[0] in kept and NAMES[9] in kept and NAMES[1] not in kept
    assert kept[1:] == NAMES[10 - len(kept) + 1 : 10]


def test_the_bound_holds_whatever_is_kept(cache, tmp_path):
    chance = random.Random(3)
    for number in range(300):
        cache.keep(make_cache_key(number), bytes(chance.randrange(9500)))
        assert size(tmp_path / "cache") <= 10_000 * (1 + 1 / 16)


def test_what_is_larger_than_the_bound_is_not_kept(cache, tmp_path):
    cache.keep(NAMES[0], bytes(20_000))
    assert cache.find(NAMES[0]) is None


def test_what_dead_processes_left_is_removed_and_what_living_ones_write_is_not(cache, tmp_path):
    folder = tmp_path / "cache"
    folder.mkdir()
    for name in ("dead.part", "alive.part"):
        (folder / name).write_bytes(b"half")
    os.utime(folder / "dead.part", (1000, 1000))
    cache.keep(NAMES[0], b"spoken")
    assert sorted(file.name for file in folder.iterdir()) == sorted([NAMES[0], "alive.part"])


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    cache = Cache(tmp_path / "file" / "cache")
    cache.keep(NAMES[0], b"spoken")
    assert cache.find(NAMES[0]) is None


@pytest.mark.slow
def test_several_processes_share_one_folder(tmp_path):
    imports = (
        "import random; from pathlib import Path; from svc.media.cache import Cache, make_cache_key"
    )
    work = (
        "(lambda cache, chance: [cache.keep(make_cache_key(n), str(n).encode() * 50) or "
        "cache.find(make_cache_key(chance.randrange(60))) in (None, *(str(m).encode() * 50 "
        "for m in range(60))) for n in (chance.randrange(60) for _ in "
        "range(400))])(Cache(Path(sys.argv[1]), 3000), random.Random(os.getpid()))"
    )
    results = at_once(4, "import os; " + imports, f"all({work})", tmp_path)
    assert results == ["True"] * 4
    assert size(tmp_path) <= 3000 * (1 + 4 / 16)
