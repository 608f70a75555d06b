"""A production's page follows what happens without being loaded anew,
and leaves alone the video that somebody watches.
"""

import html
import re

import pytest
from support.cast import body, text
from support.stage import complete_steps, make, publish_all

from svc.domain.lifecycle import endings, render_queue


def parts(answer) -> set[str]:
    """The ids of the parts that are swapped, besides the one that asked."""
    return set(re.findall(r'id="(\w+)"[^>]*hx-swap-oob="true"', text(answer)))


def version(page: str) -> str:
    return re.search(r"seen=([^\"&]+)", page)[1]


@pytest.fixture
def finished(partner, clock) -> str:
    production_id = body(partner.live().trigger())["productionId"]
    complete_steps(clock, made=[make("Watch", "Video", "mp4"), make()])
    return production_id


def test_a_release_by_somebody_else_swaps_the_head_and_not_the_video(
    owner, operator, finished, clock
):
    place = f"/console/productions/{finished}"
    seen = version(text(owner.get(place)))
    assert operator.post(f"{place}/release").status_code == 303
    publish_all(clock)
    answer = owner.get(f"{place}/live?seen={seen}")
    assert "HX-Refresh" not in answer.headers and parts(answer) == {
        "head",
        "notes",
        "timeline",
        "about",
    }
    assert "Published</span>" in text(answer) and "<video" not in text(answer)


@pytest.mark.parametrize("act", ["reject", "cancel"])
def test_an_end_by_somebody_else_loads_nothing_anew_either(owner, operator, finished, clock, act):
    place = f"/console/productions/{finished}"
    seen = version(text(owner.get(place)))
    operator.post(f"{place}/{act}", {"reason": "No."})
    for each in endings.list_cancelling():
        endings.finish_cancel(each, clock())
    answer = owner.get(f"{place}/live?seen={seen}")
    # the files are gone
    assert "HX-Refresh" not in answer.headers and {"head", "notes", "media"} <= parts(answer)


def test_only_what_may_expire_is_said_to(owner, operator, partner, finished):
    here = f"/console/productions/{finished}"
    assert "<dt>Expires</dt>" in text(owner.get(here))
    operator.post(f"{here}/release")
    assert "<dt>Expires</dt>" not in text(owner.get(here))
    cancelled = body(partner.trigger())["productionId"]
    partner.delete(f"/v1/productions/{cancelled}")
    assert "<dt>Expires</dt>" not in text(owner.get(f"/console/productions/{cancelled}"))


def test_new_files_come_along_as_they_are_made(owner, partner, clock):
    production_id = body(partner.live().trigger())["productionId"]
    place = f"/console/productions/{production_id}"
    seen = version(text(owner.get(place)))
    render_queue.release_claim(complete_steps(clock, 2))
    answer = owner.get(f"{place}/live?seen={seen}")
    assert "media" not in parts(answer) and "Producing</span>" in text(answer)
    complete_steps(clock, 5, made=[make("Watch", "Video", "mp4"), make()])
    answer = owner.get(f"{place}/live?seen={version(text(answer))}")
    assert "media" in parts(answer) and "<video" in text(answer)


def test_the_code_that_embeds_a_video_fits_its_frame_and_has_the_title(owner, partner, clock):
    production_id = body(partner.trigger(topic='Tides & "moons"'))["productionId"]
    complete_steps(
        clock, made=[make("Watch", "Video", "mp4"), make("WatchVertical", "Video", "mp4")]
    )
    publish_all(clock)
    page = text(owner.get(f"/console/productions/{production_id}"))
    codes = [html.unescape(each) for each in re.findall(r'data-copy="(&lt;iframe[^"]+)"', page)]
    assert len(codes) == 2
    assert all(
        'title="Tides &amp; &#34;moons&#34;"' in each and "width:100%;" in each for each in codes
    )
    assert any("max-width:640px;aspect-ratio:640/392" in each for each in codes)
    assert any("max-width:360px;aspect-ratio:360/672" in each for each in codes)


def test_the_calls_of_the_api_wrap_so_that_their_addresses_are_seen(owner, finished):
    page = text(owner.get(f"/console/productions/{finished}"))
    [opening] = re.findall(r'<pre [^>]*aria-label="curl code of these calls"[^>]*>', page)
    assert 'class="wrap"' in opening
