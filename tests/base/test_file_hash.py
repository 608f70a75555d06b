"""The SHA-256 of files, and of what passes."""

import hashlib

import pytest

from svc.base import file_hash

CONTENT = bytes(range(256)) * 5


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.setattr(file_hash, "_BLOCK", 100)  # so that a small file has many blocks
    path = tmp_path / "file"
    path.write_bytes(CONTENT)
    return path


def test_a_file_has_its_size_and_its_hash(file):
    found = file_hash.hash_file(file)
    assert (found.size, found.sha256) == (1280, hashlib.sha256(CONTENT).hexdigest())


def test_blocks_pass_unchanged_and_a_caller_hears_of_each(file):
    heard, hashing = [], file_hash.Hashing()
    with file.open("rb") as opened:
        opened.seek(80)
        blocks = file_hash.read_blocks(opened, lambda: heard.append(1))
        assert b"".join(hashing.pass_through(blocks)) == CONTENT[80:]
    assert len(heard) == 12 and hashing.size == 1200
    assert hashing.sha256 == hashlib.sha256(CONTENT[80:]).hexdigest()


def test_what_has_not_passed_yet_is_not_counted():
    hashing = file_hash.Hashing()
    passing = hashing.pass_through([b"one", b"two"])
    assert (next(passing), hashing.size) == (b"one", 3)
    assert hashing.sha256 == hashlib.sha256(b"one").hexdigest()


def test_an_empty_file_has_the_hash_of_nothing(tmp_path):
    (tmp_path / "empty").touch()
    found = file_hash.hash_file(tmp_path / "empty")
    assert (found.size, found.sha256) == (0, hashlib.sha256().hexdigest())
