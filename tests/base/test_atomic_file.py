"""Files that appear only when they are whole."""

import ast
import os
import stat
from pathlib import Path

import pytest

from svc.base import atomic_file

SVC = Path(__file__).parents[2] / "svc"


def test_a_file_has_its_name_only_when_it_is_whole(tmp_path):
    target = tmp_path / "film.mp4"
    with atomic_file.replace(target) as partial:
        partial.write_text("half")
        assert not target.exists() and partial == tmp_path / "film.mp4.part"
        partial.write_text("whole")
    assert target.read_text() == "whole" and list(tmp_path.iterdir()) == [target]


def test_an_error_leaves_the_earlier_file_and_no_part(tmp_path):
    target = tmp_path / "film.mp4"
    target.write_text("earlier")
    with pytest.raises(OSError, match="full"), atomic_file.replace(target) as partial:
        partial.write_text("half")
        raise OSError("the disk is full")
    assert target.read_text() == "earlier" and list(tmp_path.iterdir()) == [target]


def test_an_error_before_anything_is_written_is_the_one_that_is_seen(tmp_path):
    with pytest.raises(ValueError, match="mine"), atomic_file.replace(tmp_path / "film.mp4"):
        raise ValueError("mine")


def test_two_processes_may_write_the_same_file_at_once(tmp_path):
    target = tmp_path / "scene"
    with (
        atomic_file.replace(target, unique=True) as one,
        atomic_file.replace(target, unique=True) as other,
    ):
        one.write_text("one")
        other.write_text("other")
    assert target.read_text() == "one" and list(tmp_path.iterdir()) == [target]


def test_the_content_is_on_the_disk_before_the_file_has_its_name(tmp_path, monkeypatch):
    target, synced = tmp_path / "secret", []
    monkeypatch.setattr(
        os,
        "fsync",
        lambda descriptor: synced.append((os.fstat(descriptor).st_size, target.exists())),
    )
    atomic_file.write_durably(target, b"key")
    assert synced == [(3, False)] and stat.S_IMODE(target.stat().st_mode) == 0o600


def test_text_is_written_in_utf8_with_line_feeds(tmp_path):
    atomic_file.write_text(tmp_path / "captions.srt", "1\nÄ\n")
    assert (tmp_path / "captions.srt").read_bytes() == b"1\n\xc3\x84\n"


@pytest.mark.slow
def test_no_other_module_renames_what_it_wrote():
    """Or gives a path the ending of a part file by itself."""
    found = set()
    for path in SVC.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            last = (
                node.right
                if isinstance(node, ast.BinOp)
                else node.values[-1]
                if isinstance(node, ast.JoinedStr)
                else None
            )
            if isinstance(last, ast.Constant) and str(last.value).endswith(atomic_file.ENDING):
                found.add(path.name)
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(
                (".rename", "partial.replace", "os.replace")
            ):
                found.add(path.name)
    # key_ring gives the part file the owner of the one it replaces; the others rename files at
    # places on other machines.
    assert found == {"atomic_file.py", "key_ring.py", "sftp.py", "webdav.py"}
