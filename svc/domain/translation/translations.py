"""The translation of a brief by people: its production waits in the queue until the
translated texts arrive.
"""

import json
from collections.abc import Mapping, Set
from typing import Any

from svc.base import clock, key_texts, states
from svc.base.errors import EditConflict, InvalidRequest, NotFound, TranslationNotAwaited
from svc.base.text.text_rules import is_blank, is_storable
from svc.domain import locales
from svc.domain.lifecycle import (
    brief_warnings,
    briefs,
    completion_estimates,
    gates,
    lifecycle,
    sandbox,
    step_queues,
    title_words,
)
from svc.domain.lifecycle.briefs import Brief
from svc.domain.tables.productions import Production, StoredTranslation
from svc.domain.translation import segments, xliff
from svc.domain.usage.model_costs import Prices
from svc.store import wake
from svc.store.database import db
from svc.store.models import productions as models
from svc.store.models.briefing import Translation
from svc.store.queries import Prepared, slot, slots

PEOPLE, MODEL = "people", "model"  # who translates

_RULES = {"topic": briefs.TOPIC, "subjectOverride": briefs.SUBJECT, "metadataMD": briefs.METADATA}
_NO_MODEL = "No model that writes scripts is configured here, so people translate: leave this out."
_NOT_BY_PEOPLE = (
    "People do not translate the brief of this production: trigger one with `languageIds`."
)
_NO_CAPTIONS = "No model that could translate captions is configured here: leave this out."
_OF_PRODUCTION = Translation.production_id == slot("production_id")
_BEGIN = Prepared(
    Translation.insert(slots("production_id", "source_language_id", "source", "created_at"))
)
_FIND = Prepared(Translation.select().where(_OF_PRODUCTION), StoredTranslation)
_DRAFT = Prepared(
    Translation.update(draft=slot("draft"), draft_version=Translation.draft_version + 1).where(
        _OF_PRODUCTION, Translation.draft_version == slot("version"), Translation.target.is_null()
    )
)
_DONE = Prepared(
    Translation.update(target=slot("target"), done_at=slot("now"), draft=None).where(_OF_PRODUCTION)
)
_PRODUCTION = Prepared(
    models.Production.select().where(models.Production.id == slot("id")), Production
)


def check(brief: Brief, prices: Prices) -> None:
    """Check who translates a brief and its captions.

    InvalidRequest: a model is to, and none is configured.
    """
    if prices.has_script_model:
        return
    wrong = {"translation": [_NO_MODEL]} if brief.translation == MODEL else {}
    wrong |= {"captionLanguageIds": [_NO_CAPTIONS]} if brief.caption_languages else {}
    if wrong:
        raise InvalidRequest(
            "; ".join(f"{name}: {texts[0]}" for name, texts in wrong.items()), fields=wrong
        )


def is_awaited(brief: Brief, prices: Prices) -> bool:
    """Return whether people translate a brief before its production is made.

    ``prices``: of the configured models.
    """
    return brief.translated_from is not None and (
        brief.translation == PEOPLE or not prices.has_script_model
    )


def begin_translation(production_id: str, brief: Brief, now: int) -> None:
    """Keep the texts of a brief that await their translation. Inside a transaction."""
    source = {
        "topic": brief.topic,
        "subjectOverride": brief.subject_override,
        "metadataMD": brief.metadata_md,
    }
    text = json.dumps(source, ensure_ascii=False)
    _BEGIN.execute(
        production_id=production_id,
        source_language_id=brief.translated_from,
        source=text,
        created_at=now,
    )


def find(production_id: str) -> StoredTranslation:
    """Return the translation of a production, for one who reads it.

    NotFound: people do not translate its brief.
    """
    stored = _FIND.row(production_id=production_id)
    if stored is None:
        raise NotFound(_NOT_BY_PEOPLE)
    return stored


def find_to_translate(production_id: str) -> StoredTranslation:
    """Return the translation of a production, for one who translates it.

    TranslationNotAwaited: people do not translate its brief.
    """
    stored = _FIND.row(production_id=production_id)
    if stored is None:
        raise TranslationNotAwaited(_NOT_BY_PEOPLE)
    return stored


def find_languages(stored: StoredTranslation) -> tuple[str, str]:
    """Return the BCP 47 codes of the source and of the translation."""
    row = _PRODUCTION.one(id=stored["production_id"])
    return locales.list_languages()[stored["source_language_id"]]["code"], locales.list_languages()[
        row["language_id"]
    ]["code"]


def read_targets(stored: StoredTranslation) -> dict[str, str]:
    """Return the translated segments by their name; empty: they are awaited."""
    return json.loads(stored["target"])["segments"] if stored["target"] else {}


def read_draft(stored: StoredTranslation) -> dict[str, str]:
    """Return the segments that were saved before all were translated, by their name."""
    return json.loads(stored["draft"]) if stored["draft"] else {}


def find_language_names(stored: StoredTranslation) -> tuple[str, str]:
    """Return the names of the languages of the source and of the translation."""
    row = _PRODUCTION.one(id=stored["production_id"])
    return locales.list_languages()[stored["source_language_id"]]["name"], locales.list_languages()[
        row["language_id"]
    ]["name"]


def save_draft(production_id: str, targets: Mapping[str, str], version: int) -> None:
    """Keep some translated segments; the production goes on waiting. ``version``: of the draft that
    was read.

    Raises:
        InvalidRequest: A segment is unknown or too long.
        EditConflict: Somebody else has saved another draft meanwhile.
        TranslationNotAwaited: No translation is awaited.
    """
    stored = find_to_translate(production_id)
    translated = {name: target for name, target in targets.items() if not is_blank(target)}
    pieces = {piece.name for piece in segments.split(json.loads(stored["source"])) if piece.name}
    if wrong := {
        name: problem
        for name, target in translated.items()
        if (problem := _check_target(name, target, pieces))
    }:
        raise InvalidRequest.from_fields(wrong)
    with db.transaction(partner=lifecycle.find_partner(production_id)):
        draft = json.dumps(translated, ensure_ascii=False)
        if _DRAFT.execute(production_id=production_id, draft=draft, version=version):
            return
        stored = find_to_translate(production_id)
        if stored["target"] is not None:
            raise _make_refusal(stored)
        require_draft_version(stored, translated, version)


def require_draft_version(
    stored: StoredTranslation, targets: Mapping[str, str], version: int
) -> None:
    """EditConflict: somebody else has saved another draft than ``version``,
    and other segments in it than ``targets`` has.
    """
    theirs = read_draft(stored)
    clashing = {
        name: theirs.get(name, "")
        for name in {**theirs, **targets}
        if theirs.get(name, "") != targets.get(name, "")
    }
    if stored["draft_version"] != version and clashing:
        raise EditConflict(clashing, {**dict.fromkeys(clashing, ""), **targets})


def _check_target(name: str, target: str, known: Set[str | None]) -> list[str]:
    """Return what is wrong with a translated segment."""
    if name not in known:
        return ["The brief has no such segment."]
    if len(target) > segments.LONGEST_TARGET:
        return [
            f"Must be at most {segments.LONGEST_TARGET:,} characters long; this is {len(target):,}."
        ]
    if key_texts.holds_key(target):
        return [key_texts.REFUSAL]
    return (
        [] if is_storable(target) else ["Must not contain control characters or lone surrogates."]
    )


def represent(stored: StoredTranslation) -> dict[str, Any]:
    """Return a translation as the API represents it."""
    source, target = find_languages(stored)
    translated = read_targets(stored)
    pieces = segments.split(json.loads(stored["source"]))
    return {
        "productionId": stored["production_id"],
        "status": _find_status(stored),
        "sourceLanguage": source,
        "targetLanguage": target,
        "segments": [
            {
                "segmentId": piece.name,
                "field": piece.field,
                "source": piece.text,
                "target": translated.get(piece.name or ""),
            }
            for piece in pieces
            if piece.name
        ],
        "xliff": xliff.write(stored["production_id"], (source, target), pieces, translated),
        "translatedAt": clock.format_time(stored["done_at"]),
    }


def _find_status(stored: StoredTranslation) -> str:
    if stored["done_at"]:
        return lifecycle.DONE
    production = _PRODUCTION.one(id=stored["production_id"])
    return lifecycle.AWAITED if lifecycle.is_translation_awaited(production) else lifecycle.ENDED


def read_file(stored: StoredTranslation, text: str) -> dict[str, str]:
    """Return the translated segments of an XLIFF file.

    InvalidRequest: it is none of this production.
    """
    return xliff.read(text, stored["production_id"], find_languages(stored))


def set_translation(
    production_id: str, targets: Mapping[str, str], now: int, prices: Prices
) -> StoredTranslation:
    """Set the translated texts of a production, which then begins; return its translation.

    ``targets``: the translated segments by their name. The same may be sent again.

    Raises:
        InvalidRequest: Segments are missing, unknown or too long.
        SensitivityRuleSuppressed: A sensitivity rule matches.
        TranslationNotAwaited: It has other texts, or the production has ended, or people do not
            translate its brief.
    """
    stored = find_to_translate(production_id)
    texts = _translate_texts(stored, targets)
    if stored["target"] is None:
        _begin_with(production_id, texts, dict(targets), now, prices)
        stored = find_to_translate(production_id)
    if stored["target"] is None or json.loads(stored["target"])["texts"] != texts:
        raise _make_refusal(stored)
    return stored


def _make_refusal(stored: StoredTranslation) -> TranslationNotAwaited:
    """Return the error for a translation that is not awaited, which says why."""
    if stored["target"] is not None:
        return TranslationNotAwaited("The brief was translated already, with other words.")
    row = _PRODUCTION.one(id=stored["production_id"])
    if row["status"] in states.TERMINAL_STATES:
        return TranslationNotAwaited(
            f"The production is {row['status']}: no translation is awaited."
        )
    return TranslationNotAwaited("The production is being cancelled: no translation is awaited.")


def _begin_with(
    production_id: str,
    texts: dict[str, str | None],
    targets: dict[str, str],
    now: int,
    prices: Prices,
) -> None:
    """Give a production its translated texts, unless it has others or has ended.

    SensitivityRuleSuppressed.
    """
    row = _PRODUCTION.one(id=production_id)
    brief = _translate_brief(row, texts)
    account = briefs.find_account(brief, row["account_id"])
    screening = gates.screen_brief(account, brief)  # before the transaction, as it may take long
    ready_at = completion_estimates.estimate_after_trigger(
        brief.length, now, row["partner_id"], row["lane"]
    )
    columns = {
        "topic": brief.topic,
        "subject_override": brief.subject_override,
        "metadata_md": brief.metadata_md,
        "title": briefs.make_title(account, brief),
        "estimated_at": ready_at,
        "promised_at": ready_at,
        "warnings": brief_warnings.serialise_warnings(
            brief, row["account_id"], prices.has_script_model
        ),
    }
    with db.transaction(partner=row["partner_id"]):
        gates.check_sensitivity(account, brief, screening)
        if lifecycle.end_translation(
            production_id, now, sandbox.scenario_from_json(row["scenario"]).hold_in, **columns
        ):
            stored_target = json.dumps({"segments": targets, "texts": texts}, ensure_ascii=False)
            _DONE.execute(production_id=production_id, target=stored_target, now=now)
            title_words.reindex_title(production_id)
            wake.wake_on_commit(lambda: step_queues.find_queue(production_id, now))


def _translate_texts(
    stored: StoredTranslation, targets: Mapping[str, str]
) -> dict[str, str | None]:
    """Return the texts of the brief in the other language.

    InvalidRequest: names the segments that are wrong.
    """
    if len(targets) > segments.MOST:
        message = f"There are {len(targets):,} segments; a brief has at most {segments.MOST:,}."
        raise InvalidRequest(message, fields={"segments": [message]})
    source = json.loads(stored["source"])
    pieces = [piece for piece in segments.split(source) if piece.name]
    expected = {piece.name for piece in pieces}
    wrong = {
        name: problem
        for name, target in targets.items()
        if (problem := _check_target(name, target, expected))
    }
    for piece in pieces:
        target = targets.get(piece.name or "", "")
        if is_blank(target):
            wrong[str(piece.name)] = [f"Its translation is missing: {piece.text[:80]!r}."]
    if not wrong:
        lines = {
            piece.name: _fit_lines(piece.text, targets[piece.name])
            for piece in pieces
            if piece.name
        }
        texts = segments.join(source, lines)
        wrong = {
            name: [too_long]
            for name, text in texts.items()
            if (too_long := _check_length(name, text))
        }
    if wrong:
        raise InvalidRequest.from_fields(wrong)
    return texts


def _fit_lines(source: str, target: str) -> str:
    """Return ``target`` in one line, unless ``source`` has several:
    a heading or a row of a table ends with its line.
    """
    return target.strip() if "\n" in source else " ".join(target.split())


def _check_length(name: str, text: str | None) -> str | None:
    rule = _RULES[name]
    length = len(text or "")
    return (
        None
        if length <= rule.longest
        else f"Translated it has {length:,} characters; at most {rule.longest:,} are allowed."
    )


def _translate_brief(row: Production, texts: Mapping[str, str | None]) -> Brief:
    """Return the brief of a production with its translated texts."""
    return Brief(
        str(texts["topic"]),
        row["language_id"],
        row["country_id"],
        row["avatar_id"],
        row["project_type"],
        texts["metadataMD"],
        texts["subjectOverride"],
    )


def find_awaited_source(production_id: str) -> str | None:
    """Return the language of a brief whose translation is still awaited; None: it is not."""
    row = _FIND.row(production_id=production_id)
    return row["source_language_id"] if row and row["target"] is None else None
