"""``python -m tests.browser.screens FOLDER``: a picture of every page of the console.

At five widths, light, dark and in forced colours, with contact sheets; with an empty database and
with 500 productions, as an operator and as an owner; with ``--long-names``, whose names are hard to
lay out. It also says which page scrolls sideways.
"""

import argparse
import random
import tempfile
from contextlib import contextmanager
from pathlib import Path

from PIL import Image, ImageDraw
from playwright.sync_api import sync_playwright

from app import create_app
from svc.base import clock, settings
from svc.cli.installation import seed
from svc.domain.audit.audit import Actor
from svc.domain.people import users
from svc.store.database import db
from tests.bench import business
from tests.bench.console import pages
from tests.support import long_names, own_server
from tests.support.cast import Browser

CHROMIUM = "/usr/bin/chromium"
WIDTHS = (360, 768, 1024, 1240, 1440)
MEDIA = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "forced": {"color_scheme": "light", "forced_colors": "active"},
}
SHEET = (420, 700, 5)  # the size of a page on a contact sheet, and how many stand side by side
EMPTY = {
    name: f"/console{path}"
    for name, path in (
        ("home", "/"),
        ("productions", "/productions/"),
        ("new production", "/productions/new"),
        ("webhooks", "/webhooks/"),
        ("new webhook", "/webhooks/new"),
        ("requests", "/requests/"),
        ("usage", "/usage/"),
        ("sign in", "/sign-in"),
        ("nowhere", "/nowhere"),
    )
}
# what looks like another one
LEFT_OUT = ("live part", "deep", "productions, ", "webhook, ", "requests, ")


def main() -> None:
    asked = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    asked.add_argument("folder", type=Path)
    asked.add_argument("--productions", type=int, default=500)
    asked.add_argument("--only", default="", help="pages whose name has this in it")
    asked.add_argument("--long-names", action="store_true")
    asked.add_argument("--widths", type=int, nargs="+", default=WIDTHS)
    asked.add_argument("--media", nargs="+", choices=MEDIA, default=MEDIA)
    given = asked.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as running:
        chromium = running.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        for kind, productions in (("empty", 0), ("full", given.productions)):
            with (
                tempfile.TemporaryDirectory(prefix="screens.") as folder,
                served(Path(folder), productions) as site,
            ):
                app, port, seeded = site
                shown = EMPTY if not productions else {**EMPTY, **pages(seeded)}
                shown = {
                    name: path
                    for name, path in shown.items()
                    if given.only in name and not _is_left_out(name)
                }
                people = {role: _person(app, seeded, role) for role in ("operator", "owner")}
                if given.long_names:
                    long_names.give()
                for role in ("operator", "owner"):
                    _shoot(chromium, port, people[role], role, kind, shown, given)
        chromium.close()


def _is_left_out(name: str) -> bool:
    return any(each in name for each in LEFT_OUT)


@contextmanager
def served(folder: Path, productions: int):
    app = create_app(settings.read({}, data_dir=folder / "data", base_url="http://localhost"))
    if productions:
        seeded = business.make(productions, 8, clock.now(), random.Random(7))[0]
    else:
        with db.transaction():
            seeded = seed.make_partner("Standard", clock.now())
    try:
        with own_server.served(app) as port:
            yield app, port, seeded
    finally:
        app.extensions["svc"].recorder.stop()
        db.close()


def _person(app, seeded: dict, role: str) -> str:
    """Return the cookie of a new person who is signed in."""
    partner = seeded["partnerId"] if role == "owner" else None
    made = users.add(
        Actor(None, "us"),
        f"{role}@example.com",
        "Ada",
        "correct horse battery",
        role,
        partner,
        clock.now(),
    )
    return next(
        each.value
        for each in Browser(app, made, clock.now).client._cookies.values()
        if each.key == "session"
    )


def _shoot(chromium, port: int, cookie: str, role: str, kind: str, shown: dict, given) -> None:
    folder = given.folder
    for width in given.widths:
        for scheme in given.media:
            context = chromium.new_context(
                viewport={"width": width, "height": 800}, **MEDIA[scheme]
            )
            page = context.new_page()
            page.on(
                "console",
                lambda said: (
                    print("console:", said.text) if said.type in ("error", "warning") else None
                ),
            )
            taken = []
            for name, path in shown.items():
                if role == "owner" and name.startswith("operator:"):
                    continue
                context.clear_cookies()
                if name != "sign in":
                    url = f"http://127.0.0.1:{port}/console"
                    context.add_cookies([{"name": "session", "value": cookie, "url": url}])
                page.goto(f"http://127.0.0.1:{port}{path}")
                wide = page.evaluate("document.documentElement.scrollWidth")
                if wide > width:
                    print(f"SCROLLS SIDEWAYS: {name}, {role}, {kind}, at {width}: {wide}")
                words = name.replace(" ", "_").replace(":", "")
                taken.append((name, folder / f"{kind}-{role}-{words}-{width}-{scheme}.png"))
                page.screenshot(path=taken[-1][1], full_page=True)
            context.close()
            _sheet(taken).save(folder / f"sheet-{kind}-{role}-{width}-{scheme}.png")


def _sheet(taken: list[tuple[str, Path]]) -> Image.Image:
    """Return the tops of pages side by side, each under its name."""
    width, height, across = SHEET
    sheet = Image.new("RGB", (across * width, -(-len(taken) // across) * height), "#777")
    pen = ImageDraw.Draw(sheet)
    for place, (name, path) in enumerate(taken):
        page = Image.open(path).convert("RGB")
        page = page.resize(
            (width - 10, round(page.height * (width - 10) / page.width)), Image.Resampling.LANCZOS
        )
        x, y = place % across * width, place // across * height
        sheet.paste(page.crop((0, 0, width - 10, min(page.height, height - 20))), (x, y + 16))
        pen.text((x, y), name, fill="white")
    return sheet


if __name__ == "__main__":
    main()
