"""The watch page in a real browser: what is watched is counted, what is skipped is not."""

import os
import threading
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from werkzeug.wrappers import Request, Response

from svc.base import clock
from svc.store.database import db, open_database
from tests.support import plain_sql
from tests.support.own_server import served
from tests.support.published import make_account, publish, watch_app

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
SECONDS = 3
PATIENCE = 60  # seconds until a test gives up

av = pytest.importorskip("av")
playwright = pytest.importorskip("playwright.sync_api")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not Path(CHROMIUM).exists(), reason=f"there is no {CHROMIUM}"),
]


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as running:
        started = running.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        yield started
        started.close()


@pytest.fixture
def site(tmp_path):
    """A published production on a server of its own: ``(address, published, reported)``;
    ``reported`` is set by each report.
    """
    open_database(tmp_path / "service.db")
    make_account()
    videos = {
        "Watch": film(tmp_path / "wide.mp4", 320, 180),
        "WatchVertical": film(tmp_path / "tall.mp4", 180, 320),
    }
    published = publish(tmp_path / "media", videos=videos, duration=float(SECONDS))
    app, reported = watch_app(tmp_path, clock.now, "http://127.0.0.1"), threading.Event()

    @app.after_request
    def notice(response):
        if response.status_code == 204:
            reported.set()
        return response

    with served(app) as port:
        yield f"http://127.0.0.1:{port}", published, reported
    db.close()


@pytest.fixture
def page(browser):
    """A page of a new visitor, which must not complain."""
    context = browser.new_context()
    context.set_default_timeout(PATIENCE * 1000)
    opened, complaints = context.new_page(), []
    opened.on(
        "console",
        lambda message: complaints.append(message.text) if message.type == "error" else None,
    )
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    yield opened
    context.close()
    assert complaints == []


def test_captions_are_chosen_by_the_language_that_the_visitor_reads(browser, site, tmp_path):
    address, _, _ = site
    captions = {
        code: f"WEBVTT\n\n00:00.000 --> 00:03.000\n{text}\n"
        for code, text in (("es", "El té."), ("ar", "الشاي"))
    }
    video = film(tmp_path / "again.mp4", 180, 320)
    post = publish(
        tmp_path / "media",
        "Tea again",
        videos=dict.fromkeys(("Watch", "WatchVertical"), video),
        captions=captions,
    )
    for reads, first in (("en-US", ""), ("es-MX", "es"), ("fr-FR", "")):
        context = browser.new_context(locale=reads)
        page = context.new_page()
        page.goto(f"{address}/watch/{post.tall}")
        choice, line = (
            page.locator("[data-choice=captions] select"),
            page.locator("[data-line=captions]"),
        )
        playwright.expect(choice).to_have_value(first)
        for code, text, direction in (
            ("ar", "الشاي", "rtl"),
            ("es", "El té.", "ltr"),
            ("en", "Tea rests on three things.", "ltr"),
        ):
            choice.select_option(code)
            page.evaluate("() => { video.currentTime = 0.1; return video.play(); }")
            playwright.expect(line).to_have_text(text)
            assert (line.get_attribute("lang"), line.get_attribute("dir")) == (code, direction)
        choice.select_option("")
        playwright.expect(line).to_be_hidden()
        context.close()


def film(path: Path, width: int, height: int) -> bytes:
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=10)
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        for number in range(SECONDS * 10):
            frame = av.VideoFrame.from_ndarray(
                np.full((height, width, 3), number * 8, np.uint8), format="rgb24"
            )
            frame.pts, frame.time_base = number, Fraction(1, 10)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path.read_bytes()


def wait_until(page, seconds: float) -> None:
    """Until the video has come to ``seconds``."""
    page.evaluate(
        (
            "seconds => new Promise(done => video.addEventListener('timeupdate', () => "
            "video.currentTime >= seconds && done()))"
        ),
        seconds,
    )


def play_with_the_keyboard(page) -> None:
    page.locator("#video").focus()
    with page.expect_response(lambda response: response.url.endswith("/plays")) as started:
        page.keyboard.press("Space")
    assert started.value.status == 201


def watched() -> list[float]:
    return [each for (each,) in plain_sql.rows("SELECT watched_seconds FROM plays")]


def test_a_video_that_is_watched_to_its_end_is_counted_whole(page, site):
    address, published, reported = site
    page.goto(f"{address}/watch/{published.wide}")
    play_with_the_keyboard(page)
    page.evaluate("() => new Promise(done => video.addEventListener('ended', done))")
    assert reported.wait(PATIENCE)
    assert watched() == [pytest.approx(SECONDS, abs=0.3)]


def test_what_is_skipped_is_not_counted(page, site):
    address, published, reported = site
    page.goto(f"{address}/watch/{published.wide}")
    page.evaluate(
        "() => new Promise(done => { video.addEventListener('seeked', done, { once: true }); "
        "video.currentTime = 2; })"
    )
    play_with_the_keyboard(page)
    page.evaluate("() => new Promise(done => video.addEventListener('ended', done))")
    assert reported.wait(PATIENCE)
    assert watched() == [pytest.approx(1.0, abs=0.4)]


def test_leaving_in_the_middle_reports_what_was_watched(page, site):
    address, published, reported = site
    page.goto(f"{address}/watch/{published.tall}")
    play_with_the_keyboard(page)
    wait_until(page, 1.0)
    page.goto("about:blank")
    assert reported.wait(PATIENCE)
    assert 0.7 <= watched()[0] < SECONDS


def test_captions_and_descriptions_appear_below_the_picture_when_asked_for(page, site):
    address, published, _ = site
    page.goto(f"{address}/watch/{published.tall}")
    for kind, text in (
        ("captions", "Tea rests on three things."),
        ("descriptions", "Ada, and the title: Tea."),
    ):
        page.evaluate("() => { video.currentTime = 0.1; return video.play(); }")
        page.locator(f"[data-toggle={kind}]").click()
        line = page.locator(f"[data-line={kind}]")
        playwright.expect(line).to_have_text(text)
        page.locator(f"[data-toggle={kind}]").click()
        playwright.expect(line).to_be_hidden()


def test_captions_are_below_a_wide_picture_on_a_small_screen_from_the_start(page, site):
    address, published, _ = site
    page.set_viewport_size({"width": 360, "height": 780})
    page.goto(f"{address}/watch/{published.wide}")
    playwright.expect(page.locator("[data-toggle=captions]")).to_have_attribute(
        "aria-pressed", "true"
    )
    play_with_the_keyboard(page)
    playwright.expect(page.locator("[data-line=captions]")).to_have_text(
        "Tea rests on three things."
    )


def test_a_time_in_the_transcript_leads_there(page, site):
    address, published, _ = site
    page.goto(f"{address}/watch/{published.wide}")
    page.get_by_role("link", name="0:01").click()
    wait_until(page, 1.1)
    assert page.evaluate("video.currentTime") >= 1


@pytest.mark.parametrize("width", [360, 768, 1280, 1920])
def test_both_shapes_fit_every_screen_uncropped(page, site, width):
    address, published, _ = site
    page.set_viewport_size({"width": width, "height": 800})
    for post_id, shape in ((published.wide, 16 / 9), (published.tall, 9 / 16)):
        page.goto(f"{address}/watch/{post_id}")
        box = page.locator("#video").bounding_box()
        assert box["width"] / box["height"] == pytest.approx(shape, rel=0.01)
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        assert page.evaluate("document.documentElement.scrollWidth") == width


def test_the_page_plays_and_counts_without_a_second_play_when_it_is_loaded_again(page, site):
    address, published, reported = site
    for _ in range(2):
        page.goto(f"{address}/watch/{published.wide}")
        play_with_the_keyboard(page)
    wait_until(page, 0.5)
    page.goto("about:blank")
    assert reported.wait(PATIENCE)
    assert plain_sql.row("SELECT COUNT(*) AS plays FROM plays")["plays"] == 1


def test_the_player_plays_within_a_page_of_another_site(page, site):
    address, published, _ = site
    framed = (
        f'<iframe src="{address}/watch/{published.wide}/embed" width="640" height="392"></iframe>'
    )
    with served(
        Request.application(lambda asked: Response(framed, content_type="text/html"))
    ) as port:
        page.goto(f"http://localhost:{port}/")
        frame = page.frame_locator("iframe")
        video = frame.locator("video")
        video.wait_for()
        box = video.bounding_box()
        assert box["width"] >= 500 and box["height"] >= 280
        assert frame.locator("body").evaluate("each => each.scrollHeight <= window.innerHeight + 1")
        video.evaluate("each => { each.muted = true; return each.play(); }")
