"""The letter of the specification in small things: cursors, dates,
encodings, references, headers.
"""

import base64
import gzip
import json

import pytest
from support import plain_sql
from support.cast import body, refused

from svc.base import clock
from svc.domain import scopes
from svc.store.database import db

UUID = "0190b6a5-7c1e-7d3a-9f7e-3c5b8a1d2e4f"


def cursor_of(partner, path: str) -> str:
    mark = "&" if "?" in path else "?"
    return body(partner.get(f"{path}{mark}limit=1"))["nextCursor"]


def test_languages_and_countries_come_whole_or_page_by_page(partner):
    for path, least in (("/v1/languages", 5), ("/v1/countries", 240)):
        whole = body(partner.get(path))
        assert len(whole["data"]) >= least and (whole["hasMore"], whole["nextCursor"]) == (
            False,
            None,
        )
        seen, page = [], body(partner.get(f"{path}?limit=7"))
        while page["hasMore"]:
            assert len(page["data"]) == 7
            seen += page["data"]
            page = body(partner.get(f"{path}?limit=7&cursor={page['nextCursor']}"))
        assert seen + page["data"] == whole["data"]
        assert len(body(partner.get(f"{path}?cursor={cursor_of(partner, path)}"))["data"]) == min(
            20, len(whole["data"]) - 1
        )
        refused(partner.get(f"{path}?limit=101"), 400, "INVALID_REQUEST")
        refused(partner.get(f"{path}?limit=x"), 400, "INVALID_REQUEST")


def test_a_cursor_of_another_list_or_one_that_was_cut_is_refused(partner):
    productions = [body(partner.trigger())["productionId"] for _ in range(2)]
    mine = f"/v1/accounts/{partner.account}/productions"
    lists = {
        "/v1/languages": None,
        "/v1/countries": None,
        mine: None,
        "/v1/partner/requests": None,
        "/v1/events": None,
    }
    cursors = {path: cursor_of(partner, path) for path in lists}
    assert len(set(cursors.values())) == len(lists)
    for path in [
        *lists,
        "/v1/webhooks",
        "/v1/accounts",
        f"/v1/productions/{productions[0]}/events",
    ]:
        for of, cursor in cursors.items():
            answer = partner.get(f"{path}?cursor={cursor}")
            if of == path:
                assert answer.status_code == 200, path
                for cut in (cursor[:-1], cursor[1:], cursor[: len(cursor) // 2], cursor + "A"):
                    refused(partner.get(f"{path}?cursor={cut}"), 400, "INVALID_REQUEST")
            else:
                refused(answer, 400, "INVALID_REQUEST")


def test_a_cursor_fits_both_paths_of_a_list(person):
    partner = person().live()
    with db.transaction():
        plain_sql.execute(
            "INSERT INTO accounts (id, partner_id, customer_id, name, environment, "
            "default_project_type, created_at)"
            " SELECT ?, partner_id, customer_id, 'B', environment, default_project_type, "
            "created_at FROM accounts WHERE id = ?",
            (UUID, partner.account),
        )
    cursor = cursor_of(partner, "/v1/partner/accounts")
    assert body(partner.get(f"/v1/accounts?cursor={cursor}"))["data"]


def made_up(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).rstrip(b"=").decode()


@pytest.mark.parametrize(
    "cursor",
    [
        "9" * 20_000,
        "A" * 5000,
        made_up("1:" + "9" * 400),
        made_up("9" * 400 + ":x"),
        made_up(f"{2**62}:{10**40}:00000000"),
        "%00",
        made_up("²:x"),
        "-" * 64,
    ],
)
def test_a_cursor_of_absurd_size_is_refused(partner, cursor):
    for path in (
        "/v1/partner/requests",
        "/v1/accounts",
        "/v1/events",
        "/v1/languages",
        "/v1/webhooks",
    ):
        refused(partner.get(f"{path}?cursor={cursor}"), 400, "INVALID_REQUEST")


@pytest.mark.parametrize(
    "identifier", ["9" * 8000, "a" * 5000, "%00", "0" * 36, "1" * 400, "%F0%9F%8C%8A"]
)
def test_an_identifier_of_absurd_size_is_not_found(partner, operator, identifier):
    for path in (
        "/v1/accounts/{}",
        "/v1/productions/{}",
        "/v1/productions/{}/events",
        "/v1/webhooks/{}",
        "/v1/webhooks/{}/deliveries",
    ):
        refused(partner.get(path.format(identifier)), 404, "NOT_FOUND")
    for path in (
        "/console/requests/{}",
        "/console/productions/{}",
        "/console/webhooks/{}",
        "/console/alerts/{}/see",
    ):
        method = operator.post if path.endswith("see") else operator.get
        assert method(path.format(identifier)).status_code == 404, path
    for path in ("/watch/{}", "/files/{}"):
        assert partner.client.get(path.format(identifier)).status_code in (403, 404), path


def test_productions_write_opens_what_productions_trigger_does_though_it_was_stored(partner):
    with db.transaction():
        plain_sql.execute("UPDATE api_keys SET scopes = '[\"productions:write\"]'")
    assert partner.trigger().status_code == 202
    refused(partner.get("/v1/accounts"), 403, "PERMISSION_DENIED")
    assert scopes.normalise(["productions:write", scopes.TRIGGER]) == [scopes.TRIGGER]


def test_from_after_to_is_422_everywhere(partner):
    window = "from=2026-11-21T10:00:00Z&to=2026-11-21T09:59:59Z"
    for path in (f"/v1/accounts/{partner.account}/productions", "/v1/partner/requests"):
        refused(partner.get(f"{path}?{window}"), 422, "INVALID_DATE_FORMAT")


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("20261120T093000Z", "2026-11-20T09:30:00Z"),
        ("20261120T0930Z", "2026-11-20T09:30Z"),
        ("20261120T093000.125+0100", "2026-11-20T09:30:00.125+01:00"),
        ("20261120t093000z", "2026-11-20T09:30:00Z"),
    ],
)
def test_dates_in_the_basic_format_are_read(text, same):
    assert clock.parse(text) == clock.parse(same)


@pytest.mark.parametrize(
    "text",
    [
        "2026-W47-5T09:30:00Z",
        "2026W475T093000Z",
        "2026-324T09:30:00Z",
        "20261120",
        "20261120T09:30:00Z",
        "2026-11-20T0930Z",
        "20261320T093000Z",
        "20261120T250000Z",
        "2026112T093000Z",
    ],
)
def test_weeks_days_of_the_year_and_mixtures_are_no_dates(text):
    with pytest.raises(ValueError):
        clock.parse(text)


@pytest.mark.parametrize(
    "text",
    ["2026-13-01T00:00Z", "2026-02-30T00:00Z", "2026-11-20T24:00Z", "2026-11-20T09:30+99:00"],
)
def test_a_time_that_there_is_not_is_said_in_words_of_ours(text):
    with pytest.raises(ValueError, match="is no day, time or offset that there is"):
        clock.parse(text)


def test_a_packed_body_is_refused_as_such(partner):
    packed = gzip.compress(json.dumps(partner.brief()).encode())
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    path = f"/v1/accounts/{partner.account}/productions"
    answer = partner.post(path, data=packed, headers=headers)
    assert "Content-Encoding" in refused(answer, 415, "UNSUPPORTED_MEDIA_TYPE")["message"]
    assert (
        partner.post(
            path, json=partner.brief(), headers={"Content-Encoding": "identity"}
        ).status_code
        == 202
    )


def test_a_wrong_state_in_a_filter_is_answered_with_a_sentence(partner):
    answer = partner.get(f"/v1/accounts/{partner.account}/productions?status=Lost")
    assert refused(answer, 400, "INVALID_REQUEST")["message"].startswith(
        "status must be one of Queued, Producing"
    )


def test_what_a_key_is_answered_is_kept_by_nobody(partner):
    production = body(partner.trigger())["productionId"]
    for path in (
        "/v1/accounts",
        "/v1/partner/requests",
        f"/v1/productions/{production}/deliverables",
        "/v1/events",
        "/v1/languages",
        "/v1/webhooks/x",
    ):
        assert partner.get(path).headers["Cache-Control"] == "private, no-store", path
    status = partner.get(f"/v1/productions/{production}")
    assert status.headers["Cache-Control"] == "private, no-cache"
    again = partner.get(
        f"/v1/productions/{production}", headers={"If-None-Match": status.headers["ETag"]}
    )
    assert (again.status_code, again.headers["Cache-Control"]) == (304, "private, no-cache")


def test_pages_of_the_console_are_kept_by_nobody(owner):
    for path in ("/console/", "/console/settings/keys", "/console/productions/"):
        assert owner.get(path).headers["Cache-Control"] == "no-store"


def listed(partner, query: str) -> list[str]:
    return [
        each["productionId"]
        for each in body(partner.get(f"/v1/accounts/{partner.account}/productions?{query}"))["data"]
    ]


def test_a_production_carries_the_partners_own_reference(partner, clock):
    first = body(partner.trigger(externalId="order 47/11 é"))
    clock.tick()
    second = body(partner.trigger(externalId="order 47/11 é"))
    other = body(partner.trigger())
    assert (first["externalId"], other["externalId"]) == ("order 47/11 é", None)
    both = [second["productionId"], first["productionId"]]
    assert listed(partner, "externalId=order%2047%2F11%20%C3%A9") == both
    assert listed(partner, "externalId=order%2047%2F11%20%C3%A9&status=Queued&limit=1") == both[:1]
    assert listed(partner, "externalId=order%2047%2F11%20%C3%A9&status=Failed") == []
    assert listed(partner, "externalId=none") == []
    assert (
        body(partner.get(f"/v1/productions/{first['productionId']}"))["externalId"]
        == "order 47/11 é"
    )
    events = body(partner.get("/v1/events"))["data"]
    assert [each["data"].get("externalId") for each in events] == [
        "order 47/11 é",
        "order 47/11 é",
        None,
    ]
    assert "externalId" not in events[2]["data"]


def test_the_reference_belongs_to_what_an_idempotency_key_stands_for(partner):
    once = {"Idempotency-Key": "one"}
    first = body(partner.trigger(headers=once, externalId="a"))
    assert body(partner.trigger(headers=once, externalId="a")) == first
    refused(partner.trigger(headers=once, externalId="b"), 422, "IDEMPOTENCY_KEY_REUSED")
    refused(partner.trigger(headers=once), 422, "IDEMPOTENCY_KEY_REUSED")


@pytest.mark.parametrize("reference", ["", "  ", "x" * 201, 7, "a\u0000b", ["x"]])
def test_a_bad_reference_is_refused_by_name(partner, reference):
    assert (
        "externalId"
        in refused(partner.trigger(externalId=reference), 400, "INVALID_REQUEST")["fields"]
    )


def test_a_body_in_another_encoding_and_a_key_of_other_signs_say_what_would_be_right(partner):
    url, json_type = f"/v1/accounts/{partner.account}/productions", "application/json"
    brief = json.dumps(partner.brief())
    for sent, words in (
        ("\ufeff" + brief, "begins with a byte order mark; send UTF-8 without one"),
        (brief.replace("How", "\xdcber"), "is not in UTF-8, as byte"),
    ):
        raw = sent.encode("utf-8" if sent.startswith("\ufeff") else "latin-1")
        answer = refused(
            partner.post(url, data=raw, content_type=json_type), 400, "INVALID_REQUEST"
        )
        assert words in answer["message"]
    for key in ("", "a b", "x" * 256, "schlüssel"):
        answer = partner.post(url, json=partner.brief(), headers={"Idempotency-Key": key})
        message = refused(answer, 400, "INVALID_REQUEST")["message"]
        assert message.startswith("Idempotency-Key: Must be 1 to 255 letters"), key


def test_what_is_wrong_within_an_entry_of_a_list_is_named_by_its_way(partner):
    account = f"/v1/accounts/{partner.account}"
    brief = partner.brief()
    for way, sent, expected in (
        ("batches", {"items": [brief, {**brief, "topic": 5}]}, {"items[1].topic": "a string"}),
        ("batches", {"items": [brief, 1]}, {"items[1]": "Must be an object."}),
        ("batches", {"items": {}}, {"items": "Must be a list."}),
        (
            "templates",
            {
                "name": "n",
                "brief": brief,
                "variables": [{"name": "a"}, {"name": "b", "choices": 5}],
            },
            {"variables[1].choices": "Must be a list."},
        ),
        ("templates", {"name": "n", "brief": []}, {"brief": "Must be an object."}),
        ("lexicon", {"entries": [{"written": "a", "spoken": 1}]}, {"entries[0].spoken": "string"}),
        (
            "lexicon",
            {"entries": [{"written": "a b", "spoken": "c"}]},
            {"entries[0].spoken": "many"},
        ),
        (
            "lexicon",
            {"entries": [{"written": "-", "spoken": "c"}]},
            {"entries[0].written": "no let"},
        ),
    ):
        act = partner.put if way == "lexicon" else partner.post
        fields = refused(act(f"{account}/{way}", json=sent), 400, "INVALID_REQUEST")["fields"]
        assert fields.keys() == expected.keys(), (way, fields)
        assert all(words in fields[name][0] for name, words in expected.items()), fields


def test_a_text_that_cannot_be_seen_is_no_text(partner, owner):
    account = f"/v1/accounts/{partner.account}"
    for unseen in ("\u200b", " \u2060\ufeff ", "\u3164", "\u00ad\u200f"):
        fields = refused(partner.trigger(topic=unseen), 400, "INVALID_REQUEST")["fields"]
        assert fields == {"topic": ["Must have a character that can be seen."]}
        named = partner.post(
            f"{account}/templates", json={"name": unseen, "brief": partner.brief()}
        )
        assert list(refused(named, 400, "INVALID_REQUEST")["fields"]) == ["name"]
        typed = {**partner.brief(topic=unseen), "account": partner.account}
        page = owner.post("/console/productions/new", typed)
        assert "Give a character that can be seen." in page.get_data(as_text=True)
    for seen in ("\u200bA", "❤️", "نیم‌فاصله"):
        assert partner.trigger(topic=seen).status_code == 202
