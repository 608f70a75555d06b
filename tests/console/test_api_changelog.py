"""The changelog of the API: its dates are the versions, it names every addition,
and it is a page and a feed.
"""

import html
import json
import re
from xml.etree import ElementTree

import feedparser
import pytest

from svc.api import versions
from svc.public import api_changelog
from tests.support.documents import read

SOURCE = read(api_changelog.NAME)
ENTRIES = api_changelog.read_entries(SOURCE)


def of_the_specification() -> set[tuple[str, str]]:
    """The operations of the specification's tables: method and path."""
    # GET, DELETE /v1/webhooks*
    found = {("DELETE", "/v1/webhooks/{subscriptionId}"), ("GET", "/v1/webhooks/{subscriptionId}")}
    for methods, paths in re.findall(
        r"^\| ((?:GET|POST|DELETE)(?:, \w+)*) \| (`/v1[^|]*) \|",
        read("docs/specification.md"),
        re.MULTILINE,
    ):
        for path in re.findall(r"`(/v1[^`*]+)`", paths):
            found |= {(method, path) for method in methods.split(", ")}
    return found | {("GET", "/v1/accounts/{accountId}")}  # "also referred to as /v1/accounts"


def test_the_dates_of_the_changelog_are_the_versions():
    dates = re.findall(r"^## (.+)$", SOURCE, re.MULTILINE)
    assert tuple(dates) == versions.VERSIONS
    assert dates == sorted(set(dates), reverse=True) and dates[0] == versions.NEWEST
    assert {each.date for each in ENTRIES} == set(dates)


def test_every_operation_beyond_the_specification_is_named(app):
    document = json.loads(app.test_client().get("/openapi.json").data)
    operations = {
        (method.upper(), path) for path, item in document["paths"].items() for method in item
    }
    agreed = of_the_specification()
    assert len(agreed) > 15 and agreed <= operations
    unnamed = {
        f"{method} {path}"
        for method, path in operations - agreed
        if f"`{method} {path}`" not in SOURCE
    }
    assert unnamed == set(), (
        "add an entry to docs/api-changelog.md, and its date to svc/base/version.py"
    )


def test_the_changelog_names_no_operation_that_is_not_there(app):
    document = json.loads(app.test_client().get("/openapi.json").data)
    operations = {
        f"{method.upper()} {path}" for path, item in document["paths"].items() for method in item
    }
    named = set(re.findall(r"`((?:GET|POST|PUT|PATCH|DELETE) [^`]+)`", SOURCE))
    assert named <= operations


def test_the_page_shows_every_entry(app):
    page = app.test_client().get("/docs/changelog")
    text = page.get_data(as_text=True)
    assert page.status_code == 200 and "<script" not in text
    assert '<link rel="alternate" type="application/atom+xml"' in text
    shown = [
        html.unescape(re.sub(r"<[^>]+>", "", heading))
        for heading in re.findall(r"<h3[^>]*>(.+?)</h3>", text)
    ]
    assert shown == [each.title.replace("`", "") for each in ENTRIES]
    for date in versions.VERSIONS:
        assert f'<h2 id="{date}">{date}</h2>' in text
    for target in re.findall(r'href="([^"]+\.md)[#"]', text):
        assert app.test_client().get(target.removeprefix("http://localhost")).status_code == 200


def test_a_feed_reader_reads_the_feed(app):
    answer = app.test_client().get("/docs/changelog.xml")
    assert answer.content_type == "application/atom+xml; charset=utf-8"
    ElementTree.fromstring(answer.data)
    found = feedparser.parse(answer.data)
    assert not found.bozo and found.version == "atom10"
    assert [each.title for each in found.entries] == [each.title for each in ENTRIES]
    assert found.feed.updated == f"{versions.NEWEST}T00:00:00Z"
    assert found.feed.id == "http://localhost/docs/changelog.xml"
    page = app.test_client().get("/docs/changelog").get_data(as_text=True)
    for each in found.entries:
        assert each.link.startswith("http://localhost/docs/changelog#")
        assert f'id="{each.link.partition("#")[2]}"' in page
        assert each.content[0].type == "text/html" and each.content[0].value.startswith("<p>")


def test_the_ids_of_entries_are_unique_and_stay():
    ids = [each.id for each in ENTRIES]
    assert len(set(ids)) == len(ids) and len({each.title for each in ENTRIES}) == len(ids)
    first = api_changelog.Entry("2026-11-21", "First version", "")
    assert first.id == "urn:uuid:87ff871c-7bcd-5d6f-91ee-8aba95cbc89e"


@pytest.mark.parametrize("path", ["/docs/changelog", "/docs/changelog.xml"])
def test_what_has_not_changed_is_not_sent_again(app, path):
    client = app.test_client()
    tag = client.get(path).headers["ETag"]
    again = client.get(path, headers={"If-None-Match": tag})
    assert (again.status_code, again.get_data()) == (304, b"")
    head = client.head(path)
    assert head.status_code == 200 and head.headers["ETag"] == tag
