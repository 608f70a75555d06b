"""The console shows what is to be translated, and takes it from a form or a file."""

import io
import json

import pytest
from lxml import etree
from support import plain_sql
from support.cast import body, text
from support.stage import complete_cancels

from svc.base import ids
from svc.domain.audit import audit
from svc.domain.paging import Page

SPANISH = {"topic-1": "Mareas", "metadataMD-1": "El mar sube."}
CORE = "{urn:oasis:names:tc:xliff:document:2.0}"


@pytest.fixture
def production(partner) -> str:
    """A production that awaits its translation into Spanish."""
    partner.trigger(
        topic="Tides", metadataMD="The sea rises.", languageIds=[ids.derive_id("language", "es")]
    )
    return plain_sql.one("SELECT production_id FROM translations")[0]


def address(production: str) -> str:
    return f"/console/productions/{production}/translation"


def typed(**changes: str) -> dict[str, str]:
    return {f"t-{name}": target for name, target in {**SPANISH, **changes}.items()}


def test_the_production_leads_to_its_translation_and_to_its_other_languages(owner, production):
    page = text(owner.get(f"/console/productions/{production}"))
    assert "waits to be translated" in page and address(production) in page
    assert ">English</a>" in page and "Also in" in page
    shown = text(owner.get(address(production)))
    assert "The sea rises." in shown and 'name="t-metadataMD-1"' in shown


def test_nobody_is_asked_for_the_translation_of_a_cancelled_production(
    owner, partner, production, clock
):
    partner.delete(f"/v1/productions/{production}")
    for end, said in (
        (lambda: None, "The production is being cancelled"),
        (lambda: complete_cancels(clock), "The production ended before its brief was translated."),
    ):
        end()
        shown = text(owner.get(address(production)))
        assert said in shown and shown.count("The production ") == 1
        assert "<textarea" not in shown
        assert "waits to be" not in text(owner.get(f"/console/productions/{production}"))


def test_a_translation_is_typed(owner, partner, production):
    answer = owner.post(address(production), typed())
    assert (answer.status_code, answer.headers["Location"]) == (
        303,
        f"/console/productions/{production}",
    )
    found = body(partner.get(f"/v1/productions/{production}"))
    assert (found["topic"], found["metadataMD"], found["holdReason"]) == (
        "Mareas",
        "El mar sube.",
        None,
    )
    assert audit.list_page(Page())["data"][0]["action"] == "production.translate"
    shown = text(owner.get(address(production)))
    assert "El mar sube." in shown and "<textarea" not in shown and "Translated" in shown
    assert f'{address(production)}">translated</a>' in text(
        owner.get(f"/console/productions/{production}")
    )


def test_a_translation_that_is_not_whole_is_kept_with_what_is_wrong(owner, production):
    answer = owner.post(address(production), typed(**{"metadataMD-1": " "}))
    page = text(answer)
    assert (
        answer.status_code == 400
        and "Its translation is missing" in page
        and ">Mareas</textarea>" in page
    )


def test_the_file_goes_out_and_comes_back(owner, partner, production):
    sent = owner.get(f"{address(production)}/file")
    assert (
        sent.mimetype == "application/xliff+xml" and "en-es-" in sent.headers["Content-Disposition"]
    )
    root = etree.fromstring(sent.get_data())
    for segment in root.iter(f"{CORE}segment"):
        etree.SubElement(segment, f"{CORE}target").text = SPANISH[segment.get("id")]
    given = {"file": (io.BytesIO(etree.tostring(root)), "es.xlf")}
    assert (
        owner.post(address(production), given, content_type="multipart/form-data").status_code
        == 303
    )
    assert body(partner.get(f"/v1/productions/{production}"))["topic"] == "Mareas"


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"no file", b"<xliff/>", b"x" * 500_000])
def test_a_file_that_cannot_be_read_says_why(owner, production, content):
    given = {"file": (io.BytesIO(content), "es.xlf")}
    answer = owner.post(address(production), given, content_type="multipart/form-data")
    assert answer.status_code == 400 and 'role="alert"' in text(answer)


def test_a_member_reads_and_sends_nothing(member, stranger, production):
    assert "The sea rises." in text(member.get(address(production)))
    assert "<textarea" not in text(member.get(address(production)))
    assert member.post(address(production), typed()).status_code == 403


def test_a_production_that_is_not_translated_has_no_such_page(owner, partner):
    other = body(partner.trigger())["productionId"]
    for place in (address(other), f"{address(other)}/file", address(ids.NIL)):
        assert owner.get(place).status_code == 404


def test_languages_look_and_theme_are_chosen_in_the_form(owner, partner):
    seeded = partner.seeded
    names = ("languageId", "countryId", "avatarId")
    form = {
        "account": seeded["sandboxAccountId"],
        "topic": "Tides",
        **{name: seeded[name] for name in names},
    }
    form |= {
        "languageIds": [ids.derive_id("language", "es"), ids.derive_id("language", "fr")],
        "look": "news",
        "theme": "light",
    }
    shown = text(owner.post("/console/productions/new/call", form))
    assert json.dumps(form["languageIds"][1]) in shown.replace("&#34;", '"')
    assert owner.post("/console/productions/new", form).status_code == 303
    rows = plain_sql.rows("SELECT look, theme, group_id FROM productions")
    assert (
        len(rows) == 3
        and {tuple(row)[:2] for row in rows} == {("news", "light")}
        and len({row[2] for row in rows}) == 1
    )
    refused = owner.post("/console/productions/new", {**form, "languageIds": ["x"]})
    assert refused.status_code == 400 and "No such language" in text(refused)


def test_some_segments_are_saved_as_a_draft_and_the_rest_starts_the_work(
    owner, partner, production
):
    draft = typed(**{"metadataMD-1": ""}) | {"draft": "yes", "version": "0"}
    assert owner.post(address(production), draft).status_code == 303
    page = text(owner.get(address(production)))
    assert (
        ">Mareas</textarea>" in page
        and "1 of 2 saved" in page
        and 'name="version" value="1"' in page
    )
    found = body(partner.get(f"/v1/productions/{production}"))
    assert (found["topic"], found["holdReason"]) == ("Tides", "Translation")
    assert audit.list_page(Page())["data"][0]["action"] == "translation.draft"
    assert owner.post(address(production), typed() | {"version": "1"}).status_code == 303
    assert body(partner.get(f"/v1/productions/{production}"))["topic"] == "Mareas"
    assert plain_sql.one("SELECT draft FROM translations")[0] is None


def test_languages_are_named_in_words(owner, production):
    page = text(owner.get(address(production)))
    assert (
        "<strong>English</strong> to <strong>Spanish</strong>" in page and "Save and start" in page
    )


@pytest.mark.parametrize("more", [{"draft": "yes"}, {}])
def test_two_who_translate_at_the_same_time_see_both_texts(owner, operator, production, more):
    theirs = typed(**{"topic-1": "Las mareas"}) | {"draft": "yes", "version": "0"}
    assert operator.post(address(production), theirs).status_code == 303
    mine = typed() | {"version": "0", **more}
    answer = owner.post(address(production), mine)
    page = text(answer)
    assert answer.status_code == 409 and "Las mareas</pre>" in page and ">Mareas</pre>" in page
    assert owner.post(address(production), mine | {"version": "1"}).status_code == 303


@pytest.mark.parametrize(
    "wrong", [{"t-topic-9": "x"}, {"t-topic-1": "x" * 20_001}, {"t-topic-1": "\x07"}]
)
def test_a_draft_that_is_wrong_is_refused_and_kept_in_the_form(owner, production, wrong):
    answer = owner.post(address(production), {**wrong, "draft": "yes", "version": "0"})
    assert answer.status_code == 400 and plain_sql.one("SELECT draft FROM translations")[0] is None


def test_a_draft_of_what_is_translated_already_is_refused(owner, production):
    assert owner.post(address(production), typed()).status_code == 303
    assert (
        owner.post(address(production), typed() | {"draft": "yes", "version": "0"}).status_code
        == 409
    )
