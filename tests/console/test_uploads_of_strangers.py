"""Nothing of an upload is read before it is known who sends it and whether they may."""

import io

import pytest
from support.cast import Browser


class Body(io.RawIOBase):
    """A body that knows whether anything of it was read."""

    touched = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        self.touched = True
        return 0


def upload(browser: Browser, path: str, **headers) -> tuple:
    """The answer, and whether the body was read."""
    body = Body()
    environ = {
        "wsgi.input": body,
        "CONTENT_LENGTH": "8000000",
        "CONTENT_TYPE": "multipart/form-data; boundary=x",
    }
    return browser.client.post(path, headers=headers, environ_overrides=environ), body.touched


@pytest.fixture
def portrait(partner) -> str:
    return f"/console/avatars/{partner.seeded['avatarId']}/portrait"


def test_an_upload_of_a_stranger_is_not_read_and_leads_to_signing_in(app, clock, portrait):
    answer, was_read = upload(Browser(app, None, clock), portrait)
    assert (answer.status_code, was_read) == (303, False) and "/console/sign-in" in answer.headers[
        "Location"
    ]


@pytest.mark.parametrize("role", ["owner", "member"])
def test_an_upload_of_somebody_who_may_not_is_not_read(request, portrait, role):
    answer, was_read = upload(request.getfixturevalue(role), portrait)
    assert (answer.status_code, was_read) == (403, False)


def test_an_upload_that_another_site_sends_is_not_read(operator, portrait):
    answer, was_read = upload(operator, portrait, **{"Sec-Fetch-Site": "cross-site"})
    assert (answer.status_code, was_read) == (
        400,
        False,
    ) and "was sent by another site" in answer.get_data(as_text=True)


def test_an_upload_of_somebody_who_may_is_read(operator, portrait):
    assert upload(operator, portrait)[1]


def test_a_form_that_needs_no_session_is_small(app, clock):
    answer, was_read = upload(Browser(app, None, clock), "/console/sign-in")
    assert (answer.status_code, was_read) == (413, False)
