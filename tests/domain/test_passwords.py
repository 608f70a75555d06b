"""Passwords: strangers who try many of them slow nobody down."""

import os
import sys
import threading

import pytest

from svc.domain.people import passwords


@pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux gives a thread a priority of its own"
)
def test_hashes_are_computed_at_low_priority_and_answers_are_not(monkeypatch):
    before = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
    at = []

    def hashing(*args, **params):
        at.append(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))
        return bytes(32)

    monkeypatch.setattr(passwords.hashlib, "scrypt", hashing)
    stored = passwords.hash_password("a long enough password")
    assert passwords.matches("a long enough password", stored)
    assert at == [max(before, passwords._NICENESS)] * 2
    assert os.getpriority(os.PRIO_PROCESS, threading.get_native_id()) == before
