"""The watch pages and their files, as strangers see them."""

import html
import re

import pytest
import webvtt

from svc.base import ids
from tests.support.published import ACCOUNT, SPOKEN, START, change, make_account, publish, watch_app

HOSTILE = '\x00<script>alert(1)</script>\u202e\x1b[31m "quoted" & ]]> \ufffe\U0001f375'
SHOWN = "&lt;script&gt;alert(1)&lt;/script&gt;[31m &#34;quoted&#34; &amp; ]]&gt; \U0001f375"


@pytest.fixture
def published(media):
    return publish(media)


def get(client, path, **given):
    return client.get(path, buffered=True, **given)  # buffered: the file behind it is closed


def page(client, post_id, query=""):
    response = get(client, f"/watch/{post_id}{query}")
    assert response.status_code == 200
    return response.text


# The page


def test_the_page_shows_title_account_date_length_and_transcript(client, published):
    shown = page(client, published.wide)
    for expected in (
        "<h1",
        "How to make tea",
        "Kettle &amp; Co",
        "18 November 2026",
        "0:20",
        "None may be left out.",
        "<li>The leaf</li>",
        "Spoken by <bdi>Ada</bdi>",
    ):
        assert expected in shown


def test_the_page_leads_to_the_same_video_in_other_languages(client, media, published):
    assert 'aria-label="Language"' not in page(client, published.wide)
    spanish = publish(media, "Cómo hacer té", language="es", at=START + 1000)
    withdrawn = publish(media, "Comment faire du thé", language="fr", at=START + 2000)
    change("UPDATE productions SET group_id = 'g'")
    change(
        "UPDATE publications SET status = 'Withdrawn' WHERE production_id = ?",
        (withdrawn.production_id,),
    )
    shown = page(client, published.wide)
    assert (
        f'<a href="/watch/{spanish.wide}" hreflang="es" lang="es">español</a>' in shown
        and "français" not in shown
    )
    assert (
        '<link rel="alternate" hreflang="es" '
        f'href="https://media.example.com/watch/{spanish.wide}">'
    ) in shown
    assert 'lang="en" aria-current="page">English</a>' in shown and spanish.tall not in shown
    assert page(client, spanish.tall).count('hreflang="en"') == 2


def test_the_page_shows_the_text_beside_the_video_without_its_title(client, published):
    # of an earlier version
    assert '<details class="description">' not in page(client, published.wide)
    change(
        "UPDATE publications SET description = ? WHERE platform = 'Watch'",
        ("How to make tea\n\nTea rests.\n\n0:00 Leaf\n0:20 <b>\n\nMade by software.",),
    )
    shown = page(client, published.wide)
    assert "<p><bdi>0:00 Leaf</bdi><br><bdi>0:20 &lt;b&gt;</bdi></p>" in shown
    assert (
        "<p><bdi>Made by software.</bdi></p>" in shown and shown.count("How to make tea</bdi>") == 0
    )
    assert '<details class="description">' not in page(client, published.tall)


def test_the_page_plays_its_own_files(client, published):
    shown = page(client, published.tall)
    for path in re.findall(r'(?:src|href)="(/(?:watch|static)/[^"]+)"', shown):
        assert get(client, path).status_code == 200, path
    assert f'src="/watch/{published.tall}/video.mp4"' in shown
    assert re.search(r'<track kind="captions"[^>]* srclang="en"[^>]* default>', shown)
    assert '<track kind="descriptions"' in shown
    assert "playsinline" in shown


def test_the_page_offers_captions_in_further_languages(client, media):
    captions = {
        "es": "WEBVTT\n\n00:00.000 --> 00:02.000\nEl té.\n",
        "ar": "WEBVTT\n\n00:00.000 --> 00:02.000\nالشاي\n",
    }
    post = publish(media, captions=captions)
    shown = page(client, post.wide)
    assert (
        f'<track kind="subtitles" src="/watch/{post.wide}/captions.es.vtt" srclang="es" '
        'label="español">'
    ) in shown
    assert '<option value="ar" lang="ar" data-direction="rtl">العربية</option>' in shown
    assert (
        '<option value="en" lang="en" data-direction="ltr">English</option>' in shown
        and 'data-toggle="captions"' not in shown
    )
    assert get(client, f"/watch/{post.wide}/captions.es.vtt").text == captions["es"]
    assert "three things" in get(client, f"/watch/{post.wide}/captions.vtt").text
    for missing in ("fr", "en", "..", "%2e%2e%2fsecret"):
        assert get(client, f"/watch/{post.wide}/captions.{missing}.vtt").status_code == 404


def test_captions_in_further_languages_end_with_the_publication(client, media):
    post = publish(media, captions={"es": "WEBVTT\n"})
    change("UPDATE publications SET status = 'Withdrawn'")
    assert get(client, f"/watch/{post.wide}/captions.es.vtt").status_code == 404


def test_the_page_links_to_the_other_shape(client, published):
    wide, tall = page(client, published.wide), page(client, published.tall)
    assert f'<a href="/watch/{published.tall}">Portrait</a>' in wide
    assert f'<a href="/watch/{published.tall}" aria-current="page">Portrait</a>' in tall
    assert 'class="landscape"' in wide
    assert 'class="portrait"' in tall


def test_a_post_without_sibling_has_no_choice_of_shape(client, media):
    alone = publish(media, platforms=["Watch"])
    assert "Portrait" not in page(client, alone.wide)


def test_the_page_says_that_ai_made_the_video(client, published):
    assert "Made with AI" in page(client, published.wide)


def test_the_page_names_a_trained_voice(client, published):
    assert "trained" not in page(client, published.wide)
    change("UPDATE deliverables SET voice = 'hibari 0.2.1, voice heart <b>'")
    sentence = (
        "Spoken by a trained synthetic voice: <bdi>hibari 0.2.1, voice heart &lt;b&gt;</bdi>."
    )
    assert sentence in page(client, published.wide) and sentence in page(
        client, published.tall, "?audio=described"
    )


@pytest.mark.parametrize(
    "names",
    [
        "hibari 0.2.1, voice heart; Piper en_US-joe-medium",
        "Kokoro-82M 1.0 (int8), voices ef_dora, em_alex",
    ],
)
def test_the_page_names_all_voices_of_a_dialogue(client, published, names):
    change(f"UPDATE deliverables SET voice = '{names}'")
    assert f"Spoken by trained synthetic voices: <bdi>{names}</bdi>." in page(
        client, published.wide
    )


def test_previews_get_absolute_addresses(client, media, published):
    poster = media / published.production_id / "poster-landscape.jpg"
    poster.write_bytes(b"\xff\xd8 a picture")
    shown = page(client, published.wide)
    here = f"https://media.example.com/watch/{published.wide}"
    for name, value in (
        ("og:url", here),
        ("og:video", f"{here}/video.mp4"),
        ("og:image", f"{here}/poster.jpg"),
    ):
        assert f'<meta property="{name}" content="{value}">' in shown
    assert f'<meta name="twitter:image" content="{here}/poster.jpg">' in shown
    assert get(client, f"/watch/{published.wide}/poster.jpg").content_type == "image/jpeg"


def test_a_page_without_poster_names_none(client, published):
    shown = page(client, published.wide)
    assert "poster=" not in shown
    assert "og:image" not in shown


def test_the_described_version_has_no_tracks_since_their_times_do_not_fit(client, media):
    texts = {("AudioDescription", "mp4"): b"described", ("ClosedCaptions", "vtt"): "WEBVTT\n"}
    post = publish(media, texts=texts)
    assert "?audio=described" in page(client, post.wide)
    described = page(client, post.wide, "?audio=described")
    assert f'src="/watch/{post.wide}/described.mp4"' in described
    assert "<track" not in described


def test_the_described_version_is_in_the_first_shape(client, media):
    post = publish(media, texts={("AudioDescription", "mp4"): b"described"})
    assert f'href="/watch/{post.wide}?audio=described"' in page(client, post.tall)


def test_asking_for_a_described_version_that_does_not_exist_gives_the_page(client, published):
    assert "video.mp4" in page(client, published.wide, "?audio=described")


def test_a_page_without_transcript_captions_and_descriptions_still_plays(client, media):
    post = publish(media, texts={})
    shown = page(client, post.wide)
    assert "video.mp4" in shown
    assert "<track" not in shown
    assert "Transcript" not in shown


def test_hostile_text_is_shown_and_never_run(client, media):
    account = make_account(name=HOSTILE, account_id=ids.derive_id("test", "hostile"))
    post = publish(
        media, title=HOSTILE, account_id=account, texts={("Transcript", "txt"): f"So: {HOSTILE}"}
    )
    shown = page(client, post.wide)
    assert f"<title>{SHOWN} · {SHOWN}</title>" in shown
    assert f"<p>So: {SHOWN}</p>" in shown
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202e\ufffe]", shown)
    assert shown.count("<script") == 1


def test_a_title_of_nothing_but_controls_is_untitled(client, media):
    assert "<title>Untitled ·" in page(client, publish(media, title="\u202e\x00 \t").wide)


def test_a_text_that_is_read_from_the_right_says_so(client, media):
    post = publish(media, title="كيف تصنع الشاي", language="ar")
    assert '<div class="text" lang="ar" dir="rtl">' in page(client, post.wide)


def test_pages_load_nothing_from_elsewhere_and_run_nothing_inline(client, published):
    response = get(client, f"/watch/{published.wide}")
    policy = response.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'self'" in policy
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert not re.search(r'<script(?![^>]*src=)|<style|\sstyle=|\son\w+="', response.text)
    loaded = re.findall(
        r'(?:\bsrc|\bposter|rel="(?:icon|stylesheet)"[^>]*? href)="([^"]+)"', response.text
    )
    assert loaded
    assert all(address.startswith("/") for address in loaded)


def test_a_page_that_has_not_changed_is_not_sent_again(client, published):
    first = get(client, f"/watch/{published.wide}")
    again = get(
        client, f"/watch/{published.wide}", headers={"If-None-Match": first.headers["ETag"]}
    )
    assert again.status_code == 304


def test_a_sandbox_is_not_to_be_found_by_searching(client, media, published):
    sandbox = publish(
        media,
        account_id=make_account(environment="sandbox", account_id=ids.derive_id("test", "sandbox")),
    )
    for name in ("", "/video.mp4"):
        assert get(client, f"/watch/{sandbox.wide}{name}").headers["X-Robots-Tag"] == "noindex"
        assert "X-Robots-Tag" not in get(client, f"/watch/{published.wide}{name}").headers


def test_below_a_path_every_address_begins_with_it(media, published):
    client = watch_app(media.parent, base_url="https://example.com/videos").test_client()
    shown = page(client, published.wide)
    assert f'src="/videos/watch/{published.wide}/video.mp4"' in shown
    assert f'content="https://example.com/videos/watch/{published.wide}"' in shown


# What is not visible

HIDING = [
    "UPDATE publications SET status = 'Pending'",
    "UPDATE publications SET status = 'Publishing'",
    "UPDATE publications SET status = 'Withdrawn'",
    "UPDATE publications SET status = 'Failed'",
    "UPDATE productions SET status = 'Failed'",
    "UPDATE productions SET status = 'Cancelled'",
]


@pytest.mark.parametrize("hiding", HIDING)
def test_what_is_not_published_is_nowhere(client, published, hiding):
    change(hiding)
    for name in ("", "/video.mp4", "/captions.vtt", "/poster.jpg", "/transcript.txt"):
        response = get(client, f"/watch/{published.wide}{name}")
        assert response.status_code == 404
        assert response.content_type == "text/html; charset=utf-8"
        assert response.headers["Cache-Control"] == "no-store"
    assert client.post(f"/watch/{published.wide}/plays", json={}).status_code == 404
    assert b"<item>" not in get(client, f"/feeds/{ACCOUNT}.xml").data


def test_a_post_is_visible_while_its_sibling_is_still_being_published(client, published):
    change("UPDATE productions SET status = 'Distributing'")
    change("UPDATE publications SET status = 'Publishing' WHERE platform = 'WatchVertical'")
    assert "Portrait" not in page(client, published.wide)
    assert get(client, f"/watch/{published.tall}").status_code == 404


def test_a_post_on_another_platform_is_not_a_watch_page(client, published):
    change("UPDATE publications SET platform = 'Elsewhere' WHERE platform = 'Watch'")
    change("UPDATE deliverables SET platform = 'Elsewhere' WHERE platform = 'Watch'")
    assert get(client, f"/watch/{published.wide}").status_code == 404


@pytest.mark.parametrize(
    "post_id", ["unknown", "%00", "..%2f..", "%ff%fe", "a" * 5000, "%f0%9f%8d%b5"]
)
def test_an_unknown_address_is_answered_with_a_page(client, published, post_id):
    response = get(client, f"/watch/{post_id}")
    assert response.status_code == 404
    assert response.content_type.startswith("text/html")


# The files


def test_a_part_of_the_video_can_be_asked_for(client, published):
    whole = get(client, f"/watch/{published.wide}/video.mp4")
    part = get(
        client,
        f"/watch/{published.wide}/video.mp4",
        headers={"Range": "bytes=5-14", "If-Range": whole.headers["ETag"]},
    )
    assert part.status_code == 206
    assert part.data == whole.data[5:15]
    assert part.headers["Content-Range"] == f"bytes 5-14/{len(whole.data)}"
    assert whole.headers["Accept-Ranges"] == "bytes"


def test_a_video_that_the_browser_has_is_not_sent_again(client, published):
    path = f"/watch/{published.wide}/video.mp4"
    etag = get(client, path).headers["ETag"]
    assert get(client, path, headers={"If-None-Match": etag}).status_code == 304
    assert client.head(path, buffered=True).headers["ETag"] == etag


def test_each_file_has_its_type_and_may_be_kept_for_a_while(client, published):
    types = {
        "video.mp4": "video/mp4",
        "captions.vtt": "text/vtt; charset=utf-8",
        "descriptions.vtt": "text/vtt; charset=utf-8",
        "transcript.txt": "text/plain; charset=utf-8",
    }
    for name, media_type in types.items():
        response = get(client, f"/watch/{published.wide}/{name}")
        assert response.content_type == media_type
        assert response.headers["X-Content-Type-Options"] == "nosniff"
        assert response.cache_control.public
        assert response.cache_control.max_age == 3600
    assert get(client, f"/watch/{published.wide}/transcript.txt").data == SPOKEN.encode()


def test_headings_are_chapters_that_players_read(client, media):
    account = make_account(name="Tea", account_id=ids.derive_id("test", "tea"))
    hostile = '<i>Milk</i> --> "later" & never'
    spoken = (
        "Tea\n\n[00:00:00]\nAda: Tea\n\n[00:00:01] The leaf\nIt is green.\n\n"
        f"[00:00:03] {hostile}\nNo.\n"
    )
    post = publish(
        media, title="Tea & time", account_id=account, texts={("Transcript", "txt"): spoken}
    )
    change("UPDATE deliverables SET duration_seconds = 12.5 WHERE type = 'Video'")
    assert f'<track kind="chapters" src="/watch/{post.wide}/chapters.vtt"' in page(
        client, post.wide
    )
    response = get(client, f"/watch/{post.wide}/chapters.vtt")
    assert response.content_type == "text/vtt; charset=utf-8" and response.cache_control.public
    read = webvtt.from_string(response.text, strict=True)
    shown = [(each.start, each.end, html.unescape(each.text)) for each in read]
    assert shown == [
        ("00:00:00.000", "00:00:01.000", "Tea & time"),
        ("00:00:01.000", "00:00:03.000", "The leaf"),
        ("00:00:03.000", "00:00:12.500", hostile),
    ]
    kept = {"If-None-Match": response.headers["ETag"]}
    assert get(client, f"/watch/{post.wide}/chapters.vtt", headers=kept).status_code == 304
    change("UPDATE publications SET status = 'Withdrawn'")
    assert get(client, f"/watch/{post.wide}/chapters.vtt").status_code == 404


@pytest.mark.parametrize(
    "spoken", ["", "Tea\n\n[00:00:00]\nAda: Tea\n", "Tea\n\n[99:00:00] After the end\nTea.\n"]
)
def test_a_video_of_one_chapter_has_no_menu(client, media, spoken):
    account = make_account(name="Tea", account_id=ids.derive_id("test", "tea"))
    post = publish(media, title="Tea", account_id=account, texts={("Transcript", "txt"): spoken})
    assert 'kind="chapters"' not in page(client, post.wide)
    assert get(client, f"/watch/{post.wide}/chapters.vtt").status_code == 404


def test_each_shape_has_its_own_video(client, published):
    assert b"WatchVertical" in get(client, f"/watch/{published.tall}/video.mp4").data
    assert b"WatchVertical" not in get(client, f"/watch/{published.wide}/video.mp4").data


def test_a_file_that_does_not_exist_is_not_found(client, published):
    for name in ("described.mp4", "poster.jpg"):
        assert get(client, f"/watch/{published.wide}/{name}").status_code == 404


def test_a_file_that_was_lost_is_not_found_and_the_log_says_so(client, media, published, caplog):
    (media / published.production_id / "Video-Watch.mp4").unlink()
    assert get(client, f"/watch/{published.wide}/video.mp4").status_code == 404
    assert "Video-Watch.mp4" in caplog.text


def test_a_relative_data_directory_is_relative_to_where_the_service_runs(
    media, published, monkeypatch
):
    monkeypatch.chdir(media.parent.parent)
    client = watch_app(media.parent.relative_to(media.parent.parent)).test_client()
    assert get(client, f"/watch/{published.wide}/video.mp4").status_code == 200
