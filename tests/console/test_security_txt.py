"""``/.well-known/security.txt``: there where the operator has named a contact,
and as RFC 9116 asks.
"""

import datetime

import pytest
from support.cast import NOON, refused

from app import create_app
from svc.base import settings
from svc.store.database import db


@pytest.fixture
def named(tmp_path, clock):
    given = {"SVC_SECURITY_CONTACT": "mailto:security@example.com, https://example.com/report"}
    app = create_app(
        settings.read(given, data_dir=tmp_path / "data", base_url="https://media.example.com"),
        clock,
    )
    yield app.test_client()
    app.extensions["svc"].recorder.stop()
    db.close()


def test_nobody_is_named_by_default(app):
    refused(app.test_client().get("/.well-known/security.txt"), 404, "NOT_FOUND")


def test_the_contact_of_the_operator_is_named(named):
    answer = named.get("/.well-known/security.txt")
    assert (answer.status_code, answer.content_type) == (200, "text/plain; charset=utf-8")
    fields = [line.split(": ", 1) for line in answer.get_data(as_text=True).splitlines()]
    assert [value for name, value in fields if name == "Contact"] == [
        "mailto:security@example.com",
        "https://example.com/report",
    ]
    assert dict(fields)["Canonical"] == "https://media.example.com/.well-known/security.txt"
    expires = datetime.datetime.fromisoformat(dict(fields)["Expires"]).timestamp() - NOON / 1000
    assert 0 < expires < 365 * 86400


def test_a_head_request_is_answered_as_a_get(named):
    answer = named.head("/.well-known/security.txt")
    assert answer.status_code == 200 and answer.get_data() == b""
