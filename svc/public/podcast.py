"""The public addresses of podcasts: their feeds, and the files of episodes."""

from flask import Blueprint, Response, current_app, jsonify, request
from werkzeug import wrappers

from svc.base import clock, deliverable_kinds, media_types
from svc.base.errors import NotFound, ServiceError
from svc.domain.watch import podcasts
from svc.domain.watch.podcasts import Episode, Show
from svc.public import podcast_feed

podcast = Blueprint("podcast", __name__)

FEED_LENGTH = 100
FEED_MAX_AGE, FILE_MAX_AGE = 300, 3600  # seconds
_FILES = ("video.mp4", *podcast_feed.TRANSCRIPTS)  # their public names
_NAMES = ",".join(f'"{name}"' for name in _FILES)  # as the route names them


@podcast.after_request
def _protect(response: Response) -> Response:
    response.headers.setdefault("X-Content-Type-Options", "nosniff")
    response.headers.setdefault(
        "Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"
    )
    return response


@podcast.errorhandler(ServiceError)
def _refuse(error: ServiceError) -> tuple[Response, int]:
    return Response(f"{error.message}\n", content_type="text/plain; charset=utf-8"), error.status


@podcast.get("/podcasts/<connection_id>.xml")
def feed(connection_id: str) -> wrappers.Response:
    show = podcasts.find_show(connection_id)
    xml = podcast_feed.write_feed(
        show,
        podcasts.list_episodes(show, FEED_LENGTH, _get_service().clock()),
        _get_service().settings.base_url,
    )
    return _make_cacheable(
        current_app.response_class(xml, content_type="application/rss+xml; charset=utf-8"),
        show,
        FEED_MAX_AGE,
    )


@podcast.get("/podcasts/<connection_id>/<post_id>/chapters.json")
def chapters(connection_id: str, post_id: str) -> wrappers.Response:
    show, episode = _find_episode(connection_id, post_id)
    if not episode.chapters:
        raise NotFound()
    response = jsonify(
        version="1.2.0",
        chapters=[{"startTime": start, "title": title} for start, title in episode.chapters],
    )
    response.content_type = "application/json+chapters"
    return _make_cacheable(response, show, FILE_MAX_AGE)


@podcast.get("/podcasts/<connection_id>/<post_id>/sound.m4a")
def sound(connection_id: str, post_id: str) -> Response:
    show, episode = _find_episode(connection_id, post_id)
    return _send(show, episode, episode.sound, "audio/x-m4a")


@podcast.get(f"/podcasts/<connection_id>/<post_id>/<any({_NAMES}):name>")
def file(connection_id: str, post_id: str, name: str) -> Response:
    show, episode = _find_episode(connection_id, post_id)
    deliverable = podcasts.find_files(episode).get(deliverable_kinds.BY_NAME[name])
    if deliverable is None:
        raise NotFound()
    media_type = media_types.find_media_type(name).partition(";")[0]
    return _send(show, episode, deliverable["file"], media_type, deliverable["sha256"])


def _find_episode(connection_id: str, post_id: str) -> tuple[Show, Episode]:
    show = podcasts.find_show(connection_id)
    return show, podcasts.find_episode(show, post_id, _get_service().clock())


def _send(
    show: Show, episode: Episode, name: str, media_type: str, sha256: str | None = None
) -> Response:
    modified = episode.published_at // clock.SECOND
    response: Response = _get_service().send(
        name, etag=sha256 or True, mimetype=media_type, last_modified=modified, max_age=FILE_MAX_AGE
    )
    return _hide_sandbox(response, show)


def _make_cacheable(response: Response, show: Show, seconds: int) -> wrappers.Response:
    response.cache_control.public, response.cache_control.max_age = True, seconds
    _hide_sandbox(response, show)
    response.add_etag()
    return response.make_conditional(request)


def _hide_sandbox(response: Response, show: Show) -> Response:
    if show.environment == "sandbox":
        response.headers["X-Robots-Tag"] = "noindex"
    return response


def _get_service():
    return current_app.extensions["svc"]
