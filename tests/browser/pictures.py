"""``python -m tests.browser.pictures``: the documents' pictures of the console, of a production
that is really made.

The production page while it is published, the log of a webhook whose endpoint was down for a while,
a request that was refused.
"""

import tempfile
from contextlib import contextmanager
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from app import create_app
from svc.base import settings
from svc.cli.demo import demo
from svc.store.database import db
from tests.browser.conftest import LeapingClock, Site
from tests.browser.screens import CHROMIUM
from tests.support import plain_sql
from tests.support.cast import Person, body
from tests.support.own_server import served
from tests.support.receivers import answering, receiving

PICTURES = Path(__file__).parents[2] / "svc" / "public" / "static" / "pictures"
SIZE = {"width": 1280, "height": 1000}
OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 8\r\n\r\naccepted"
DOWN = (
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 30\r\nContent-Length: 15\r\n\r\n"
    b"try again later"
)
EVENTS = [
    "production.queued",
    "production.step.complete",
    "deliverable.ready",
    "production.published",
]


def main() -> None:
    with (
        tempfile.TemporaryDirectory(prefix="pictures.") as folder,
        _site(Path(folder)) as site,
        sync_playwright() as running,
    ):
        chromium = running.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        context = chromium.new_context(base_url=site.address, viewport=SIZE)
        context.add_cookies([site.cookie(site.somebody("owner"))])
        page = context.new_page()
        with receiving(answering(OK)) as fine, receiving(answering(DOWN)) as broken, site.engine():
            for receiver, types in ((fine, EVENTS), (broken, EVENTS[:1])):
                asked = {"endpointUrl": receiver.url("/hooks/production"), "eventTypes": types}
                hook = body(site.partner.post("/v1/webhooks", json=asked))["subscriptionId"]
            notes = demo.NOTES.read_text("utf-8")
            production = body(site.partner.trigger(topic=demo.TOPIC, metadataMD=notes))[
                "productionId"
            ]
            page.goto(f"/console/productions/{production}")
            page.locator("h1 + p .badge:not(.plain)", has_text="Published").wait_for(
                timeout=600_000
            )
            page.reload()
            page.locator("video").first.evaluate("each => { each.currentTime = 32; }")
            page.wait_for_timeout(1500)
            _shoot(page, "console-production.png")
            page.goto(f"/console/webhooks/{hook}")
            page.get_by_role("link", name="production.queued").first.click()
            _shoot(page, "console-delivery.png")
            site.partner.trigger(topic="How tides work", languageId="de", unknownField=True)
            page.goto("/console/requests/?status=4")
            page.locator("tbody a").first.click()
            _shoot(page, "console-request.png")
        chromium.close()


@contextmanager
def _site(folder: Path):
    given = settings.read(
        {"SVC_WEBHOOK_ALLOW_CIDRS": "127.0.0.0/8"},
        data_dir=folder / "data",
        base_url="http://127.0.0.1",
    )
    app = create_app(given, LeapingClock())
    with served(app) as port:
        with db.transaction():
            seeded = demo.seed.make_partner("Enterprise", app.extensions["svc"].clock())
            plain_sql.execute(
                "UPDATE accounts SET name = 'Coast & Tide' WHERE environment = 'sandbox'"
            )
        yield Site(
            app, f"http://127.0.0.1:{port}", Person(app.test_client(), seeded, seeded["testKey"])
        )
    app.extensions["svc"].recorder.stop()
    db.close()


def _shoot(page, name: str) -> None:
    """A picture of what is in the window, with few enough colours to weigh little."""
    place = PICTURES / name
    page.screenshot(path=place)
    with Image.open(place) as shot:
        shot.convert("RGB").quantize(256, kmeans=2, dither=Image.Dither.NONE).save(
            place, optimize=True
        )
    print(name, place.stat().st_size)


if __name__ == "__main__":
    main()
