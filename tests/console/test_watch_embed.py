"""The player within pages of other sites: framed by any of them, with its plays counted,
and nothing else of ours framed.
"""

import pytest

from tests.support.published import publish, watch_app


@pytest.fixture
def post(media) -> str:
    return publish(media).wide


def test_the_player_alone_may_be_framed_by_any_site_and_the_page_may_not(client, post):
    page = client.get(f"/watch/{post}/embed")
    policy = page.headers["Content-Security-Policy"]
    assert (
        "frame-ancestors *" in policy
        and "script-src 'self'" in policy
        and page.headers["X-Robots-Tag"] == "noindex"
    )
    assert (
        f'src="/watch/{post}/video.mp4"' in page.text
        and f'data-plays="/watch/{post}/plays"' in page.text
    )
    assert "default>" not in page.text and "Made with AI" in page.text
    assert (
        "frame-ancestors 'self'" in client.get(f"/watch/{post}").headers["Content-Security-Policy"]
    )
    assert client.get("/watch/nothing/embed").status_code == 404


@pytest.mark.parametrize(
    ("base", "where", "attributes"),
    [
        ("https://video.example", "/embed", {"SameSite=None", "Secure", "Partitioned"}),
        ("https://video.example", "", {"SameSite=Lax", "Secure"}),
        ("http://127.0.0.1", "/embed", {"SameSite=Lax"}),
    ],
)
def test_the_cookie_of_a_framed_player_belongs_to_the_site_that_frames_it(
    media, post, base, where, attributes
):
    client = watch_app(media, base_url=base).test_client()
    answer = client.post(
        f"/watch/{post}/plays", json={}, headers={"Referer": f"{base}/watch/{post}{where}"}
    )
    given = set(answer.headers["Set-Cookie"].split("; "))
    assert answer.status_code == 201 and attributes <= given
    assert {"SameSite=None", "SameSite=Lax", "Secure", "Partitioned"} & given == attributes
