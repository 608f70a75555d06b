"""One brief in several languages: a production for each, briefs that people translate,
and their way back.
"""

import json
import re

import pytest
from lxml import etree
from support import plain_sql
from support.cast import body, refused
from support.stage import claim, complete_cancels, complete_steps

from svc.base import ids
from svc.domain.access import idempotency
from svc.domain.lifecycle import endings, title_words
from svc.domain.people import identity
from svc.domain.people.users import Viewer
from svc.domain.productions import admin as production_admin
from svc.domain.productions import expiry_events, productions
from svc.domain.translation import segments
from svc.domain.usage.model_costs import Prices
from svc.store.database import db

EN, ES, FR, AR = (ids.derive_id("language", code) for code in ("en", "es", "fr", "ar"))
NOTES = (
    "## The moon pulls\n\nThe sea rises.\n\n- Twice a day\n\n| Place | Metres |\n|---|---|\n"
    "| Fundy | 16 |\n"
)
SPANISH = {
    "topic-1": "Cómo funcionan las mareas",
    "metadataMD-1": "La luna atrae",
    "metadataMD-2": "El mar sube.",
    "metadataMD-3": "Dos veces al día",
    "metadataMD-4": "| Lugar | Metros |",
    "metadataMD-5": "| Fundy | 16 |",
}
CORE = "{urn:oasis:names:tc:xliff:document:2.0}"


def trigger(partner, *languages, **more):
    return partner.trigger(
        topic="How tides work", metadataMD=NOTES, languageIds=list(languages), **more
    )


def group(partner, production: dict) -> dict[str, dict]:
    """Return the productions of a group by their language."""
    url = f"/v1/accounts/{production['accountId']}/productions?groupId={production['groupId']}"
    return {each["languageId"]: each for each in body(partner.get(url))["data"]}


def send(partner, production_id: str, targets: dict[str, str]):
    given = [{"segmentId": name, "target": text} for name, text in targets.items()]
    return partner.put(f"/v1/productions/{production_id}/translation", json={"segments": given})


@pytest.fixture
def spanish(partner) -> dict:
    """A production that awaits its translation."""
    return group(partner, body(trigger(partner, ES)))[ES]


def test_a_translation_is_warned_of_by_its_own_notes(partner):
    """The notes of the first language are the topic again; those of the translation are not,
    or the other way round.
    """
    for notes, translated, codes in (
        ("How tides work", "Otra cosa", []),
        ("Another thing", "Las mareas", ["NOTES_EMPTY"]),
    ):
        first = body(
            partner.trigger(topic="How tides work", metadataMD=f"# {notes}", languageIds=[ES])
        )
        made = group(partner, first)[ES]
        own = ["NOTES_EMPTY"] if notes == "How tides work" else []
        assert (
            [each["code"] for each in first["warnings"]]
            == [each["code"] for each in made["warnings"]]
            == own
        )
        received = send(
            partner, made["productionId"], {"topic-1": "Las mareas", "metadataMD-1": translated}
        )
        assert received.status_code == 200
        after = body(partner.get(f"/v1/productions/{made['productionId']}"))
        assert [each["code"] for each in after["warnings"]] == codes


def test_each_language_gets_a_production_of_one_group(partner):
    first = body(trigger(partner, ES, FR, externalId="order-1"))
    found = group(partner, first)
    assert (
        set(found) == {EN, ES, FR}
        and first["languageId"] == EN
        and first["productionId"] == found[EN]["productionId"]
    )
    assert {each["groupId"] for each in found.values()} == {first["groupId"]} and first[
        "groupId"
    ] is not None
    assert {each["externalId"] for each in found.values()} == {"order-1"}
    assert [found[each]["holdReason"] for each in (EN, ES, FR)] == [
        None,
        "Translation",
        "Translation",
    ]
    assert {each["status"] for each in found.values()} == {"Queued"}


def test_a_brief_in_one_language_has_no_group(partner):
    assert body(partner.trigger())["groupId"] is None
    assert body(partner.trigger(languageIds=[]))["groupId"] is None


def test_the_language_of_the_brief_is_not_made_twice(partner):
    assert set(group(partner, body(trigger(partner, EN, ES)))) == {EN, ES}


def test_all_languages_are_triggered_or_none(partner):
    with db.transaction():
        plain_sql.execute("UPDATE accounts SET concurrency_ceiling = 2")
    refused(trigger(partner, ES, FR), 409, "CONCURRENCY_LIMIT_REACHED")
    for table in ("productions", "translations", "ledger", "events", "production_days"):
        assert plain_sql.one(f"SELECT count(*) FROM {table}")[0] == 0
    assert trigger(partner, ES).status_code == 202


@pytest.mark.parametrize(
    ("languages", "field", "words"),
    [
        ([ids.NIL], "languageIds", "GET /v1/languages"),
        ([ES, ES], "languageIds", "once"),
        (["es"], "languageIds", "UUID"),
        ("es", "languageIds", "list"),
        ([FR] * 51, "languageIds", "50"),
    ],
)
def test_languages_that_are_not_valid_are_named(partner, languages, field, words):
    answer = refused(partner.trigger(languageIds=languages), 400, "INVALID_REQUEST")
    assert words in " ".join(answer["fields"][field])


def test_an_avatar_that_does_not_speak_a_language_is_named_with_it(partner):
    with db.transaction():
        plain_sql.execute("UPDATE avatars SET language_ids = ?", (json.dumps([EN, ES]),))
    assert "speak fr" in refused(trigger(partner, ES, FR), 400, "INVALID_REQUEST")["message"]
    assert trigger(partner, ES).status_code == 202


def test_a_repeated_trigger_gets_the_same_group(partner):
    headers = {"Idempotency-Key": "g-1"}
    first = partner.trigger(languageIds=[ES], headers=headers)
    again = partner.trigger(languageIds=[ES], headers=headers)
    assert again.data == first.data and again.headers["Idempotent-Replayed"] == "true"
    assert plain_sql.one("SELECT count(*) FROM productions")[0] == 2
    refused(partner.trigger(languageIds=[FR], headers=headers), 422, "IDEMPOTENCY_KEY_REUSED")


def test_a_production_that_awaits_its_translation_is_not_made(spanish, partner, clock):
    english = claim(clock)
    assert english is not None and english.production_id != spanish["productionId"]
    assert claim(clock) is None
    assert spanish["estimatedCompletionAt"] is None


def test_what_is_to_be_translated_is_shown_in_segments(spanish, partner):
    found = body(partner.get(f"/v1/productions/{spanish['productionId']}/translation"))
    assert (found["status"], found["sourceLanguage"], found["targetLanguage"]) == (
        "Awaited",
        "en",
        "es",
    )
    assert [(each["segmentId"], each["source"]) for each in found["segments"]] == [
        ("topic-1", "How tides work"),
        ("metadataMD-1", "The moon pulls"),
        ("metadataMD-2", "The sea rises."),
        ("metadataMD-3", "Twice a day"),
        ("metadataMD-4", "| Place | Metres |"),
        ("metadataMD-5", "| Fundy | 16 |"),
    ]
    assert {each["target"] for each in found["segments"]} == {None}


def test_the_translated_production_begins_with_the_translated_texts(spanish, partner, clock):
    received = body(send(partner, spanish["productionId"], SPANISH))
    assert received["status"] == "Done" and received["segments"][0]["target"] == SPANISH["topic-1"]
    found = body(partner.get(f"/v1/productions/{spanish['productionId']}"))
    assert (found["holdReason"], found["topic"], found["title"]) == (
        None,
        SPANISH["topic-1"],
        SPANISH["topic-1"],
    )
    assert found["metadataMD"] == (
        "## La luna atrae\n\nEl mar sube.\n\n- Dos veces al día\n\n| Lugar | Metros |\n|---|---|\n"
        "| Fundy | 16 |\n"
    )
    partner.delete(f"/v1/productions/{group(partner, spanish)[EN]['productionId']}")
    assert claim(clock).production_id == spanish["productionId"]


def test_a_translated_title_is_found_by_its_words(spanish, partner, clock):
    title_words.index_titles(clock())
    send(partner, spanish["productionId"], SPANISH)
    url = f"/v1/accounts/{spanish['accountId']}/productions?q="
    assert [each["productionId"] for each in body(partner.get(f"{url}mareas"))["data"]] == [
        spanish["productionId"]
    ]
    assert [each["languageId"] for each in body(partner.get(f"{url}tides"))["data"]] == [EN]


def test_an_xliff_file_goes_out_and_comes_back(spanish, partner):
    url = f"/v1/productions/{spanish['productionId']}/translation"
    root = etree.fromstring(body(partner.get(url))["xliff"].encode())
    assert (root.get("srcLang"), root.get("trgLang"), root.get("version")) == ("en", "es", "2.0")
    whole = "".join(root.find(f".//{CORE}unit[@id='metadataMD']").itertext())
    assert whole == NOTES  # the file shows all of the text
    for segment in root.iter(f"{CORE}segment"):
        target = etree.SubElement(segment, f"{CORE}target")
        target.text = SPANISH[segment.get("id")][:3]
        code = etree.SubElement(target, f"{CORE}mrk", id="m1")
        code.text = SPANISH[segment.get("id")][3:]
    received = body(partner.put(url, json={"xliff": etree.tostring(root).decode()}))
    assert {each["segmentId"]: each["target"] for each in received["segments"]} == SPANISH
    again = etree.fromstring(received["xliff"].encode())
    assert [each.get("state") for each in again.iter(f"{CORE}segment")] == ["translated"] * len(
        SPANISH
    )


BOMB = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
FILE = (
    '<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="{}" '
    'trgLang="es"><file id="{}"/></xliff>'
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("no file", "not XML"),
        ("<xliff version='1.2'/>", "not XLIFF 2"),
        ("<x/>", "not XLIFF 2"),
        (FILE.format("de", "f"), "from de to es"),
        (FILE.format("en", "f-other"), "another production"),
        (BOMB + FILE.format("en", "&b;"), "document type"),
        ('<!DOCTYPE x SYSTEM "file:///etc/passwd">' + FILE.format("en", "f"), "document type"),
    ],
)
def test_a_file_that_is_none_of_this_production_is_refused(spanish, partner, text, words):
    answer = refused(
        partner.put(f"/v1/productions/{spanish['productionId']}/translation", json={"xliff": text}),
        400,
        "INVALID_REQUEST",
    )
    assert words in answer["fields"]["xliff"][0]


@pytest.mark.parametrize(
    ("change", "field", "words"),
    [
        ({"metadataMD-3": None}, "metadataMD-3", "missing"),
        ({"metadataMD-3": " \n"}, "metadataMD-3", "missing"),
        ({"topic-2": "x"}, "topic-2", "no such segment"),
        ({"topic-1": "x" * 501}, "topic", "501 characters"),
        ({"metadataMD-2": "x" * 4090}, "metadataMD", "at most 4,096"),
    ],
)
def test_a_translation_that_is_not_whole_changes_nothing(spanish, partner, change, field, words):
    targets = {name: text for name, text in {**SPANISH, **change}.items() if text is not None}
    answer = refused(send(partner, spanish["productionId"], targets), 400, "INVALID_REQUEST")
    assert words in answer["fields"][field][0]
    assert (
        body(partner.get(f"/v1/productions/{spanish['productionId']}"))["holdReason"]
        == "Translation"
    )


def test_either_segments_or_a_file_is_sent_and_each_segment_once(spanish, partner):
    url = f"/v1/productions/{spanish['productionId']}/translation"
    one = {"segmentId": "topic-1", "target": "x"}
    for given in (
        {},
        {"segments": [one], "xliff": "<x/>"},
        {"segments": [one, one]},
        {"segments": []},
    ):
        refused(partner.put(url, json=given), 400, "INVALID_REQUEST")


def test_the_same_translation_may_be_sent_again_but_no_other(spanish, partner):
    first = send(partner, spanish["productionId"], SPANISH)
    assert send(partner, spanish["productionId"], SPANISH).data == first.data
    other = {**SPANISH, "topic-1": "Las mareas"}
    sent = refused(send(partner, spanish["productionId"], other), 409, "TRANSLATION_NOT_AWAITED")
    assert sent["message"] == "The brief was translated already, with other words."


def test_a_translation_passes_the_sensitivity_rules(spanish, partner, clock):
    with db.transaction():
        row = ("r", "operator", None, "mareas", clock())
        plain_sql.execute("INSERT INTO sensitivity_rules VALUES (?, ?, ?, ?, ?, 0)", row)
    refused(send(partner, spanish["productionId"], SPANISH), 409, "SENSITIVITY_RULE_SUPPRESSED")
    assert (
        body(partner.get(f"/v1/productions/{spanish['productionId']}"))["topic"] == "How tides work"
    )


def test_a_cancelled_production_takes_no_translation(spanish, partner, clock):
    url = f"/v1/productions/{spanish['productionId']}"
    partner.delete(url)
    sent = refused(send(partner, spanish["productionId"], SPANISH), 409, "TRANSLATION_NOT_AWAITED")
    assert sent["message"].startswith("The production is")
    for end in (lambda: None, lambda: complete_cancels(clock)):  # while it is cancelled, and after
        end()
        assert body(partner.get(f"{url}/translation"))["status"] == "Ended"
        assert body(partner.get(url))["holdReason"] is None


def test_an_expired_production_awaits_no_translation(spanish, partner, clock):
    clock.tick(73 * 3_600_000)
    assert endings.expire_unreleased(clock()) > 0
    found = body(partner.get(f"/v1/productions/{spanish['productionId']}/translation"))
    assert (found["status"], found["translatedAt"]) == ("Ended", None)


def test_a_translation_stays_done_when_its_production_ends(spanish, partner, clock):
    send(partner, spanish["productionId"], SPANISH)
    partner.delete(f"/v1/productions/{spanish['productionId']}")
    complete_cancels(clock)
    found = body(partner.get(f"/v1/productions/{spanish['productionId']}/translation"))
    assert found["status"] == "Done"


def test_a_translation_that_expires_soon_is_told_of_once(spanish, partner, clock):
    expires_at = plain_sql.one("SELECT expires_at FROM productions")["expires_at"]
    quarter = 15 * 60 * 1000  # of the only hour that productions have here
    assert expiry_events.record_events(expires_at - quarter - 1, 1) == 0
    assert expiry_events.record_events(expires_at - quarter, 1) == 1
    assert expiry_events.record_events(expires_at - 1, 1) == 0
    listed = body(partner.get(f"/v1/productions/{spanish['productionId']}/events"))["data"]
    assert listed[-1]["eventType"] == "production.expiring"
    assert listed[-1]["sequenceNumber"] == 1_000_000_001
    data = listed[-1]["data"]
    assert (data["status"], data["holdReason"]) == ("Queued", "Translation")


def test_a_translation_that_nobody_makes_expires(spanish, partner, clock):
    clock.tick(73 * 3600)
    endings.expire_unreleased(clock())
    found = body(partner.get(f"/v1/productions/{spanish['productionId']}"))
    assert (found["status"], found["holdReason"]) == ("Failed", None)


def test_a_translated_script_is_reviewed_like_any_other(partner, clock):
    first = body(trigger(partner, ES, review="script"))
    spanish = group(partner, first)[ES]
    send(partner, spanish["productionId"], SPANISH)
    row = plain_sql.one("SELECT review FROM productions WHERE id = ?", (spanish["productionId"],))
    assert row["review"] == "Requested"


def test_a_scenario_that_holds_a_production_in_the_queue_holds_it_after_its_translation(
    partner, clock
):
    held = "---\nsandbox:\n  holdIn: Queued\n---\nThe sea."
    found = group(partner, body(partner.trigger(metadataMD=held, languageIds=[ES])))[ES]
    shown = body(partner.get(f"/v1/productions/{found['productionId']}/translation"))
    # a scenario is not translated
    assert [each["source"] for each in shown["segments"]][1:] == ["The sea."]
    send(
        partner, found["productionId"], {each["segmentId"]: "El mar." for each in shown["segments"]}
    )
    assert claim(clock) is None


def test_a_model_is_named_only_where_there_is_one(partner):
    answer = refused(trigger(partner, ES, translation="model"), 400, "INVALID_REQUEST")
    assert "No model" in answer["fields"]["translation"][0]


def test_a_model_writes_each_language_unless_people_translate(partner, monkeypatch):
    monkeypatch.setattr(Prices, "from_settings", lambda settings: Prices(has_script_model=True))
    for more, expected in (
        ({}, None),
        ({"translation": "model"}, None),
        ({"translation": "people"}, "Translation"),
    ):
        found = group(partner, body(trigger(partner, ES, **more)))
        assert (found[EN]["holdReason"], found[ES]["holdReason"]) == (None, expected)


def test_a_retried_production_awaits_its_translation_again_or_keeps_it(spanish, partner, clock):
    partner.delete(f"/v1/productions/{spanish['productionId']}")
    complete_cancels(clock)
    viewer = Viewer(None, "us", "us", identity.OPERATOR, None)
    again = production_admin.retry(viewer, spanish["productionId"], clock(), "c-1", Prices())
    assert body(partner.get(f"/v1/productions/{again}"))["holdReason"] == "Translation"
    assert send(partner, again, SPANISH).status_code == 200
    production_admin.cancel(viewer, again, clock())
    complete_cancels(clock)
    third = body(
        partner.get(
            f"/v1/productions/{production_admin.retry(viewer, again, clock(), 'c-2', Prices())}"
        )
    )
    assert (third["holdReason"], third["topic"], third["groupId"]) == (
        None,
        SPANISH["topic-1"],
        spanish["groupId"],
    )


def test_nobody_reads_or_sends_a_translation_of_another_partner(spanish, partner, stranger):
    url = f"/v1/productions/{spanish['productionId']}/translation"
    refused(stranger.get(url), 404, "NOT_FOUND")
    refused(send(stranger, spanish["productionId"], SPANISH), 404, "NOT_FOUND")
    foreign = (
        f"/v1/accounts/{stranger.seeded['sandboxAccountId']}/productions"
        f"?groupId={spanish['groupId']}"
    )
    assert body(stranger.get(foreign))["data"] == []


def test_a_production_that_is_not_translated_has_none(partner):
    production = body(partner.trigger())["productionId"]
    refused(partner.get(f"/v1/productions/{production}/translation"), 404, "NOT_FOUND")
    sent = refused(send(partner, production, SPANISH), 409, "TRANSLATION_NOT_AWAITED")
    assert sent["message"].startswith("People do not translate the brief of this production")


def test_an_estimate_counts_every_language(partner):
    url = f"/v1/accounts/{partner.seeded['sandboxAccountId']}/productions/estimate"
    one = body(partner.post(url, json=partner.brief()))
    three = body(partner.post(url, json=partner.brief(languageIds=[ES, FR])))
    assert three["estimatedCost"] == pytest.approx(3 * one["estimatedCost"]) and three["isAccepted"]
    with db.transaction():
        plain_sql.execute("UPDATE accounts SET concurrency_ceiling = 2")
    refusals = body(partner.post(url, json=partner.brief(languageIds=[ES, FR])))["refusals"]
    assert [each["error"] for each in refusals] == ["CONCURRENCY_LIMIT_REACHED"]
    assert body(partner.post(url, json=partner.brief(languageIds=[ES])))["isAccepted"]


def test_a_batch_counts_each_language_of_its_items(partner):
    items = [partner.brief(topic="One", languageIds=[ES, FR]), partner.brief(topic="Two")]
    url = f"/v1/accounts/{partner.seeded['sandboxAccountId']}/batches"
    batch = body(partner.post(url, json={"items": items, "mode": "atomic"}))
    assert (batch["size"], batch["counts"]["queued"]) == (4, 4)
    listed = body(partner.get(f"/v1/batches/{batch['batchId']}/items"))["data"]
    found = [body(partner.get(f"/v1/productions/{each['productionId']}")) for each in listed]
    assert [each["languageId"] for each in found] == [EN, ES, FR, EN]
    assert len({each["groupId"] for each in found}) == 2 and found[3]["groupId"] is None
    refused(
        partner.post(url, json={"items": [partner.brief(languageIds=[ES])] * 501}),
        400,
        "INVALID_REQUEST",
    )


def test_an_interrupted_batch_goes_on_with_the_same_groups(partner, monkeypatch):
    items = [partner.brief(topic="One", languageIds=[ES, FR])]
    url, headers = (
        f"/v1/accounts/{partner.seeded['sandboxAccountId']}/batches",
        {"Idempotency-Key": "b-1"},
    )
    real, calls = productions.trigger, []

    def once(*args, **kwargs):
        calls.append(args)
        if len(calls) == 2:
            raise RuntimeError("killed")
        return real(*args, **kwargs)

    monkeypatch.setattr(productions, "trigger", once)
    assert partner.post(url, json={"items": items}, headers=headers).status_code == 500
    monkeypatch.setattr(productions, "trigger", real)
    idempotency._answering.clear()
    batch = body(partner.post(url, json={"items": items}, headers=headers))
    assert batch["counts"]["queued"] == 3
    assert plain_sql.one("SELECT count(DISTINCT group_id) FROM productions")[0] == 1


def test_a_template_and_a_table_name_further_languages(partner):
    account = partner.seeded["sandboxAccountId"]
    brief = partner.brief(topic="A day in {{city}}", languageIds=[ES])
    template = body(
        partner.post(
            f"/v1/accounts/{account}/templates",
            json={
                "name": "City",
                "brief": brief,
                "variables": [{"name": "city", "example": "Lisbon"}],
            },
        )
    )
    url = f"/v1/accounts/{account}/templates/{template['templateId']}"
    first = body(partner.post(f"{url}/productions", json={"values": {"city": "Lisbon"}}))
    assert set(group(partner, first)) == {EN, ES}
    table = f"city,languageIds\nPorto,{FR} {AR}\nFaro,\n"
    batch = body(partner.post(f"{url}/batches", json={"csv": table}))
    assert batch["size"] == 5  # the row with languages has them in place of the template's
    wrong = refused(
        partner.post(f"{url}/batches", json={"csv": "city,languageIds\nPorto,es\n"}),
        400,
        "INVALID_REQUEST",
    )
    assert "UUID" in wrong["fields"]["row 1"][0]


NOTES_OF_ALL_KINDS = [
    "", "One line", "Two\nlines", "a\r\n\r\nb\r\n", "```py\nx = 1\n\n# no heading\n```\nafter",
    "~~~\nopen fence\n- x",
    "1. one\n2. two\n   more\n", "> > deep\n", "Term\n: Definition\n", "[^1]: A note.\n\nText[^1].",
    "- [x] Done\n- [ ] Not\n", "| a |\n|---|\n| b |",
    "***\n\n---\n", "# \n\n#no heading", "a\x85b c", "    indented code\n",
    "---\nkey: value\n---\n# T\n",
]  # fmt: skip


@pytest.mark.parametrize("notes", NOTES_OF_ALL_KINDS)
def test_nothing_of_a_text_is_lost_between_its_segments(notes):
    texts = {"topic": "T", "subjectOverride": None, "metadataMD": notes}
    pieces = segments.split(texts)
    assert "".join(piece.text for piece in pieces if piece.field == "metadataMD") == notes
    assert segments.join(texts, {piece.name: piece.text for piece in pieces if piece.name}) == texts
    translated = [piece.text for piece in pieces if piece.name]
    assert all(re.search(r"[^\W\d_]", text) for text in translated) and "x = 1" not in " ".join(
        translated
    )


def test_a_production_of_a_group_is_made_and_stays_in_it(spanish, partner, clock):
    complete_steps(clock)
    found = group(partner, spanish)
    assert (found[EN]["status"], found[ES]["status"]) == ("AwaitingApproval", "Queued")


def test_a_segment_that_cannot_be_seen_is_not_translated(spanish, partner):
    answer = send(partner, spanish["productionId"], {**SPANISH, "topic-1": "\u200b"})
    assert list(refused(answer, 400, "INVALID_REQUEST")["fields"]) == ["topic-1"]
