"""The cast of the tests: a clock that is told, somebody with API keys or a browser,
and how a refusal looks.
"""

import json
from dataclasses import dataclass

from itsdangerous import URLSafeTimedSerializer

from svc.domain.people import sessions

NOON = 1_795_262_400_000  # 2026-11-21T12:00:00Z


class Clock:
    """A clock that only moves when it is told to."""

    def __init__(self, at: int = NOON):
        self.at = at

    def __call__(self) -> int:
        return self.at

    def tick(self, seconds: float = 0.001) -> int:
        self.at += round(seconds * 1000)
        return self.at


@dataclass
class Person:
    """Somebody with API keys; ``seeded`` is what ``seed --json`` prints."""

    client: object
    seeded: dict
    key: str

    def request(
        self, method: str, path: str, *, key: str | None = None, headers: dict | None = None, **more
    ):
        return self.client.open(
            path, method=method, headers={"X-API-Key": key or self.key, **(headers or {})}, **more
        )

    def get(self, path: str, **more):
        return self.request("GET", path, **more)

    def post(self, path: str, **more):
        return self.request("POST", path, **more)

    def put(self, path: str, **more):
        return self.request("PUT", path, **more)

    def patch(self, path: str, **more):
        return self.request("PATCH", path, **more)

    def delete(self, path: str, **more):
        return self.request("DELETE", path, **more)

    def live(self) -> "Person":
        """The same partner with its live key."""
        return Person(self.client, self.seeded, self.seeded["liveKey"])

    @property
    def account(self) -> str:
        return self.seeded[
            "liveAccountId" if self.key == self.seeded["liveKey"] else "sandboxAccountId"
        ]

    def brief(self, **changes) -> dict:
        """A brief that is accepted; a change to None leaves the field out."""
        body = {
            "topic": "How tides work",
            "languageId": self.seeded["languageId"],
            "countryId": self.seeded["countryId"],
            "avatarId": self.seeded["avatarId"],
            **changes,
        }
        return {name: value for name, value in body.items() if value is not None}

    def trigger(self, *, headers: dict | None = None, account: str | None = None, **changes):
        return self.post(
            f"/v1/accounts/{account or self.account}/productions",
            json=self.brief(**changes),
            headers=headers,
        )


def body(response) -> dict:
    return json.loads(response.get_data())


def refused(response, status: int, code: str) -> dict:
    """Assert that a response is that refusal in a whole envelope; its body."""
    found = body(response)
    assert (response.status_code, found["error"]) == (status, code), found
    assert set(found) >= {"error", "message", "retryAfterSeconds", "correlationId"}
    assert found["message"]
    assert response.headers["X-Correlation-Id"] == found["correlationId"]
    assert ("X-RateLimit-Limit" in response.headers) == (
        status == 429 and found["retryAfterSeconds"] is not None
    )
    return found


OPENS_PAGE = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"  # a browser's Accept


class Browser:
    """Somebody's browser, signed in to the console without the toil of a password;
    ``user_id`` None: signed out.
    """

    def __init__(self, app, user_id: str | None, clock):
        self.app, self.user_id, self.client = app, user_id, app.test_client()
        self.client.environ_base["HTTP_ACCEPT"] = OPENS_PAGE
        if user_id:
            with self.client.session_transaction(path="/console/") as session:
                session["user"] = user_id
                session["token"] = sessions.start(user_id, "127.0.0.1", "Test/1.0", clock())

    def get(self, path: str, **more):
        return self.client.get(path, **more)

    def post(self, path: str, data: dict | None = None, **more):
        """Send a form with its token; return the page that answers it,
        or the redirect elsewhere.
        """
        answer = self.client.post(path, data={**(data or {}), "csrf_token": self.token()}, **more)
        _, kept, token = (
            answer.headers.get("Location", "").partition("?")[0].partition("/console/kept/")
        )
        if not kept or answer.status_code != 303:
            return answer
        page = self.client.get(kept + token)
        page.history = (answer,)
        return page

    def token(self) -> str:
        with self.client.session_transaction(path="/console/") as session:
            of_this_browser = session.setdefault("csrf_token", "of this browser")
        return URLSafeTimedSerializer(self.app.secret_key, salt="wtf-csrf-token").dumps(
            of_this_browser
        )


def text(response) -> str:
    return response.get_data(as_text=True)
