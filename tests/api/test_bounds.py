"""What one request may cost: lists are counted before they are read,
texts are filled as far as their limit, errors are few.
"""

import importlib
import json
import pkgutil
from collections import Counter
from collections.abc import Iterator

import pytest
from marshmallow import Schema, ValidationError
from marshmallow import fields as marshmallow_fields
from support import plain_sql
from support.cast import body, refused

from svc.api import parsing, schemas
from svc.api.schemas import fields
from svc.api.schemas.lexicon import LexiconEntry
from svc.api.schemas.productions import Brief as BriefShape
from svc.base import ids
from svc.base.errors import MOST_NAMED, InvalidRequest
from svc.domain.access import idempotency
from svc.domain.briefing import batches, template_values, templates
from svc.domain.lifecycle import briefs, gates, script_review
from svc.domain.lifecycle.briefs import Brief
from svc.domain.partners import lexicon
from svc.domain.productions import admin as production_admin
from svc.domain.translation import segments, xliff
from svc.domain.usage import refusals
from svc.domain.usage.model_costs import Prices

LARGEST_ANSWER = 8_000  # bytes of any error


def templates_of(person) -> str:
    return f"/v1/accounts/{person.seeded['sandboxAccountId']}/templates"


def added(person, variables: list[dict], **brief) -> str:
    given = {"name": "T", "brief": {**person.brief(), **brief}, "variables": variables}
    answer = person.post(templates_of(person), json=given)
    return f"{templates_of(person)}/{body(answer)['templateId']}"


@pytest.fixture
def counted(monkeypatch):
    """Count the calls of a function while the test runs: ``counted(module, name)`` returns the list
    of their arguments.
    """

    def count(owner, name: str) -> list[tuple]:
        calls: list[tuple] = []
        real = getattr(owner, name)

        def counting(*args, **more):
            calls.append(args)
            return real(*args, **more)

        monkeypatch.setattr(owner, name, counting)
        return calls

    return count


# Lists


def read_schemas(app) -> set[type[Schema]]:
    """Return the schemas by which requests are read: those of every operation,
    and that of a filled brief.
    """
    parameters = [
        each
        for view in app.view_functions.values()
        for each in getattr(view, "_apidoc", {}).get("arguments", {}).get("parameters", ())
    ]
    assert len(parameters) > 30
    return {type(each["schema"]) for each in parameters} | {BriefShape}


def within(field, where: str) -> Iterator[tuple[str, marshmallow_fields.Field]]:
    """Yield a field and all fields in it, with their place."""
    yield where, field
    if isinstance(field, marshmallow_fields.Nested):
        assert not field.many, f"{where}: take a List, which has a maximum"
        for name, each in field.schema.fields.items():
            yield from within(each, f"{where}.{name}")
    elif isinstance(field, marshmallow_fields.List):
        yield from within(field.inner, f"{where}[]")
    elif isinstance(field, marshmallow_fields.Mapping):
        for part in (field.key_field, field.value_field):
            assert part is not None, (
                f"{where}: what has no field of its own may be of any size and depth"
            )
            yield from within(part, f"{where}{{}}")


def test_every_list_of_a_request_has_a_maximum_and_is_counted_before_one_entry_is_read(
    app, monkeypatch
):
    reads: Counter[str] = Counter()
    lists = 0
    for schema in read_schemas(app):
        for name, top in schema().fields.items():
            for where, field in within(top, f"{schema.__name__}.{name}"):
                if not isinstance(field, marshmallow_fields.List | marshmallow_fields.Mapping):
                    continue
                lists += 1
                assert isinstance(field, fields.List | fields.Dict), (
                    f"{where}: take List or Dict of svc.api.schemas.fields"
                )
                inner = field.inner if isinstance(field, fields.List) else field.value_field
                monkeypatch.setattr(
                    inner, "deserialize", lambda value, where=where, **_: reads.update([where])
                )
                number = field.most + 1
                with pytest.raises(ValidationError, match=f"this has {number:,}"):
                    field.deserialize(
                        [{}] * number
                        if isinstance(field, fields.List)
                        else dict.fromkeys(map(str, range(number)))
                    )
    assert lists >= 15 and not reads


def test_every_schema_that_has_an_unbounded_list_is_of_answers_alone(app):
    """A schema that is not among the operations' own must not be read in another way:
    none of them has a bound.
    """
    modules = [
        importlib.import_module(f"{schemas.__name__}.{each.name}")
        for each in pkgutil.iter_modules(schemas.__path__)
    ]
    classes = {
        each
        for module in modules
        for each in vars(module).values()
        if isinstance(each, type) and issubclass(each, Schema)
    }
    read = read_schemas(app)
    for schema in classes:
        listed = [
            where
            for name, top in schema().fields.items()
            if not isinstance(top, marshmallow_fields.Nested)
            for where, field in [(f"{schema.__name__}.{name}", top)]
            if type(field) in (marshmallow_fields.List, marshmallow_fields.Dict)
        ]
        assert not listed or schema not in read, listed


def test_a_list_that_is_too_long_is_refused_before_an_entry_is_read(partner, counted):
    reads = counted(fields.Text, "_deserialize")
    answer = partner.put(f"/v1/accounts/{partner.account}/lexicon", json={"entries": [{}] * 4_000})
    found = refused(answer, 400, "INVALID_REQUEST")
    assert found["fields"] == {"entries": ["Must have at most 500 entries; this has 4,000."]}
    assert not reads and len(answer.data) < LARGEST_ANSWER


def test_a_batch_that_is_too_long_is_refused_before_a_brief_is_read(partner, counted):
    reads = counted(fields.Text, "_deserialize")
    path = f"/v1/accounts/{partner.seeded['sandboxAccountId']}/batches"
    answer = partner.post(path, json={"items": [{}] * 40_000})
    assert "this has 40,000" in refused(answer, 400, "INVALID_REQUEST")["message"]
    assert not reads and len(answer.data) < LARGEST_ANSWER


# Errors


def test_an_answer_names_twenty_errors_and_says_how_many_more_there_are(partner):
    path = f"/v1/accounts/{partner.seeded['sandboxAccountId']}/batches"
    answer = partner.post(path, json={"items": [{}] * 500})
    found = refused(answer, 400, "INVALID_REQUEST")
    missing = (
        sum(field.required for field in BriefShape().fields.values()) + len(BriefShape.needed)
    ) * 500
    assert (
        sum(map(len, found["fields"].values())) == MOST_NAMED
        and next(iter(found["fields"])).startswith("items[0].")
        and f"(and {missing - MOST_NAMED:,} more errors)" in found["message"]
    )
    assert len(answer.data) < LARGEST_ANSWER


def test_an_error_that_has_room_for_all_says_nothing_of_more():
    exact = InvalidRequest.from_fields(
        {f"field {number}": ["Wrong."] for number in range(MOST_NAMED)}
    )
    assert len(exact.fields) == MOST_NAMED and "more" not in exact.message and exact.more == 0
    over = InvalidRequest.from_fields(
        {f"field {number}": ["Wrong.", "Bad."] for number in range(MOST_NAMED)}
    )
    assert sum(map(len, over.fields.values())) == MOST_NAMED == over.more
    assert (
        "field 9: Wrong. Bad. (and 20 more errors)" in over.message
        and "field 10:" not in over.message
    )
    one = InvalidRequest("No.", fields={"x" * 4000: ["Wrong."] * 21})
    assert one.message == "No. (and 1 more error)" and list(one.fields) == ["x" * 60]


def test_each_field_of_a_message_is_in_a_sentence_of_its_own():
    wrong = {"topic": ["Give 1 to 5; this is 0."], "country": ["Give one"], "look": ["No."]}
    error = InvalidRequest.from_fields(wrong)
    assert error.message == "topic: Give 1 to 5; this is 0. country: Give one. look: No."


def test_rows_of_a_table_scenes_and_segments_name_twenty_errors(partner):
    path = added(partner, [{"name": "city"}], topic="{{city}}")
    answer = partner.post(f"{path}/batches", json={"csv": "city,town\n" + ",x\n" * 300})
    found = refused(answer, 400, "INVALID_REQUEST")
    assert (
        sum(map(len, found["fields"].values())) == MOST_NAMED
        and "(and 580 more errors)" in found["message"]
    )
    assert found["fields"]["row 1"] == [
        "values.town: The template has no such variable.",
        "values.city: This value is required.",
    ]
    assert len(answer.data) < LARGEST_ANSWER
    unknown = {
        "scene": 7,
        "heading": None,
        "narration": None,
        "points": None,
        "key_phrase": None,
        "picture": None,
    }
    with pytest.raises(InvalidRequest) as scenes:
        script_review._check_scenes([unknown] * 90, [], 0)
    assert len(scenes.value.fields) == MOST_NAMED and scenes.value.more == 70


def test_the_name_of_a_field_is_repeated_in_its_first_characters_alone(partner):
    path = f"/v1/accounts/{partner.seeded['sandboxAccountId']}/batches"
    for sent in ({"x" * 50_000: 1}, {"items": [{"x" * 50_000: 1}]}):
        answer = partner.post(path, json=sent)
        refused(answer, 400, "INVALID_REQUEST")
        assert len(answer.data) < LARGEST_ANSWER


def test_all_briefs_of_an_atomic_batch_that_are_refused_are_counted_and_twenty_named(partner):
    path = f"/v1/accounts/{partner.seeded['sandboxAccountId']}/batches"
    items = [partner.brief(avatarId=ids.NIL)] * 30
    found = refused(
        partner.post(path, json={"mode": "atomic", "items": items}), 409, "BATCH_REFUSED"
    )
    assert len(found["fields"]) == MOST_NAMED and "(and 10 more errors)" in found["message"]


# The JSON of a body


def test_a_body_of_too_many_values_is_refused_before_one_is_made(counted):
    made = counted(parsing, "_reject_repeats")
    for entry in (b"{}", b"[]", b"1", b'{"a":1}'):
        with pytest.raises(InvalidRequest, match="more than 100,000 values"):
            parsing.read_json(b'{"items":[' + b",".join([entry] * 100_001) + b"]}")
        with pytest.raises(InvalidRequest, match="more than 10,000 values"):
            small = [entry] * (64_000 // (len(entry) + 1))
            parsing.read_json(b'{"items":[' + b",".join(small) + b"]}")
    assert not made
    assert (
        len(parsing.read_json(b'{"items":[' + b",".join([b"1"] * 9_998) + b"]}")["items"]) == 9_998
    )
    # a text may have what it likes
    assert len(parsing.read_json(b'{"a":"' + b",{[" * 100_000 + b'"}')["a"]) == 300_000


def test_an_object_of_too_many_fields_is_refused_before_a_schema_reads_it(partner, counted):
    loads = counted(LexiconEntry, "load")
    sent = {f"f{number}": 1 for number in range(101)}
    for whole in (sent, {"entries": [sent]}):
        answer = partner.put(f"/v1/accounts/{partner.account}/lexicon", json=whole)
        assert "101 fields; at most 100" in refused(answer, 400, "INVALID_REQUEST")["message"]
    assert not loads
    query = "&".join(f"f{number}=1" for number in range(101))
    assert (
        "101 query parameters"
        in refused(partner.get(f"/v1/accounts?{query}"), 400, "INVALID_REQUEST")["message"]
    )


@pytest.mark.parametrize("text", ['"', '"a\\"b\\"', '"\\\\\\"', '"\\', '"\\"\\', '"a\nb'])
def test_what_follows_a_quote_that_is_not_closed_counts_as_a_string(text):
    """It is refused as what it is, and not for the depth of what would be outside of strings."""
    with pytest.raises(InvalidRequest, match="not valid JSON") as refused:
        parsing.read_json(("[" * 20 + text + "{" * 40).encode())
    assert "deeply" not in refused.value.message


def test_a_quote_or_a_backslash_in_a_string_does_not_end_it(partner):
    for inside in (r"\\", r"\"", r"\\\"", "é\\\\", "}],["):
        body = '{"a":[' * 10 + f'"{inside}' + "[{" * 40 + '"' + "]}" * 10
        assert "[{[{" in repr(parsing.read_json(body.encode())), inside


@pytest.mark.parametrize("pair", ["[]", "{}"])
def test_thirty_two_levels_are_read_and_no_more(pair):
    opening, closing = {"[]": ("[", "]"), "{}": ('{"a":', "}")}[pair]
    for levels, is_read in ((31, True), (32, False)):
        body = '{"a":' + opening * levels + "1" + closing * levels + "," + '"b":[1]}'
        if is_read:
            assert parsing.read_json(body.encode())["b"] == [1]
        else:
            with pytest.raises(InvalidRequest, match="nested too deeply"):
                parsing.read_json(body.encode())


# Templates


def test_a_text_that_becomes_too_long_is_refused_before_it_is_made(partner, counted):
    path = added(partner, [{"name": "a", "default": "[*" * 2048}], metadataMD="{{a}}" * 1638)
    escapes, built = (
        counted(template_values, "_escape_markdown"),
        counted(template_values._Value, "within"),
    )
    answer = partner.post(f"{path}/preview", json={"values": {}})
    found = refused(answer, 400, "INVALID_REQUEST")
    assert found["fields"] == {
        "metadataMD": ["Must be at most 4,096 characters long; with these values it is longer."]
    }
    assert len(escapes) <= 1 and len(built) <= 1
    # its second occurrence, or its 1,366th, is too much
    for value in ("x" * 4096, "x " * 2048, "x" * 3):
        refused(
            partner.post(f"{path}/preview", json={"values": {"a": value}}), 400, "INVALID_REQUEST"
        )
    assert len(escapes) <= 4 and sum(len(value.escaped) for value, *_ in built) <= 3 * 5000 + 12288


@pytest.mark.parametrize("field", ["topic", "subjectOverride", "externalId"])
def test_every_text_of_a_template_ends_at_its_own_limit(partner, counted, field):
    path = added(partner, [{"name": "a", "default": "x" * 100}], **{field: "{{a}}" * 200})
    built = counted(template_values._Value, "within")
    found = refused(partner.post(f"{path}/preview", json={"values": {}}), 400, "INVALID_REQUEST")
    assert list(found["fields"]) == [field] and len(built) * 100 <= template_values._LONGEST[field]


def test_a_text_of_exactly_its_longest_is_filled(partner):
    path = added(partner, [{"name": "a"}], metadataMD="{{a}}" * 1024 + "{{ a\t}}")
    answer = partner.post(f"{path}/preview", json={"values": {"a": "x" * 3}})
    assert len(body(answer)["brief"]["metadataMD"]) == 3075
    path = added(partner, [{"name": "a"}], metadataMD="{{a}}" * 1024)
    assert (
        body(partner.post(f"{path}/preview", json={"values": {"a": "abcd"}}))["brief"]["metadataMD"]
        == "abcd" * 1024
    )
    over = refused(
        partner.post(f"{path}/preview", json={"values": {"a": "abcde"}}), 400, "INVALID_REQUEST"
    )
    assert list(over["fields"]) == ["metadataMD"]


def test_a_value_is_escaped_once_however_often_it_stands_there(partner, counted):
    path = added(partner, [{"name": "a"}], metadataMD="{{a}}" * 1600)
    escapes = counted(template_values, "_escape_markdown")
    answer = partner.post(f"{path}/preview", json={"values": {"a": "*"}})
    assert body(answer)["brief"]["metadataMD"] == "\\*" * 1600 and escapes == [("*",)]


@pytest.mark.parametrize("rows", [10, 20])
def test_the_rows_of_a_table_escape_a_default_once_together_and_their_own_values_once_each(
    partner, counted, rows
):
    variables = [{"name": "a", "default": "*" * 1000}, {"name": "b"}]
    path = added(partner, variables, metadataMD="{{a}}{{b}}{{b}}{{b}}")
    escapes, checks = (
        counted(template_values, "_escape_markdown"),
        counted(template_values, "_find_misfit"),
    )
    answer = partner.post(
        f"{path}/batches", json={"csv": "b\n" + "".join(f"{n}\n" for n in range(rows))}
    )
    assert answer.status_code == 202
    assert len(escapes) == rows + 1 and len(checks) == rows + 1


def test_a_table_is_read_as_far_as_its_first_row_too_many(counted):
    cells = counted(templates, "_split_cells")
    with pytest.raises(InvalidRequest, match="at most 1,000 rows"):
        templates.parse_table("city\n" + "x\n" * 50_000, 1000)
    assert len(cells) == 1000
    with pytest.raises(InvalidRequest, match="at most 55 columns; this one has 200,000"):
        templates.parse_table(",".join(map(str, range(200_000))) + "\nx\n", 1000)
    assert len(cells) == 1000


@pytest.mark.parametrize(
    "text", ["{{" + " " * 8190, "{{" + "\t " * 4000 + "}", "{{ " * 2700, "{{" + " a" * 4000]
)
def test_white_space_after_braces_is_read_in_no_more_than_one_way(text):
    # with several, this would not end
    assert template_values.list_variables_by_field({"metadataMD": text})["metadataMD"] == []


# Batches and languages


def order(partner, each: list[Brief], **more) -> batches.Order:
    account = plain_sql.one(
        "SELECT * FROM accounts WHERE id = ?", (partner.seeded["sandboxAccountId"],)
    )
    return batches.Order(
        dict(account), more.pop("mode", batches.ATOMIC), each, 24, Prices(), "c", **more
    )


def brief(partner, **more) -> Brief:
    seeded = partner.seeded
    return Brief("T", seeded["languageId"], seeded["countryId"], seeded["avatarId"], **more)


def test_the_languages_of_a_batch_are_counted_before_a_brief_is_made_for_each(
    partner, counted, clock
):
    made = counted(Brief, "split_by_language")
    languages = tuple(str(number) for number in range(50))
    with pytest.raises(InvalidRequest, match="this one has 51,000"):
        batches.trigger(
            order(partner, [brief(partner, further_languages=languages)] * 1000), clock()
        )
    assert not made


def test_an_atomic_batch_is_screened_only_if_it_may_be_triggered(
    partner, counted, clock, monkeypatch
):
    monkeypatch.setattr(batches, "MOST_A_MINUTE", 5)
    screened = counted(batches, "_screen_brief")
    asked = order(partner, [brief(partner)] * 4, key="k")
    first, is_repeated = batches.trigger(asked, clock())
    assert not is_repeated and len(screened) == 4
    # the same request again
    assert batches.trigger(asked, clock()) == (batches.batch_rows.load_batch(first["id"]), True)
    with pytest.raises(batches.IdempotencyKeyReused):
        batches.trigger(order(partner, [brief(partner)] * 3, key="k"), clock())
    with pytest.raises(batches.RateLimitExceeded):
        batches.trigger(order(partner, [brief(partner)] * 4, key="l"), clock())
    assert len(screened) == 4
    clock.tick(idempotency.LIFETIME / 1000)
    # the key is free again
    assert not batches.trigger(order(partner, [brief(partner)] * 3, key="k"), clock())[1]


def test_a_brief_in_many_languages_is_screened_once_for_each_script(partner, counted):
    screened = counted(gates, "screen_brief")
    languages = [ids.derive_id("language", code) for code in ("es", "fr", "de", "it", "nl")]
    assert partner.trigger(languageIds=languages).status_code == 202
    assert len(screened) == 1
    assert (
        partner.trigger(languageIds=[*languages, ids.derive_id("language", "ar")]).status_code
        == 202
    )
    assert len(screened) == 3


def test_the_console_takes_as_many_languages_as_the_api(partner):
    form = {
        **partner.brief(),
        "metadataMD": "",
        "languageIds": " ".join(map(str, range(briefs.MOST_LANGUAGES + 1))),
    }
    with pytest.raises(InvalidRequest, match="at most 50 languages"):
        production_admin.parse_form(form)


def test_a_script_has_at_most_a_hundred_scenes_however_it_is_sent():
    with pytest.raises(InvalidRequest, match="at most 100 scenes; these are 101"):
        script_review._check_scenes([{"scene": None}] * 101, [], 0)


# Lexicon and translations


def test_the_lines_of_a_lexicon_are_counted_and_measured_before_they_are_normalised(counted):
    normalised = counted(lexicon, "_normalise_line")
    for text, why in (
        ("a = b\n" * 501, "at most 500 entries"),
        ("a = " + "\u0301\u0323" * 5000, "at most 2,000 are read"),
    ):
        with pytest.raises(InvalidRequest, match=why):
            lexicon.from_lines(text)
    with pytest.raises(InvalidRequest, match="at most 500 entries"):
        lexicon.check(lexicon.Entry("a", "b") for _ in range(501))
    assert not normalised


def file(content: str, production: str = ids.NIL) -> str:
    return (
        '<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="en" '
        f'trgLang="es"><file id="f-{production}">{content}</file></xliff>'
    )


def test_targets_of_a_file_that_are_within_one_another_are_read_as_far_as_their_limit():
    levels = 60
    nested = (
        "".join(f'<segment id="s{n}"><target>' for n in range(levels))
        + "x" * 300_000
        + "</target></segment>" * levels
    )
    with pytest.raises(InvalidRequest, match="'s0' has more than 8,192 characters"):
        xliff.read(file(nested), ids.NIL, ("en", "es"))
    many = "".join(
        f'<segment id="s{n}"><target>x</target></segment>' for n in range(segments.MOST + 1)
    )
    with pytest.raises(InvalidRequest, match="more than 1,500 translated segments"):
        xliff.read(file(many), ids.NIL, ("en", "es"))


def test_a_translation_of_too_many_segments_or_too_long_ones_is_refused(partner):
    languages = [ids.derive_id("language", "es")]
    first = body(partner.trigger(languageIds=languages))
    url = f"/v1/accounts/{first['accountId']}/productions?groupId={first['groupId']}"
    [spanish] = [
        each for each in body(partner.get(url))["data"] if each["languageId"] == languages[0]
    ]
    path = f"/v1/productions/{spanish['productionId']}/translation"
    given = [{"segmentId": f"s{number}", "target": "x"} for number in range(segments.MOST)]
    answer = partner.put(path, json={"segments": given})
    found = refused(answer, 400, "INVALID_REQUEST")
    assert (
        len(found["fields"]) == MOST_NAMED
        and "more errors)" in found["message"]
        and len(answer.data) < LARGEST_ANSWER
    )
    refused(partner.put(path, json={"segments": [*given, given[0]]}), 400, "INVALID_REQUEST")
    long = file(f'<segment id="{"s" * 5000}"><target>x</target></segment>', spanish["productionId"])
    assert len(partner.put(path, json={"xliff": long}).data) < LARGEST_ANSWER


# What is kept of a refused request


def test_what_is_kept_of_a_refused_body_is_written_as_far_as_it_is_kept(monkeypatch):
    written = Counter()
    real = refusals._ENCODER.iterencode

    class Counting:
        def iterencode(self, value):
            for text in real(value):
                written["characters"] += len(text)
                yield text

    monkeypatch.setattr(refusals, "_ENCODER", Counting())
    # indented, each of these numbers is a line of 400 spaces
    deep = b"[" * 200 + b",".join([b"1"] * 20_000) + b"]" * 200
    kept = refusals.make_refusal(1, "p", 0, b"{}", "application/json", deep)
    assert written["characters"] < 3 * 8192 + 2000 and len(kept.body) <= 8193


def test_a_large_refused_body_is_not_read_again_and_its_secrets_are_masked(counted):
    read = counted(json, "loads")
    large = (
        b'{"password": "hush\\"hush", "apiKey":"k123", "text": "'
        + b"x" * 100_000
        + b'", "secret": "late"}'
    )
    kept = refusals.make_refusal(1, "p", 0, b"{}", "application/json", large)
    assert len(read) == 1  # the answer
    assert (
        "hush" not in kept.body
        and "k123" not in kept.body
        and "•••" in kept.body
        and kept.body.endswith("…")
    )


# Headers


def test_a_run_of_spaces_in_a_header_that_a_library_reads_by_patterns_is_one(app, monkeypatch):
    """Patterns of werkzeug take a time of the square of such a run."""
    seen = {}

    def look(environ):
        seen.update(environ)
        return real(environ)

    real = app.request_context
    monkeypatch.setattr(app, "request_context", look)
    run = " \t" * 4_000
    sent = {"Cookie": f'a={run}"x; b=1;{run}', "Accept": f"Bearer {run}!,{run}text/html"}
    with app.test_client(use_cookies=False) as client:
        assert client.get("/console/", headers=sent).status_code == 303
        assert client.get("/nothing", headers=sent).status_code == 404
    assert seen["HTTP_COOKIE"].strip() == 'a= "x; b=1;'
    assert seen["HTTP_ACCEPT"] == "Bearer !, text/html"
