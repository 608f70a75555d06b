"""An option of a brief is declared once, and everything that takes briefs offers it."""

from dataclasses import fields

import pytest
from support.cast import text
from support.tables import each_of

from svc.api.schemas.productions import Brief as BriefSchema
from svc.api.schemas.templates import TemplateBrief
from svc.base.api_fields import Option, TextRule
from svc.cli.agents import tool as agents_tool
from svc.cli.agents.tools import find_tool
from svc.console import form_errors, template_form
from svc.domain.briefing import template_values
from svc.domain.lifecycle import briefs
from svc.domain.lifecycle.briefs import OPTIONS, Brief
from svc.domain.productions import admin, view
from tests.support.documents import require_names

SHOWN = {field.column: field.shown.name for field in view.FIELDS}
CHOICE = Option("pace", ("slow", "fast"), "How fast it is spoken.", "Pace", "As the voice has it")
# of the release before options were declared
DIGEST = "eddda56586b7edcafc93657469dad245879861a9ec585458989167d62b7a5608"
TEXT = Option("campaign", TextRule(1, 5, trim=True), "What it is for.", "Campaign", "None")


def test_an_option_is_kept_in_a_column_and_shown_under_its_name():
    require_names(
        "Production and ShownProduction in svc/store/models/productions.py",
        OPTIONS.keys() & SHOWN.keys(),
        OPTIONS,
    )
    assert {attribute: SHOWN[attribute] for attribute in OPTIONS} == {
        attribute: option.name for attribute, option in OPTIONS.items()
    }


@each_of("attribute", OPTIONS)
def test_an_option_is_offered_by_api_templates_forms_and_tools(attribute):
    option = OPTIONS[attribute]
    for schema in (BriefSchema(), TemplateBrief()):
        assert getattr(schema.fields[option.name], "allowed", ()) == option.words
    for name in ("trigger", "estimate", "create_template"):
        assert find_tool(name).properties[option.name].get("enum", []) == list(option.words)
    assert option.name in template_form.BRIEF and option.name in template_form.LABELS
    assert form_errors.find_label(option.name) == option.label
    assert getattr(admin.parse_form({"topic": "Tea"}), attribute) is None
    for value in option.words or ("tea",):
        brief = admin.parse_form({"topic": "Tea", option.name: value})
        assert getattr(brief, attribute) == value


def test_the_form_of_a_production_offers_each_option(owner):
    page = text(owner.get("/console/productions/new"))
    for option in OPTIONS.values():
        assert f'name="{option.name}"' in page and option.unset in page


def test_what_was_chosen_is_kept_shown_and_repeated(partner):
    account = partner.get("/v1/accounts").json["data"][0]
    chosen = {option.name: (option.words or ("tea",))[-1] for option in OPTIONS.values()}
    brief = {"topic": "Tea", "language": "en", "country": "US", **chosen}
    brief["avatarId"] = account["avatars"][0]["avatarId"]
    answer = partner.post(f"/v1/accounts/{account['accountId']}/productions", json=brief).json
    assert {name: answer[name] for name in chosen} == chosen
    again = briefs.rebuild_brief(briefs.load_production(answer["productionId"]), None)
    assert {option.name: getattr(again, name) for name, option in OPTIONS.items()} == chosen


def test_an_attribute_that_a_release_lacked_leaves_digests_as_they_were():
    plain = Brief("topic", "language", "country", "avatar")
    later = {field.name for field in fields(Brief)} - briefs._FIRST
    assert later >= OPTIONS.keys()
    assert plain.digest("account").hex() == DIGEST
    for name in OPTIONS:
        other = Brief("topic", "language", "country", "avatar", **{name: "x"})
        assert other.digest("account").hex() != DIGEST


def test_a_choice_and_a_text_are_read_alike_in_forms_and_offered_to_agents(monkeypatch):
    monkeypatch.setattr(agents_tool, "OPTIONS", {"pace": CHOICE, "campaign": TEXT})
    arguments = agents_tool.make_option_arguments(pace="slow or fast.")
    assert arguments["pace"]["enum"] == ["slow", "fast"]
    assert arguments["pace"]["description"] == "slow or fast."
    assert arguments["campaign"]["maxLength"] == 5
    assert [admin.read_option(each)("") for each in (CHOICE, TEXT)] == [None, None]
    assert [admin.read_option(CHOICE)("fast"), admin.read_option(TEXT)(" tea ")] == ["fast", "tea"]
    for option in (CHOICE, TEXT):
        with pytest.raises(ValueError, match=r"not one of|characters"):
            admin.read_option(option)("longer than that")


@each_of("name", template_values.FILLED_FIELDS)
def test_a_template_takes_texts_of_the_same_length_in_api_and_form(name):
    longest = TemplateBrief().fields[name].longest
    read = template_form._READERS[name]
    assert read("x" * longest) == "x" * longest
    with pytest.raises(ValueError, match="characters"):
        read("x" * (longest + 1))


def test_the_form_of_a_template_has_each_field_of_that_of_a_production():
    assert set(template_form.BRIEF) == set(admin.BRIEF_FIELDS) <= set(BriefSchema().fields)
    assert {field.name for field in fields(Brief)} >= {
        each.attribute for each in admin.BRIEF_FIELDS.values()
    }
