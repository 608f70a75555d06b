"""The console shows a script, changes it and approves it."""

import re

import pytest
from support.cast import body, text
from support.scripts import BARS, render, scene, write_script
from support.stage import claim, complete_cancels

from svc.base.errors import InvalidRequest, RateLimitExceeded
from svc.domain.audit import audit
from svc.domain.paging import Page
from svc.work.avatar_previews import AvatarPreviews

SCENES = [
    scene(1, "The sea rises.", key_phrase="sea rises"),
    scene(2, "", points=["Fundy"], visual=BARS),
]


@pytest.fixture
def production(partner, clock) -> str:
    production_id = body(partner.trigger(review="script"))["productionId"]
    write_script(clock, *SCENES)
    return production_id


def address(production: str) -> str:
    return f"/console/productions/{production}/script"


def form(*scenes: dict, version: int = 1, remove: tuple[int, ...] = ()) -> dict:
    """What a browser sends: one value for each scene, and the ids of those to be removed."""
    blank = {
        "sceneId": "",
        "heading": "",
        "narration": "",
        "points": "",
        "keyPhrase": "",
        "picture": "",
        "position": "",
    }
    filled = [blank | {"position": str(number)} | each for number, each in enumerate(scenes, 1)]
    columns = {name: [each[name] for each in filled] for name in blank}
    return {"version": str(version), "remove": [str(each) for each in remove], **columns}


def said(partner, production: str) -> list[str]:
    return [
        each["narration"]
        for each in body(partner.get(f"/v1/productions/{production}/script"))["scenes"]
    ]


def phrases(partner, production: str) -> list[str | None]:
    return [
        each["keyPhrase"]
        for each in body(partner.get(f"/v1/productions/{production}/script"))["scenes"]
    ]


FIRST, SECOND = {"sceneId": "1", "narration": "The sea rises."}, {"sceneId": "2", "points": "Fundy"}


def test_the_production_leads_to_its_script(owner, production):
    assert "waits to be approved" in text(owner.get(f"/console/productions/{production}"))
    page = text(owner.get(address(production)))
    assert (
        "The sea rises." in page
        and "They belong to its bars" in page
        and "Save and approve" in page
    )
    assert f"{address(production)}/scenes/1/preview" in page


def test_scenes_are_changed_moved_added_and_removed(owner, partner, production):
    new = {"narration": "A lion waits.", "position": "1"}
    given = form(
        FIRST | {"narration": "Nobody sleeps.", "position": "2"}, SECOND | {"position": "3"}, new
    )
    assert owner.post(address(production), given).status_code == 303
    assert said(partner, production) == ["A lion waits.", "Nobody sleeps.", ""]
    assert (
        owner.post(address(production), form(FIRST, SECOND, version=2, remove=(2,))).status_code
        == 303
    )
    assert said(partner, production) == ["The sea rises."]
    assert audit.list_page(Page())["data"][0]["action"] == "script.change"


def test_an_empty_new_scene_is_none(owner, partner, production):
    assert owner.post(address(production), form(FIRST, SECOND, {})).status_code == 303
    assert len(said(partner, production)) == 2


@pytest.mark.parametrize(
    ("scenes", "said_there"),
    [
        ((FIRST | {"keyPhrase": "no such words"},), "word by word"),
        ((FIRST | {"points": "\n".join("abcdef")},), "Points: Give at most 5 points"),
        ((FIRST | {"narration": "x" * 1201},), "Narration: Give 0 to 1,200 characters"),
        ((FIRST, {"heading": "!"}), "says nothing"),
    ],
)
def test_what_is_wrong_stands_at_its_scene_and_what_was_typed_stays(
    owner, partner, production, scenes, said_there
):
    answer = owner.post(address(production), form(*scenes))
    page = text(answer)
    assert (
        answer.status_code == 400
        and said_there in page
        and "The sea rises." in page
        or "xxx" in page
    )
    assert said(partner, production) == ["The sea rises.", ""]


def test_a_phrase_that_was_left_and_is_no_longer_said_gives_way_to_another_one(
    owner, partner, production
):
    left = FIRST | {"keyPhrase": "sea rises"}
    answer = owner.post(
        address(production),
        form(left | {"narration": "Nobody sleeps."}, SECOND),
        follow_redirects=True,
    )
    assert "no longer said in scene 1" in text(answer)
    assert phrases(partner, production) == [None, ""]
    assert 'name="keyPhrase" type="text" value=""' in text(owner.get(address(production)))


@pytest.mark.parametrize(
    "more", [{"narration": "The SEA  rises."}, {"narration": "Look.", "heading": "Sea rises"}]
)
def test_a_phrase_that_was_left_and_is_still_said_stays(owner, partner, production, more):
    answer = owner.post(
        address(production),
        form(FIRST | {"keyPhrase": "sea rises"} | more, SECOND),
        follow_redirects=True,
    )
    assert "no longer said" not in text(answer)
    assert phrases(partner, production) == ["sea rises", ""]


def test_a_phrase_that_somebody_types_is_still_refused_where_it_is_not_said(
    owner, partner, production
):
    wrong = FIRST | {"keyPhrase": "the moon", "narration": "Nobody sleeps."}
    assert owner.post(address(production), form(wrong, SECOND)).status_code == 400
    assert phrases(partner, production) == ["sea rises", ""]


def test_a_scene_that_was_moved_before_it_was_removed_is_the_one_that_goes(
    owner, partner, production
):
    moved = form(SECOND | {"position": "1"}, FIRST | {"position": "2"}, remove=(1,))
    assert owner.post(address(production), moved).status_code == 303
    assert said(partner, production) == [""]


def test_each_preview_is_beside_its_scene(owner, member, production):
    for browser, part in ((owner, "<fieldset"), (member, "<li class=")):
        _, first, second, *_ = text(browser.get(address(production))).split(f"{part}")
        assert "/scenes/1/preview" in first and "/scenes/2/preview" not in first
        assert "/scenes/2/preview" in second
    owner.post(f"{address(production)}/approve", {"version": "1"})
    assert "/preview" not in text(owner.get(address(production)))


def test_a_script_without_a_scene_is_refused(owner, production):
    answer = owner.post(address(production), form(FIRST, SECOND, remove=(1, 2)))
    assert answer.status_code == 400 and "at least one scene" in text(answer)


def test_who_comes_second_is_told_and_loses_nothing_that_was_typed(
    owner, operator, partner, production
):
    assert operator.post(address(production), form(FIRST)).status_code == 303
    answer = owner.post(address(production), form(FIRST | {"narration": "My own words."}))
    assert (
        answer.status_code == 409
        and "My own words." in text(answer)
        and "compare the two" in text(answer)
    )
    assert said(partner, production) == ["The sea rises."]


def test_a_rejected_script_ends_its_production(owner, production):
    answer = owner.post(
        f"{address(production)}/reject", {"version": "1", "reason": " Out of \n date. "}
    )
    assert answer.status_code == 303
    page = text(owner.get(f"/console/productions/{production}"))
    assert "SCRIPT_REJECTED" in page and "Out of date." in page
    assert "Reject the script" not in text(owner.get(address(production)))
    entry = audit.list_page(Page())["data"][0]
    assert entry["action"] == "script.reject"


def test_a_reason_that_is_too_long_is_said_and_rejects_nothing(owner, partner, production):
    answer = owner.post(
        f"{address(production)}/reject",
        {"version": "1", "reason": "x" * 501},
        follow_redirects=True,
    )
    assert "Give 0 to 500 characters" in text(answer)
    assert body(partner.get(f"/v1/productions/{production}"))["status"] == "Producing"


def test_approved_the_production_goes_on_and_the_script_is_only_read(owner, production, clock):
    answer = owner.post(f"{address(production)}/approve", {"version": "1"})
    assert answer.status_code == 303 and claim(clock) is not None
    page = text(owner.get(address(production)))
    assert "The script is approved." in page and "<textarea" not in page
    preview = f"{address(production)}/scenes/1/preview"
    assert owner.get(preview).status_code == 409
    answer = owner.get(preview, headers={"HX-Request": "true"})  # by a page that is older
    assert answer.status_code == 200 and "approved already: its review is over" in text(answer)
    assert audit.list_page(Page())["data"][0]["action"] == "script.approve"


def test_a_member_reads_and_changes_nothing(member, partner, production):
    assert "The sea rises." in text(member.get(address(production)))
    assert member.post(address(production), form(FIRST)).status_code == 403
    assert member.post(f"{address(production)}/approve", {"version": "1"}).status_code == 403
    assert said(partner, production) == ["The sea rises.", ""]


@pytest.mark.parametrize("wrong", ["", "x", "-1", "1" * 20])
def test_a_form_that_no_page_sent_is_refused(owner, production, wrong):
    assert owner.post(address(production), form(FIRST) | {"version": wrong}).status_code == 404
    assert owner.post(address(production), form(FIRST | {"position": wrong})).status_code == 404
    assert owner.post(address(production), form(FIRST) | {"heading": []}).status_code == 400


def test_the_form_and_the_account_ask_for_a_review(owner, operator, partner):
    brief = partner.brief()
    given = {
        **brief,
        "account": partner.account,
        "review": "script",
        "subjectOverride": "",
        "externalId": "",
    }
    production = (
        owner.post("/console/productions/new", given).headers["Location"].rpartition("/")[2]
    )
    assert "review" in text(owner.get("/console/productions/new"))
    found = body(partner.get(f"/v1/productions/{production}"))
    assert (
        found["holdReason"] is None
        and partner.get(f"/v1/productions/{production}/script").status_code == 409
    )
    assert "script_review" in text(operator.get(f"/console/accounts/{partner.account}"))


def test_a_rendered_production_is_corrected(operator, partner, clock):
    live = body(partner.live().trigger())["productionId"]
    assert render(clock) == live
    page = text(operator.get(f"/console/productions/{live}"))
    assert f"{address(live)}/reopen" in page
    answer = operator.post(f"{address(live)}/reopen")
    assert answer.status_code == 303 and answer.headers["Location"].endswith("/script")
    assert "is rendered" not in text(operator.get(address(live))) and "Save and approve" in text(
        operator.get(address(live))
    )
    assert f"{address(live)}/reopen" not in text(operator.get(f"/console/productions/{live}"))
    assert audit.list_page(Page())["data"][0]["action"] == "script.reopen"


def refuse(error):
    def scene(*_):
        raise error

    return scene


def test_a_preview_is_made_while_the_page_asks_for_it(owner, production, monkeypatch, tmp_path):
    film, asked = tmp_path / "sample-x.mp4", []

    def scene(self, production, scene, owner):
        asked.append(owner)
        return film if film.exists() else None

    monkeypatch.setattr(AvatarPreviews, "render_scene", scene)
    preview = f"{address(production)}/scenes/1/preview"
    line = text(owner.get(f"{preview}?version=1", headers={"HX-Request": "true"}))
    assert (
        "is being made" in line and f'hx-get="{preview}?version=1"' in line and "<video" not in line
    )
    refused = owner.get(preview)
    assert (refused.status_code, refused.headers["Retry-After"]) == (503, "5")
    monkeypatch.setattr(AvatarPreviews, "render_scene", refuse(RateLimitExceeded()))
    assert "is being made" in text(owner.get(preview, headers={"HX-Request": "true"}))
    assert owner.get(preview).status_code == 429
    monkeypatch.setattr(
        AvatarPreviews, "render_scene", refuse(InvalidRequest("It cannot be spoken."))
    )
    said = text(owner.get(preview, headers={"HX-Request": "true"}))
    # asking again would make it again
    assert "It cannot be spoken." in said and "hx-get" not in said
    monkeypatch.setattr(AvatarPreviews, "render_scene", scene)
    film.write_bytes(b"film")
    assert f'src="{preview}?version=1"' in text(
        owner.get(f"{preview}?version=1", headers={"HX-Request": "true"})
    )
    with owner.get(preview) as shown:
        assert (shown.status_code, shown.mimetype, shown.data) == (200, "video/mp4", b"film")
    assert len(set(asked)) == 1


def hidden(page: str, name: str) -> str:
    return re.search(f'name="{name}" value="([^"]*)"', page)[1]


def test_a_conflict_shows_both_texts_and_the_next_save_is_meant(
    owner, operator, partner, production
):
    assert (
        operator.post(
            address(production), form(FIRST | {"narration": "Their words."}, SECOND)
        ).status_code
        == 303
    )
    mine = form(FIRST | {"narration": "My own words."}, SECOND)
    answer = owner.post(address(production), mine)
    page = text(answer)
    assert answer.status_code == 409 and said(partner, production) == ["Their words.", ""]
    [theirs, typed] = re.findall(r'<pre class="wrap"[^>]*>([^<]*)</pre>', page)
    assert ("Their words." in theirs, "My own words." in typed) == (
        True,
        True,
    ) and "Scene 1" in page
    assert (
        owner.post(address(production), mine | {"version": hidden(page, "version")}).status_code
        == 303
    )
    assert said(partner, production) == ["My own words.", ""]


def test_the_version_of_a_form_stays_after_an_error(owner, operator, partner, production):
    wrong = owner.post(address(production), form(FIRST | {"keyPhrase": "no such words"}, SECOND))
    assert (
        operator.post(
            address(production), form(FIRST | {"narration": "Their words."}, SECOND)
        ).status_code
        == 303
    )
    late = owner.post(address(production), form(FIRST | {"keyPhrase": "no such words"}, SECOND))
    for page in (text(wrong), text(late)):
        assert hidden(page[page.index('id="script-form"') :], "version") == "1"
    assert owner.post(address(production), form(FIRST, SECOND)).status_code == 409
    assert said(partner, production) == ["Their words.", ""]


def test_a_scene_that_somebody_else_removed_is_saved_again_as_a_new_one(
    owner, operator, partner, production
):
    assert operator.post(address(production), form(FIRST, SECOND, remove=(1,))).status_code == 303
    mine = form(FIRST | {"narration": "My own words."}, SECOND)
    page = text(owner.post(address(production), mine))
    again = form({"narration": "My own words."}, SECOND) | {
        "version": hidden(page[page.index('id="script-form"') :], "version")
    }
    assert re.findall('name="sceneId" value="([^"]*)"', page)[:2] == ["", "2"]
    assert owner.post(address(production), again).status_code == 303
    assert said(partner, production) == ["My own words.", ""]


def test_what_was_changed_and_not_saved_is_approved_with_the_rest(
    owner, partner, production, clock
):
    page = text(owner.get(address(production)))
    assert 'form="script-form" name="approve" value="yes">Save and approve' in page
    given = form(FIRST | {"narration": "Nobody sleeps."}, SECOND) | {"approve": "yes"}
    answer = owner.post(address(production), given)
    assert answer.status_code == 303 and claim(clock) is not None
    assert said(partner, production) == ["Nobody sleeps.", ""]
    assert [each["action"] for each in audit.list_page(Page())["data"][:2]] == [
        "script.approve",
        "script.change",
    ]


def test_a_script_that_was_not_changed_is_approved_as_it_is(owner, partner, production, clock):
    given = form(FIRST | {"keyPhrase": "sea rises"}, SECOND) | {"approve": "yes"}
    assert owner.post(address(production), given).status_code == 303 and claim(clock) is not None
    assert body(partner.get(f"/v1/productions/{production}/script"))["version"] == 1


def test_what_is_wrong_or_older_is_not_approved(owner, operator, partner, production, clock):
    wrong = form(FIRST | {"keyPhrase": "no such words"}, SECOND) | {"approve": "yes"}
    assert owner.post(address(production), wrong).status_code == 400 and claim(clock) is None
    assert (
        operator.post(
            address(production), form(FIRST | {"narration": "Their words."}, SECOND)
        ).status_code
        == 303
    )
    assert (
        owner.post(address(production), form(FIRST, SECOND) | {"approve": "yes"}).status_code == 409
    )
    assert (
        claim(clock) is None
        and body(partner.get(f"/v1/productions/{production}"))["status"] == "Producing"
    )


def test_nobody_is_asked_to_approve_the_script_of_a_cancelled_production(
    owner, partner, production, clock
):
    partner.delete(f"/v1/productions/{production}")
    for end, said in (
        (lambda: None, "The production is being cancelled"),
        (lambda: complete_cancels(clock), "The production ended before this script was approved."),
    ):
        end()
        shown = text(owner.get(address(production)))
        assert said in shown and shown.count("The production ") == 1
        assert "<textarea" not in shown and ">Play<" not in shown
        assert "to be approved" not in text(owner.get(f"/console/productions/{production}"))
