"""Sensitivity rules at every door read what will be spoken: figures in words,
and the words of the account's lexicon.
"""

import pytest
from support import plain_sql
from support.cast import body, refused
from support.scripts import scene, write_script

from svc.base import ids
from svc.base.text import read_aloud
from svc.store.database import db

ES = ids.derive_id("language", "es")
SUPPRESSED = (409, "SENSITIVITY_RULE_SUPPRESSED")


def forbid(phrase: str, is_pattern: int = 0) -> None:
    with db.transaction():
        plain_sql.execute(
            "INSERT INTO sensitivity_rules VALUES (?, 'operator', NULL, ?, ?, 0)",
            (phrase, phrase, is_pattern),
        )


def pronounce(partner, written: str, spoken: str) -> None:
    entries = {"entries": [{"written": written, "spoken": spoken}]}
    assert partner.put(f"/v1/accounts/{partner.account}/lexicon", json=entries).status_code == 200


@pytest.mark.parametrize(
    ("phrase", "said"),
    [
        ("sixty-nine", {"topic": "The 69 of us"}),
        ("sixty nine boats", {"metadataMD": "There were **69** boats."}),
        ("nine eleven", {"topic": "What happened on 9/11"}),
        ("eighteen doors", {"metadataMD": "- It has\\n- 18 doors"}),
        ("five dollars", {"metadataMD": "| Price |\\n|---|\\n| $5 |"}),
        ("for example boats", {"topic": "Vessels, e.g. boats"}),
        ("69", {"topic": "The sixty-nine of us"}),
        ("9/11", {"metadataMD": "It was nine eleven."}),
    ],
)
def test_a_phrase_is_found_in_what_is_spoken(partner, phrase, said):
    said = {name: text.replace("\\n", "\n") for name, text in said.items()}
    assert partner.trigger(**said).status_code == 202
    forbid(phrase)
    refused(partner.trigger(**said), *SUPPRESSED)
    assert partner.trigger().status_code == 202


def test_a_pattern_is_found_in_what_is_spoken(partner):
    forbid(r"\bsixty\W+nine\b", 1)
    refused(partner.trigger(metadataMD="There were 69."), *SUPPRESSED)
    assert partner.trigger(metadataMD="There were 68.").status_code == 202


def test_a_figure_is_read_in_the_language_of_the_brief(partner):
    forbid("sesenta y nueve")
    assert partner.trigger(topic="Only 69").status_code == 202
    refused(partner.trigger(topic="Solo 69", languageId=ES), *SUPPRESSED)
    # one that is refused refuses all
    refused(partner.trigger(topic="Only 69", languageIds=[ES]), *SUPPRESSED)


def test_the_lexicon_of_the_account_is_read(partner):
    brief = {"topic": "Our Kestrel, and Kestrel-based boats"}
    forbid("unholy grail")
    assert partner.trigger(**brief).status_code == 202
    pronounce(partner, "Kestrel", "unholy grail")
    refused(partner.trigger(**brief), *SUPPRESSED)
    assert partner.live().trigger(**brief).status_code == 202  # another account, which has none
    pronounce(partner, "Kestrel", "a small hawk")
    assert partner.trigger(**brief).status_code == 202


def test_a_lexicon_that_changes_while_a_brief_is_screened_is_read_again(partner, monkeypatch):
    from svc.domain.lifecycle import gates

    forbid("unholy grail")
    screen = gates.screen_each_language

    def then_change(account, each):
        screened = screen(account, each)
        monkeypatch.setattr(gates, "screen_each_language", screen)
        pronounce(partner, "Kestrel", "unholy grail")
        return screened

    monkeypatch.setattr(gates, "screen_each_language", then_change)
    refused(partner.trigger(topic="Our Kestrel"), *SUPPRESSED)


@pytest.mark.parametrize(
    "said", ["There were 69 of us.", "Our Kestrel.", "ᴜɴʜᴏʟʏ ɢʀᴀɪʟ", "liarg ylohnu"]
)
def test_every_door_reads_the_same(partner, clock, said):
    """Trigger, estimate, batch, template, translation and the review of a script."""
    url, batches = f"/v1/accounts/{partner.account}", {}
    written = body(partner.trigger(review="script"))["productionId"]
    write_script(clock, scene(1))
    translated = body(partner.trigger(languageIds=[ES], translation="people"))["groupId"]
    forbid("sixty-nine")
    forbid("sesenta y nueve")
    forbid("unholy grail")
    pronounce(partner, "Kestrel", "unholy grail")
    brief = partner.brief(metadataMD=said)

    refused(partner.trigger(metadataMD=said), *SUPPRESSED)
    estimate = body(partner.post(f"{url}/productions/estimate", json=brief))
    assert "SENSITIVITY_RULE_SUPPRESSED" in [each["error"] for each in estimate["refusals"]]
    for mode in ("each", "atomic"):
        batches[mode] = partner.post(f"{url}/batches", json={"items": [brief], "mode": mode})
    [item] = body(partner.get(f"/v1/batches/{body(batches['each'])['batchId']}/items"))["data"]
    assert item["refusal"]["error"] == "SENSITIVITY_RULE_SUPPRESSED"
    assert batches["atomic"].status_code in (409, 422)
    variables = [{"name": "text", "type": "text", "example": "x"}]
    asked = {"name": "T", "brief": partner.brief(metadataMD="{{text}}"), "variables": variables}
    template = body(partner.post(f"{url}/templates", json=asked))["templateId"]
    refused(
        partner.post(f"{url}/templates/{template}/productions", json={"values": {"text": said}}),
        *SUPPRESSED,
    )

    change = {"version": 1, "scenes": [{"sceneId": 1, "narration": said}]}
    refused(partner.put(f"/v1/productions/{written}/script", json=change), *SUPPRESSED)

    found = body(partner.get(f"{url}/productions?groupId={translated}"))["data"]
    spanish = next(each["productionId"] for each in found if each["languageId"] == ES)
    segments = body(partner.get(f"/v1/productions/{spanish}/translation"))["segments"]
    targets = [{"segmentId": each["segmentId"], "target": said} for each in segments]
    refused(
        partner.put(f"/v1/productions/{spanish}/translation", json={"segments": targets}),
        *SUPPRESSED,
    )


def test_only_lines_that_are_read_otherwise_are_read_and_each_of_them_once(app, partner):
    forbid("unholy grail")
    read = []
    reader = read_aloud._providers[0]
    read_aloud.set_reader(lambda line, *more: read.append(line) or reader(line, *more))
    notes = "Plain words.\n\nThere were 7 boats.\n\nMore plain words (of no figure)."
    for topic in ("A first one", "A second one"):
        assert partner.trigger(topic=topic, metadataMD=notes).status_code == 202
    assert read == ["There were 7 boats."]


def test_money_is_read_in_the_country_of_the_brief(partner):
    forbid("cincuenta pesos")
    brief = {"topic": "Ahorre $50", "languageId": ids.derive_id("language", "es-419")}
    ecuador, mexico = (ids.derive_id("country", code) for code in ("EC", "MX"))
    assert partner.trigger(**brief, countryId=ecuador).status_code == 202
    refused(partner.trigger(**brief, countryId=mexico), *SUPPRESSED)
