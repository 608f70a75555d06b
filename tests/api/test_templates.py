"""Templates: briefs with variables, filled by values that cannot be more than they are meant to be,
alone or by a table.
"""

import pytest
from support import plain_sql
from support.cast import body, refused

from svc.api import guard
from svc.base.text import front_matter
from svc.base.text.markdown import build_brief_reader
from svc.domain.briefing import templates
from svc.domain.usage.model_costs import Prices
from svc.store.database import db

CITY = {"name": "city", "type": "text", "example": "Lisbon"}


def path(person, *more: str) -> str:
    return "/".join((f"/v1/accounts/{person.seeded['sandboxAccountId']}/templates", *more))


def template(person, variables=(CITY,), **brief) -> dict:
    asked = {
        **person.brief(),
        "topic": "A day in {{city}}",
        "metadataMD": "## {{ city }}\n\nGo to {{city}}.",
        **brief,
    }
    given = {"name": "City guide", "brief": asked, "variables": list(variables)}
    return person.post(path(person), json=given)


def preview(person, made: dict, values: dict, **more):
    return person.post(path(person, made["templateId"], "preview"), json={"values": values, **more})


def test_a_template_is_added_listed_replaced_and_deleted(partner):
    answer = template(partner)
    made = body(answer)
    assert answer.status_code == 201 and answer.headers["Location"] == path(
        partner, made["templateId"]
    )
    assert (
        body(partner.get(path(partner)))["data"]
        == [made]
        == [body(partner.get(answer.headers["Location"]))]
    )
    changed = {
        "name": "Another",
        "brief": {**partner.brief(), "topic": "{{place}}"},
        "variables": [{"name": "place"}],
    }
    found = body(partner.put(answer.headers["Location"], json=changed))
    assert (found["name"], found["variables"][0]["name"], found["createdAt"]) == (
        "Another",
        "place",
        made["createdAt"],
    )
    assert partner.delete(answer.headers["Location"]).status_code == 204
    refused(partner.get(answer.headers["Location"]), 404, "NOT_FOUND")
    assert body(partner.get(path(partner)))["data"] == []


def test_values_fill_the_brief_and_trigger_it_once_for_each_key(partner):
    made = body(template(partner))
    shown = body(preview(partner, made, {"city": "Porto"}))
    assert shown["brief"]["topic"] == "A day in Porto" and shown["estimate"]["title"].endswith(
        "A day in Porto"
    )
    assert (
        shown["brief"]["metadataMD"] == "## Porto\n\nGo to Porto."
        and shown["estimate"]["isAccepted"]
    )
    asked = {"values": {"city": "Porto"}, "externalId": "order-1"}
    for replayed in (None, "true"):
        answer = partner.post(
            path(partner, made["templateId"], "productions"),
            json=asked,
            headers={"Idempotency-Key": "t-1"},
        )
        assert answer.status_code == 202 and answer.headers.get("Idempotent-Replayed") == replayed
    assert (body(answer)["topic"], body(answer)["externalId"]) == ("A day in Porto", "order-1")
    assert plain_sql.one("SELECT count(*) FROM productions")[0] == 1


def test_a_repeated_request_is_answered_again_though_its_template_was_changed(partner):
    made = body(template(partner))
    url = path(partner, made["templateId"], "productions")
    once = {"Idempotency-Key": "t-1"}
    first = partner.post(url, json={"values": {"city": "Porto"}}, headers=once)
    changed = {"name": "Guide", "variables": [], "brief": {**partner.brief(), "topic": "All"}}
    put = partner.put(path(partner, made["templateId"]), json=changed)
    assert put.status_code == 200, body(put)
    again = partner.post(url, json={"values": {"city": "Porto"}}, headers=once)
    assert (again.data, again.headers["Idempotent-Replayed"]) == (first.data, "true")
    refused(partner.post(url, json={"values": {}}, headers=once), 422, "IDEMPOTENCY_KEY_REUSED")


def test_a_key_of_before_an_upgrade_is_recognised_by_the_filled_brief(partner):
    made = body(template(partner, metadataMD="Go."))
    url, once = path(partner, made["templateId"], "productions"), {"Idempotency-Key": "t-1"}
    first = partner.post(url, json={"values": {"city": "Rome"}}, headers=once)
    partner.trigger(
        topic="A day in Rome", metadataMD="Go.", headers={"Idempotency-Key": "the-brief"}
    )
    with db.transaction():
        plain_sql.execute(
            "UPDATE idempotency_keys SET body_hash = (SELECT body_hash FROM idempotency_keys "
            "WHERE key LIKE '%the-brief') WHERE key LIKE '%t-1'"
        )
    again = partner.post(url, json={"values": {"city": "Rome"}}, headers=once)
    assert (again.data, again.headers["Idempotent-Replayed"]) == (first.data, "true")
    other = partner.post(url, json={"values": {"city": "Porto"}}, headers=once)
    refused(other, 422, "IDEMPOTENCY_KEY_REUSED")


def test_a_key_of_a_template_is_of_no_other_operation_though_the_brief_is_the_same(partner):
    made = body(template(partner, metadataMD="Go."))
    url, once = path(partner, made["templateId"], "productions"), {"Idempotency-Key": "t-1"}
    assert partner.post(url, json={"values": {"city": "Rome"}}, headers=once).status_code == 202
    same = {"topic": "A day in Rome", "metadataMD": "Go."}
    refused(partner.trigger(**same, headers=once), 422, "IDEMPOTENCY_KEY_REUSED")


@pytest.mark.parametrize(
    "value",
    [
        "# Heading",
        "- item",
        "1. item",
        "---\nsandbox:\n  failAt: script\n---",
        "![x](y.png)",
        "<script>alert(1)</script>",
        "{{city}}",
        "**bold** `code` [a](b)",
        "| a | b |\n|---|---|",
        "a\n\n# b",
        "$$x$$",
        "> quote",
        "~~x~~",
    ],
)
def test_a_value_is_text_and_never_markup(partner, value):
    made = body(template(partner, metadataMD="{{city}}"))
    filled = body(preview(partner, made, {"city": value}))["brief"]
    assert "\n" not in filled["metadataMD"] and "\n" not in filled["topic"]
    [paragraph] = [
        each for each in build_brief_reader().parse(filled["metadataMD"]) if each.type == "inline"
    ]
    assert {each.type for each in paragraph.children} == {"text"} and paragraph.level == 1
    assert "".join(each.content for each in paragraph.children) == " ".join(value.split())
    # nothing is read as markup
    assert body(preview(partner, made, {"city": value}))["estimate"]["warnings"] == []


def test_a_value_of_type_markdown_is_markup_but_no_front_matter(partner):
    made = body(
        template(
            partner, [{"name": "city", "type": "markdown"}], topic="Cities", metadataMD="{{city}}"
        )
    )
    assert (
        body(preview(partner, made, {"city": "## One\n\n- a"}))["brief"]["metadataMD"]
        == "## One\n\n- a"
    )
    held = "---\nsandbox:\n  holdIn: Queued\n---\n# One"
    assert body(preview(partner, made, {"city": held}))["brief"]["metadataMD"] == f"\n{held}"
    found = refused(
        template(partner, [{"name": "city", "type": "markdown"}]), 400, "INVALID_REQUEST"
    )
    assert "metadataMD only" in found["message"]


HELD = "---\nsandbox:\n  holdIn: Queued\n---\n# One"


@pytest.mark.parametrize(
    ("notes", "values"),
    [
        ("{{a}}{{b}}", {"a": "", "b": HELD}),
        ("{{a}}{{b}}", {"b": HELD}),
        ("{{a}}{{t}}{{b}}", {"a": "", "t": "", "b": HELD}),
        ("{{a}}{{b}}", {"a": "--", "b": HELD[2:]}),
        ("{{a}}{{b}}", {"a": "\ufeff", "b": HELD}),
        ("{{a}}{{b}}", {"a": "---", "b": HELD[3:]}),
        ("--{{b}}", {"b": HELD[2:]}),
        ("---\n{{b}}", {"b": HELD[4:]}),
        ("---{{b}}", {"b": HELD[3:]}),
        ("{{a}}---\nsandbox:\n  holdIn: Queued\n---\n{{b}}", {"a": ""}),
        ("---\nsand{{t}}box:\n  holdIn: Queued\n- - -{{b}}", {"b": "\n---\n# One"}),
    ],
)
def test_no_value_and_no_missing_one_brings_front_matter_to_the_top(partner, notes, values):
    kinds = {"a": "markdown", "b": "markdown", "t": "text"}
    variables = [{"name": name, "type": kind, "required": False} for name, kind in kinds.items()]
    made = body(template(partner, variables, topic="Cities", metadataMD=notes))
    filled = body(preview(partner, made, values))["brief"]["metadataMD"]
    assert front_matter.split_front_matter(filled)[0] is None
    answer = partner.post(path(partner, made["templateId"], "productions"), json={"values": values})
    assert answer.status_code == 202 and body(answer)["status"] == "Queued"


@pytest.mark.parametrize("value", ["x\nsandbox", "x\n---\n# One", "---", "\n"])
def test_a_value_within_front_matter_stays_one_line_of_it(partner, value):
    variables = [{"name": "a", "type": "markdown", "required": False}]
    made = body(
        template(
            partner,
            variables,
            topic="Cities",
            metadataMD="---\ntitle: {{a}}\nsandbox: {}\n---\n# {{a}}",
        )
    )
    filled = body(preview(partner, made, {"a": value}))["brief"]["metadataMD"]
    title, more = front_matter.split_front_matter(filled)[0].split("\n")
    assert title.startswith("title: ") and more == "sandbox: {}"


@pytest.mark.parametrize("value", ["x\nsandbox:\n  holdIn: Queued", "{a: b}"])
def test_a_value_that_makes_front_matter_invalid_is_refused_and_changes_no_scenario(partner, value):
    variables = [{"name": "a", "type": "markdown", "required": False}]
    made = body(
        template(
            partner,
            variables,
            topic="Cities",
            metadataMD="---\ntitle: {{a}}\nsandbox: {}\n---\n# {{a}}",
        )
    )
    assert (
        "not valid YAML"
        in refused(preview(partner, made, {"a": value}), 400, "INVALID_REQUEST")["message"]
    )


def test_a_value_that_would_end_the_front_matter_of_its_template_is_refused(partner):
    variables = [{"name": "a", "type": "text", "required": False}]
    made = body(
        template(
            partner,
            variables,
            topic="Cities",
            metadataMD="---\nsandbox: {}\n{{a}}---\nb: 2\n---\n# One",
        )
    )
    assert (
        "ends earlier"
        in refused(preview(partner, made, {"a": ""}), 400, "INVALID_REQUEST")["message"]
    )


@pytest.mark.parametrize(
    ("variable", "good", "bad"),
    [
        (
            {"type": "number"},
            ["12", "-3.5", "1e3", "+.5", "5.", " 7 "],
            ["twelve", "NaN", "Infinity", "１", "1" * 50, "1_000"],
        ),
        (
            {"type": "date"},
            ["2026-11-20"],
            ["2026-02-30", "20.11.2026", "2026-11-20T00:00", "2026-W47-5"],
        ),
        ({"type": "choice", "choices": ["Köln"]}, ["Köln", "Ko\u0308ln"], ["Koln"]),
        ({"type": "choice", "choices": ["red", "blue"]}, ["red"], ["green", "Red"]),
        ({"type": "text"}, ["Lisbon"], ["\u0000", "x" * 4097]),
    ],
)
def test_a_value_fits_its_variable_or_is_refused(partner, variable, good, bad):
    made = body(template(partner, [{"name": "city", **variable}]))
    for value in good:
        assert preview(partner, made, {"city": value}).status_code == 200
    for value in bad:
        found = refused(preview(partner, made, {"city": value}), 400, "INVALID_REQUEST")
        assert any(name.startswith("values") for name in found["fields"])


def test_missing_unknown_and_default_values(partner):
    variables = [CITY, {"name": "tone", "default": "calm"}, {"name": "extra", "required": False}]
    made = body(template(partner, variables, metadataMD="{{tone}}|{{extra}}|{{city}}"))
    assert body(preview(partner, made, {"city": "X"}))["brief"]["metadataMD"] == "calm||X"
    found = refused(preview(partner, made, {"town": "X"}), 400, "INVALID_REQUEST")
    assert set(found["fields"]) == {"values.town", "values.city"}


@pytest.mark.parametrize(
    ("variables", "field"),
    [
        ([], "topic"),
        ([CITY, CITY], "variables[1]"),
        ([CITY, {"name": "9x"}], "variables[1]"),
        ([CITY, {"name": "c", "type": "choice"}], "variables[1]"),
        ([CITY, {"name": "c", "choices": ["a"]}], "variables[1]"),
        ([CITY, {"name": "n", "type": "number", "default": "many"}], "variables[1]"),
    ],
)
def test_a_template_that_could_not_be_filled_is_refused(partner, variables, field):
    found = refused(template(partner, variables), 400, "INVALID_REQUEST")
    assert any(name.startswith(field.partition("[")[0]) for name in found["fields"])
    assert body(partner.get(path(partner)))["data"] == []


def test_the_filled_brief_passes_the_checks_of_every_brief(partner):
    made = body(template(partner, topic="{{city}}"))
    assert (
        "topic"
        in refused(preview(partner, made, {"city": "x" * 501}), 400, "INVALID_REQUEST")["fields"]
    )
    assert (
        "avatarId"
        in refused(
            preview(partner, made, {"city": "X"}, avatarId=partner.seeded["partnerId"]),
            400,
            "INVALID_REQUEST",
        )["fields"]
    )


def test_a_table_becomes_a_batch(partner):
    made = body(template(partner))
    table = '\ufeffcity,externalId\r\nLisbon,order-1\r\n"Porto, north",order-2\r\n\r\n'
    answer = partner.post(
        path(partner, made["templateId"], "batches"),
        json={"csv": table},
        headers={"Idempotency-Key": "c"},
    )
    batch = body(answer)
    assert (answer.status_code, batch["counts"]["queued"]) == (202, 2)
    listed = body(partner.get(f"/v1/batches/{batch['batchId']}/items"))["data"]
    topics = [
        body(partner.get(f"/v1/productions/{each['productionId']}"))["topic"] for each in listed
    ]
    assert (
        topics == ["A day in Lisbon", "A day in Porto, north"]
        and listed[1]["externalId"] == "order-2"
    )


def test_a_repeated_table_is_answered_again_though_its_template_was_changed(partner):
    made = body(template(partner))
    url, once = path(partner, made["templateId"], "batches"), {"Idempotency-Key": "c"}
    first = partner.post(url, json={"csv": "city\nLisbon\n"}, headers=once)
    changed = {"name": "Guide", "variables": [], "brief": {**partner.brief(), "topic": "All"}}
    put = partner.put(path(partner, made["templateId"]), json=changed)
    assert put.status_code == 200, body(put)
    again = partner.post(url, json={"csv": "city\nLisbon\n"}, headers=once)
    assert again.headers["Idempotent-Replayed"] == "true"
    assert body(again)["batchId"] == body(first)["batchId"]
    other = {"csv": "externalId\norder-1\n"}
    refused(partner.post(url, json=other, headers=once), 422, "IDEMPOTENCY_KEY_REUSED")
    assert plain_sql.one("SELECT count(*) FROM productions")[0] == 1


def test_a_table_of_before_an_upgrade_is_recognised_by_its_briefs(partner):
    made = body(template(partner))
    url, once = path(partner, made["templateId"], "batches"), {"Idempotency-Key": "c"}
    first = partner.post(url, json={"csv": "city\nLisbon\n"}, headers=once)
    with db.transaction():
        plain_sql.execute("UPDATE batches SET digest = substr(digest, 33)")
    again = partner.post(url, json={"csv": "city\nLisbon\n"}, headers=once)
    assert again.headers["Idempotent-Replayed"] == "true"
    assert body(again)["batchId"] == body(first)["batchId"]
    other = {"csv": "city\nPorto\n"}
    refused(partner.post(url, json=other, headers=once), 422, "IDEMPOTENCY_KEY_REUSED")


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("city\n", "first line names the columns"),
        ("city,city\na,b\n", "name of its own"),
        ("city\na,b\n", "row 1: It has 2 cells"),
        ("town\nLisbon\n", "values.city"),
        ("city,languageId\nLisbon,xx\n", "languageId"),
        ("city\n" + "x\n" * 1001, "at most 1,000 rows"),
        (
            'city\nLisbon\n"Porto\nFaro\n',
            "From row 2 on this is not a table in CSV: unexpected end of data",
        ),
        ('city\n"Big" Lisbon\n', "From row 1 on "),
    ],
)
def test_a_table_that_does_not_fit_triggers_nothing(partner, table, said):
    made = body(template(partner))
    found = refused(
        partner.post(path(partner, made["templateId"], "batches"), json={"csv": table}),
        400,
        "INVALID_REQUEST",
    )
    assert said in found["message"] and plain_sql.one("SELECT count(*) FROM productions")[0] == 0
    assert all(name == "csv" or name.startswith("row ") for name in found["fields"])


def test_another_partners_template_is_nowhere(partner, stranger):
    made = body(template(partner))
    for where in (path(partner, made["templateId"]), path(stranger, made["templateId"])):
        refused(stranger.get(where), 404, "NOT_FOUND")
        refused(stranger.put(where, json={"name": "x", "brief": partner.brief()}), 404, "NOT_FOUND")
        refused(stranger.delete(where), 404, "NOT_FOUND")
        refused(
            stranger.post(f"{where}/productions", json={"values": {"city": "X"}}), 404, "NOT_FOUND"
        )
    assert body(partner.get(path(partner)))["data"] == [made]


def test_an_account_has_a_hundred_templates_at_most(partner, monkeypatch):
    monkeypatch.setattr("svc.domain.briefing.templates.MOST", 1)
    assert template(partner).status_code == 201
    refused(template(partner), 409, "TEMPLATE_LIMIT_REACHED")


@pytest.mark.parametrize(
    ("field", "longest"),
    [("topic", 500), ("subjectOverride", 200), ("externalId", 200), ("metadataMD", 4096)],
)
def test_a_text_without_variables_is_no_longer_than_what_is_triggered(partner, field, longest):
    found = refused(template(partner, **{field: "x" * (longest + 1)}), 400, "INVALID_REQUEST")
    assert f"Without variables it may have {longest:,} characters" in found["fields"][field][0]


@pytest.mark.parametrize("field", ["topic", "subjectOverride", "externalId"])
def test_an_empty_text_is_none(partner, field):
    refused(template(partner, **{field: "  "}), 400, "INVALID_REQUEST")


def test_a_script_that_there_is_no_room_for_is_refused_before_the_template_is_filled(
    partner, monkeypatch
):
    made = body(template(partner))
    monkeypatch.setattr(templates, "fill", lambda *_: pytest.fail("it was filled"))
    with guard.refuse_parallel(("preview", partner.seeded["partnerId"]), "busy"):
        answer = preview(partner, made, {"city": "Porto"}, withScript=True)
    refused(answer, 429, "RATE_LIMIT_EXCEEDED")


@pytest.mark.slow
def test_a_preview_returns_the_script_if_it_is_asked_for(partner, monkeypatch):
    # a process starts, on the busiest machine
    monkeypatch.setattr("svc.work.avatar_previews._SCRIPT_SECONDS", 110)
    made = body(template(partner))
    plain = body(preview(partner, made, {"city": "Porto"}))
    assert plain["script"] is None
    scenes = body(preview(partner, made, {"city": "Porto"}, withScript=True))["script"]
    said = " ".join(
        f"{each['heading']} {each['narration']} {' '.join(each['points'])}" for each in scenes
    )
    assert "Porto" in said and [each["sceneId"] for each in scenes] == list(
        range(1, len(scenes) + 1)
    )
    assert all(each["estimatedSeconds"] > 0 for each in scenes)
    assert plain_sql.one("SELECT count(*) FROM productions")[0] == 0
    with guard.refuse_parallel(("preview", partner.seeded["partnerId"]), "busy"):
        refused(
            preview(partner, made, {"city": "Porto"}, withScript=True), 429, "RATE_LIMIT_EXCEEDED"
        )
    monkeypatch.setattr(Prices, "from_settings", lambda settings: Prices(has_script_model=True))
    assert body(preview(partner, made, {"city": "Porto"}, withScript=True))["script"] is None


@pytest.mark.parametrize("blank", ["", " ", "\n\u3000", "\u200b"])
def test_a_required_value_of_white_space_alone_is_missing(partner, blank):
    made = body(template(partner))
    answer = partner.post(
        path(partner, made["templateId"], "productions"), json={"values": {"city": blank}}
    )
    assert refused(answer, 400, "INVALID_REQUEST")["fields"] == {
        "values.city": ["This value is required."]
    }
