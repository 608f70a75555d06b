"""The public pages of publications: watch pages, their media files, play counts, and feeds."""

import hmac
import json
import math
import re
import secrets
from typing import Any
from urllib.parse import urlsplit

from flask import (
    Blueprint,
    Response,
    current_app,
    g,
    jsonify,
    make_response,
    render_template,
    request,
)
from werkzeug import wrappers
from werkzeug.exceptions import RequestEntityTooLarge

from svc.base import clock, media_types
from svc.base.errors import (
    InvalidRequest,
    NotFound,
    PayloadTooLarge,
    ServiceError,
    UnsupportedMediaType,
)
from svc.domain import paging
from svc.domain.paging import Page
from svc.domain.watch import performance, play_sums, posts
from svc.public import feed, watch_page

watch = Blueprint(
    "watch",
    __name__,
    template_folder="templates",
    static_folder="static",
    static_url_path="/static",
)

VIEWER_COOKIE = "viewer"
VIEWER_SECONDS = play_sums.VIEWER_KNOWN // clock.SECOND
FEED_LENGTH = 50
_ON_A_PAGE = 24  # videos of an account
LONGEST_MESSAGE = 512  # bytes of a message from a player
MEDIA_MAX_AGE = 3600  # seconds
FEED_MAX_AGE = 300

_VIEWER = re.compile(r"[A-Za-z0-9_-]{22}", re.ASCII)
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "strict-origin-when-cross-origin",
}


@watch.after_request
def _protect(response: Response) -> Response:
    for name, value in _HEADERS.items():
        response.headers.setdefault(name, value)
    return response


@watch.errorhandler(ServiceError)
def _refuse(error: ServiceError) -> Response:
    """Return an error page for people, or a small JSON object for the player."""
    if request.method == "POST":
        response = jsonify(
            error=error.code,
            message=error.message,
            retryAfterSeconds=error.retry_after,
            correlationId=g.get("correlation_id"),
        )
    else:
        response = make_response(render_template("watch_missing.html", base=_get_base_path()))
    response.headers["Cache-Control"] = "no-store"
    if error.retry_after is not None:
        response.headers["Retry-After"] = str(error.retry_after)
    return make_response(response, error.status)


@watch.get("/watch/<post_id>")
def page(post_id: str) -> wrappers.Response:
    post = posts.find_post(post_id)
    with_descriptions = request.args.get("audio") == "described"
    page = watch_page.build_page(post, _get_service().storage, _get_base_url(), with_descriptions)
    response = make_response(
        render_template(
            "watch.html",
            page=page,
            base=_get_base_path(),
            viewer_days=play_sums.VIEWER_KNOWN // clock.DAY,
        )
    )
    response.headers["Content-Security-Policy"] = _get_service().allow_media(_POLICY)
    response.headers["Cache-Control"] = "no-cache"  # a withdrawn post disappears immediately
    _hide_sandbox(response, post)
    response.add_etag()
    return response.make_conditional(request)


@watch.get("/watch/<post_id>/embed")
def embedded(post_id: str) -> wrappers.Response:
    """Return the player alone, which pages of any site may show within them."""
    post = posts.find_post(post_id)
    page = watch_page.build_page(post, _get_service().storage, _get_base_url(), described=False)
    response = make_response(
        render_template("watch_embed.html", page=page, base=_get_base_path(), embedded=True)
    )
    policy = _POLICY.replace("frame-ancestors 'self'", "frame-ancestors *")
    response.headers["Content-Security-Policy"] = _get_service().allow_media(policy)
    response.headers["Cache-Control"] = "no-cache"
    response.headers["X-Robots-Tag"] = "noindex"
    response.add_etag()
    return response.make_conditional(request)


@watch.get(f"/watch/<post_id>/<any({watch_page.FILE_NAMES}):name>")
def file(post_id: str, name: str) -> Response:
    post = posts.find_post(post_id)
    deliverable = watch_page.find_file(post, name)
    return _send_file(post, deliverable["file"], deliverable["sha256"])


@watch.get("/watch/<post_id>/captions.<language>.vtt")
def captions(post_id: str, language: str) -> Response:
    post = posts.find_post(post_id)
    deliverable = watch_page.find_captions_file(post, language)
    return _send_file(post, deliverable["file"], deliverable["sha256"])


@watch.get("/watch/<post_id>/chapters.vtt")
def chapters(post_id: str) -> wrappers.Response:
    post = posts.find_post(post_id)
    text = watch_page.find_chapters(post, _get_service().storage)
    response = current_app.response_class(text, content_type="text/vtt; charset=utf-8")
    response.cache_control.public, response.cache_control.max_age = True, MEDIA_MAX_AGE
    _hide_sandbox(response, post)
    response.add_etag()
    return response.make_conditional(request)


@watch.get("/watch/<post_id>/poster.jpg")
def poster(post_id: str) -> Response:
    post = posts.find_post(post_id)
    return _send_file(post, post.poster)


@watch.post("/watch/<post_id>/plays")
def start_play(post_id: str) -> Response:
    post = posts.find_post(post_id)
    _read_message(())
    viewer = _read_viewer() or secrets.token_urlsafe(16)
    play_id = performance.start_play(
        post_id, _hash_viewer(post, viewer), _get_service().clock(), request.remote_addr or ""
    )
    response = make_response(jsonify(playId=play_id), 201)
    response.headers["Cache-Control"] = "no-store"
    response.set_cookie(
        VIEWER_COOKIE,
        viewer,
        max_age=VIEWER_SECONDS,
        path=f"{_get_base_path()}/watch/",
        httponly=True,
        **_list_cookie_rules(),
    )
    return response


def _list_cookie_rules() -> dict[str, Any]:
    """Return the attributes of the cookie.

    Within a page of another site browsers keep it only for that site.
    """
    is_https = _get_base_url().startswith("https:")
    is_embedded = urlsplit(request.headers.get("Referer", "")).path.endswith("/embed")
    if is_https and is_embedded:
        return {"secure": True, "samesite": "None", "partitioned": True}
    return {"secure": is_https, "samesite": "Lax"}


@watch.post("/watch/<post_id>/plays/<play_id>")
def progress(post_id: str, play_id: str) -> Response:
    post = posts.find_post(post_id)
    watched_seconds = _check_seconds(_read_message(("watchedSeconds",))["watchedSeconds"])
    viewer = _read_viewer()
    if viewer is None:
        raise NotFound()
    performance.record_progress(
        play_id, _hash_viewer(post, viewer), watched_seconds, _get_service().clock()
    )
    return Response(status=204, headers={"Cache-Control": "no-store"})


@watch.get("/watch/accounts/<account_id>")
def account_page(account_id: str) -> wrappers.Response:
    """Return the list of the videos that an account has published, newest first.

    A wrong cursor is 400.
    """
    account = posts.find_account(account_id)
    cursor = request.args.get("cursor", "")
    list_name = f"watch {account_id}"
    page_of_list = (
        Page(_ON_A_PAGE, paging.decode(cursor, list_name), list_name)
        if cursor
        else Page(_ON_A_PAGE, of=list_name)
    )
    listed = posts.list_page_of_account(account_id, page_of_list)
    page = watch_page.build_account_page(
        account_id, account, listed, _get_service().storage, _get_base_url()
    )
    text = render_template(
        "watch_account.html", page=page, is_first=page_of_list.is_first, base=_get_base_path()
    )
    response = make_response(text)
    response.headers["Cache-Control"] = "no-cache"  # a withdrawn post disappears immediately
    if account["environment"] == "sandbox" or not page_of_list.is_first:
        response.headers["X-Robots-Tag"] = "noindex"
    response.add_etag()
    return response.make_conditional(request)


@watch.get("/feeds/<account_id>.xml")
def account_feed(account_id: str) -> wrappers.Response:
    account = posts.find_account(account_id)
    posts_by_production = posts.list_posts_of_account(account_id, FEED_LENGTH)
    xml = feed.write_feed(
        account_id, account["name"], posts_by_production, _get_service().storage, _get_base_url()
    )
    response = current_app.response_class(xml, content_type="application/rss+xml; charset=utf-8")
    response.cache_control.public, response.cache_control.max_age = True, FEED_MAX_AGE
    response.add_etag()
    return response.make_conditional(request)


def _get_service():
    return current_app.extensions["svc"]


def _get_base_url() -> str:
    return _get_service().settings.base_url


def _get_base_path() -> str:
    """Return the path prefix under which a proxy serves the application; empty without one."""
    return urlsplit(_get_base_url()).path


def _send_file(post: posts.WatchPost, name: str, sha256: str | None = None) -> Response:
    response = _get_service().send(
        name,
        etag=sha256 or True,
        mimetype=media_types.find_media_type(name),
        last_modified=post.published_at // clock.SECOND,
        max_age=MEDIA_MAX_AGE,
    )
    _hide_sandbox(response, post)
    return response


def _hide_sandbox(response: Response, post: posts.WatchPost) -> None:
    """Exclude sandbox publications, which are public too, from search engines."""
    if post.environment == "sandbox":
        response.headers["X-Robots-Tag"] = "noindex"


def _read_viewer() -> str | None:
    cookie = request.cookies.get(VIEWER_COOKIE, "")
    return cookie if _VIEWER.fullmatch(cookie) else None


def _hash_viewer(post: posts.WatchPost, viewer: str) -> bytes:
    """Return a hash of the viewer, salted per production so that viewers cannot be
    tracked between productions.
    """
    salt = _get_service().ring.derive(f"viewers:{post.production_id}")
    return hmac.digest(salt, viewer.encode("ascii"), "sha256")


def _read_message(names: tuple[str, ...]) -> dict:
    """Return the player's JSON object with exactly the fields ``names``.

    Other sites cannot send JSON.
    """
    if request.mimetype != "application/json":
        raise UnsupportedMediaType()
    request.max_content_length = LONGEST_MESSAGE
    try:
        body = json.loads(request.get_data(cache=False) or b"{}")
    except RequestEntityTooLarge as error:
        raise PayloadTooLarge(f"A player's message has at most {LONGEST_MESSAGE} bytes.") from error
    except (ValueError, RecursionError) as error:
        raise InvalidRequest("The body is not valid JSON.") from error
    if not isinstance(body, dict) or set(body) != set(names):
        raise InvalidRequest(f"Send a JSON object with {' and '.join(names) or 'no fields'}.")
    return body


def _check_seconds(value) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 <= value <= 86_400 or not math.isfinite(value):
        raise InvalidRequest("watchedSeconds must be a number from 0 to 86400.")
    return float(value)
