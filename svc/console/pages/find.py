"""Search over everything, from actions to partners, also as a dialog by Ctrl K."""

from collections.abc import Iterator
from dataclasses import dataclass

from flask import render_template, request

from svc.base import ids
from svc.base.errors import NotFound
from svc.console import access, navigation, query_args
from svc.console.page_blueprint import make_section
from svc.domain.lifecycle import stages
from svc.domain.paging import Page
from svc.domain.partners import search as partner_search
from svc.domain.productions import search as production_search
from svc.domain.productions.search import Search
from svc.domain.usage import search as request_search
from svc.domain.webhooks import admin as webhook_admin

pages = make_section("find", "/find")
_MOST = 6  # of each kind


@dataclass(frozen=True)
class Found:
    """A thing that was found, with the page that shows it. ``state``: its status or the like."""

    label: str
    place: str
    about: str = ""
    state: str = ""


@pages.get("/")
def index():
    """Show what was found; for the dialog, only the list."""
    words = query_args.read_text("q")
    groups = [(heading, links) for heading, links in _search(words) if links]
    template = "find_results.html" if request.headers.get("HX-Request") else "find.html"
    return render_template(template, title="Search", groups=groups, words=words)


def _search(words: str) -> Iterator[tuple[str, list[Found]]]:
    yield "Actions", _actions(words)
    if not words:  # what one can do is shown before anything is typed
        return
    yield "Pages", _pages(words)
    yield "Productions", _productions(words)
    yield "Webhooks", _webhooks(words)
    yield "Requests", _requests(words)
    yield "Accounts", _accounts(words)
    if access.viewer().is_operator:
        yield (
            "Partners",
            [
                Found(
                    each["name"],
                    access.link("partner_pages.show", partner_id=each["id"]),
                    "",
                    each["status"],
                )
                for each in partner_search.list_page("partner", Page(_MOST), search=words)["data"]
            ],
        )


def _actions(words: str) -> list[Found]:
    return [
        Found(label, access.get_base_path() + address)
        for label, address in navigation.list_actions(access.viewer(), words)
    ]


def _pages(words: str) -> list[Found]:
    return [
        Found(each["label"], access.link(each["endpoint"]), heading)
        for heading, links in navigation.list_sections(access.viewer())
        for each in links
        if words.lower() in each["label"].lower()
    ]


def _productions(words: str) -> list[Found]:
    listed = production_search.list_page(
        Search(access.viewer().partner_id, words=words), Page(_MOST)
    )["data"]
    return [
        Found(
            each["title"],
            access.link("productions_pages.show", production_id=each["id"]),
            each["account_name"],
            stages.find_stage(each),
        )
        for each in listed[:_MOST]
    ]


def _webhooks(words: str) -> list[Found]:
    if ids.normalise(words) is None:
        return []
    try:
        webhook = webhook_admin.find(access.viewer().partner_id, str(ids.normalise(words)))
    except NotFound:
        return []
    return [
        Found(
            webhook["endpoint_url"],
            access.link("webhooks_pages.show", subscription_id=webhook["id"]),
            "",
            webhook["status"],
        )
    ]


def _requests(words: str) -> list[Found]:
    access.service().recorder.flush()
    return [
        Found(
            f"{each['method']} {each['path']}",
            access.link("requests_pages.show", number=each["id"]),
            str(each["status_code"] or ""),
        )
        for each in request_search.find_by_correlation(access.viewer().partner_id, words)[:_MOST]
    ]


def _accounts(words: str) -> list[Found]:
    person = access.viewer()
    listed = partner_search.list_page(
        "account", Page(_MOST), search=words, partner_id=person.partner_id
    )["data"]
    return [
        Found(each["name"], _account_url(each["id"]), each["environment"], each["status"])
        for each in listed
    ]


def _account_url(account_id: str) -> str:
    if access.viewer().is_operator:
        return access.link("account_pages.show", account_id=account_id)
    return access.link("productions_pages.index", account=account_id)
