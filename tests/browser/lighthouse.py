"""``python -m tests.browser.lighthouse``: Lighthouse's scores of Home, a list, a production, a
delivery, sign-in and ``/docs``.

Of 500 productions, as an operator, as on a telephone (Lighthouse's default) and on a desktop. Asked
of each page: 95 for accessibility and best practices, 90 for performance. It is no test, because a
busy machine changes what it measures.
"""

import json
import os
import subprocess
import tempfile
from pathlib import Path

from svc.base import clock
from svc.domain.audit.audit import Actor
from svc.domain.people import users
from tests.browser.screens import CHROMIUM, served
from tests.support import plain_sql
from tests.support.cast import Browser

VERSION = "12.8.2"
ASKED = {"performance": 90, "accessibility": 95, "best-practices": 95}
FLAGS = "--headless=new --no-sandbox --disable-gpu"


def main() -> None:
    with (
        tempfile.TemporaryDirectory(prefix="lighthouse.") as folder,
        served(Path(folder), 1500) as (app, port, seeded),
    ):
        install = [
            "npm",
            "install",
            "--no-save",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            f"lighthouse@{VERSION}",
        ]
        subprocess.run(install, cwd=folder, check=True, capture_output=True, timeout=300)
        made = users.add(
            Actor(None, "us"),
            "ada@example.com",
            "Ada",
            "correct horse battery",
            "operator",
            None,
            clock.now(),
        )
        jar = Browser(app, made, clock.now).client._cookies.values()
        cookie = next(each.value for each in jar if each.key == "session")
        print(f"{'page':16}{'as':10}" + "".join(f"{name:>16}" for name in ASKED))
        passed = [
            _judge(Path(folder), name, f"http://127.0.0.1:{port}{path}", form, cookie)
            for name, path in _pages(seeded).items()
            for form in ("phone", "desktop")
        ]
    print("as asked" if all(passed) else "MISSED")
    raise SystemExit(0 if all(passed) else 1)


def _pages(seeded: dict) -> dict[str, str]:
    hook = plain_sql.one(
        "SELECT id FROM subscriptions WHERE partner_id = ?", (seeded["partnerId"],)
    )[0]
    delivery = plain_sql.one("SELECT id FROM deliveries WHERE subscription_id = ?", (hook,))[0]
    production = plain_sql.one(
        "SELECT id FROM productions WHERE status = 'Published' ORDER BY id DESC LIMIT 1"
    )[0]
    return {
        "home": "/console/",
        "productions": "/console/productions/",
        "production": f"/console/productions/{production}",
        "delivery": f"/console/webhooks/{hook}/deliveries/{delivery}",
        "sign in": "/console/sign-in",
        "docs": "/docs",
    }


def _judge(folder: Path, name: str, address: str, form: str, cookie: str) -> bool:
    headers = {} if name == "sign in" else {"Cookie": f"session={cookie}"}
    command = [
        "node_modules/.bin/lighthouse",
        address,
        "--output=json",
        "--output-path=report.json",
        "--quiet",
        f"--only-categories={','.join(ASKED)}",
        f"--chrome-flags={FLAGS}",
        f"--extra-headers={json.dumps(headers)}",
        *(["--preset=desktop"] if form == "desktop" else []),
    ]
    subprocess.run(
        command, cwd=folder, check=True, timeout=300, env={**os.environ, "CHROME_PATH": CHROMIUM}
    )
    report = json.loads((folder / "report.json").read_text("utf-8"))
    scores = {each: round(100 * report["categories"][each]["score"]) for each in ASKED}
    print(f"{name:16}{form:10}" + "".join(f"{score:16}" for score in scores.values()), flush=True)
    for each, score in scores.items():
        if score < ASKED[each]:
            print(f"    {each}: {', '.join(_failed(report, each))}")
    return all(scores[each] >= least for each, least in ASKED.items())


def _failed(report: dict, category: str) -> list[str]:
    """Return the audits of a category that found something."""
    named = [each["id"] for each in report["categories"][category]["auditRefs"] if each["weight"]]
    return [
        each
        for each in named
        if (report["audits"][each]["score"] or 0) < 0.9
        and report["audits"][each]["score"] is not None
    ]


if __name__ == "__main__":
    main()
