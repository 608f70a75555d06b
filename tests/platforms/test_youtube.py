"""YouTube: a video with captions and poster, once, against a stand-in by its published protocol."""

import hashlib
from dataclasses import replace

import pytest
from support.places import NOON, Crash, MemoryUploadState, post_of, tools, with_spanish
from support.youtube import youtube

from svc.base.connectors import Limits
from svc.platforms import PublishError, texts
from svc.platforms.youtube import DESCRIPTION, YouTube

UPLOAD = "/upload/youtube/v3/videos"


@pytest.fixture
def post(tmp_path):
    return post_of(tmp_path)


@pytest.fixture
def tube():
    with youtube() as there:
        yield there


def publish(tube, post, upload_state=None, given=None, **changes):
    return tube.place.publish(
        post,
        tube.counterpart.connection(**changes),
        upload_state or MemoryUploadState(),
        given or tools(),
    )


def test_a_video_is_whole_and_has_captions_poster_texts_and_declarations(tube, post):
    assert tube.place.test(tube.counterpart.connection(), tools()) == {}
    posted = publish(
        tube, replace(post, title="Tea <and> oil"), privacy="public", made_for_kids="yes"
    )
    video = tube.videos[posted.post_id]
    assert hashlib.sha256(tube.contents[posted.post_id]).hexdigest() == post.video.sha256
    assert (video["snippet"]["title"], video["snippet"]["description"]) == (
        "Tea (and) oil",
        post.text,
    )
    assert (
        video["snippet"]["tags"] == ["tee", "ref-key-1"] and video["snippet"]["categoryId"] == "27"
    )
    assert (video["snippet"]["defaultLanguage"], video["snippet"]["defaultAudioLanguage"]) == (
        "de",
        "de",
    )
    declared = {
        "privacyStatus": "public",
        "selfDeclaredMadeForKids": True,
        "containsSyntheticMedia": True,
    }
    assert video["status"] == declared
    assert (
        tube.captions[posted.post_id] == {"de": b"WEBVTT\n\n"}
        and tube.posters[posted.post_id][:2] == b"\xff\xd8"
    )
    assert posted.url == f"https://www.youtube.com/watch?v={posted.post_id}"


def test_captions_in_further_languages_go_with_the_video(tube, post):
    posted = publish(tube, with_spanish(post))
    assert tube.captions[posted.post_id] == {"de": b"WEBVTT\n\n", "es": b"WEBVTT\n\nHola\n"}


@pytest.mark.parametrize("fails_at", [0, 700_000, 1_500_000, 2_999_000])
def test_an_upload_goes_on_where_it_broke_off(tube, post, fails_at):
    upload_state = MemoryUploadState(fails_at=fails_at)
    with pytest.raises(Crash):
        publish(tube, post, upload_state)
    again = MemoryUploadState(session=upload_state.session)
    posted = publish(tube, post, again)
    assert hashlib.sha256(tube.contents[posted.post_id]).hexdigest() == post.video.sha256
    assert list(tube.videos) == [posted.post_id]
    assert again.sent < post.video.size_bytes or fails_at == 0


def test_a_video_whose_answer_was_lost_is_found_by_its_upload_or_its_tag(tube, post):
    upload_state = MemoryUploadState()
    posted = publish(tube, post, upload_state)
    [upload] = tube.uploads
    address = f"{UPLOAD}?uploadType=resumable&upload_id={upload}"
    for session in ({"upload": address}, {"upload": f"{UPLOAD}?upload_id=forgotten"}, {}):
        again = MemoryUploadState(session=session)
        assert publish(tube, post, again) == posted and again.sent < 10_000
    assert list(tube.videos) == [posted.post_id] and tube.captions[posted.post_id] == {
        "de": b"WEBVTT\n\n"
    }


def test_a_database_that_was_restored_from_before_the_first_attempt_finds_the_video(tube, post):
    posted = publish(tube, post, MemoryUploadState(begun_anew=True))
    again = MemoryUploadState(begun_anew=True)
    assert publish(tube, post, again) == posted and again.sent < 10_000
    assert list(tube.videos) == [posted.post_id]


def test_a_crash_between_captions_and_poster_repeats_neither_video_nor_captions(tube, post):
    tube.errors["POST /upload/youtube/v3/thumbnails/set"] = (503, "backendError")
    upload_state = MemoryUploadState()
    with pytest.raises(PublishError, match="503"):
        publish(tube, post, upload_state)
    publish(tube, post, MemoryUploadState(session=upload_state.session))
    assert len(tube.videos) == 1 and tube.calls.count("POST /upload/youtube/v3/captions") == 1


@pytest.mark.parametrize(
    ("status", "reason", "retryable", "said"),
    [
        (403, "quotaExceeded", False, "midnight Pacific"),
        (400, "uploadLimitExceeded", False, "no more videos today"),
        (403, "rateLimitExceeded", True, "Too many"),
        (403, "youtubeSignupRequired", False, "no channel"),
        (403, "accessNotConfigured", False, "not enabled"),
        (403, "forbidden", False, "credentials do not allow"),
        (500, "backendError", True, "500"),
    ],
)
def test_a_quota_a_limit_and_an_outage_are_told_apart(tube, post, status, reason, retryable, said):
    tube.errors[f"POST {UPLOAD}"] = (status, reason)
    with pytest.raises(PublishError, match=said) as failed:
        publish(tube, post)
    assert failed.value.retryable is retryable and tube.videos == {}


def test_a_channel_that_may_have_no_poster_of_its_own_is_published_to(tube, post):
    tube.errors["POST /upload/youtube/v3/thumbnails/set"] = (403, "forbidden")
    assert publish(tube, post).post_id in tube.videos
    tube.errors["POST /upload/youtube/v3/thumbnails/set"] = (403, "quotaExceeded")
    with pytest.raises(PublishError, match="midnight"):
        publish(tube, post, MemoryUploadState(key="other"))


def test_a_sign_in_that_ends_in_the_middle_of_an_upload_is_done_again(tube, post):
    upload_state = MemoryUploadState()
    for at in ("PUT /upload/youtube/v3/videos", "POST /upload/youtube/v3/captions"):
        tube.errors[at] = (401, "authError")
        with pytest.raises(PublishError, match="has ended. It will be tried again") as failed:
            publish(tube, post, upload_state)
        assert failed.value.retryable
        upload_state = MemoryUploadState(session=upload_state.session)
    publish(tube, post, upload_state)
    assert len(tube.videos) == 1 and len(tube.captions["video0"]) == 1


def test_captions_that_a_page_took_are_sent_again(tube, post):
    upload_state = MemoryUploadState()
    tube.errors["POST /upload/youtube/v3/captions"] = (200, "no caption")
    with pytest.raises(PublishError, match="does not answer as YouTube") as failed:
        publish(tube, post, upload_state)
    publish(tube, post, MemoryUploadState(session=upload_state.session))
    assert failed.value.retryable and len(tube.captions["video0"]) == 1


def test_an_access_token_is_renewed_in_time(tube, post):
    now = [NOON]

    class Slow(MemoryUploadState):
        def count_sent(self, number):
            now[0] += 3_600_000

    publish(tube, post, Slow(), replace(tools(), clock=lambda: now[0]))
    assert tube.tokens > 1 and "de" in next(iter(tube.captions.values()))


def test_a_revoked_sign_in_and_a_wrong_client_are_refused_for_good(tube):
    tube.refresh = "another"
    with pytest.raises(PublishError, match="sign in again") as revoked:
        tube.place.test(tube.counterpart.connection(), tools())
    with pytest.raises(PublishError, match="401") as wrong:
        tube.place.test(tube.counterpart.connection(client_secret="x"), tools())
    assert not revoked.value.retryable and not wrong.value.retryable


def test_a_location_elsewhere_gets_neither_token_nor_video(tube, post):
    with youtube() as elsewhere:
        tube.location = f"{elsewhere.place.api}{UPLOAD}?upload_id=up0"
        with pytest.raises(PublishError, match="does not answer as YouTube"):
            publish(tube, post)
        assert elsewhere.calls == [] and f"PUT {UPLOAD}" not in tube.calls


def test_withdrawing_deletes_the_video_and_may_be_repeated(tube, post):
    posted = publish(tube, post)
    for _ in range(2):
        tube.place.withdraw(posted.post_id, tube.counterpart.connection(), tools())
    assert tube.videos == {}


def test_title_and_text_are_counted_as_youtube_counts_them():
    long = "Öl" * 3000
    values = {"title": long, "disclosure": "", "summary": long}
    assert len(texts.fill_title("{title}", values, DESCRIPTION.limits)) == 100
    assert len(texts.fill_text("{summary}", values, DESCRIPTION.limits).encode()) <= 5000
    assert Limits().title_counted is None


@pytest.mark.parametrize(
    ("name", "value"),
    [("privacy", "loud"), ("category", "tea"), ("made_for_kids", "perhaps"), ("refresh_token", "")],
)
def test_values_that_cannot_work_are_named(name, value):
    given = {"privacy": "public", "category": "27", "made_for_kids": "no", "refresh_token": "r"}
    assert YouTube().check(given) == {}
    assert set(YouTube().check({**given, name: value})) == {name}


def test_a_video_for_later_is_private_until_its_time_also_after_a_crash(tube, post):
    upload_state, at = MemoryUploadState(fails_at=1_500_000), NOON + 3_600_000
    with pytest.raises(Crash):
        publish(tube, replace(post, publish_at=at), upload_state, privacy="public")
    # the time has passed meanwhile
    posted = publish(tube, post, MemoryUploadState(session=upload_state.session), privacy="public")
    status = tube.videos[posted.post_id]["status"]
    assert (status["privacyStatus"], status["publishAt"]) == ("private", "2026-11-21T13:00:00.000Z")
    assert status["containsSyntheticMedia"] is True and len(tube.uploads) == 1
    other = publish(tube, post, MemoryUploadState(key="key-2"), privacy="public")
    assert tube.videos[other.post_id]["status"]["privacyStatus"] == "public"
    assert "publishAt" not in tube.videos[other.post_id]["status"]
