"""``python -m tests.browser.screens FOLDER``: a picture of every page of the console, light and dark, wide and at 360 pixels.

With an empty database and with 500 productions, as an operator and as an owner. It also says which page scrolls sideways.
"""

import argparse
import random
import tempfile
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import sync_playwright

from app import create_app
from svc.base import clock, settings
from svc.cli.installation import seed
from svc.domain.people import users
from svc.domain.people.audit import Actor
from svc.store import database
from tests.bench import business
from tests.bench.console import pages
from tests.support import own_server
from tests.support.cast import Browser

CHROMIUM = "/usr/bin/chromium"
WIDTHS = (1280, 360)
EMPTY = {name: f"/console{path}" for name, path in (
    ("home", "/"), ("productions", "/productions/"), ("new production", "/productions/new"), ("webhooks", "/webhooks/"),
    ("new webhook", "/webhooks/new"), ("requests", "/requests/"), ("usage", "/usage/"), ("sign in", "/sign-in"),
    ("nowhere", "/nowhere"),
)}  # fmt: skip
LEFT_OUT = ("live part", "deep", "productions, ", "webhook, ", "requests, ")  # what looks like another one


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("folder", type=Path)
    asked.add_argument("--productions", type=int, default=500)
    asked.add_argument("--only", default="", help="pages whose name has this in it")
    given = asked.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as running:
        chromium = running.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        for kind, productions in (("empty", 0), ("full", given.productions)):
            with tempfile.TemporaryDirectory(prefix="screens.") as folder, served(Path(folder), productions) as site:
                app, port, seeded = site
                shown = EMPTY if not productions else {**EMPTY, **pages(seeded)}
                shown = {name: path for name, path in shown.items() if given.only in name and not _is_left_out(name)}
                for role in ("operator", "owner"):
                    _shoot(chromium, app, port, seeded, role, kind, shown, given.folder)
        chromium.close()


def _is_left_out(name: str) -> bool:
    return any(each in name for each in LEFT_OUT)


@contextmanager
def served(folder: Path, productions: int):
    app = create_app(settings.read({}, data_dir=folder / "data", base_url="http://localhost"))
    if productions:
        seeded = business.make(productions, 8, clock.now(), random.Random(7))[0]
    else:
        with database.write():
            seeded = seed.make_partner("Standard", clock.now())
    try:
        with own_server.served(app) as port:
            yield app, port, seeded
    finally:
        app.extensions["svc"].recorder.stop()
        database.close_database()


def _shoot(chromium, app, port: int, seeded: dict, role: str, kind: str, shown: dict, folder: Path) -> None:
    partner = seeded["partnerId"] if role == "owner" else None
    made = users.add(Actor(None, "us"), f"{role}@example.com", "Ada", "correct horse battery", role, partner, clock.now())
    cookie = next(each.value for each in Browser(app, made, clock.now).client._cookies.values() if each.key == "session")
    for width in WIDTHS:
        for scheme in ("light", "dark"):
            context = chromium.new_context(color_scheme=scheme, viewport={"width": width, "height": 800})
            page = context.new_page()
            page.on("console", lambda said: print("console:", said.text) if said.type in ("error", "warning") else None)
            for name, path in shown.items():
                if role == "owner" and name.startswith("operator:"):
                    continue
                context.clear_cookies()
                if name != "sign in":
                    context.add_cookies([{"name": "session", "value": cookie, "url": f"http://127.0.0.1:{port}/console"}])
                page.goto(f"http://127.0.0.1:{port}{path}")
                wide = page.evaluate("document.documentElement.scrollWidth")
                if wide > width:
                    print(f"SCROLLS SIDEWAYS: {name}, {role}, {kind}, at {width}: {wide}")
                page.screenshot(
                    path=folder / f"{kind}-{role}-{name.replace(' ', '_').replace(':', '')}-{width}-{scheme}.png",
                    full_page=True,
                )
            context.close()


if __name__ == "__main__":
    main()
