"""Downloads of files that are in a bucket: redirections where that can be,
passed on where a page reads them.
"""

import hashlib

import pytest
from support.cast import body, refused, text

from tests.support.elsewhere import CONTENT, ORIGIN, Elsewhere, published_in


@pytest.fixture
def bucket(app, tmp_path):
    store = Elsewhere(tmp_path / "bucket")
    app.extensions["svc"].storage.files = store
    return store


@pytest.fixture
def finished(bucket, partner, clock, tmp_path):
    return published_in(bucket, partner, clock, tmp_path)


def links(partner, production) -> dict[str, dict]:
    return {
        each["format"]: each
        for each in body(partner.get(f"/v1/productions/{production}/deliverables"))["data"]
    }


def test_a_signed_link_becomes_a_redirection_for_no_longer_than_it_lives(partner, finished, clock):
    listed = links(partner, finished)
    # never the bucket's
    assert all(each["sasUrl"].startswith("http://localhost/files/") for each in listed.values())
    for name, each in zip(CONTENT, listed.values(), strict=True):
        answer = partner.client.get(each["sasUrl"])
        assert (answer.status_code, answer.headers["Location"]) == (
            302,
            f"{ORIGIN}/{finished}/{name}?seconds=3600",
        )
        assert answer.headers["Cache-Control"] == "no-store"
    clock.tick(3500)
    assert partner.client.get(listed["mp4"]["sasUrl"]).headers["Location"].endswith("?seconds=100")
    clock.tick(100)
    refused(partner.client.get(listed["mp4"]["sasUrl"]), 403, "LINK_EXPIRED")
    assert partner.client.get(listed["mp4"]["sasUrl"] + "x").status_code == 403


def test_a_head_of_a_signed_link_describes_the_file_itself(partner, finished):
    entry = links(partner, finished)["mp4"]
    head = partner.client.head(entry["sasUrl"])
    assert (head.status_code, head.headers["Content-Length"], head.headers["Accept-Ranges"]) == (
        200,
        "18",
        "bytes",
    )
    assert (head.headers["Content-Type"], head.headers["ETag"]) == (
        "video/mp4",
        f'"{entry["sha256"]}"',
    )
    assert (
        head.headers["Content-Disposition"] == "attachment; filename=How-tides-work-video-watch.mp4"
    )
    assert entry["sha256"] == hashlib.sha256(CONTENT["landscape.mp4"]).hexdigest()


def test_who_has_the_file_already_is_not_sent_to_the_bucket(partner, finished):
    entry = links(partner, finished)["mp4"]
    answer = partner.client.get(entry["sasUrl"], headers={"If-None-Match": f'"{entry["sha256"]}"'})
    assert answer.status_code == 304 and "Location" not in answer.headers
    weak = partner.client.get(entry["sasUrl"], headers={"If-None-Match": f'W/"{entry["sha256"]}"'})
    assert weak.status_code == 304


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_precondition_that_does_not_hold_does_not_lead_to_the_bucket(partner, finished, method):
    entry = links(partner, finished)["mp4"]
    answer = partner.client.open(
        entry["sasUrl"], method=method, headers={"If-Match": '"of-another-time"'}
    )
    assert answer.status_code == 412 and "Location" not in answer.headers
    same = {"If-Match": f'"{entry["sha256"]}"'}
    assert partner.client.open(entry["sasUrl"], method=method, headers=same).status_code == (
        302 if method == "GET" else 200
    )


def test_a_bucket_that_fails_is_a_503_and_a_file_that_is_gone_a_404(partner, finished, bucket):
    entry = links(partner, finished)["mp4"]
    bucket.failures = 1
    answer = partner.client.get(entry["sasUrl"])
    refused(answer, 503, "SERVICE_UNAVAILABLE")
    assert answer.headers["Retry-After"] == "30" and "s3:" not in answer.text
    assert partner.client.get(entry["sasUrl"]).status_code == 302
    bucket.delete_folder(finished)
    refused(partner.client.get(entry["sasUrl"]), 404, "NOT_FOUND")


def test_a_watch_page_plays_from_the_bucket_and_reads_its_texts_from_this_origin(partner, finished):
    page = partner.client.get("/watch/post-Watch")
    assert f"media-src 'self' {ORIGIN};" in page.headers["Content-Security-Policy"]
    assert page.status_code == 200
    video = partner.client.get("/watch/post-Watch/video.mp4")
    assert (video.status_code, video.headers["Cache-Control"]) == (302, "no-store")
    part = partner.client.get("/watch/post-Watch/captions.vtt", headers={"Range": "bytes=1-3"})
    assert (part.status_code, part.data, part.headers["Content-Range"]) == (
        206,
        b"EBV",
        "bytes 1-3/8",
    )
    assert part.headers["Content-Type"].startswith("text/vtt")
    beyond = partner.client.get("/watch/post-Watch/captions.vtt", headers={"Range": "bytes=99-"})
    assert beyond.status_code == 416
    head = partner.client.head("/watch/post-Watch/transcript.txt")
    assert (head.status_code, head.headers["Content-Length"]) == (200, "12")


def test_the_console_plays_from_the_bucket_too(partner, owner, finished):
    page = owner.get(f"/console/productions/{finished}")
    assert f"media-src 'self' {ORIGIN};" in page.headers["Content-Security-Policy"]
    assert 'crossorigin="use-credentials"' not in text(page)
    files = {form: each["deliverableId"] for form, each in links(partner, finished).items()}
    assert owner.get(f"/console/productions/{finished}/files/{files['mp4']}").status_code == 302
    captions = owner.get(f"/console/productions/{finished}/files/{files['vtt']}")
    assert (captions.status_code, captions.data) == (200, CONTENT["captions.vtt"])
    assert captions.headers["Content-Type"] == "text/vtt; charset=utf-8"


def test_a_service_whose_bucket_does_not_answer_is_not_ready(app, partner, bucket):
    app.extensions["svc"].probe._files_problem = bucket.find_problem
    bucket.failures = 1
    problems = body(partner.client.get("/readyz"))["problems"]
    assert problems["files"] == "the bucket does not answer"
