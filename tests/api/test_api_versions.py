"""``X-API-Version``: on every answer of the API, and of requests a date that is known."""

import pytest
from support import plain_sql
from support.cast import body, refused

from svc.api import versions
from svc.domain.monitoring import maintenance
from svc.store.database import db


def test_answers_of_every_kind_name_the_newest_version(partner):
    account = f"/v1/accounts/{partner.account}"
    tag = partner.get(account).headers["ETag"]
    answers = {
        200: partner.get(account),
        202: partner.trigger(),
        304: partner.get(account, headers={"If-None-Match": tag}),
        400: partner.get("/v1/languages?x=1"),
        401: partner.client.get("/v1/languages"),
        404: partner.get("/v1/nowhere"),
        405: partner.delete("/v1/languages"),
        413: partner.post("/v1/webhooks", data=b"x" * 70_000),
    }
    assert {wanted: answer.status_code for wanted, answer in answers.items()} == {
        wanted: wanted for wanted in answers
    }
    answers[0] = partner.request("HEAD", "/v1/languages")
    answers[1] = partner.client.options("/v1/languages")
    assert {answer.headers.get("X-API-Version") for answer in answers.values()} == {versions.NEWEST}


def test_a_refused_rate_and_an_error_of_ours_name_it_too(partner, monkeypatch):
    monkeypatch.setattr("svc.api.guard.keys.authenticate", lambda *_, **__: 1 / 0)
    crashed = partner.get("/v1/languages")
    monkeypatch.undo()
    while (limited := partner.get("/v1/languages")).status_code == 200:
        pass
    assert (crashed.status_code, limited.status_code) == (500, 429)
    assert crashed.headers["X-API-Version"] == limited.headers["X-API-Version"] == versions.NEWEST


def test_what_is_not_of_the_api_names_none(app):
    for path in ("/docs", "/openapi.json", "/nowhere", "/console/"):
        assert "X-API-Version" not in app.test_client().get(path).headers


@pytest.mark.parametrize("version", versions.VERSIONS)
def test_every_known_version_answers_alike(partner, version):
    answer = partner.get("/v1/languages", headers={"X-API-Version": version})
    assert answer.status_code == 200 and body(answer) == body(partner.get("/v1/languages"))
    assert answer.headers["X-API-Version"] == versions.NEWEST


@pytest.mark.parametrize(
    "version", ["", "v1", "2026-11-20", "20261123", "latest", "x" * 4000, "2026-11-23,2026-11-22"]
)
def test_an_unknown_version_is_refused_with_the_known_ones(partner, version):
    refusal = refused(
        partner.get("/v1/languages", headers={"X-API-Version": version}), 400, "INVALID_REQUEST"
    )
    assert (
        all(known in refusal["message"] for known in versions.VERSIONS)
        and len(refusal["message"]) < 200
    )
    assert list(refusal["fields"]) == ["X-API-Version"]


def test_an_unknown_version_triggers_nothing(partner):
    refused(partner.trigger(headers={"X-API-Version": "2020-01-01"}), 400, "INVALID_REQUEST")
    assert plain_sql.row("SELECT count(*) FROM productions")[0] == 0


def test_key_scope_and_resource_are_checked_before_the_version(partner):
    unknown = {"X-API-Version": "2020-01-01"}
    refused(partner.client.get("/v1/languages", headers=unknown), 401, "UNAUTHORIZED")
    with db.transaction():
        plain_sql.execute("UPDATE api_keys SET scopes = '[\"accounts:read\"]'")
    refused(
        partner.get(f"/v1/accounts/{partner.account}/productions", headers=unknown),
        403,
        "PERMISSION_DENIED",
    )


def test_maintenance_names_the_version(partner):
    with db.transaction():
        maintenance.set_maintenance(True)
    answer = partner.get("/v1/languages", headers={"X-API-Version": "2020-01-01"})
    refused(answer, 503, "SERVICE_UNAVAILABLE")
    assert answer.headers["X-API-Version"] == versions.NEWEST


def test_the_document_has_the_header_of_every_request_with_a_key(app):
    document = body(app.test_client().get("/openapi.json"))
    header = document["components"]["parameters"]["X-API-Version"]
    assert tuple(header["schema"]["enum"]) == versions.VERSIONS and "required" not in header
    assert document["info"]["x-apiVersion"] == versions.NEWEST
    for path, item in document["paths"].items():
        for operation in item.values():
            named = {"$ref": "#/components/parameters/X-API-Version"} in operation["parameters"]
            assert named == path.startswith("/v1/"), path
