"""Limits that pages, messages and documents name are those that hold."""

import re
from pathlib import Path

import pytest
from support.cast import text
from support.tables import each_of

from svc.adapters import connection, deadline, transfers
from svc.api import guard
from svc.api.resources import briefing
from svc.base import clock, limits
from svc.base.text import logo
from svc.domain.access import idempotency, keys
from svc.domain.partners import avatars
from svc.domain.people import kept_forms, throttle
from svc.domain.productions import ceilings, release_reminders
from svc.domain.usage import counters, history
from svc.domain.webhooks import signing_secrets
from svc.media.clips import upload as clips
from svc.media.music import track_upload
from svc.media.pictures import upload as pictures
from svc.platforms import mastodon

ROOT = Path(__file__).parents[1]
UNIT = (
    r"(?:[KMG]i?B|bytes?|pixels?|characters?|letters?|seconds?|minutes?|hours?|days?|weeks?|months?"
    r"|items?|rows?|entries|words?|files?|requests?|tries|briefs?|productions?|accounts?|keys?"
    r"|users?|webhooks?|languages?|deliveries|min|ms|s|h)\b"
)
NUMBER = r"(?:\d[\d,.]*|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|sixty)"
LIMIT = re.compile(
    rf"(?<![\w.#/-])\d[\d,.]*(?: to \d[\d,.]*)?[ -]{UNIT}"
    rf"|\b(?:up to|at most|at least|within) {NUMBER}\b(?![\d,.]*(?: to \d+)?[ -]{UNIT})"
    rf"|(?<![\w.-])\d+ to \d+\b(?![ -]{UNIT})",
    re.IGNORECASE,
)
TEMPLATES = sorted(ROOT.glob("svc/*/templates/*.html"))
# What no constant of ours decides.
OF_OTHERS = {
    ("second_factor.html", "30 seconds"),  # RFC 6238
}


def find_limits(source: str) -> list[str]:
    return [match[0] for match in LIMIT.finditer(source)]


def test_no_template_names_a_limit_by_hand():
    found = {(each.name, limit) for each in TEMPLATES for limit in find_limits(each.read_text())}
    assert len(TEMPLATES) > 60 and found == OF_OTHERS


@pytest.mark.parametrize(
    ("written", "limit"),
    [
        ("at most 8 MiB;", "8 MiB"),
        ("of 1 to 15 seconds", "1 to 15 seconds"),
        ("0 to 99; 50 is usual", "0 to 99"),
        ("It works for 30 minutes.", "30 minutes"),
        ("Up to ten.", "Up to ten"),
        ("a 24-hour period", "24-hour"),
    ],
)
def test_a_limit_that_is_written_by_hand_is_seen(written, limit):
    assert limit in find_limits(written)


def test_what_is_uploaded_is_checked_by_the_limits_that_are_named():
    assert limits.CLIP_SECONDS == (clips.SHORTEST, clips.LONGEST)
    assert limits.TRACK_SECONDS == (track_upload.SHORTEST, track_upload.LONGEST)
    assert limits.SMALLEST_PORTRAIT == pictures.SMALLEST_PORTRAIT


def test_the_pages_name_other_limits_once_they_are_others(app, operator, partner, monkeypatch):
    changed = dict.fromkeys(("upload_mib", "track_mib", "clip_mib"), 7) | {"clip_seconds": (3, 4)}
    monkeypatch.setitem(app.jinja_env.globals, "limits", app.jinja_env.globals["limits"] | changed)
    page = text(operator.get(f"/console/accounts/{partner.account}"))
    assert page.count("at most 7 MiB") == 7 and page.count("3 to 4 seconds") == 3
    page = text(operator.get(f"/console/avatars/{partner.seeded['avatarId']}"))
    assert "at least 256 pixels a side, at most 7 MiB." in page
    assert f"100 to 260; {avatars.DEFAULTS['words_per_minute']} is usual" in page


DAY = idempotency.LIFETIME // clock.HOUR
# The limits that messages and descriptions name in words of their own, by what holds them.
NAMED = {
    ("api/document/errors.py", "64 KiB"): (guard.MAX_BODY >> 10,),
    ("base/errors.py", "64 KiB"): (guard.MAX_BODY >> 10,),
    ("api/resources/briefing.py", "4 MiB"): (briefing.LARGEST >> 20,),
    ("api/resources/usage.py", "30 days"): (history.WINDOW // clock.DAY,),
    ("api/schemas/usage.py", "30 days"): (history.WINDOW // clock.DAY,),
    ("base/errors.py", "30 days"): (history.WINDOW // clock.DAY,),
    ("api/schemas/usage.py", "100 accounts"): (ceilings.MOST,),
    ("api/schemas/accounts.py", "24-hour"): (keys.GRACE // clock.HOUR,),
    ("api/schemas/common.py", "24 hours"): (DAY,),
    ("cli/agents/tool.py", "24 hours"): (DAY,),
    ("cli/records/account.py", "1 to 15 seconds"): limits.CLIP_SECONDS,
    ("cli/records/avatar.py", "0 to 99"): avatars.PITCHES,
    ("api/resources/webhooks.py", "At most four"): (signing_secrets.MOST_OLDER,),
    ("domain/people/sign_in_log.py", "15 min"): (throttle.WINDOW // clock.MINUTE,),
    ("domain/table_bounds.py", "400 days"): (counters._KEPT_DAYS,),
    ("domain/webhooks/event_types.py", "12 hours"): (release_reminders._AHEAD // clock.HOUR,),
}


@each_of("place, numbers", NAMED.items())
def test_a_limit_that_a_message_names_is_the_one_that_holds(place, numbers):
    path, limit = place
    assert limit in (ROOT / "svc" / path).read_text("utf-8"), "NAMED still has it"
    assert tuple(map(int, re.findall(r"\d+", limit.replace("four", "4")))) == tuple(numbers)


SIZES = {
    f"{size} KiB" if size < 1024 else f"{size >> 10} MiB"
    for size in (
        guard.MAX_BODY >> 10,
        briefing.LARGEST >> 10,
        limits.MOST_OF_AN_UPLOAD >> 10,
        limits.MOST_OF_A_TRACK >> 10,
        limits.MOST_OF_A_CLIP >> 10,
        connection.MOST_BODY >> 10,
        transfers.MOST_ANSWER >> 10,
        deadline.SLOWEST >> 10,
        kept_forms.LARGEST >> 10,
        mastodon._LARGEST >> 10,
        logo.LARGEST >> 10,
    )
}


def test_every_size_that_documents_promise_to_partners_and_operators_is_one_that_holds():
    names = ("api", "reference", "console", "media", "webhooks", "platforms", "operations")
    for name in (*names, "SECURITY", "decisions", "quickstart"):
        shown = re.findall(r"\b\d+ [KM]iB\b", (ROOT / "docs" / f"{name}.md").read_text("utf-8"))
        assert set(shown) <= SIZES, name
    media = (ROOT / "docs" / "media.md").read_text("utf-8")
    assert "{} to {} seconds, at most".format(*limits.CLIP_SECONDS) in media
    seconds, longest = limits.TRACK_SECONDS
    assert f"{seconds} seconds to {longest // 60} minutes" in media
