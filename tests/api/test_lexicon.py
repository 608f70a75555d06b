"""The pronunciation lexicon of an account, through the API and into the brief."""

import json

import pytest
from support import plain_sql
from support.cast import body, refused

from svc.domain.partners import erase, lexicon
from svc.media.model import Script, load
from svc.media.script import step
from svc.work import brief_builder

SEQUEL = {"written": "SQL", "spoken": "sequel"}


def path(person) -> str:
    return f"/v1/accounts/{person.account}/lexicon"


def test_a_lexicon_is_empty_until_it_is_set(partner):
    assert body(partner.get(path(partner))) == {
        "accountId": partner.account,
        "entries": [],
        "updatedAt": None,
    }


def test_a_lexicon_is_replaced_as_a_whole(partner):
    first = body(
        partner.put(
            path(partner),
            json={"entries": [SEQUEL, {"written": " Kestrel ", "spoken": "kess  trel"}]},
        )
    )
    assert first["entries"] == [SEQUEL, {"written": "Kestrel", "spoken": "kess trel"}]
    assert first["updatedAt"] and body(partner.get(path(partner))) == first
    assert body(partner.put(path(partner), json={"entries": []}))["entries"] == []


def test_a_trigger_is_matched_with_the_lexicon_as_it_is_now(partner):
    for entries in ([], [SEQUEL], [{**SEQUEL, "spoken": "S Q L"}], []):
        partner.put(path(partner), json={"entries": entries})
        assert lexicon.list_pairs(partner.account) == tuple(
            (each["written"], each["spoken"]) for each in entries
        )
        # not read again while nothing changes
        assert lexicon.list_pairs(partner.account) is lexicon.list_pairs(partner.account)


def test_a_production_gets_the_lexicon_of_its_account(partner):
    partner.put(path(partner), json={"entries": [SEQUEL]})
    production = body(partner.trigger())["productionId"]
    assert [
        (entry.written, entry.spoken) for entry in brief_builder.build_brief(production).lexicon
    ] == [("SQL", "sequel")]


def test_an_entry_with_signs_is_spoken_where_a_brief_has_them(partner, tmp_path):
    partner.put(path(partner), json={"entries": [{"written": "(SQL)", "spoken": "the language"}]})
    production = body(partner.trigger(metadataMD="Queries (SQL) are short. SQL is old."))[
        "productionId"
    ]
    step.write_step(brief_builder.build_brief(production), tmp_path, lambda fraction: None)
    [scene] = [
        scene for scene in load(Script, tmp_path / "script.json").scenes if scene.layout == "prose"
    ]
    assert " ".join(scene.words) == "Queries (SQL) are short. SQL is old."
    assert " ".join(scene.spoken) == "Queries the language are short. SQL is old."


def test_two_entries_for_one_word_are_refused(partner):
    found = refused(
        partner.put(path(partner), json={"entries": [SEQUEL, {**SEQUEL, "spoken": "S Q L"}]}),
        422,
        "LEXICON_ENTRY_REPEATED",
    )
    assert "1 and 2" in found["message"] and "SQL" in found["message"]
    assert body(partner.get(path(partner)))["entries"] == []


@pytest.mark.parametrize(
    ("entries", "why"),
    [
        ([{"written": "x" * 65, "spoken": "y"}], "64"),
        ([{"written": "x", "spoken": "y" * 201}], "200"),
        ([{"written": "", "spoken": "y"}], "written"),
        ([{"written": "SQL", "spoken": " "}], "spoken"),
        ([{"written": "S\u0007L", "spoken": "y"}], "control"),
        ([{"written": "→", "spoken": "y"}], "no letter"),
        ([{"written": "New York City", "spoken": "Enwaisee"}], "as many words"),
        ([{"written": "E", "spoken": "energy = mass"}], "equals sign that stands alone"),
        ([{"written": f"w{number}", "spoken": "y"} for number in range(501)], "500"),
        ([{"written": "SQL"}], "spoken"),
        ([{**SEQUEL, "phonemes": "x"}], "phonemes"),
        ("SQL", "entries"),
        (None, "entries"),
    ],
)
def test_an_entry_that_cannot_be_used_is_refused_and_named(partner, entries, why):
    assert why in str(
        refused(partner.put(path(partner), json={"entries": entries}), 400, "INVALID_REQUEST")
    )
    assert body(partner.get(path(partner)))["entries"] == []


def test_a_stranger_neither_reads_nor_changes_a_lexicon(partner, stranger):
    refused(stranger.get(path(partner)), 404, "NOT_FOUND")
    refused(stranger.put(path(partner), json={"entries": [SEQUEL]}), 404, "NOT_FOUND")
    assert body(partner.get(path(partner)))["entries"] == []


def logged() -> list[dict]:
    rows = plain_sql.rows(
        "SELECT before, after FROM audit WHERE action = 'account.lexicon' ORDER BY id"
    )
    return [{name: json.loads(row[name] or "{}") for name in ("before", "after")} for row in rows]


def test_the_audit_log_keeps_the_changed_words_alone(partner):
    kept, renamed, gone = (
        SEQUEL,
        {"written": "Kestrel", "spoken": "kestrel"},
        {"written": "Tern", "spoken": "turn"},
    )
    partner.put(path(partner), json={"entries": [kept, renamed, gone]})
    partner.put(
        path(partner),
        json={
            "entries": [{"written": "Gull", "spoken": "gal"}, kept, {**renamed, "spoken": "kess"}]
        },
    )
    assert logged()[-1] == {
        "before": {"entries": {"Kestrel": "kestrel", "Tern": "turn"}},
        "after": {
            "entries": {"Kestrel": "kess", "Gull": "gal"},
            "added": 1,
            "changed": 1,
            "removed": 1,
        },
    }


def test_a_large_lexicon_takes_little_of_the_audit_log(partner):
    for spoken in ("a" * 88, "b" * 88):
        entries = [{"written": f"w{number}", "spoken": spoken} for number in range(500)]
        assert partner.put(path(partner), json={"entries": entries}).status_code == 200
    first, second = logged()
    assert (first["after"]["added"], second["after"]["changed"]) == (500, 500)
    for each in (second["before"]["entries"], second["after"]["entries"]):
        assert len(each) == 20 and {len(spoken) for spoken in each.values()} == {64}
    assert len(json.dumps(second)) < 4096


def test_a_change_is_in_the_audit_log_and_the_lexicon_is_erased_with_its_partner(partner):
    partner.put(path(partner), json={"entries": [SEQUEL]})
    partner.put(path(partner), json={"entries": [SEQUEL]})  # the same again changes nothing
    assert len(plain_sql.rows("SELECT * FROM audit WHERE action = 'account.lexicon'")) == 1
    assert [
        row["account_id"] for row in erase.export_rows("lexicons", partner.seeded["partnerId"])
    ] == [partner.account]
