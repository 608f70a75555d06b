"""Temporary files: root's folder is forgotten with root, and the data directory serves where the
machine has none.
"""

import os
import tempfile

import pytest

from svc.base import disk, temporary
from svc.base.processes import owner


@pytest.fixture(autouse=True)
def as_before(monkeypatch):
    """The folder that this process has found, and the variables that name it."""
    monkeypatch.setattr(tempfile, "tempdir", tempfile.gettempdir())
    for name in ("TMPDIR", "TEMP", "TMP"):
        monkeypatch.setenv(name, "")


def test_a_folder_that_this_user_may_not_use_is_forgotten_and_one_that_it_may_stays(
    tmp_path, monkeypatch
):
    private, public = tmp_path / "private", tmp_path / "public"
    for folder in (private, public):
        folder.mkdir()
    # root may use everything
    monkeypatch.setattr(temporary.os, "access", lambda path, mode: path != str(private))
    monkeypatch.setenv("TMPDIR", str(private))
    monkeypatch.setenv("TMP", str(public))
    tempfile.tempdir = str(private)
    temporary.forget_folder_of_others()
    assert "TMPDIR" not in os.environ and tempfile.gettempdir() == str(public)


def test_where_the_machine_has_no_folder_the_data_directory_has_one(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "_candidate_tempdir_list", lambda: [str(tmp_path / "nowhere")])
    tempfile.tempdir = None
    disk.require_usable(tmp_path / "data")
    with tempfile.TemporaryDirectory() as made:
        assert made.startswith(str(tmp_path / "data" / "tmp"))
    # for the programs that are started
    assert os.environ["TMPDIR"] == str(tmp_path / "data" / "tmp")
    assert (tmp_path / "data" / "tmp").stat().st_mode & 0o777 == 0o700


def test_where_the_machine_has_one_nothing_is_made(tmp_path):
    disk.require_usable(tmp_path / "data")
    assert list((tmp_path / "data").iterdir()) == [] and not os.environ["TMPDIR"]


def test_root_s_folder_is_forgotten_with_the_change_of_user(tmp_path, monkeypatch):
    monkeypatch.setattr(owner, "find_owner_to_become", lambda folder: owner.Owner(65534, 65534))
    for name in ("initgroups", "setgroups", "setgid", "setuid"):
        monkeypatch.setattr(owner.os, name, lambda *_: None)
    monkeypatch.setattr(temporary.os, "access", lambda path, mode: path != str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    tempfile.tempdir = str(tmp_path)
    owner.become_owner(tmp_path / "data")
    assert "TMPDIR" not in os.environ and tempfile.gettempdir() != str(tmp_path)
