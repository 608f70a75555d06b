"""The script of a production in the console: read, change, hear and approve it before the
video is made.
"""

from typing import Any

from flask import flash, redirect, render_template, request, send_file

from svc.base.errors import (
    InvalidRequest,
    NotFound,
    RateLimitExceeded,
    ScriptChanged,
    ServiceError,
    ServiceUnavailable,
)
from svc.console import access, forms, query_args
from svc.console.page_blueprint import make_section
from svc.domain import form_fields
from svc.domain.briefing import rejection, reviewers
from svc.domain.lifecycle import script_review
from svc.domain.lifecycle.lifecycle import AWAITED
from svc.domain.productions import admin as production_admin
from svc.domain.productions import detail as production_detail

pages = make_section("script_pages", "/productions/<production_id>/script")
_AGAIN_SECONDS = 5
_CLASH = (
    "Somebody else saved version {} while you edited the script. Nothing of yours is saved yet: "
    "compare the two, and choose."
)

_STALE = "The key phrase is no longer said in scene {}: another one is chosen from the new words."
_TEXTS = {
    "heading": production_admin.text(script_review.LONGEST_HEADING),
    "narration": production_admin.text(script_review.LONGEST_NARRATION),
    "points": production_admin.text(script_review.MOST_POINTS * (script_review.LONGEST_POINT + 1)),
    # empty: as it was, or chosen by its words
    "keyPhrase": production_admin.text(script_review.LONGEST_HEADING),
    "picture": production_admin.text(script_review.LONGEST_PICTURE),
}
_LABELS = {
    "heading": "Heading",
    "narration": "Narration",
    "points": "Points",
    "keyPhrase": "Key phrase",
    "picture": "Illustration",
}


@pages.get("")
def show(production_id: str):
    return _page(production_id)


@pages.post("")
@access.keep_form
def change(production_id: str):
    """Store what the form has. With "approve" in it, approve that version, too."""
    scenes: list[dict[str, Any]] = []
    approves = "approve" in request.form
    try:
        version = _parse_number(request.form.get("version", ""))
        scenes += _read_scenes()
        forms.check_sent()
        act = reviewers.change_and_approve if approves else reviewers.change
        phrases = _phrases(production_id)
        act(access.viewer(), production_id, version, _read(scenes, phrases), access.now())
    except ServiceError as refused:
        if refused.status in (403, 404):
            raise
        return _page(production_id, refused, scenes), refused.status
    if approves:
        flash("The script is approved. The production goes on.", "good")
        return redirect(access.link("productions_pages.show", production_id=production_id), 303)
    flash("The script is saved. Read it once more, and approve it.", "good")
    if stale := _find_stale_phrases(phrases, _phrases(production_id)):
        flash(_STALE.format(", ".join(stale)), "info")
    return redirect(access.link("script_pages.show", production_id=production_id), 303)


@pages.post("/approve")
def approve(production_id: str):
    version = _parse_number(request.form.get("version", ""))
    place = access.link("productions_pages.show", production_id=production_id)
    return forms.press(
        lambda: reviewers.approve(access.viewer(), production_id, version, access.now()),
        "The script is approved. The production goes on.",
        place,
    )


@pages.post("/reject")
@access.keep_form
def reject(production_id: str):
    version, fields = _parse_number(request.form.get("version", "")), forms.read_fields("reason")

    def act() -> None:
        reason = form_fields.read(
            {"reason": form_fields.words(rejection.LONGEST_REASON, 0)}, fields
        )["reason"]
        reviewers.reject(access.viewer(), production_id, version, reason or None, access.now())

    return forms.submit(
        act,
        "The script is rejected. The production is not made.",
        access.link("productions_pages.show", production_id=production_id),
        lambda refused: _page(production_id, refused_rejection=refused, reason=fields["reason"]),
    )


@pages.post("/reopen")
def reopen(production_id: str):
    return forms.press(
        lambda: reviewers.reopen(access.viewer(), production_id, access.now()),
        "Correct the script, and approve it. Only the scenes that you change are rendered again.",
        access.link("script_pages.show", production_id=production_id),
    )


@pages.get("/scenes/<int:scene>/preview")
def preview(production_id: str, scene: int):
    """Send a short video of one scene, as the latest version has it; for htmx, its player,
    or a line until it is made.
    """
    production_detail.find(access.viewer().partner_id, production_id)
    if request.headers.get("HX-Request"):
        return _player(production_id, scene)
    path = access.service().previews.render_scene(production_id, scene, access.name_thread_owner())
    if path is None:
        raise ServiceUnavailable(
            "The preview is being made. Try again in a few seconds.", retry_after=_AGAIN_SECONDS
        )
    return send_file(path.absolute(), mimetype="video/mp4", conditional=True)


def _player(production_id: str, scene: int) -> str:
    """Return the player of a preview, a line that asks again until it is made,
    or why it cannot be made.
    """
    version = request.args.get("version")
    address = access.link(
        "script_pages.preview", production_id=production_id, scene=scene, version=version
    )
    path, problem = None, None
    try:
        path = access.service().previews.render_scene(
            production_id, scene, access.name_thread_owner()
        )
    except (RateLimitExceeded, ServiceUnavailable):
        pass  # others are made first
    except (InvalidRequest, ScriptChanged) as refused:
        problem = refused.message
    return render_template(
        "scene_preview.html",
        address=address,
        scene=scene,
        is_made=path is not None,
        problem=problem,
    )


def _page(
    production_id: str,
    refused: ServiceError | None = None,
    typed_scenes: list[dict[str, Any]] | None = None,
    *,
    refused_rejection: ServiceError | None = None,
    reason: str = "",
) -> str:
    """Return the page of a script.

    ``typed_scenes``: the scenes as they were typed; ``reason``: of a rejection, likewise.
    """
    production = production_detail.find(access.viewer().partner_id, production_id)
    script = script_review.represent(
        script_review.find_script(production_id), access.service().prices
    )
    known = {scene["sceneId"]: scene for scene in script["scenes"]}
    scenes = [
        {**known.get(each["sceneId"], _NEW), **each} for each in typed_scenes or ()
    ] or script["scenes"]
    version, clash = request.form.get("version", "") if refused else "", []
    if isinstance(refused, ScriptChanged) and str(script["version"]) != version:
        # both are shown, so that the next save is meant
        clash, version = _differences(script["scenes"], scenes), ""
        refused.message = _CLASH.format(script["version"])
        for each in scenes:
            each["sceneId"] = each["sceneId"] if each["sceneId"] in known else None
    previewed = known if script["review"] == AWAITED else {}
    return render_template(
        "script.html",
        title="Script",
        previewed=previewed,
        production=production,
        script=script,
        scenes=scenes,
        refused=refused,
        wrong=(refused.fields or {}) if refused else {},
        new=_NEW,
        may_change=script["review"] == AWAITED and access.viewer().may_change,
        most_points=script_review.MOST_POINTS,
        saved=query_args.read_text("saved"),
        version=version or script["version"],
        clash=clash,
        longest=script_review.LONGEST_NARRATION,
        reason=reason,
        longest_reason=rejection.LONGEST_REASON,
        refused_rejection=refused_rejection,
    )


def _phrases(production_id: str) -> dict[int, str | None]:
    """Return the key phrase of each scene of the latest version, in their order."""
    script = script_review.represent(
        script_review.find_script(production_id), access.service().prices
    )
    return {scene["sceneId"]: scene["keyPhrase"] for scene in script["scenes"]}


def _find_stale_phrases(before: dict[int, str | None], now: dict[int, str | None]) -> list[str]:
    """Return the places of scenes whose key phrase is no longer said."""
    places = enumerate(now.items(), 1)
    return [str(place) for place, (scene, phrase) in places if phrase is None and before.get(scene)]


def _differences(
    stored: list[dict[str, Any]], typed_scenes: list[dict[str, Any]]
) -> list[tuple[str, str, str]]:
    """Return where two versions of a script differ: the scene, its text as it is stored,
    and as it was typed.
    """
    theirs, mine = (
        {
            each["sceneId"] or f"new {place}": _format_scene(each)
            for place, each in enumerate(scenes)
        }
        for scenes in (stored, typed_scenes)
    )
    numbers = list(dict.fromkeys([*theirs, *mine]))
    places = {number: place for place, number in enumerate(theirs, 1)}
    both = [(number, theirs.get(number, ""), mine.get(number, "")) for number in numbers]
    differing = [
        (f"Scene {places[number]}" if number in places else "New scene", their_text, my_text)
        for number, their_text, my_text in both
        if their_text != my_text
    ]
    if differing:
        return differing
    theirs_in_order, mine_in_order = (
        ", ".join(str(each) for each in order) for order in (theirs, mine)
    )
    return [("Order of the scenes", theirs_in_order, mine_in_order)]


def _format_scene(scene: dict[str, Any]) -> str:
    points = [f"- {point}" for point in scene["points"]]
    more = [f"{_LABELS[name]}: {scene[name]}" for name in ("keyPhrase", "picture") if scene[name]]
    lines = [scene["heading"], scene["narration"], *points, *more]
    return "\n".join(line.replace("\r\n", "\n").strip() for line in lines if line.strip())


_NEW: dict[str, Any] = {
    "sceneId": None,
    "heading": "",
    "narration": "",
    "points": [],
    "keyPhrase": None,
    "picture": "",
    "visual": {"kind": "", "text": "", "columns": [], "rows": []},
}


def _read_scenes() -> list[dict[str, Any]]:
    """Return the scenes of the form as texts, ordered by position,
    without removed ones and a new one that is empty.
    """
    removed = {scene for scene in request.form.getlist("remove") if scene}
    names = ("sceneId", "position", *_TEXTS)
    columns = [request.form.getlist(name) for name in names]
    if len({len(column) for column in columns}) != 1:
        raise InvalidRequest("The form is incomplete. Reload the page and try again.")
    rows: list[dict[str, Any]] = [
        dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)
    ]
    remaining = [
        row for row in rows if row["sceneId"] not in removed and (row["sceneId"] or _has_words(row))
    ]
    remaining.sort(key=lambda row: _parse_number(row.pop("position")))
    for row in remaining:
        row["sceneId"] = _parse_number(row["sceneId"]) if row["sceneId"] else None
        row["points"] = [line.strip() for line in row["points"].splitlines() if line.strip()]
    return remaining


def _has_words(row: dict[str, str]) -> bool:
    return any(row[name].strip() for name in _TEXTS)


def _read(scenes: list[dict[str, Any]], phrases: dict[int, str | None]) -> list[dict[str, Any]]:
    """Return the scenes as script_review.change takes them. InvalidRequest: names the scenes that
    are wrong.

    ``phrases``: as they are stored. One that was left as it was is not insisted on: where its
    words are no longer said, another one is chosen.
    """
    wrong: dict[str, list[str]] = {}
    read: list[dict[str, Any]] = []
    for number, scene in enumerate(scenes):
        try:
            fields = _fields(scene)
            if fields["key_phrase"] == phrases.get(fields["scene"]):
                fields["key_phrase"] = None
            read.append(fields)
        except InvalidRequest as refused:
            wrong[f"scenes[{number}]"] = [
                f"{_LABELS[name]}: {texts[0]}" for name, texts in (refused.fields or {}).items()
            ]
    if wrong:
        raise InvalidRequest("Some scenes need a change; see below.", fields=wrong)
    if not read:
        raise InvalidRequest("A script has at least one scene. To reject it, press Reject.")
    return read


def _fields(scene: dict[str, Any]) -> dict[str, Any]:
    fields = form_fields.read(
        _TEXTS, {**{name: scene[name] for name in _TEXTS}, "points": "\n".join(scene["points"])}
    )
    points = scene["points"]
    if len(points) > script_review.MOST_POINTS or any(
        len(point) > script_review.LONGEST_POINT for point in points
    ):
        limits = f"{script_review.MOST_POINTS} points of {script_review.LONGEST_POINT} characters"
        raise InvalidRequest(fields={"points": [f"Give at most {limits}, one on each line."]})
    return {
        "scene": scene["sceneId"],
        "heading": fields["heading"] or "",
        "narration": fields["narration"] or "",
        "points": points,
        "key_phrase": fields["keyPhrase"],
        "picture": fields["picture"] or "",
    }


def _parse_number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise NotFound("There is no such version or position.")
    return int(text)
