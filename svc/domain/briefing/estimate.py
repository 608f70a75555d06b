"""What a production would cost and when it would be ready, and every gate that would refuse it,
without triggering it.
"""

import json
from collections.abc import Sequence
from typing import Any

from svc.base import clock, ids
from svc.base.errors import InvalidRequest, ServiceError
from svc.domain import locales
from svc.domain.lifecycle import (
    briefs,
    completion_estimates,
    gates,
    render_queue,
    sandbox,
    speech_duration,
)
from svc.domain.lifecycle.briefs import Brief
from svc.domain.partners import brand_files
from svc.domain.productions import productions
from svc.domain.tables.partners import Account
from svc.domain.translation import translations
from svc.domain.usage.model_costs import Prices

_MILLIONTHS = 1_000_000


def estimate_brief(account: Account, brief: Brief, now: int, prices: Prices) -> dict[str, Any]:
    """Return the estimate of a brief, in all of its languages, as the API represents it. Nothing is
    spent, kept or counted.

    InvalidRequest: an id of the brief is unknown for this account, or no model translates.
    """
    sandbox.find_scenario_of_brief(account["environment"], brief.metadata_md)
    translations.check(brief, prices)
    each = brief.split_by_language(ids.NIL)
    screening, *_ = productions.screen_before_trigger(account["id"], brief, prices)
    checked, *_ = [briefs.check(one, account["id"]) for one in each]
    cost = (checked["price"] + prices.estimate(brief.length, len(brief.caption_languages))) * len(
        each
    )
    refusals = list(
        filter(
            None,
            map(_find_refusal, gates.list_checks(checked, brief, cost, screening, now, len(each))),
        )
    )
    lane = render_queue.find_lane(account["environment"])
    return {
        "isAccepted": not refusals,
        "refusals": refusals,
        "title": briefs.make_title(checked, brief),
        "estimatedCost": cost / _MILLIONTHS,
        "estimatedDurationSeconds": round(
            _estimate_seconds(brief) + brand_files.sum_clip_seconds(account["id"])
        ),
        "estimatedCompletionAt": clock.format_time(
            completion_estimates.estimate_after_trigger(
                brief.length, now, checked["partner_id"], lane
            )
        ),
        "warnings": json.loads(screening.warnings) if screening.warnings else [],
    }


def estimate_briefs(
    account: Account, new_briefs: Sequence[Brief], prices: Prices
) -> list[dict[str, Any]]:
    """Return for each brief its title, its cost in all languages in millionths, and its seconds.

    Neither gates nor screening are asked, so that a thousand briefs take no longer than a page may.
    InvalidRequest: an id of a brief is unknown for this account; its fields are the rows.
    """
    estimates: list[dict[str, Any]] = []
    wrong: dict[str, list[str]] = {}
    around = brand_files.sum_clip_seconds(account["id"])
    for number, brief in enumerate(new_briefs, 1):
        try:
            checked, *_ = [
                briefs.check(one, account["id"]) for one in brief.split_by_language(ids.NIL)
            ]
        except InvalidRequest as refused:
            wrong[f"row {number}"] = [
                f"{name}: {text}" for name, texts in refused.all_fields.items() for text in texts
            ]
            continue
        estimates.append(
            {
                "title": briefs.make_title(checked, brief),
                "cost": (
                    checked["price"] + prices.estimate(brief.length, len(brief.caption_languages))
                )
                * len(brief.languages),
                "seconds": round(_estimate_seconds(brief) + around),
            }
        )
    if wrong:
        raise InvalidRequest.from_fields(wrong)
    return estimates


def _find_refusal(check: Any) -> dict[str, Any] | None:
    try:
        check()
    except ServiceError as refused:
        return {
            "error": refused.code,
            "message": refused.message,
            "retryAfterSeconds": refused.retry_after,
        }
    return None


def _estimate_seconds(brief: Brief) -> float:
    language = locales.list_languages().get(brief.language_id, {}).get("code", "")
    return speech_duration.SECONDS_OF_OPENING_AND_CLOSE + speech_duration.estimate_speech_seconds(
        brief.length, language
    )
