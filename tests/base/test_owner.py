"""The owner of the data directory, whom root's processes become."""

import os

import pytest

from svc.base.errors import StartRefused
from svc.base.processes import owner
from svc.base.processes.owner import Owner


@pytest.fixture
def somebody(monkeypatch) -> None:
    """Root would become another user."""
    monkeypatch.setattr(owner, "find_owner_to_become", lambda _: Owner(64_123, 64_123))
    for name in ("umask", "setgroups", "setgid", "setuid"):
        monkeypatch.setattr(os, name, lambda *_: None)
    # which asks for what each test answers itself, and would change the environment of all
    monkeypatch.setattr(owner.temporary, "forget_folder_of_others", lambda: None)


def test_a_program_that_the_owner_may_not_read_is_refused_with_the_reason(
    somebody, monkeypatch, tmp_path
):
    answers = iter([True, True, False])  # before and after it became that user
    monkeypatch.setattr(os, "access", lambda *_: next(answers))
    with pytest.raises(StartRefused, match="64123, who owns .*, may not read .*: install Python"):
        owner.become_owner(tmp_path)


def test_a_program_in_one_file_is_no_path_that_has_to_be_read(somebody, monkeypatch, tmp_path):
    answers = iter([False, False])
    monkeypatch.setattr(os, "access", lambda *_: next(answers))
    owner.become_owner(tmp_path)
