"""What a production is made with is settled by its first step:
settings that are changed meanwhile are for later ones.
"""

import dataclasses
import json

import pytest
from support import plain_sql
from support.cast import body

from svc.base import clock as wall_clock
from svc.domain.lifecycle import endings, settled_briefs
from svc.domain.lifecycle.lifecycle import Cause
from svc.store.database import db
from svc.work import brief_builder
from svc.work.engine import Engine
from tests.work.test_finished_files import until

ACCOUNT = {
    "name": "Other",
    "accent": "#112233",
    "second_colour": "#445566",
    "theme": "light",
    "caption_style": "plain",
    "full_text": 1,
    "music": "calm",
    "lower_third": 1,
    "logo_style": "watermark",
}
AVATAR = {
    "name": "Zebulon",
    "appearance": json.dumps({"voice": "m3", "skin": "#000000"}),
    "moving": 0,
}


def change(**columns: dict) -> None:
    """Change all rows of tables."""
    with db.transaction():
        for table, values in columns.items():
            for name, value in values.items():
                plain_sql.execute(f"UPDATE {table} SET {name} = ?", (value,))


def test_what_is_changed_later_is_for_later_productions(partner):
    first, second = (body(partner.trigger())["productionId"] for _ in range(2))
    as_triggered = brief_builder.build_brief(first)
    made_with = brief_builder.settle_brief(first)
    assert made_with == as_triggered
    change(accounts=ACCOUNT, avatars=AVATAR)
    with db.transaction():
        entries = json.dumps([["SQL", "sequel"]])
        plain_sql.execute(
            "INSERT INTO lexicons (account_id, entries, updated_at) VALUES (?, ?, 0)",
            (partner.account, entries),
        )
    assert brief_builder.build_brief(first) == brief_builder.settle_brief(first) == made_with
    of_now = brief_builder.build_brief(second)
    names = {field.name for field in dataclasses.fields(of_now)} - {"production_id"}
    other = {name for name in names if getattr(of_now, name) != getattr(made_with, name)}
    assert other == set(brief_builder._SETTLED) - {
        "renditions",
        "look",
        "logo",
        "uploads",
        "caption_languages",
    }


def test_its_shapes_stay_when_a_platform_goes(partner):
    production = body(partner.trigger())["productionId"]
    made_with = brief_builder.settle_brief(production)
    with db.transaction():
        plain_sql.execute("DELETE FROM publications WHERE platform = 'watchVertical'")
    assert (
        brief_builder.build_brief(production).renditions == made_with.renditions
        and len(made_with.renditions) == 2
    )


def test_a_production_that_has_ended_keeps_no_settings(partner, clock):
    production = body(partner.trigger())["productionId"]
    brief_builder.settle_brief(production)
    assert "Ada" in settled_briefs.find_settings(production)
    endings.fail_production(production, Cause.EXPIRED, "EXPIRED", "It ended.", clock())
    assert settled_briefs.find_settings(production) is None


def test_settings_of_another_release_are_read_as_far_as_they_are_known(partner):
    production = body(partner.trigger())["productionId"]
    settled_briefs.settle_settings(production, json.dumps({"theme": "light", "taste": "sweet"}))
    assert dataclasses.replace(brief_builder.build_brief(production), theme="dark").theme == "dark"
    assert brief_builder.build_brief(production).theme == "light"


@pytest.mark.slow
@pytest.mark.parametrize("clock", [wall_clock.now], ids=["now"])
def test_settings_that_are_changed_between_two_steps_fail_no_production(app, partner):
    service, changed = app.extensions["svc"], []
    production = body(
        partner.trigger(metadataMD="Tea rests on three things.\n\n- The leaf\n- The water")
    )["productionId"]
    engine = Engine(service.settings, service.storage, service.ring)
    engine.start()
    try:

        def ended() -> str:
            row = plain_sql.row(
                "SELECT steps_complete, status, error_message FROM productions WHERE id = ?",
                (production,),
            )
            if row["steps_complete"] > len(changed):
                changed.append(row["steps_complete"])
                change(
                    avatars={"name": f"Zoe {len(changed)}"},
                    accounts={
                        "lower_third": len(changed) % 2,
                        "theme": ("light", "dark")[len(changed) % 2],
                        "caption_style": ("plain", "highlight")[len(changed) % 2],
                    },
                )
            return row["status"] if row["status"] not in ("Queued", "Producing") else ""

        status = until(ended, 240)
    finally:
        engine.stop()
    assert status != "Failed", plain_sql.row("SELECT error_message FROM productions")[0]
    assert len(changed) >= 5
