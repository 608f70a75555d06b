"""The review of a script: a production stops after its first step until a person has approved what
will be said.

The script is kept scene by scene, in versions. What a reviewer changes is checked here, and applied
by the media engine when the narration is recorded (svc.media.script.revision).
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from svc.base import clock, states
from svc.base.errors import (
    InvalidRequest,
    NotFound,
    ScriptChanged,
    ScriptNotReady,
    SensitivityRuleSuppressed,
)
from svc.domain import locales
from svc.domain.lifecycle import gates, lifecycle, sandbox, speech_duration, step_queues
from svc.domain.lifecycle.lifecycle import APPROVED, AWAITED, REQUESTED, Claim
from svc.domain.partners import lexicon, sensitivity
from svc.domain.tables.productions import Production, StoredScript
from svc.domain.usage import ledger
from svc.domain.usage.model_costs import Prices
from svc.domain.webhooks import event_types, events
from svc.store import wake
from svc.store.database import db
from svc.store.expressions import fn
from svc.store.models import productions as models
from svc.store.models.briefing import BatchItem, Script
from svc.store.queries import Prepared, slot, slots

MOST_SCENES, MOST_POINTS = 100, 5
MOST_VERSIONS = 20  # that are kept besides the first
LONGEST_NARRATION, LONGEST_HEADING, LONGEST_POINT, LONGEST_PICTURE = 1200, 200, 120, 100
_MILLIONTHS = 1_000_000
_CHANGEABLE = ("heading", "narration", "points", "key_phrase", "picture")

_OF_PRODUCTION = Script.production_id == slot("production_id")
_NEWEST = Script.select().where(_OF_PRODUCTION).order_by(Script.version.desc()).limit(1)
_LATEST = Prepared(_NEWEST, StoredScript)
_EDITED = Prepared(_NEWEST.where(Script.version > 1), StoredScript)
_VERSION = Prepared(
    Script.select().where(_OF_PRODUCTION, Script.version == slot("version")), StoredScript
)
_ADD = Prepared(
    Script.insert(
        slots("production_id", "version", "scenes", "written", "created_at", "last_scene")
    )
)
_DROP_OLD = Prepared(
    Script.delete().where(_OF_PRODUCTION, Script.version > 1, Script.version <= slot("version"))
)
_COPIED = [Script.version, Script.scenes, Script.written, Script.created_at, Script.last_scene]
_TAKE_OVER = Prepared(
    Script.insert_from(
        Script.select(slot("new_id"), *_COPIED).where(_OF_PRODUCTION),
        [Script.production_id, *_COPIED],
    )
)
_NOT_WRITTEN = Prepared(Script.update(written=None).where(_OF_PRODUCTION))
# A production that its batch stopped keeps its script as it was written: it may be resumed.
_FORGET = Prepared(
    Script.update(written=None).where(
        _OF_PRODUCTION,
        Script.written.is_null(False),
        ~fn.EXISTS(
            BatchItem.select(BatchItem.position).where(
                BatchItem.production_id == slot("production_id"), BatchItem.stopped == 1
            )
        ),
    )
)
_PRODUCTION = Prepared(
    models.Production.select().where(models.Production.id == slot("id")), Production
)


class WrittenScript(NamedTuple):
    """A script that was just written: its scenes as people review them,
    and the whole as the media engine has it, in JSON.
    """

    scenes: list[dict[str, Any]]
    whole: str


def is_review_wanted(production_id: str) -> bool:
    """Return whether the script of a production is kept once it is written: to be reviewed,
    or corrected before its release.
    """
    row = _PRODUCTION.row(id=production_id)
    return row is not None and (row["review"] == REQUESTED or not row["auto_release"])


def begin_review(claim: Claim, row: Production, written: WrittenScript, now: int) -> None:
    """Store a script that was just written, unless one was taken over; stop its production if the
    script needs a review. Inside a transaction. LostClaim.
    """
    if _LATEST.row(production_id=row["id"]) is None:
        text = json.dumps(written.scenes, ensure_ascii=False)
        last = max((scene["scene"] for scene in written.scenes), default=0)
        _ADD.execute(
            production_id=row["id"],
            version=1,
            scenes=text,
            written=written.whole,
            created_at=now,
            last_scene=last,
        )
    if row["review"] == REQUESTED:
        lifecycle.await_review(claim, now)
        script = find_script(row["id"])
        record_ready_event(row, script["version"], script["scenes"], now)


def take_over_script(before: str, production_id: str) -> None:
    """Give a production that is triggered again the script of the one before it, its versions and
    its approval. Inside a transaction.

    Nothing happens if that had no script, or one that is no longer kept as it was written.
    """
    if find_written_script(before) is None:
        return
    _TAKE_OVER.execute(production_id=before, new_id=production_id)
    _NOT_WRITTEN.execute(production_id=before)
    if _PRODUCTION.one(id=before)["review"] == APPROVED:
        lifecycle.keep_approval(production_id)


def find_kept_script(production_id: str) -> WrittenScript | None:
    """Return the script that a production has taken over or written before;
    None: its first step has to write it.
    """
    row = _VERSION.row(production_id=production_id, version=1)
    return (
        WrittenScript(json.loads(row["scenes"]), row["written"])
        if row and row["written"] is not None
        else None
    )


def record_ready_event(row: Production, version: int, scenes: str, now: int) -> None:
    """Record the event that a script awaits its review. Call it inside a transaction.

    ``scenes``: in JSON.
    """
    number = len(json.loads(scenes))
    data: event_types.ScriptReady = {
        "status": states.PRODUCING,
        "holdReason": states.SCRIPT_REVIEW,
        "version": version,
        "scenes": number,
    }
    events.record(row, event_types.SCRIPT_READY, data, now)


def find_script(production_id: str) -> StoredScript:
    """Return the latest version of a script, for one who reads it.

    ScriptNotReady: it is not written yet; NotFound: the production has none.
    """
    script = find_latest(production_id)
    if script is not None:
        return script
    if _PRODUCTION.one(id=production_id)["review"] == REQUESTED:
        raise NotFound("The production ended before its script was written.")
    raise NotFound(
        'The script of this production is not kept: trigger one with "review": "script".'
    )


def find_script_to_review(production_id: str) -> StoredScript:
    """Return the latest version of a script, for one who changes, approves, rejects or previews it:
    the production is there, but not in a state in which that can be done.

    ScriptNotReady: it is not written yet; ScriptChanged: the production has none.
    """
    script = find_latest(production_id)
    if script is None:
        raise make_review_refusal(production_id)
    return script


def find_latest(production_id: str) -> StoredScript | None:
    """Return the latest version of a script; None: the production has none.

    ScriptNotReady: it is not written yet.
    """
    row = _PRODUCTION.one(id=production_id)
    # It is not ready even if the production takes one over.
    if row["review"] == REQUESTED and row["status"] in (states.QUEUED, states.PRODUCING):
        if lifecycle.is_translation_awaited(row):
            raise ScriptNotReady("The script is written once the brief is translated.")
        raise ScriptNotReady(
            "The script is not written yet; subscribe to production.script.ready, or ask again in "
            "some seconds."
        )
    return _LATEST.row(production_id=production_id)


def represent(script: StoredScript, prices: Prices) -> dict[str, Any]:
    """Return a script as the API represents it. ``prices``: of the configured models."""
    production = _PRODUCTION.one(id=script["production_id"])
    language = locales.list_languages().get(production["language_id"], {}).get("code", "")
    scenes = [represent_scene(scene, language, prices) for scene in json.loads(script["scenes"])]
    return {
        "productionId": production["id"],
        "version": script["version"],
        "review": find_review(production),
        "title": production["title"],
        "estimatedDurationSeconds": round(
            speech_duration.SECONDS_OF_OPENING_AND_CLOSE
            + sum(scene["estimatedSeconds"] for scene in scenes)
        ),
        "estimatedCost": (ledger.find_price(production["id"]) + _cost_of(scenes, prices))
        / _MILLIONTHS,
        "scenes": scenes,
        "createdAt": clock.format_time(script["created_at"]),
        "expiresAt": clock.format_time(production["expires_at"]),
    }


def find_review(production: Production) -> str | None:
    """Return how the review of a written script stands: AWAITED, APPROVED; None: nobody reviews it,
    as it was not asked for, or as its production has ended.
    """
    if lifecycle.is_review_awaited(production):
        return AWAITED
    return APPROVED if production["review"] == APPROVED else None


def represent_scene(scene: dict[str, Any], language: str, prices: Prices) -> dict[str, Any]:
    """Return a scene as the API represents it. ``language``: BCP 47."""
    said = _join_spoken_texts(scene)
    return {
        "sceneId": scene["scene"],
        "heading": scene["heading"],
        "narration": scene["narration"],
        "points": scene["points"],
        "keyPhrase": scene["key_phrase"],
        "picture": scene["picture"],
        "visual": scene["visual"],
        "estimatedSeconds": round(speech_duration.estimate_speech_seconds(len(said), language), 1),
        "estimatedCost": prices.compute_cost("speech", len(said), 0) / _MILLIONTHS,
    }


def _cost_of(scenes: Sequence[dict[str, Any]], prices: Prices) -> int:
    return prices.compute_cost("speech", sum(len(_join_spoken_texts(scene)) for scene in scenes), 0)


def _join_spoken_texts(scene: Mapping[str, Any]) -> str:
    return " ".join([scene["heading"], scene["narration"], *scene["points"]])


def change(
    production_id: str, version: int, changes: Sequence[Mapping[str, Any]], now: int
) -> StoredScript:
    """Store the next version of a script that awaits its review, and return it.

    Args:
        version: The version that was changed.
        changes: The scenes in their order. A scene with a ``scene`` of the script takes from it the
            fields that it lacks; one whose ``scene`` is None is new.

    The same change may be sent again.

    Raises:
        InvalidRequest: A scene is not valid.
        SensitivityRuleSuppressed: A sensitivity rule matches.
        ScriptChanged: Another version is the latest, or the script is not under review.
        ScriptNotReady: It is not written yet.
    """
    scenes, last = _merge_scenes(production_id, version, changes)
    _screen_script(production_id, scenes)
    with db.transaction(partner=lifecycle.find_partner(production_id)):
        latest = find_script_to_review(production_id)
        if latest["version"] == version + 1 and json.loads(latest["scenes"]) == scenes:
            return latest  # the same request again: the answer to the first was lost
        require_version(latest, version)
        if not lifecycle.note_review_change(production_id, now):
            raise make_review_refusal(production_id)
        _ADD.execute(
            production_id=production_id,
            version=version + 1,
            scenes=json.dumps(scenes, ensure_ascii=False),
            written=None,
            created_at=now,
            last_scene=last,
        )
        _DROP_OLD.execute(production_id=production_id, version=version + 1 - MOST_VERSIONS)
    return find_script(production_id)


def changes_anything(
    production_id: str, version: int, changes: Sequence[Mapping[str, Any]]
) -> bool:
    """Return whether :func:`change` would store other scenes than those of ``version``.

    The errors are those of change.
    """
    scenes, _ = _merge_scenes(production_id, version, changes)
    before = _VERSION.one(production_id=production_id, version=version)
    return bool(scenes != json.loads(before["scenes"]))


def make_review_refusal(production_id: str) -> ScriptChanged:
    """Return the error for a change of a script that is not under review, which says why."""
    row = _PRODUCTION.one(id=production_id)
    if row["status"] in states.TERMINAL_STATES:
        return ScriptChanged(f"The production is {row['status']}: its review is over.")
    if row["cancel_requested_at"] is not None:
        return ScriptChanged("The production is being cancelled: its review is over.")
    if row["review"] == APPROVED:
        return ScriptChanged("The script is approved already: its review is over.")
    return ScriptChanged(
        'Nobody reviews this script: trigger a production with "review": "script", or reopen the '
        "script of one that awaits its release."
    )


def require_version(script: StoredScript, version: int) -> None:
    """ScriptChanged: the script has another version by now."""
    if script["version"] != version:
        raise ScriptChanged(
            f"The latest version of the script is {script['version']}, not {version}. Read "
            "it again."
        )


def _merge_scenes(
    production_id: str, version: int, changes: Sequence[Mapping[str, Any]]
) -> tuple[list[dict[str, Any]], int]:
    """Return the scenes of ``version`` as ``changes`` changes them, and the highest number that any
    scene has had.

    The errors are those of :func:`change`.
    """
    before = _VERSION.row(production_id=production_id, version=version)
    if before is None:
        require_version(find_script_to_review(production_id), version)
        raise ScriptChanged("The script was changed meanwhile. Read it again.")
    # No number is given twice.
    scenes = _check_scenes(changes, json.loads(before["scenes"]), before["last_scene"])
    return scenes, max([before["last_scene"], *(scene["scene"] for scene in scenes)])


def _check_scenes(
    changes: Sequence[Mapping[str, Any]], before: list[dict[str, Any]], highest: int
) -> list[dict[str, Any]]:
    """Return the scenes with all their fields. InvalidRequest: names what is wrong with which."""
    if len(changes) > MOST_SCENES:
        message = f"A script has at most {MOST_SCENES} scenes; these are {len(changes):,}."
        raise InvalidRequest(message, fields={"scenes": [message]})
    known = {scene["scene"]: scene for scene in before}
    wrong: dict[str, list[str]] = {}
    scenes: list[dict[str, Any]] = []
    for number, change_ in enumerate(changes):
        old = known.pop(change_["scene"], None) if change_["scene"] is not None else None
        if change_["scene"] is not None and old is None:
            wrong[f"scenes[{number}]"] = [
                (
                    "The script has no such scene, or it is there twice. Leave sceneId out for a "
                    "new scene."
                )
            ]
            continue
        highest += old is None
        scene = _merge_scene(change_, old, highest)
        if problem := _find_problem(scene, old):
            wrong[f"scenes[{number}]"] = [problem]
        scenes.append(scene)
    if wrong:
        raise InvalidRequest.from_fields(wrong)
    return scenes


def _merge_scene(
    change_: Mapping[str, Any], old: dict[str, Any] | None, new_id: int
) -> dict[str, Any]:
    base = old or {
        "scene": new_id,
        "heading": "",
        "narration": "",
        "points": [],
        "key_phrase": None,
        "picture": "",
        "visual": {"kind": "", "text": "", "columns": [], "rows": []},
    }
    changed = {name: change_[name] for name in _CHANGEABLE if change_[name] is not None}
    scene = {**base, **changed}
    if "key_phrase" not in changed and not _has_phrase(scene):
        scene["key_phrase"] = None  # it was of a narration that is gone: another one is chosen
    return scene


def _find_problem(scene: dict[str, Any], old: dict[str, Any] | None) -> str | None:
    if not any(letter.isalnum() for letter in _join_spoken_texts(scene)):
        return "It says nothing: give a narration, or leave the scene out."
    if scene["visual"]["kind"] and old is not None and scene["points"] != old["points"]:
        return (
            f"Its points belong to its {scene['visual']['kind']} and cannot be changed; change "
            "the narration."
        )
    if not _has_phrase(scene):
        return "Its keyPhrase is not a part of its narration, word by word, and not its heading."
    return None


def _has_phrase(scene: dict[str, Any]) -> bool:
    phrase, heading, narration = (
        _fold_text(scene[name] or "") for name in ("key_phrase", "heading", "narration")
    )
    return phrase in narration or phrase == heading


def _fold_text(text: str) -> str:
    return " ".join(text.split()).casefold()


def _screen_script(production_id: str, scenes: list[dict[str, Any]]) -> None:
    rules = gates.find_rules_of_production(production_id)
    if not rules:
        return
    row = _PRODUCTION.one(id=production_id)
    language = locales.list_languages().get(row["language_id"], {}).get("code")
    whole = " ".join(_join_spoken_texts(scene) for scene in scenes)
    texts = sensitivity.Texts(
        [whole, *map(_join_spoken_texts, scenes)],
        language,
        lexicon.list_pairs(row["account_id"]),
        locales.find_reading(row["language_id"], row["country_id"]),
    )
    if any(sensitivity.find_matching(rules, texts)):
        raise SensitivityRuleSuppressed(
            "A content sensitivity rule suppresses this script. Choose other words."
        )


def approve(production_id: str, version: int | None, now: int) -> None:
    """Let the production go on with the latest version of its script. Approving it again changes
    nothing.

    ``version``: what the reviewer has read; None: the latest.

    Raises:
        ScriptChanged: It is another one, or not under review.
        ScriptNotReady: It is not written yet.
    """
    with db.transaction(partner=lifecycle.find_partner(production_id)):
        script = find_script_to_review(production_id)
        if version is not None:
            require_version(script, version)
        row = _PRODUCTION.one(id=production_id)
        if row["review"] == APPROVED:
            return
        hold = sandbox.scenario_from_json(row["scenario"]).hold_in
        if row["review"] != AWAITED or not lifecycle.end_review(production_id, now, hold):
            raise make_review_refusal(production_id)
        wake.wake_on_commit(lambda: step_queues.find_queue(production_id, now))


def find_scene(production_id: str, scene: int) -> tuple[dict[str, Any], str]:
    """Return a scene of the latest version, and the script as it was written.

    NotFound: there is no such scene; ScriptNotReady: it is not written yet; ScriptChanged: the
    script is not under review.
    """
    script = find_script_to_review(production_id)
    written, row = find_written_script(production_id), _PRODUCTION.one(id=production_id)
    if written is None or not lifecycle.is_review_awaited(row):
        raise make_review_refusal(production_id)
    scenes = [each for each in json.loads(script["scenes"]) if each["scene"] == scene]
    if not scenes:
        raise NotFound("The latest version of the script has no such scene.")
    return scenes[0], written


def find_written_script(production_id: str) -> str | None:
    """Return the script as the media engine wrote it; None: it is not reviewed,
    or its video is made.
    """
    row = _VERSION.row(production_id=production_id, version=1)
    return row["written"] if row else None


def forget_written_script(production_id: str) -> None:
    """Remove what only the steps need of a script, unless they may need it again.

    Inside a transaction.
    """
    _FORGET.execute(production_id=production_id)


def find_edits(production_id: str) -> list[dict[str, Any]]:
    """Return the scenes of a script that its reviewer changed, as they are stored;
    empty: it stays as it was written.
    """
    row = _EDITED.row(production_id=production_id)
    return json.loads(row["scenes"]) if row else []
