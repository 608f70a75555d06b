"""Productions in the console: search, live view, release, rejection, cancellation and retry."""

import json
from urllib.parse import urlsplit

from flask import flash, g, make_response, redirect, render_template, request
from markupsafe import escape
from werkzeug import wrappers

from svc.base import media_types, states
from svc.base.errors import (
    Conflict,
    InvalidRequest,
    NotFound,
    RateLimitExceeded,
    ServiceError,
    ServiceUnavailable,
)
from svc.base.text import display
from svc.console import access, forms, markdown, production_list, query_args
from svc.console.page_blueprint import POLICY, find_queue_pauses, make_section
from svc.console.pages import bulk
from svc.domain.lifecycle import deliverables, render_queue, steps
from svc.domain.overview import state_counts
from svc.domain.partners import search as partner_search
from svc.domain.productions import admin as production_admin
from svc.domain.productions import detail as production_detail
from svc.domain.productions import gate_warnings
from svc.domain.publishing import actions as publication_actions
from svc.domain.publishing import connection_tries
from svc.domain.watch import posts

pages = make_section("productions_pages", "/productions")

_EMBED_FOOT = 32  # pixels, below the video, in which the player says that it was made with AI
# An empty picture, for which the style sheet has a ground.
_BLANK = '<svg xmlns="http://www.w3.org/2000/svg" width="80" height="45"/>'
# By format: the media type under which a page shows a file. Browsers download SubRip under its own.
_SHOWN_INLINE = {
    **{each: media_types.BY_SUFFIX[f".{each}"] for each in ("mp4", "vtt", "txt", "pdf")},
    "srt": media_types.BY_SUFFIX[".txt"],
}


@pages.get("/")
def index():
    shown_partner = query_args.selected_partner(or_nobody=True)
    search = production_list.read_search(shown_partner)
    accounts = (
        partner_search.list_rows("account", partner_id=shown_partner.partner_id)[:200]
        if shown_partner.partner_id
        else []
    )
    return render_template(
        "productions.html",
        title="Productions",
        shown_partner=shown_partner,
        accounts=accounts,
        filtered=production_list.is_filtered(search) or bool(shown_partner.typed),
        statuses=production_list.STATUSES,
        of_days=production_list.DAY_CHOICES,
        kept={name: query_args.read_text(name) for name in bulk.FILTERS},
        here=query_args.current_url,
        with_files=states.STATES_WITH_DELIVERABLES,
        counts={} if search.words else state_counts.count_stages(search),
        most=state_counts.MOST,
        may_change_several=access.viewer().may_change,
        **find_queue_pauses(),
        **production_list.list_productions(search),
    )


@pages.get("/<production_id>")
def show(production_id: str):
    return _page(production_id)


def _page(production_id: str, reason: str = "", wrong_reason: str = ""):
    """Return the page of a production.

    ``reason``: of a rejection, as it was typed, and what is wrong with it.
    """
    production = _find_production(production_id)
    response = make_response(
        render_template(
            "production.html",
            title=production["title"],
            in_other_languages=production_detail.list_other_languages(production),
            notes=markdown.render_html(production["metadata_md"], below=2)
            if production["metadata_md"]
            else None,
            **_load_parts(production, reason, wrong_reason),
        )
    )
    response.headers["Content-Security-Policy"] = access.service().allow_media(POLICY)
    return response


def _load_parts(production, reason: str = "", wrong_reason: str = "") -> dict:
    """Return what the parts of the page show that change while one looks."""
    files = production_detail.list_files(production)
    return {
        **_live(production),
        "films": _films(files),
        "files": [_file(file) for file in files],
        "names": production_detail.find_locale_names(production),
        "findings": _findings(production),
        "descriptions": deliverables.list_descriptions(production["id"]) if files else [],
        "warnings": json.loads(production["warnings"]) if production["warnings"] else [],
        "gate_warnings": _gate_warnings(production),
        "plays_from_elsewhere": access.service().storage.files.is_remote,
        "reason": reason,
        "wrong_reason": wrong_reason,
        "longest_reason": production_admin.LONGEST_REASON,
    }


@pages.get("/<production_id>/live")
def live(production_id: str):
    """Return the parts of a production's page that have changed; 204 if none has.

    The page is never loaded anew, as somebody may be watching its video: that part comes along only
    with other files.
    """
    production = _find_production(production_id)
    seen = query_args.read_text("seen")
    if seen == _live(production)["version"]:
        return "", 204
    shown = _load_parts(production)
    has_new_files = not seen.startswith(_files_of(production))
    return render_template("production_live.html", again=True, has_new_files=has_new_files, **shown)


def _files_of(production) -> str:
    """Return the beginning of a version, which is the same as long as the production has
    the same files.
    """
    has_files = production["status"] in states.STATES_WITH_DELIVERABLES
    return f"{production['revision'] if has_files else 0}-"


@pages.get("/<production_id>/tries")
def show_tries(production_id: str):
    """Return the withdrawals that go on; once all have ended,
    the parts of the page that changed with them.
    """
    production = _find_production(production_id)
    tries = connection_tries.list_tries_of_production(
        production["account_id"], production_id, access.now()
    )
    if all(each["ended_at"] for each in tries):
        whole = render_template(
            "production_live.html", again=True, has_new_files=False, **_load_parts(production)
        )
        return whole, {"HX-Retarget": "#live", "HX-Reswap": "outerHTML"}
    refresh = access.link("productions_pages.show_tries", production_id=production_id)
    return render_template("connection_tries.html", tries=tries, refresh=refresh)


@pages.get("/<production_id>/files/<deliverable_id>")
def file(production_id: str, deliverable_id: str) -> wrappers.Response:
    """Send a file to play or read within the page."""
    row = production_detail.find_file(_find_production(production_id), deliverable_id)
    service = access.service()
    if row["format"] not in _SHOWN_INLINE or not service.storage.files.has(row["file"]):
        raise NotFound("This file cannot be shown here.")
    return service.send(
        row["file"],
        by_proxy=False,
        cache="private, max-age=3600",
        etag=row["sha256"],
        mimetype=_SHOWN_INLINE[row["format"]],
    )


@pages.get("/<production_id>/thumbnail.webp")
def thumbnail(production_id: str) -> wrappers.Response:
    """Send the small picture of a production for lists; a blank one,
    if it has none or none any more.
    """
    production, service = _find_production(production_id), access.service()
    file = f"{production['id']}/{production_detail.THUMBNAIL}"
    if production["status"] in states.STATES_WITH_DELIVERABLES and service.storage.files.has(file):
        etag = f"{production['id']}-{production['revision']}"  # a correction makes another picture
        return service.send(
            file, by_proxy=False, cache="private, max-age=300", etag=etag, mimetype="image/webp"
        )
    blank = make_response(_BLANK)
    blank.headers.update({"Content-Type": "image/svg+xml", "Cache-Control": "private, max-age=60"})
    return blank


@pages.get("/<production_id>/warnings/<int:number>.jpg")
def warning_picture(production_id: str, number: int) -> wrappers.Response:
    """Send the picture of a scene of which a quality gate is not sure."""
    production, service = _find_production(production_id), access.service()
    file = gate_warnings.find_picture_name(production, number)
    if production["status"] not in states.STATES_WITH_DELIVERABLES or not service.storage.files.has(
        file
    ):
        raise NotFound("This picture is no longer available.")
    # a correction makes other pictures
    etag = f"{production['id']}-{production['revision']}-{number}"
    return service.send(
        file, by_proxy=False, cache="private, max-age=300", etag=etag, mimetype="image/jpeg"
    )


@pages.get("/<production_id>/look")
@access.operator_only
def look(production_id: str):
    """Return what is to be seen before a release, for the panel that asks whether it is meant."""
    production = _find_production(production_id)
    return render_template(
        "production_look.html",
        production=production,
        films=_films(production_detail.list_files(production))[:1],
        publications=production_detail.list_publications(production_id),
        gate_warnings=_gate_warnings(production),
        plays_from_elsewhere=access.service().storage.files.is_remote,
    )


@pages.post("/<production_id>/release")
@access.operator_only
def release(production_id: str):
    production_admin.release(access.viewer(), production_id, access.now())
    said = "The production is released and is being published."
    if request.form.get("next") == "home":
        flash(f"{_find_production(production_id)['title']}: {said}", "good")
        return redirect(access.link("home.index"), 303)
    return _redirect_back(production_id, said)


@pages.post("/<production_id>/reject")
@access.operator_only
@access.keep_form
def reject(production_id: str):
    reason = request.form.get("reason", "")
    try:
        forms.check_sent()
        production_admin.reject(access.viewer(), production_id, reason, access.now())
    except (InvalidRequest, forms.FilledAgain) as refused:
        return _page(
            production_id, reason, (refused.fields or {}).get("reason", [""])[0]
        ), refused.status
    return _redirect_back(production_id, "The production is rejected; the partner is told why.")


@pages.post("/<production_id>/front")
def front(production_id: str):
    production_admin.move_to_front(access.viewer(), production_id, access.now())
    return _redirect_back(production_id, "The production is at the front of the queue.")


@pages.post("/<production_id>/cancel")
def cancel(production_id: str):
    production_admin.cancel(access.viewer(), production_id, access.now(), g.correlation_id)
    return _redirect_back(
        production_id,
        "The production is being cancelled: its work stops and its files are removed.",
    )


@pages.post("/<production_id>/platforms/<platform>/<action>")
def change_publication(production_id: str, platform: str, action: str):
    """Retry or skip the publication on one platform, or withdraw it from there."""
    viewer, done = access.viewer(), _ON_PUBLICATIONS.get(action)
    if done is None:
        raise NotFound()
    try:
        if action == "withdraw":
            return _withdraw(production_id, platform, done)
        else:
            act = publication_actions.retry if action == "retry" else publication_actions.skip
            act(viewer, production_id, platform, access.now())
    except (Conflict, RateLimitExceeded, ServiceUnavailable) as refused:
        return _redirect_back(production_id, refused.message, "bad")
    return _redirect_back(production_id, done.format(platform))


def _withdraw(production_id: str, platform: str, done: str):
    """Withdraw beside the request, as it waits for the place;
    the page shows how it ends if that takes longer.
    """
    viewer, places = access.viewer(), access.service().connections
    account_id = publication_actions.find_to_withdraw(viewer, production_id, platform)["account_id"]
    title = f"Withdrawing from {platform}"
    if places.run_beside_request(
        viewer,
        account_id,
        title,
        lambda: places.withdraw(viewer, production_id, platform),
        production_id,
    ):
        return _redirect_back(production_id, done.format(platform))
    return redirect(access.link("productions_pages.show", production_id=production_id), 303)


_ON_PUBLICATIONS = {
    "retry": "{} is tried again.",
    "skip": "{} is skipped.",
    "withdraw": "It is withdrawn from {}.",
}


@pages.post("/<production_id>/retry")
def retry(production_id: str):
    try:
        prices = access.service().prices
        new_id = production_admin.retry(
            access.viewer(), production_id, access.now(), g.correlation_id, prices
        )
    except ServiceError as refused:
        if refused.status in (403, 404):
            raise
        return _redirect_back(
            production_id, f"The production cannot be retried now. {refused.message}", "bad"
        )
    return _redirect_back(new_id, "A new production with the same brief is triggered.")


def _redirect_back(production_id: str, message: str, tone: str = "good"):
    flash(message, tone)
    return redirect(access.link("productions_pages.show", production_id=production_id), 303)


def _find_production(production_id: str):
    return production_detail.find(access.viewer().partner_id, production_id)


def _live(production) -> dict:
    """Return what both the page and its live part show."""
    events = production_detail.list_events(production["id"])
    published = production_detail.list_publications(production["id"])
    paused = find_queue_pauses()
    pause = render_queue.find_pause(production, paused["pauses"])
    return {
        "production": production,
        "steps": steps.list_steps(production["id"]),
        "events": events,
        "publications": [
            {**each, "watch": _watch(each), "embed": _embed(each, production["title"])}
            for each in published
        ],
        "retries": production_detail.list_retries(production["id"]),
        "may": production_admin.list_allowed_actions(access.viewer(), production),
        "version": _files_of(production)
        + production_detail.compute_page_version(production, events, published)
        + ("-paused" if pause else ""),
        "pause": pause,
        "resume": paused["resume"],
        "terminal": production["status"] in states.TERMINAL_STATES
        and not _is_open(production, published),
        "tries": connection_tries.list_tries_of_production(
            production["account_id"], production["id"], access.now()
        ),
        "refresh": access.link("productions_pages.show_tries", production_id=production["id"]),
    }


def _is_open(production, published) -> bool:
    """Return whether a production that was published is still being published somewhere,
    as after a retry by hand.
    """
    return production["status"] == states.PUBLISHED and any(
        each["status"] in ("Pending", "Publishing") for each in published
    )


def _watch(publication) -> str | None:
    """Return the watch page of a publication; None if it is on another platform."""
    ours = publication["connection_id"] is None and publication["status"] == "Published"
    return (
        f"{access.get_base_path()}/watch/{publication['platform_post_id']}"
        if ours and publication["platform_post_id"]
        else None
    )


def _embed(publication, title: str) -> str | None:
    """Return the HTML that shows the player of a publication in a page of any site; None if it is
    on another platform.

    It is as wide as there is room, up to a usual width, and keeps the shape of the video.
    """
    if _watch(publication) is None:
        return None
    shape = posts.SHAPES[publication["platform"]]
    width, height = (360, 640) if shape.height > shape.width else (640, 360)
    address = f"{access.service().settings.base_url}/watch/{publication['platform_post_id']}/embed"
    size = f"width:100%;max-width:{width}px;aspect-ratio:{width}/{height + _EMBED_FOOT}"
    return (
        f'<iframe src="{address}" title="{escape(display.to_one_line(title, "Video"))}" '
        f'loading="lazy" style="border:0;{size}" allow="fullscreen"></iframe>'
    )


def _films(files) -> list[dict]:
    """Return the playable videos, each with its captions."""
    captions = next(
        (each for each in files if each["type"] == "ClosedCaptions" and each["format"] == "vtt"),
        None,
    )
    described = {
        each["platform"]: each
        for each in files
        if each["type"] == "AudioDescription" and each["format"] == "mp4"
    }
    films = []
    for each in files:
        if each["type"] == "Video":
            films.append(
                {"label": each["platform"] or "Video", "video": each, "captions": captions}
            )
            if extra := described.get(each["platform"]):
                films.append(
                    {"label": f"{each['platform']}, described", "video": extra, "captions": None}
                )
    return films


def _file(row) -> dict:
    """Return a deliverable with a new signed link on this host,
    and whether the page can show it.
    """
    url, _ = access.service().storage.make_link(row["id"], access.now())
    place = urlsplit(url)
    return {
        **dict(row),
        "download": f"{place.path}?{place.query}",
        "inline": row["format"] in _SHOWN_INLINE,
    }


def _gate_warnings(production) -> list[dict]:
    """Return the warnings of the quality gates, with the ``number`` of each and whether
    its picture ``is_shown``.
    """
    has = access.service().storage.files.has
    is_kept = production["status"] in states.STATES_WITH_DELIVERABLES
    return [
        {
            "number": number,
            "message": warning.message,
            "scene": warning.scene,
            "is_shown": bool(
                is_kept and warning.picture and has(f"{production['id']}/{warning.picture}")
            ),
        }
        for number, warning in enumerate(gate_warnings.read_warnings(production), 1)
    ]


def _findings(production) -> list[dict]:
    """Return the findings of the quality gates, if the media engine has stored them."""
    if production["status"] not in states.STATES_WITH_DELIVERABLES:
        return []
    try:
        return json.loads(
            access.service().storage.files.read(f"{production['id']}/findings.json")
        ).get("findings", [])
    except FileNotFoundError:
        return []
