"""What the console refuses costs little: programs, players and pictures get a sentence, and a page
that asks for too much is drawn without its navigation.
"""

import pytest
from support.cast import OPENS_PAGE, body, text
from support.scripts import scene, write_script
from support.tables import each_of

from svc.base.errors import InvalidRequest, RateLimitExceeded, ServiceUnavailable
from svc.console import navigation
from svc.work.avatar_previews import AvatarPreviews

BUSY = [
    RateLimitExceeded("Two previews are being made. Try again in 5 s.", retry_after=5),
    ServiceUnavailable("Too much is being made. Try again in 5 s.", retry_after=5),
]
# what browsers send for fetch and players, for pictures, and what programs send
NO_PAGE = [
    *("*/*", "image/avif,image/webp,*/*;q=0.8", "application/json", ""),
    "text/html," + "a/b;q=0.5," * 800,
]


@pytest.fixture
def preview(owner, partner, clock) -> str:
    production = body(partner.trigger(review="script"))["productionId"]
    write_script(clock, scene(1))
    return f"/console/productions/{production}/script/scenes/1/preview"


def fail_with(monkeypatch, error: Exception) -> None:
    def render(*_):
        raise error

    monkeypatch.setattr(AvatarPreviews, "render_scene", render)


@each_of("accept", NO_PAGE)
def test_a_program_gets_the_sentence_and_no_template_is_rendered(
    owner, preview, monkeypatch, accept
):
    monkeypatch.setattr("svc.console.page_blueprint.render_template", None)  # its call would fail
    for error in (*BUSY, InvalidRequest("It cannot be spoken.")):
        fail_with(monkeypatch, error)
        answer = owner.get(preview, headers={"Accept": accept})
        assert (answer.status_code, answer.mimetype) == (error.status, "text/plain")
        shown, _, correlation_id = text(answer).partition(" Correlation id: ")
        assert shown == error.message
        assert correlation_id == (answer.headers["X-Correlation-Id"] if error.status == 503 else "")
        assert answer.headers.get("Retry-After") == (str(error.retry_after or "") or None)
        assert "no-store" in answer.headers["Cache-Control"]


def test_a_person_gets_a_page_with_all_that_is_said_and_without_navigation(
    owner, preview, monkeypatch
):
    monkeypatch.setattr(navigation, "list_sections", lambda _: pytest.fail("it is not shown"))
    for error in BUSY:
        fail_with(monkeypatch, error)
        answer = owner.get(preview)
        page = text(answer)
        assert (answer.status_code, answer.mimetype) == (error.status, "text/html")
        assert error.message in page and 'href="/console/">To the console' in page
        assert (answer.headers["X-Correlation-Id"] in page) == (error.status == 503)
        assert answer.headers["Retry-After"] == "5" and '<body class="bare">' in page


def test_other_errors_keep_the_navigation(owner):
    answer = owner.get("/console/productions/no-such-thing", headers={"Accept": OPENS_PAGE})
    assert answer.status_code == 404 and 'aria-label="Main"' in text(answer)
