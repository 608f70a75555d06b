"""Languages that only a speech endpoint speaks: offered while it does, refused otherwise,
and kept by what was made.
"""

import dataclasses
import sys

import pytest
from support import plain_sql
from support.cast import body, refused

from svc.base import ids
from svc.base.errors import InvalidRequest, StartRefused
from svc.base.processes import entry_points
from svc.base.text import languages
from svc.domain import locales
from svc.domain.audit.audit import Actor
from svc.domain.partners import avatars
from svc.media.speech.trained import weights
from svc.work import brief_builder
from svc.work.doctor import run as doctor
from svc.work.machines import further_languages

JA, TH = ids.derive_id("language", "ja"), ids.derive_id("language", "th")


@pytest.fixture(autouse=True)
def as_before():
    yield
    languages.offer_languages(())


@pytest.fixture
def given(app):
    """The settings of the server."""
    return app.extensions["svc"].settings


@pytest.fixture
def no_cjk_font(monkeypatch):
    """The package is not there, for this process and for the one that looks at the fonts."""
    monkeypatch.setattr(further_languages, "find_spec", lambda name: None)
    monkeypatch.setattr(entry_points, "list_arguments", lambda process: ("-c", _WITHOUT_PACKAGE))


_WITHOUT_PACKAGE = """
import sys
from svc.media import fonts, missing_letters
fonts.find_spec = lambda name: None
missing_letters.main(*sys.argv[1:])
"""


def codes(partner) -> set[str]:
    return {each["code"] for each in body(partner.get("/v1/languages"))["data"]}


def test_a_further_language_is_listed_only_where_it_is_offered(partner):
    assert codes(partner) == set(languages.LANGUAGES)
    languages.offer_languages(("ja", "th"))
    assert codes(partner) == {*languages.LANGUAGES, "ja", "th"}
    languages.offer_languages(())
    assert codes(partner) == set(languages.LANGUAGES)


def test_a_language_that_is_not_offered_refuses_triggers_and_keeps_what_was_made(partner):
    error = refused(partner.trigger(languageId=JA), 400, "INVALID_REQUEST")
    assert error["fields"]["languageId"] == [
        "No such language; GET /v1/languages lists those that can be narrated."
    ]
    languages.offer_languages(("ja",))
    made = body(partner.trigger(languageId=JA))
    languages.offer_languages(())
    refused(partner.trigger(languageId=JA), 400, "INVALID_REQUEST")
    assert body(partner.get(f"/v1/productions/{made['productionId']}"))["languageId"] == JA
    assert brief_builder.build_brief(made["productionId"]).language == "ja"


def test_an_avatar_speaks_what_is_offered(partner, clock):
    avatar, actor = partner.seeded["avatarId"], Actor(None, "test")
    with pytest.raises(InvalidRequest, match="not a language that can be spoken"):
        avatars.change(actor, avatar, {}, clock(), [JA], False)
    languages.offer_languages(("ja",))
    assert avatars.change(actor, avatar, {}, clock(), [JA], False)["languages"] == [JA]
    refused(partner.trigger(languageId=partner.seeded["languageId"]), 400, "INVALID_REQUEST")
    assert partner.trigger(languageId=JA).status_code == 202
    languages.offer_languages(())
    assert avatars.get(avatar)["languages"] == [JA]


ENDPOINT = "http://127.0.0.1:9/v1"


@pytest.mark.parametrize("are_installed", [True, False])
def test_settings_and_voices_decide_what_is_offered(given, monkeypatch, are_installed):
    monkeypatch.setattr(weights, "can_read", lambda language: are_installed)
    monkeypatch.setattr(weights, "is_installed", lambda model: True)
    monkeypatch.setattr(further_languages, "list_without_letters", lambda settings, codes: [])

    def offered(**changes) -> set[str]:
        further_languages.offer(dataclasses.replace(given, **({"voice": "trained"} | changes)))
        return set(languages.list_offered_languages()) - set(languages.LANGUAGES)

    endpoint = {"speech_url": ENDPOINT, "speech_languages": ("th", "he")}
    assert offered(**endpoint) == {"th", "he"}
    assert offered(speech_url=ENDPOINT) == set()  # the endpoint speaks everything
    assert offered(voice="espeak-ng") == set()
    assert offered() == ({"ja", "zh", "zh-TW"} if are_installed else set())


def test_the_doctor_says_what_the_voices_speak_besides(given, monkeypatch):
    monkeypatch.setattr(further_languages, "list_codes", lambda settings: ("ja", "zh"))
    found = doctor._check_languages(given)
    assert found.verdict == doctor.OK and found.text.startswith("Also spoken: ja, zh;")


def test_without_a_font_the_start_is_refused_and_the_doctor_says_why(given, no_cjk_font):
    asked = dataclasses.replace(given, speech_languages=("ja", "th", "ko"))
    with pytest.raises(
        StartRefused, match="names ja, ko, but no font .*pip install noto-cjk-sans-otc"
    ):
        further_languages.offer(asked)
    found = doctor._check_languages(asked)
    assert (found.verdict, found.mend) == (
        doctor.PROBLEM,
        "pip install noto-cjk-sans-otc",
    ) and "ja, ko" in found.text
    assert (
        doctor._check_languages(dataclasses.replace(given, speech_languages=("th",))).verdict
        == doctor.OK
    )


def test_every_further_language_has_a_name_of_its_own():
    names = {entry["code"]: entry["name"] for entry in locales.list_languages().values()}
    assert {names[code] for code in languages.FURTHER} == {
        "Japanese",
        "Chinese",
        "Chinese (Traditional, Taiwan)",
        "Korean",
        "Thai",
        "Hebrew",
    }
    assert all(locales.find_own_name(code) != names[code] for code in languages.FURTHER)


def test_captions_may_be_translated_into_what_is_offered(partner, monkeypatch):
    monkeypatch.setattr(
        "svc.domain.usage.model_costs.Prices.from_settings", lambda settings: _prices()
    )
    refused(partner.trigger(captionLanguageIds=[TH]), 400, "INVALID_REQUEST")
    languages.offer_languages(("th",))
    made = body(partner.trigger(captionLanguageIds=[TH]))
    assert brief_builder.build_brief(made["productionId"]).caption_languages == ("th",)
    assert plain_sql.one("SELECT count(*) AS n FROM productions")["n"] == 1


def _prices():
    return sys.modules["svc.domain.usage.model_costs"].Prices(has_script_model=True)
