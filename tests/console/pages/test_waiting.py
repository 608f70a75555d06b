"""What waits for a person is told from what is being worked on, wherever productions are shown,
and leads to the decision.
"""

import re

import pytest
from support import plain_sql
from support.cast import body, text
from support.scripts import scene, write_script
from support.stage import complete_steps, make

from svc.base import ids
from svc.domain.briefing import batches
from svc.domain.usage.model_costs import Prices
from svc.store.database import db

WORDS = {
    "script": "Awaiting script approval",
    "translation": "Awaiting translation",
    "release": "Awaiting release",
}


@pytest.fixture
def waiting(partner, clock) -> dict[str, str]:
    """A production that waits for each kind of decision."""
    script = body(partner.trigger(topic="Script", review="script"))["productionId"]
    write_script(clock, scene(1))
    release = body(partner.live().trigger(topic="Release"))["productionId"]
    complete_steps(clock, made=[make()])
    partner.trigger(topic="Translation", languageIds=[ids.derive_id("language", "es")])
    translation = plain_sql.one("SELECT production_id FROM translations")[0]
    return {"script": script, "release": release, "translation": translation}


@pytest.mark.parametrize("kind", WORDS)
def test_the_list_has_a_badge_of_its_own_for_each_decision_and_the_language(
    operator, waiting, kind
):
    page = text(operator.get("/console/productions/?status=Waiting"))
    row = next(each for each in page.split("<tr>") if kind.capitalize() in each and "<td" in each)
    assert f'<span class="badge warn">{WORDS[kind]}</span>' in row
    assert f'title="{"Spanish" if kind == "translation" else "English"}"' in row
    assert " %" not in row  # of nothing that somebody works on


def test_home_says_how_many_wait_for_whom_and_leads_to_each_decision(
    operator, owner, member, waiting
):
    for browser, heading, number in (
        (operator, "Waiting for you", 3),
        (owner, "Waiting for you", 2),
        (member, "a person", 2),
    ):
        page = text(browser.get("/console/"))
        card = page[page.index(f"{heading}</span>") :]
        assert re.search(r'class="value[^"]*">(\d+)<', card)[1] == str(number)
        assert f"/console/productions/{waiting['script']}/script" in page and "/translation" in page
        assert ("/release" in page) == (browser is operator)


def test_a_productions_page_and_the_search_have_the_same_badge(owner, waiting):
    assert WORDS["script"] in text(owner.get(f"/console/productions/{waiting['script']}"))
    assert WORDS["script"] in text(owner.get("/console/find/?q=Script"))


def test_one_that_is_being_cancelled_waits_for_nobody(owner, partner, waiting):
    assert owner.post(f"/console/productions/{waiting['script']}/cancel").status_code == 303
    assert waiting["script"] not in text(owner.get("/console/productions/?status=AwaitingScript"))
    assert waiting["script"] in text(owner.get("/console/productions/?status=Producing"))


def test_no_page_promises_the_files_of_one_that_is_being_cancelled(owner, operator, partner, clock):
    finished = body(partner.live().trigger())["productionId"]
    complete_steps(clock, made=[make()])
    made = body(partner.live().trigger())["productionId"]
    with db.transaction():
        plain_sql.execute(
            "UPDATE productions SET status = 'Producing', estimated_at = ? WHERE id = ?",
            (clock() + 60_000, made),
        )
    for production, promises in ((finished, "waiting for the operator"), (made, " left")):
        here = f"/console/productions/{production}"
        assert promises in text(owner.get(here))
        partner.live().delete(f"/v1/productions/{production}")
        page = text(owner.get(here))
        assert "is being cancelled" in page and promises not in page
    for person in (owner, operator):
        home = text(person.get("/console/"))
        assert home.count("being cancelled") == 2 and " left" not in home
        assert ">Release<" not in home and "the operator releases it" not in home


def test_the_items_of_a_batch_have_the_same_badges(owner, partner, clock):
    rows = [partner.brief(topic="Script", review="script")]
    answer = body(partner.post(f"/v1/accounts/{partner.account}/batches", json={"items": rows}))
    write_script(clock, scene(1))
    page = text(owner.get(f"/console/batches/{answer['batchId']}"))
    assert WORDS["script"] in page and 'title="English"' in page


def test_the_rows_of_a_batch_without_a_production_name_their_topics(owner, partner, clock):
    with db.transaction():
        plain_sql.execute("UPDATE accounts SET concurrency_ceiling = 1")
    nobody = partner.seeded["partnerId"]
    rows = [
        partner.brief(topic="Tides"),
        partner.brief(topic="Refused <1>", avatarId=nobody),
        partner.brief(topic="Waits"),
    ]
    batch = body(partner.post(f"/v1/accounts/{partner.account}/batches", json={"items": rows}))
    here = f"/console/batches/{batch['batchId']}"
    page = text(owner.get(here))
    assert '<span dir="auto">Refused &lt;1&gt;</span>' in page
    assert '<span dir="auto">Waits</span><span class="sub">Waits until' in page
    owner.post(f"{here}/cancel")
    assert '<span dir="auto">Waits</span><span class="sub">Cancelled while' in text(owner.get(here))
    with db.transaction():
        plain_sql.execute("UPDATE batch_items SET topic = NULL")  # as those of earlier releases
    assert '<span class="quiet">Row 2</span>' in text(owner.get(here))


def test_the_topic_of_a_row_is_kept_only_while_it_has_no_production(partner, clock):
    with db.transaction():
        plain_sql.execute("UPDATE accounts SET concurrency_ceiling = 1")
    rows = [partner.brief(topic="Tides"), partner.brief(topic="Waits")]
    partner.post(f"/v1/accounts/{partner.account}/batches", json={"items": rows})
    asked = "SELECT topic FROM batch_items ORDER BY position"
    assert [row["topic"] for row in plain_sql.rows(asked)] == [None, "Waits"]
    with db.transaction():
        plain_sql.execute("UPDATE productions SET status = 'Cancelled'")
    batches.trigger_waiting(clock(), 72, Prices())
    assert [row["topic"] for row in plain_sql.rows(asked)] == [None, None]


@pytest.mark.parametrize(
    ("topic", "shown"),
    [
        ("Tides \u202egnp.exe", "Tides gnp.exe"),
        ("\U0001f30a \u05d2\u05d0\u05d5\u05ea", "\U0001f30a \u05d2\u05d0\u05d5\u05ea"),
        (
            "{{ 7 * 7 }}<script>alert(1)</script>",
            "{{ 7 * 7 }}&lt;script&gt;alert(1)&lt;/script&gt;",
        ),
        ("=cmd|' /C calc'!A0", "=cmd|&#39; /C calc&#39;!A0"),
        ("x" * 500, f"{'x' * 99}…"),
    ],
)
def test_a_topic_of_any_kind_is_shown_as_text_where_its_brief_was_refused(
    owner, partner, topic, shown
):
    row = partner.brief(topic=topic, avatarId=partner.seeded["partnerId"])
    batch = body(partner.post(f"/v1/accounts/{partner.account}/batches", json={"items": [row]}))
    page = owner.get(f"/console/batches/{batch['batchId']}").text
    assert f'<span dir="auto">{shown}</span>' in page
