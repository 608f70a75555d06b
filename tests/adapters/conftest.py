"""Senders that are in a hurry, and a certificate authority that one of them trusts."""

import pytest
from support.receivers import LOOPBACK, Authority, at

from svc.adapters.http import Sender


@pytest.fixture
def sender():
    made = Sender(LOOPBACK, seconds=0.4, connect_seconds=0.2, lookup=at("127.0.0.1"))
    yield made
    made.close()


@pytest.fixture(scope="session")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("tls"))


@pytest.fixture
def tls_sender(authority):
    made = Sender(LOOPBACK, seconds=1.0, lookup=at("127.0.0.1"), trusted=authority.file)
    yield made
    made.close()
