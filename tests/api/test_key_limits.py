"""Keys that end by themselves, that work from some addresses alone,
and that tell when they were mistyped.
"""

import base64
import re
import zlib

import pytest
from support import plain_sql
from support.cast import Person, body, refused, text
from werkzeug.middleware.proxy_fix import ProxyFix
from werkzeug.test import create_environ

from app import create_app
from svc.base import settings
from svc.base.crypto import signing
from svc.cli.installation import seed
from svc.domain.access import key_admin, key_limits, keys
from svc.serving.request_headers import ForwardedScheme
from svc.store import meta
from svc.store.database import db

KEY = re.compile(r"svc_(?:test|live|activate)_[A-Za-z0-9_-]{48}")
DAY = 86400


@pytest.fixture
def make(partner, clock):
    """Make a live key: ``make(ranges=["192.0.2.0/24"])``."""

    def one(**limits) -> Person:
        with db.transaction():
            _, key = keys.create(partner.seeded["partnerId"], "live", "Limited", clock(), **limits)
        return Person(partner.client, partner.seeded, key)

    return one


def come_from(who: Person, address: str, path: str = "/v1/languages"):
    return who.request("GET", path, environ_base={"REMOTE_ADDR": address})


def test_a_key_ends_when_it_was_said_to(make, clock):
    who = make(expires_at=clock() + 10_000)
    assert body(who.get("/v1/partners/verify"))["keyExpiresAt"] == "2026-11-21T12:00:10.000Z"
    clock.tick(9.999)
    assert who.get("/v1/languages").status_code == 200
    clock.tick(0.001)
    refused(who.get("/v1/languages"), 401, "UNAUTHORIZED")


def test_a_rotation_prolongs_nothing(make, clock):
    who = make(expires_at=clock() + 10_000, ranges=["127.0.0.0/8"])
    answer = body(who.post("/v1/partners/keys/rotate"))
    assert answer["previousKeyExpiresAt"] == "2026-11-21T12:00:10.000Z"
    new = Person(who.client, who.seeded, answer["apiKey"])
    verified = body(new.get("/v1/partners/verify"))
    assert (verified["keyExpiresAt"], verified["allowedRanges"]) == (
        "2026-11-21T12:00:10.000Z",
        ["127.0.0.0/8"],
    )
    clock.tick(10)
    refused(new.get("/v1/languages"), 401, "UNAUTHORIZED")


def test_a_key_works_from_its_addresses_alone(make):
    who = make(ranges=["192.0.2.0/24", "2001:db8::/32"])
    for address in ("192.0.2.7", "2001:db8::7", "::ffff:192.0.2.7"):
        assert come_from(who, address).status_code == 200, address
    for address in ("192.0.3.7", "2001:db9::7", "::ffff:198.51.100.1", "unix:"):
        assert "address" in refused(come_from(who, address), 403, "PERMISSION_DENIED")["message"], (
            address
        )


def test_a_refused_address_spends_no_budget_and_stands_in_the_history(make, partner):
    who = make(ranges=["192.0.2.0/24"])
    left = int(come_from(who, "192.0.2.7").headers["X-RateLimit-Remaining"])
    come_from(who, "198.51.100.1", "/v1/countries")
    assert int(come_from(who, "192.0.2.7").headers["X-RateLimit-Remaining"]) == left - 1
    shown = body(come_from(who, "192.0.2.7", "/v1/partner/requests?status=4"))["data"]
    assert [(each["path"], each["errorCode"]) for each in shown] == [
        ("/v1/countries", "PERMISSION_DENIED")
    ]


def test_a_stolen_key_that_is_tried_from_elsewhere_raises_the_alert(make):
    who = make(ranges=["192.0.2.0/24"])
    for _ in range(10):
        come_from(who, "198.51.100.1")
    assert (
        plain_sql.row("SELECT count(*) FROM alerts WHERE name = 'AuthenticationFailureBurst'")[0]
        == 1
    )


def test_an_activation_key_hands_its_limits_on_and_keeps_to_them(partner, clock):
    with db.transaction():
        activation = keys.create_activation(
            partner.seeded["partnerId"],
            "Handed over",
            clock(),
            expires_at=clock() + 2 * DAY * 1000,
            ranges=["192.0.2.0/24"],
        )
    who = Person(partner.client, partner.seeded, activation)
    refused(come_from(who, "198.51.100.1", "/v1/partners/verify"), 403, "PERMISSION_DENIED")
    verified = body(come_from(who, "192.0.2.7", "/v1/partners/verify"))
    assert (verified["keyExpiresAt"], verified["allowedRanges"]) == (
        "2026-11-23T12:00:00.000Z",
        ["192.0.2.0/24"],
    )
    live = Person(partner.client, partner.seeded, verified["apiKey"])
    refused(come_from(live, "198.51.100.1"), 403, "PERMISSION_DENIED")
    assert come_from(live, "192.0.2.7").status_code == 200


def test_an_activation_key_does_not_outlive_the_key_that_it_makes(partner, clock):
    with db.transaction():
        activation = keys.create_activation(
            partner.seeded["partnerId"], "x", clock(), expires_at=clock() + 1000
        )
    clock.tick(1)
    refused(partner.get("/v1/partners/verify", key=activation), 401, "UNAUTHORIZED")


def test_a_new_key_carries_a_checksum_that_scanners_can_compute(partner):
    for key in (partner.seeded["liveKey"], partner.seeded["testKey"]):
        prefix, encoded = key[:9], key[9:]
        raw = base64.urlsafe_b64decode(encoded)
        assert len(raw) == 36
        assert zlib.crc32(prefix.encode() + raw[:32]) == int.from_bytes(raw[32:], "big")


def test_a_typing_mistake_is_told_without_a_question_to_the_database(partner, monkeypatch):
    monkeypatch.setattr(db, "row", lambda *_: pytest.fail("the database was asked"))
    position = len(partner.key) // 2
    typo = (
        partner.key[:position]
        + ("A" if partner.key[position] != "A" else "B")
        + partner.key[position + 1 :]
    )
    monkeypatch.setattr("svc.domain.access.auth_failures.record_failure", lambda *_: None)
    monkeypatch.setattr("svc.domain.monitoring.maintenance.retry_after", lambda: None)
    assert (
        "mistyped"
        in refused(partner.get("/v1/languages", key=typo), 401, "UNAUTHORIZED")["message"]
    )


def test_a_key_from_before_there_were_checksums_stays_valid(partner):
    old = "svc_test_" + signing.encode_base64url(bytes(range(32)))
    assert len(old) == 9 + 43
    with db.transaction():
        plain_sql.execute(
            "UPDATE api_keys SET hash = ? WHERE environment = 'test'", (signing.hash_key(old),)
        )
    assert partner.get("/v1/languages", key=old).status_code == 200


def test_an_owner_limits_a_test_key_in_the_console(owner, partner, clock):
    page = text(
        owner.post(
            "/console/settings/keys",
            {"name": "ci", "expires": "2026-11-22", "ranges": "192.0.2.0/24, 198.51.100.7"},
            follow_redirects=True,
        )
    )
    key = KEY.search(page)[0]
    caller = keys.authenticate(key, clock())
    assert caller.expires_at == clock() + 36 * 3600 * 1000  # the end of that day
    assert [str(each) for each in caller.ranges] == ["192.0.2.0/24", "198.51.100.7/32"]
    shown = text(owner.get("/console/settings/keys"))
    assert "expires soon" in shown and "only from 192.0.2.0/24, 198.51.100.7/32" in shown
    clock.tick(36 * 3600)
    refused(partner.get("/v1/languages", key=key), 401, "UNAUTHORIZED")


@pytest.mark.parametrize(
    ("field", "typed"),
    [
        ("expires", "2026-11-20"),
        ("expires", "soon"),
        ("expires", "9999-99-99"),
        ("ranges", "192.0.2.1/24"),
        ("ranges", "example.com"),
        ("ranges", ", ".join(f"192.0.2.{number}" for number in range(21))),
    ],
)
def test_a_bad_limit_comes_back_with_what_would_be_right(owner, field, typed):
    answer = owner.post("/console/settings/keys", {"name": "ci", field: typed})
    assert answer.status_code == 400 and "Give" in text(answer) and not KEY.search(text(answer))


def test_an_operator_limits_a_live_key_by_its_activation(operator, partner, clock):
    page = text(
        operator.post(
            "/console/settings/keys/activations",
            {
                "partner": partner.seeded["partnerId"],
                "name": "server",
                "expires": "2027-01-31",
                "ranges": "127.0.0.1",
            },
            follow_redirects=True,
        )
    )
    verified = body(partner.get("/v1/partners/verify", key=KEY.search(page)[0]))
    assert (verified["keyExpiresAt"], verified["allowedRanges"]) == (
        "2027-02-01T00:00:00.000Z",
        ["127.0.0.1/32"],
    )


def test_the_operator_is_told_once_of_a_key_that_ends_within_a_week(make, clock):
    make(expires_at=clock() + 8 * DAY * 1000)
    assert key_limits.raise_expiry_alerts(clock()) == 0
    clock.tick(DAY)
    assert (key_limits.raise_expiry_alerts(clock()), key_limits.raise_expiry_alerts(clock())) == (
        1,
        0,
    )
    [alert] = plain_sql.rows("SELECT * FROM alerts")
    assert (alert["name"], alert["severity"]) == (
        "ApiKeyExpiring",
        "warning",
    ) and "Limited" in alert["message"]


def test_neither_a_rotated_nor_a_revoked_key_is_worth_an_alert(make, clock):
    make(expires_at=clock() + DAY * 1000).post("/v1/partners/keys/rotate")
    with db.transaction():
        plain_sql.execute("UPDATE api_keys SET revoked_at = 1 WHERE rotated_to IS NULL")
    assert key_limits.raise_expiry_alerts(clock()) == 0


def test_the_state_of_a_key_tells_an_end_from_a_rotation(make, clock, partner):
    make(expires_at=clock() + 1000)
    rotated = make(expires_at=clock() + 5000)
    rotated.post("/v1/partners/keys/rotate")

    def states() -> list[str]:
        rows = key_admin.list_keys(partner.seeded["partnerId"])
        return sorted(
            key_admin.find_key_state(row, clock()) for row in rows if row["name"] == "Limited"
        )

    assert states() == ["Active", "Active", "Rotated"]
    clock.tick(1)
    assert states() == ["Active", "Expired", "Rotated"]


def behind_proxies(app, number: int, forwarded: str):
    """What a request sends that came through so many trusted proxies,
    of which the first one is here.
    """
    app.wsgi_app = ProxyFix(app.wsgi_app, x_for=number)
    return {"headers": {"X-Forwarded-For": forwarded}, "environ_base": {"REMOTE_ADDR": "10.0.0.1"}}


@pytest.mark.parametrize(
    ("number", "forwarded"),
    [
        (1, "192.0.2.7:51008"),
        (1, "[2001:db8::7]:443"),
        (1, "2001:db8::7"),
        (1, "::ffff:192.0.2.7"),
        (1, '"[2001:db8::7]:1"'),
        (1, "198.51.100.1, 192.0.2.7:51008"),
        (2, "192.0.2.7:51008, 198.51.100.1:443"),
        (2, "x,192.0.2.7 , 198.51.100.1"),
    ],
)
def test_a_key_works_from_its_addresses_in_every_form_that_a_proxy_tells(
    app, make, number, forwarded
):
    who = make(ranges=["192.0.2.0/24", "2001:db8::/32"])
    assert (
        who.request("GET", "/v1/languages", **behind_proxies(app, number, forwarded)).status_code
        == 200
    )


@pytest.mark.parametrize(
    "forwarded",
    ["unknown", "_hidden", "192.0.2.7:x", "192.0.2.7, 198.51.100.1:443", "192.0.2.7, unknown"],
)
def test_a_key_does_not_work_from_an_address_that_is_hidden_or_another_one(app, make, forwarded):
    who = make(ranges=["192.0.2.0/24"])
    refused(
        who.request("GET", "/v1/languages", **behind_proxies(app, 1, forwarded)),
        403,
        "PERMISSION_DENIED",
    )


def test_clients_of_one_address_and_many_ports_are_counted_together(app, make):
    who = make(ranges=["198.51.100.0/24"])
    for port in range(10):
        who.request(
            "GET", "/v1/languages", environ_base={"REMOTE_ADDR": f"192.0.2.7:{51000 + port}"}
        )
    assert (
        plain_sql.row("SELECT count(*) FROM alerts WHERE name = 'AuthenticationFailureBurst'")[0]
        == 1
    )


def test_the_address_is_read_behind_the_number_of_proxies_of_the_settings(tmp_path, clock):
    app = create_app(settings.read({"SVC_TRUSTED_PROXIES": "1"}, data_dir=tmp_path / "data"), clock)
    environ = create_environ(
        "/healthz", headers={"X-Forwarded-For": "198.51.100.1, [2001:db8::7]:443"}
    )
    app.wsgi_app(environ, lambda *_: None).close()
    assert environ["REMOTE_ADDR"] == "2001:db8::7"
    app.extensions["svc"].recorder.stop()
    db.close()


@pytest.mark.parametrize(
    ("proxies", "forwarded", "scheme"),
    [
        (1, "https", "https"),
        (1, "http, https", "https"),
        (2, "https", "https"),  # the second one replaced what the first one said
        (2, "https, http", "https"),
        (2, "http,https , http", "https"),
        (3, "HTTPS, http", "https"),
        (2, "wss", "http"),
        (2, "", "http"),
        (2, None, "http"),
    ],
)
def test_the_scheme_is_that_of_the_first_trusted_proxy_whether_others_replace_it_or_add_theirs(
    proxies, forwarded, scheme
):
    environ = create_environ(
        "/healthz", headers={"X-Forwarded-Proto": forwarded} if forwarded is not None else {}
    )
    ForwardedScheme(lambda *_: [], proxies)(environ, lambda *_: None)
    assert environ["wsgi.url_scheme"] == scheme


def test_no_address_is_amiss_behind_two_proxies_of_which_the_second_names_the_scheme_alone(
    tmp_path, clock
):
    given = {"SVC_TRUSTED_PROXIES": "2", "SVC_BASE_URL": "https://media.example.com"}
    app = create_app(settings.read(given, data_dir=tmp_path / "data"), clock)
    key = seed.make_partner("Standard", clock())["liveKey"]
    for host in ("media.example.com", "media.example.com:443", "MEDIA.example.com"):
        headers = {
            "Host": host,
            "X-API-Key": key,
            "X-Forwarded-For": "198.51.100.1, 192.0.2.7",
            "X-Forwarded-Proto": "https",
        }
        assert app.test_client().get("/v1/languages", headers=headers).status_code == 200
        assert meta.read_text("address_seen") is None
    app.extensions["svc"].recorder.stop()
    db.close()
