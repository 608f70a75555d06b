"""Languages and countries by code beside identifiers, in briefs, templates, values and tables;
numbers as numbers.
"""

import pytest
from support import plain_sql
from support.cast import body, refused

from svc.base.errors import InvalidRequest
from svc.domain import locales
from svc.domain.briefing import templates

GERMAN, ENGLISH = (locales.find_language(code) for code in ("de", "en"))
GERMANY = locales.find_country("DE")


def coded(person, **changes) -> dict:
    brief = {**person.brief(), "language": "de", "country": "de", **changes}
    dropped = {"languageId", "countryId"} - changes.keys()
    return {
        name: value for name, value in brief.items() if name not in dropped and value is not None
    }


def trigger(person, brief: dict):
    return person.post(f"/v1/accounts/{person.account}/productions", json=brief)


def templates_of(person, *more: str) -> str:
    return "/".join((f"/v1/accounts/{person.account}/templates", *more))


def template(person, brief: dict, *variables: dict) -> str:
    given = {"name": "Guide", "brief": brief, "variables": list(variables)}
    answer = person.post(templates_of(person), json=given)
    assert answer.status_code == 201, body(answer)
    return body(answer)["templateId"]


def languages_of(person, batch_id: str) -> list[str]:
    listed = body(person.get(f"/v1/batches/{batch_id}/items"))["data"]
    productions = [body(person.get(f"/v1/productions/{each['productionId']}")) for each in listed]
    return [each["languageId"] for each in productions]


def test_a_brief_names_language_and_country_by_code_in_any_case(partner):
    found = body(trigger(partner, coded(partner, language="DE", country="de")))
    assert (found["languageId"], found["countryId"]) == (GERMAN, GERMANY)
    assert "language" not in found  # the answer is as it was


def test_a_brief_by_code_and_one_by_identifier_are_the_same_request(partner):
    path, key = f"/v1/accounts/{partner.account}/productions", {"Idempotency-Key": "codes-1"}
    by_code = partner.post(path, json=coded(partner), headers=key)
    ids = {**partner.brief(), "languageId": GERMAN, "countryId": GERMANY}
    again = partner.post(path, json=ids, headers=key)
    assert again.headers["Idempotent-Replayed"] == "true"
    assert body(again)["productionId"] == body(by_code)["productionId"]


def test_further_languages_are_named_by_code(partner):
    assert (
        trigger(partner, coded(partner, languages=["en", "fr"], translation="people")).status_code
        == 202
    )
    made = body(partner.get(f"/v1/accounts/{partner.account}/productions"))["data"]
    assert {each["languageId"] for each in made} == {GERMAN, ENGLISH, locales.find_language("fr")}


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("languageId", "de", "GET /v1/languages lists them; language takes a code"),
        ("countryId", "DE", "GET /v1/countries lists them; country takes a code"),
        ("languageIds", ["de"], "languages takes codes"),
        ("captionLanguageIds", ["de"], "captionLanguages takes codes"),
        ("language", "xx", "There is no language 'xx'; GET /v1/languages lists the codes"),
        ("language", 7, "Must be a string"),
        ("language", "ja", "There is no language 'ja'"),  # not offered here
        ("country", "XX", "There is no country 'XX'; GET /v1/countries lists the codes"),
        ("country", "", "There is no country ''"),
        ("languages", ["de", "xx"], "There is no language 'xx'"),
        ("languages", ["fr", "FR"], "Name each language once"),
        ("captionLanguages", ["xx"], "There is no language 'xx'"),
    ],
)
def test_a_wrong_code_and_a_code_for_an_identifier_say_where_the_list_is(
    partner, field, value, said
):
    whole = {**partner.brief(), field: value}
    whole.pop({"language": "languageId", "country": "countryId"}.get(field), None)
    found = refused(trigger(partner, whole), 400, "INVALID_REQUEST")
    assert said in found["fields"][field][0] and said in found["message"]


@pytest.mark.parametrize("code", locales.BY_CODE)
def test_what_is_named_by_identifier_and_by_code_is_refused(partner, code):
    several = code.endswith("s")
    given = {
        code: ["de"] if several else "de",
        locales.BY_CODE[code]: [GERMAN] if several else GERMAN,
    }
    found = refused(trigger(partner, {**partner.brief(), **given}), 400, "INVALID_REQUEST")
    assert found["fields"] == {code: [f"Send {locales.BY_CODE[code]} or {code}, not both."]}


def test_a_brief_with_neither_is_told_both_ways(partner):
    whole = {
        name: value
        for name, value in partner.brief().items()
        if name not in ("languageId", "countryId")
    }
    found = refused(trigger(partner, whole), 400, "INVALID_REQUEST")
    assert set(found["fields"]) == {"languageId", "countryId"}
    assert "or send language with a code" in found["message"]


def test_estimates_and_batches_take_codes(partner):
    path = f"/v1/accounts/{partner.account}"
    assert body(partner.post(f"{path}/productions/estimate", json=coded(partner)))["isAccepted"]
    batch = body(partner.post(f"{path}/batches", json={"items": [coded(partner), partner.brief()]}))
    assert languages_of(partner, batch["batchId"]) == [GERMAN, partner.brief()["languageId"]]


def test_a_template_by_code_is_kept_by_identifier_and_values_may_name_another(partner):
    made = template(partner, coded(partner, topic="{{city}}"), {"name": "city"})
    kept = body(partner.get(templates_of(partner, made)))["brief"]
    assert (kept["languageId"], kept["countryId"]) == (GERMAN, GERMANY) and "language" not in kept
    preview = templates_of(partner, made, "preview")
    shown = body(
        partner.post(preview, json={"values": {"city": "Rom"}, "language": "en", "country": "us"})
    )["brief"]
    assert shown["languageId"] == ENGLISH and shown["countryId"] == locales.find_country("US")
    both = partner.post(
        preview, json={"values": {"city": "Rom"}, "language": "en", "languageId": ENGLISH}
    )
    assert set(refused(both, 400, "INVALID_REQUEST")["fields"]) == {"language"}


def test_a_table_names_languages_and_countries_by_code_row_by_row(partner):
    made = template(partner, partner.brief(topic="{{city}}"), {"name": "city"})
    table = "city,language,country,languages\nBonn, de ,DE,\nParis,fr,FR,en de\nRome,,,\n"
    path = templates_of(partner, made, "batches")
    batch = body(partner.post(path, json={"csv": table}))
    french = locales.find_language("fr")
    assert languages_of(partner, batch["batchId"]) == [GERMAN, french, ENGLISH, GERMAN, ENGLISH]
    wrong = "city,language,country,languageId\nBonn,xx,YY,\nRome,de,IT," + GERMAN + "\nOslo,,,de\n"
    found = refused(partner.post(path, json={"csv": wrong}), 400, "INVALID_REQUEST")["fields"]
    assert [text.partition(":")[0] for text in found["row 1"]] == ["language", "country"]
    assert found["row 2"] == ["language: Fill in languageId or language, not both."]
    assert "GET /v1/languages" in found["row 3"][0]


def test_a_variable_with_the_name_of_a_column_keeps_it(partner):
    """Templates had variables named country before tables had codes."""
    made = template(partner, partner.brief(topic="Trips to {{country}}"), {"name": "country"})
    batch = body(
        partner.post(
            templates_of(partner, made, "batches"), json={"csv": "country,language\nPeru,de\n"}
        )
    )
    [item] = body(partner.get(f"/v1/batches/{batch['batchId']}/items"))["data"]
    found = body(partner.get(f"/v1/productions/{item['productionId']}"))
    assert found["topic"] == "Trips to Peru" and found["languageId"] == GERMAN
    assert found["countryId"] == partner.brief()["countryId"]


def test_the_consoles_tables_take_codes_too(partner):
    row = {"name": "country", "brief": "{}", "variables": "[]"}
    assert templates.parse_table("country\nDE\n", 9) == [({}, {"country": "DE"})], row
    assert templates._replace_codes({"language": "de", "country": "DE"}) == {
        "languageId": GERMAN,
        "countryId": GERMANY,
    }
    with pytest.raises(InvalidRequest, match="not both"):
        templates._replace_codes({"languageId": GERMAN, "language": "de"})


PRICE = {"name": "price", "type": "number"}


@pytest.mark.parametrize(
    ("value", "shown"),
    [(12.5, "12.5"), (12, "12"), (12.0, "12"), (-3, "-3"), (1e-7, "0.0000001"), ("12.50", "12.50")],
)
def test_a_number_of_json_is_a_value_of_a_number(partner, value, shown):
    made = template(partner, partner.brief(topic="For {{price}} euros"), PRICE)
    found = body(
        partner.post(templates_of(partner, made, "preview"), json={"values": {"price": value}})
    )
    assert found["brief"]["topic"] == f"For {shown} euros"


def test_numbers_are_defaults_and_examples_of_a_number_alone(partner):
    made = template(
        partner, partner.brief(topic="{{price}}"), {**PRICE, "default": 12.5, "example": 3}
    )
    [variable] = body(partner.get(templates_of(partner, made)))["variables"]
    assert (variable["default"], variable["example"]) == ("12.5", "3")
    given = {
        "name": "G",
        "brief": partner.brief(topic="{{city}}"),
        "variables": [{"name": "city", "default": 3}],
    }
    found = refused(partner.post(templates_of(partner), json=given), 400, "INVALID_REQUEST")
    assert "variable is of type text" in found["fields"]["variables[0].default"][0]


@pytest.mark.parametrize("raw", ["true", "null", "[1]", "{}", "1e999", "1" + "0" * 15 + ".5e300"])
def test_a_value_that_is_neither_is_named_with_its_variable(partner, raw):
    made = template(partner, partner.brief(topic="{{price}}"), PRICE)
    answer = partner.post(
        templates_of(partner, made, "preview"),
        data=f'{{"values": {{"price": {raw}}}}}',
        content_type="application/json",
    )
    found = refused(answer, 400, "INVALID_REQUEST")
    assert list(found["fields"]) == ["values.price"] and "values.price: " in found["message"]


def test_a_number_for_a_text_and_a_text_too_long_are_named_with_their_variable(partner):
    variables = {"name": "city"}, {"name": "note", "required": False}
    made = template(partner, partner.brief(topic="{{city}} {{note}}"), *variables)
    preview = templates_of(partner, made, "preview")
    found = refused(partner.post(preview, json={"values": {"city": 7}}), 400, "INVALID_REQUEST")
    assert found["fields"] == {
        "values.city": ["Must be a string, as the variable is of type text."]
    }
    long = {"city": "x" * 4097, "note": "\u0000"}
    found = refused(partner.post(preview, json={"values": long}), 400, "INVALID_REQUEST")
    assert set(found["fields"]) == {"values.city", "values.note"}
    assert plain_sql.one("SELECT count(*) FROM productions")[0] == 0


def test_the_fields_of_an_object_within_a_body_are_named_by_their_way(partner):
    brief = {**partner.brief(), "topic": "", "languageId": "de"}
    answer = partner.post(
        templates_of(partner), json={"name": "G", "brief": brief, "variables": []}
    )
    assert set(refused(answer, 400, "INVALID_REQUEST")["fields"]) == {
        "brief.topic",
        "brief.languageId",
    }
