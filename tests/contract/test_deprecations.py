"""Deprecated fields: in the document, at ``/docs``, and in the headers of the answers
that have them.
"""

from datetime import date

import pytest
from support.cast import body

from svc.api import deprecations
from svc.api.deprecations import Deprecation
from svc.application import assemble

EARLY = Deprecation(date(2026, 11, 23), date(2027, 6, 1), "`name`")
LATE = Deprecation(date(2027, 1, 1), date(2028, 1, 1), "`GET /v1/accounts`")


@pytest.fixture
def assembled():
    """An application whose document is made of the table of the test."""
    return assemble()


@pytest.fixture
def table(monkeypatch) -> dict[str, Deprecation]:
    monkeypatch.setattr(deprecations, "TABLE", {})
    return deprecations.TABLE


def test_nothing_is_deprecated_today(app, partner):
    assert deprecations.TABLE == {}
    assert '"deprecated"' not in app.test_client().get("/openapi.json").get_data(as_text=True)
    assert not set(deprecations.HEADERS) & set(partner.get("/v1/accounts").headers.keys())


def test_a_deprecated_field_is_marked_and_announced_where_answers_have_it(table, app, partner):
    table["Account.status"] = EARLY
    document = body(app.test_client().get("/openapi.json"))
    field = document["components"]["schemas"]["Account"]["properties"]["status"]
    assert field["deprecated"] and field["description"].startswith(
        "This field is deprecated since 2026-11-23"
    )
    assert "deprecated" not in document["paths"]["/v1/accounts"]["get"]
    # in a list within the body, and in the body
    for path in ("/v1/accounts", f"/v1/accounts/{partner.account}"):
        assert (
            partner.get(path)
            .headers["X-API-Deprecation-Notice"]
            .startswith("Account.status is deprecated")
        )
    assert "Deprecation" not in partner.get("/v1/languages").headers
    page = app.test_client().get("/docs/accounts").get_data(as_text=True)
    assert '<strong class="required">deprecated</strong>' in page


def test_a_deprecated_operation_is_marked_and_announces_it(table, partner, app):
    table["list_partner_accounts"] = Deprecation(
        date(2026, 11, 23), date(2027, 6, 1), "`GET /v1/accounts`"
    )
    operation = body(app.test_client().get("/openapi.json"))["paths"]["/v1/partner/accounts"]["get"]
    assert operation["deprecated"] and operation["description"].startswith(
        "This operation is deprecated since 2026-11-23 and will be removed on 2027-06-01. Use "
        "`GET /v1/accounts`."
    )
    assert set(deprecations.HEADERS) <= set(operation["responses"]["200"]["headers"])
    announced = partner.get("/v1/partner/accounts").headers
    assert announced["X-API-Deprecation-Notice"] == (
        "list_partner_accounts is deprecated since 2026-11-23 and will be removed on 2027-06-01. "
        "Use `GET /v1/accounts`."
    )
    assert announced["Deprecation"] == "@1795392000"
    assert announced["Sunset"] == "Tue, 01 Jun 2027 00:00:00 GMT"
    assert (
        announced["Link"]
        == '<http://localhost/docs/changelog>; rel="deprecation"; type="text/html"'
    )
    # without a key: 401
    assert partner.client.get("/v1/partner/accounts").headers["Sunset"] == announced["Sunset"]
    assert not set(deprecations.HEADERS) & set(partner.get("/v1/accounts").headers.keys())


def test_what_ends_first_decides_when_two_things_are_deprecated(table, partner, app):
    table |= {"list_partner_accounts": LATE, "Account.status": EARLY}
    announced = partner.get("/v1/partner/accounts").headers
    assert announced["Sunset"] == "Tue, 01 Jun 2027 00:00:00 GMT"
    assert announced["Deprecation"] == "@1795392000"
    assert "list_partner_accounts is" in announced["X-API-Deprecation-Notice"]
    assert "Account.status is" in announced["X-API-Deprecation-Notice"]


def test_the_reference_marks_a_deprecated_operation(table, app):
    table["cancel_production"] = LATE
    page = app.test_client().get("/docs/productions").get_data(as_text=True)
    section = page.partition('id="cancel_production"')[2].partition("</section>")[0]
    assert "<strong>Deprecated.</strong>" in section and "will be removed on 2028-01-01" in section
    assert page.count("<strong>Deprecated.</strong>") == 1


@pytest.mark.parametrize("name", ["no_such_operation", "Account.nothing", "Nothing.name"])
def test_a_name_that_the_document_does_not_have_is_refused(table, app, name):
    table[name] = LATE
    with pytest.raises(ValueError, match="no such operation or field"):
        app.extensions["document"]()


def test_a_removal_within_six_months_is_refused():
    with pytest.raises(ValueError, match="six months"):
        Deprecation(date(2026, 11, 23), date(2027, 5, 1), "nothing")
