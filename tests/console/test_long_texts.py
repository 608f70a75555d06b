"""What is pasted into a form is kept as a whole, however long it is;
one that is too long is refused with a sentence.
"""

import re
from html import unescape
from pathlib import Path

from support.cast import body, text
from support.stage import complete_steps, make
from support.tables import each_of

from svc.console import forms
from svc.domain.lifecycle import briefs
from svc.domain.productions import admin as production_admin

TEMPLATES = sorted(
    path
    for folder in ("console", "public")
    for path in (Path(forms.__file__).parents[1] / folder / "templates").glob("*.html")
)
LONG = "The sea rises. " * 334


def areas(page: str) -> dict[str, tuple[int, str]]:
    """The long fields of a page by name: the most characters that fit, and their text."""
    found = re.findall(r"<textarea([^>]*)>(.*?)</textarea>", page, re.S)
    named = {
        re.search('name="([^"]*)"', head)[1]: (re.search('data-longest="(\\d+)"', head), held)
        for head, held in found
    }
    return {
        name: (int(most[1]) if most else 0, unescape(held)) for name, (most, held) in named.items()
    }


@each_of("path", TEMPLATES)
def test_no_field_cuts_off_what_is_pasted_into_it(path):
    assert "maxlength" not in path.read_text()


def brief(partner, **more) -> dict:
    return {
        "account": partner.seeded["sandboxAccountId"],
        "topic": "Tides",
        **partner.brief(**more),
    }


def test_the_form_of_a_production_keeps_notes_that_are_too_long(owner, partner):
    answer = owner.post("/console/productions/new", brief(partner, metadataMD=LONG))
    fields = areas(text(answer))
    assert answer.status_code == 400 and fields["metadataMD"] == (briefs.METADATA.longest, LONG)
    assert "this text has 5,009" in text(answer)
    assert fields["topic"][0] == briefs.TOPIC.longest


def test_the_form_of_a_template_keeps_notes_that_are_too_long(owner, partner):
    given = {**brief(partner, metadataMD=LONG * 2), "name": "Mine"}
    answer = owner.post("/console/templates/new", given)
    assert answer.status_code == 400 and areas(text(answer))["metadataMD"][1] == LONG * 2
    assert "this text has 10,019" in text(answer)


def test_a_reason_that_is_too_long_is_kept_where_a_production_is_rejected(operator, partner, clock):
    production = body(partner.live().trigger())["productionId"]
    complete_steps(clock, made=[make()])
    answer = operator.post(f"/console/productions/{production}/reject", {"reason": LONG})
    assert answer.status_code == 400
    assert areas(text(answer))["reason"] == (production_admin.LONGEST_REASON, LONG)
    assert re.search(
        r'<details class="confirm" name="confirm" open>\s*<summary class="button danger">Reject',
        text(answer),
    )
