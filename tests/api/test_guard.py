"""The order and the exactness of what every authenticated request passes."""

import json
import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from support import plain_sql
from support.cast import Person, body, refused

from app import create_app
from svc.api import guard
from svc.base import ids
from svc.base.crypto import signing
from svc.domain.monitoring import maintenance
from svc.domain.usage import recorder
from svc.store.database import db


def test_every_response_carries_a_correlation_id(partner):
    assert partner.get("/v1/languages").headers["X-Correlation-Id"]
    assert partner.get("/nowhere").headers["X-Correlation-Id"]


def test_a_well_formed_correlation_id_of_the_client_is_kept(partner):
    kept = partner.get("/v1/languages", headers={"X-Correlation-Id": "trace-1.a_B"})
    assert kept.headers["X-Correlation-Id"] == "trace-1.a_B"


@pytest.mark.parametrize("bad", ["", "a b", "x" * 65, "ünï", "a/b"])
def test_another_correlation_id_is_replaced(partner, bad):
    made = partner.get(
        "/v1/languages", headers={"X-Correlation-Id": bad.encode("utf-8").decode("latin-1")}
    )
    assert made.headers["X-Correlation-Id"] not in ("", bad)


def test_a_key_in_the_path_or_as_correlation_id_is_kept_nowhere(partner, caplog):
    key = partner.seeded["liveKey"]
    answers = [
        partner.get(f"/v1/productions/{key}", key=key),
        partner.get("/v1/languages", key=key, headers={"X-Correlation-Id": key}),
        partner.trigger(headers={"X-Correlation-Id": key}),
    ]
    assert [answer.status_code for answer in answers] == [404, 200, 202]
    history = partner.get("/v1/partner/requests", key=key).get_data(as_text=True)
    events = partner.get("/v1/events").get_data(as_text=True)
    assert f"/v1/productions/{key[:13]}…" in history and "production.queued" in events
    headers = [str(answer.headers) for answer in answers]
    assert [text for text in (history, events, *headers, caplog.text) if key in text] == []


def test_a_missing_key_is_refused(partner):
    refused(partner.client.get("/v1/languages"), 401, "UNAUTHORIZED")


@pytest.mark.parametrize(
    "key",
    [
        "x",
        "svc_live_short",
        "svc_live_" + "a" * 43,
        "svc_test_" + "a" * 43,
        "svc_other_" + "a" * 43,
        "svc_live_" + "é" * 43,
    ],
)
def test_a_malformed_or_unknown_key_is_refused(partner, key):
    refused(
        partner.get("/v1/languages", key=key.encode("utf-8").decode("latin-1")), 401, "UNAUTHORIZED"
    )


def test_a_revoked_key_is_refused(partner, clock):
    with db.transaction():
        plain_sql.execute(
            "UPDATE api_keys SET revoked_at = ? WHERE environment = 'test'", (clock(),)
        )
    refused(partner.get("/v1/languages"), 401, "UNAUTHORIZED")


def test_a_key_is_hashed_once_and_checked_again_when_the_body_has_arrived(partner, monkeypatch):
    hashed, size = [], guard._read_size
    really = signing.hash_key

    def revoked_meanwhile(*args):
        with db.transaction():
            plain_sql.execute("UPDATE api_keys SET revoked_at = 1 WHERE environment = 'test'")
        return size(*args)

    monkeypatch.setattr(signing, "hash_key", lambda key: hashed.append(key) or really(key))
    assert partner.get("/v1/languages").status_code == 200 and len(hashed) == 1
    monkeypatch.setattr(guard, "_read_size", revoked_meanwhile)
    refused(partner.trigger(), 401, "UNAUTHORIZED")


def test_an_inactive_partner_is_refused_and_not_counted(app, partner):
    with db.transaction():
        plain_sql.execute("UPDATE partners SET status = 'Suspended'")
    refused(partner.get("/v1/languages"), 403, "PARTNER_NOT_ACTIVE")
    app.extensions["svc"].recorder.flush()
    assert plain_sql.row("SELECT count(*) FROM requests WHERE counted = 1")[0] == 0
    assert plain_sql.row("SELECT count(*) FROM requests")[0] == 1


def test_a_missing_scope_is_refused(partner):
    with db.transaction():
        plain_sql.execute("UPDATE api_keys SET scopes = '[\"accounts:read\"]'")
    assert partner.get("/v1/accounts").status_code == 200
    for refusal in (
        partner.trigger(),
        partner.get(f"/v1/accounts/{partner.account}/productions"),
        partner.get("/v1/webhooks"),
        partner.delete("/v1/productions/01a1fbac-ef50-74c2-b311-b33070bc76b9"),
    ):
        refused(refusal, 403, "PERMISSION_DENIED")


def test_rate_headers_count_down(person):
    free = person("Free")
    seen = [free.get("/v1/languages").headers for _ in range(3)]
    assert [h["X-RateLimit-Limit"] for h in seen] == ["10"] * 3
    assert [h["X-RateLimit-Remaining"] for h in seen] == ["9", "8", "7"]
    assert {h["X-RateLimit-Reset"] for h in seen} == {str(1_795_262_460)}


def test_the_minute_rolls_by_the_second(person, clock):
    free = person("Free")
    for _ in range(10):
        assert free.get("/v1/languages").status_code == 200
        clock.tick(1)
    refusal = free.get("/v1/languages")
    assert refused(refusal, 429, "RATE_LIMIT_EXCEEDED")["retryAfterSeconds"] == 50
    assert refusal.headers["Retry-After"] == "50"
    assert refusal.headers["X-RateLimit-Remaining"] == "0"
    clock.tick(49.999)
    assert refused(free.get("/v1/languages"), 429, "RATE_LIMIT_EXCEEDED")["retryAfterSeconds"] == 1
    clock.tick(0.001)
    assert free.get("/v1/languages").status_code == 200
    refused(free.get("/v1/languages"), 429, "RATE_LIMIT_EXCEEDED")


def test_a_refused_request_does_not_lengthen_the_wait(person, clock):
    free = person("Free")
    for _ in range(15):
        free.get("/v1/languages")
    clock.tick(60)
    assert free.get("/v1/languages").headers["X-RateLimit-Remaining"] == "9"


def test_the_day_is_counted_to_midnight_utc(person, clock):
    free = person("Free")
    for _ in range(10):
        for _ in range(10):
            assert free.get("/v1/languages").status_code == 200
        clock.tick(60)
    until_midnight = 12 * 3600 - 600
    refusal = free.get("/v1/languages")
    assert refused(refusal, 429, "RATE_LIMIT_EXCEEDED")["retryAfterSeconds"] == until_midnight
    assert refusal.headers["X-RateLimit-Remaining"] == "0"  # though the minute has room
    assert int(refusal.headers["X-RateLimit-Reset"]) == clock() // 1000 + until_midnight
    clock.tick(until_midnight - 0.001)
    assert refused(free.get("/v1/languages"), 429, "RATE_LIMIT_EXCEEDED")["retryAfterSeconds"] == 1
    clock.tick(0.001)  # nothing runs at midnight: the new day has a counter of its own
    assert free.get("/v1/languages").status_code == 200


def _restart(app, clock):
    """Another application on the same data, as another process would make it."""
    app.extensions["svc"].recorder.stop()
    db.close()
    again = create_app(app.extensions["svc"].settings, clock)
    app.extensions["svc"] = again.extensions["svc"]  # which the fixture stops at the end
    return again


def test_the_budget_survives_a_restart(person, app, clock):
    free = person("Free")
    for _ in range(10):
        free.get("/v1/languages")
    again = _restart(app, clock)
    refused(
        Person(again.test_client(), free.seeded, free.key).get("/v1/languages"),
        429,
        "RATE_LIMIT_EXCEEDED",
    )


def _die(*_):
    raise OSError("killed")


def test_the_budget_and_the_history_survive_a_kill(person, app, clock, monkeypatch):
    free = person("Free")
    for _ in range(10):
        free.get("/v1/languages", headers={"X-Correlation-Id": "before"})
    monkeypatch.setattr(recorder, "_write_batch", _die)
    with pytest.raises(OSError):  # as if it had been killed
        app.extensions["svc"].recorder.stop()
    monkeypatch.undo()
    again = _restart(app, clock)
    assert (
        plain_sql.row(
            "SELECT count(*) FROM requests WHERE counted = 1 AND correlation_id = 'before'"
        )[0]
        == 10
    )
    refused(
        Person(again.test_client(), free.seeded, free.key).get("/v1/languages"),
        429,
        "RATE_LIMIT_EXCEEDED",
    )


def test_the_daily_budget_survives_a_clock_that_is_set_back_over_midnight(person, app, clock):
    clock.tick(11.5 * 3600)
    free = person("Free")
    for _ in range(100):
        assert free.get("/v1/languages").status_code == 200
        clock.tick(7)
    app.extensions["svc"].recorder.flush()
    clock.tick(3600)
    assert free.get("/v1/languages").status_code == 200
    clock.tick(-3600)
    refused(free.get("/v1/languages"), 429, "RATE_LIMIT_EXCEEDED")


def test_a_clock_that_is_set_back_locks_nobody_out(person, clock):
    free = person("Free")
    for _ in range(10):
        free.get("/v1/languages")
    clock.tick(-3600)
    assert refused(free.get("/v1/languages"), 429, "RATE_LIMIT_EXCEEDED")["retryAfterSeconds"] == 60
    clock.tick(60)
    assert free.get("/v1/languages").status_code == 200


def test_fifty_threads_on_the_last_three_requests_get_three_answers(person, app):
    free = person("Free")
    for _ in range(7):
        free.get("/v1/languages")

    def ask(_):
        answer = Person(app.test_client(), free.seeded, free.key).get("/v1/languages").status_code
        return answer

    with ThreadPoolExecutor(50) as pool:
        answers = list(pool.map(ask, range(50)))
    assert (answers.count(200), answers.count(429)) == (3, 47)


def test_both_keys_of_a_partner_share_one_budget(person):
    free = person("Free")
    for _ in range(5):
        free.get("/v1/languages")
        free.live().get("/v1/languages")
    refused(free.get("/v1/languages"), 429, "RATE_LIMIT_EXCEEDED")


def test_maintenance_answers_503_before_the_key_is_looked_at(partner):
    maintenance.set_maintenance(True)
    refusal = partner.client.get("/v1/languages")
    assert refused(refusal, 503, "SERVICE_UNAVAILABLE")["retryAfterSeconds"] == 60
    assert refusal.headers["Retry-After"] == "60"
    maintenance.set_maintenance(False)
    assert partner.get("/v1/languages").status_code == 200


def test_a_large_body_is_refused_before_the_key(partner):
    refused(
        partner.client.post(f"/v1/accounts/{partner.account}/productions", data=b"x" * 65537),
        413,
        "PAYLOAD_TOO_LARGE",
    )


def test_unknown_paths_and_methods_are_refused_in_the_envelope(partner):
    refused(partner.get("/v1/nothing"), 404, "NOT_FOUND")
    refusal = partner.post("/v1/languages")
    refused(refusal, 405, "METHOD_NOT_ALLOWED")
    assert "GET" in refusal.headers["Allow"]


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ("?=1", "'': Unknown field."),
        ("?%20=1", "' ': Unknown field."),
        ("?%00=1", "'\\x00': Unknown field."),
        ("?x=1", "x: Unknown field."),
        ("?=1&=2", "'' was sent more than once."),
    ],
)
def test_a_name_that_cannot_be_seen_is_quoted(partner, sent, said):
    assert refused(partner.get(f"/v1/events{sent}"), 400, "INVALID_REQUEST")["message"] == said


def test_a_field_without_a_name_is_quoted(partner):
    answer = partner.post("/v1/webhooks", json={"": 1, "endpointUrl": "https://a.example"})
    assert "'': Unknown field." in refused(answer, 400, "INVALID_REQUEST")["message"]


def test_an_unknown_query_parameter_is_named(partner):
    found = refused(partner.get("/v1/languages?colour=red"), 400, "INVALID_REQUEST")
    assert "colour" in found["message"] and "colour" in found["fields"]
    found = refused(partner.get("/v1/accounts?colour=red"), 400, "INVALID_REQUEST")
    assert "colour" in found["message"]


@pytest.mark.parametrize(
    "query",
    [
        "limit=0",
        "limit=101",
        "limit=x",
        "limit=1.0",
        "limit=",
        "cursor=!",
        "cursor=MTI",
        "limit=1&limit=2",
    ],
)
def test_a_bad_page_is_refused(partner, query):
    refused(partner.get(f"/v1/accounts?{query}"), 400, "INVALID_REQUEST")


def test_ten_failed_authentications_in_a_minute_raise_one_alert(partner, clock):
    for _ in range(25):
        partner.get("/v1/languages", key="svc_live_" + "a" * 43)
        clock.tick(1)
    alerts = plain_sql.rows("SELECT * FROM alerts WHERE name = 'AuthenticationFailureBurst'")
    assert [row["subject_id"] for row in alerts] == ["127.0.0.1"]


def test_nine_failed_authentications_in_a_minute_raise_none_and_a_second_burst_raises_another(
    partner, clock
):
    for _ in range(9):
        partner.get("/v1/languages", key="svc_live_" + "a" * 43)
    clock.tick(60)
    assert not plain_sql.rows("SELECT * FROM alerts")
    for _ in range(2):
        for _ in range(10):
            refused(partner.get("/v1/languages", key="svc_live_" + "a" * 43), 401, "UNAUTHORIZED")
        clock.tick(61)
    assert plain_sql.row("SELECT count(*) FROM alerts")[0] == 2


def test_the_history_holds_every_request_with_its_answer(partner):
    partner.get("/v1/languages", headers={"X-Correlation-Id": "one"})
    partner.get("/v1/accounts?limit=0", headers={"X-Correlation-Id": "two"})
    found = body(partner.get("/v1/partner/requests"))["data"]
    assert [(each["correlationId"], each["statusCode"], each["errorCode"]) for each in found] == [
        ("two", 400, "INVALID_REQUEST"),
        ("one", 200, None),
    ]
    assert found[1]["path"] == "/v1/languages" and found[1]["keyPrefix"].startswith("svc_test_")


def test_last_use_of_a_key_is_written_once_a_minute(app, partner, clock):
    first = clock()
    for seconds in (0, 30, 29):
        clock.tick(seconds)
        partner.get("/v1/languages")
    used = "SELECT last_used_at FROM api_keys WHERE environment = 'test'"
    app.extensions["svc"].recorder.flush()
    assert plain_sql.row(used)[0] == first
    clock.tick(1)
    partner.get("/v1/languages")
    app.extensions["svc"].recorder.flush()
    assert plain_sql.row(used)[0] == first + 60_000


def test_an_id_in_a_path_that_is_none_is_named_as_the_document_names_it(app, partner):
    """Every path of the document, each of its ids in turn."""
    document = json.loads(app.extensions["document"]())
    tried = 0
    for path, operations in document["paths"].items():
        names = re.findall(r"{(\w+Id)}", path)
        if not path.startswith("/v1/") or not names:
            continue
        method = next(
            name for name in ("get", "put", "delete", "post") if name in operations
        ).upper()
        for bad in names:
            filled = re.sub(
                r"{(\w+)}", lambda part, bad=bad: "x" if part[1] == bad else ids.NIL, path
            )
            message = refused(partner.request(method, filled, json={}), 404, "NOT_FOUND")["message"]
            assert message.startswith(f"{bad} in the path is not a UUID"), (method, filled, message)
            tried += 1
    assert tried > 40


@pytest.mark.parametrize(
    "headers",
    [
        {"Connection": "Upgrade", "Upgrade": "websocket"},
        {"Connection": "Upgrade", "Upgrade": "h2c"},
        *({"Host": host} for host in ("a..b", ".a", "x" * 64, "a b", "[::1", "a_b")),
    ],
)
def test_another_protocol_and_a_strange_host_are_ignored(partner, headers):
    assert partner.get("/v1/languages", headers=headers).status_code == 200
    refused(partner.get("/nowhere", headers=headers), 404, "NOT_FOUND")
