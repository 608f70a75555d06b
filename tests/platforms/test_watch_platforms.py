"""The built-in platforms."""

import errno
import hashlib
import os
import re
from contextlib import ExitStack, nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

from svc.base import outage
from svc.domain.watch import posts
from svc.platforms import PLATFORMS, Post, PublishError, connected, watch

CONTENT = b"moving pictures" * 1000


@pytest.fixture
def post(tmp_path) -> Post:
    video = tmp_path / "video.mp4"
    video.write_bytes(CONTENT)
    digest = hashlib.sha256(CONTENT).hexdigest()
    return Post(
        "0193-production", "account", "Kettle & Co", "Tea", "en", video, len(CONTENT), digest, 20.0
    )


@pytest.fixture(params=list(PLATFORMS))
def platform(request):
    return PLATFORMS[request.param]


def test_there_is_one_platform_of_each_shape():
    asked = {name: each.profile for name, each in PLATFORMS.items()}
    shapes = {
        name: (PLATFORMS[name].rendition, each.width, each.height, each.frame_rate)
        for name, each in asked.items()
    }
    assert shapes == {
        "Watch": ("landscape", 1920, 1080, 30),
        "WatchVertical": ("portrait", 1080, 1920, 30),
    }


def test_the_watch_pages_know_the_same_platforms_and_shapes():
    ours = {
        name: (each.rendition, each.profile.width, each.profile.height)
        for name, each in PLATFORMS.items()
    }
    assert ours == {
        name: (each.name, each.width, each.height) for name, each in posts.SHAPES.items()
    }


def test_publishing_gives_a_short_id_that_fits_in_an_address(platform, post):
    assert re.fullmatch(r"[A-Za-z0-9_-]{16}", platform.publish(post))


def test_publishing_again_gives_the_same_id(platform, post):
    assert platform.publish(post) == platform.publish(replace(post, title="Another title"))


def test_every_platform_and_production_has_an_id_of_its_own(post):
    several = [replace(post, production_id=name) for name in ("one", "two", "three")]
    assert len({platform.publish(each) for platform in PLATFORMS.values() for each in several}) == 6


def test_a_video_that_is_cut_short_is_refused_for_good(platform, post):
    post.video.write_bytes(CONTENT[:-1])
    with pytest.raises(PublishError, match="14999 bytes; 15000 were recorded") as refused:
        platform.publish(post)
    assert not refused.value.retryable


def test_a_video_of_the_right_size_with_other_bytes_is_refused_for_good(platform, post):
    post.video.write_bytes(b"X" + CONTENT[1:])
    with pytest.raises(PublishError, match="SHA-256 differs") as refused:
        platform.publish(post)
    assert not refused.value.retryable


def test_a_video_that_is_not_there_may_be_there_later(platform, post):
    with pytest.raises(PublishError, match="cannot be read") as refused:
        platform.publish(replace(post, video=Path("/nowhere/video.mp4")))
    assert refused.value.retryable


def test_a_server_that_can_open_no_more_files_does_not_blame_the_video(platform, post, monkeypatch):
    """The publisher waits for the end of it, and no attempt is used."""

    def out_of_them(_):
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(watch, "hash_file", out_of_them)
    monkeypatch.setattr(connected, "hash_file", out_of_them)
    sent = connected.PostFile("video.mp4", "Video", "en", 3, "", lambda: nullcontext(post.video))
    for attempt in (
        lambda: platform.publish(post),
        lambda: ExitStack().enter_context(connected.open_verified(sent)),
    ):
        with pytest.raises(OSError) as failed:
            attempt()
        assert outage.recognise(failed.value) is outage.TOO_MANY_FILES


def test_withdrawing_may_be_repeated_and_may_name_what_was_never_published(platform, post):
    identifier = platform.publish(post)
    for each in (identifier, identifier, "unknown"):
        assert platform.withdraw(each) is None
