"""The voice that an avatar names in the console, where other voices than those of
the list speak.
"""

import dataclasses
import json

import pytest
from support import plain_sql
from support.cast import text

from svc.base import ids
from svc.base.text import languages
from svc.domain.partners import avatars
from svc.store.database import db


@pytest.fixture
def ada(partner) -> str:
    return partner.seeded["avatarId"]


def speaker(avatar: str) -> str:
    return avatars.get(avatar)["looks"]["speaker"]


def store(avatar: str, name: str) -> None:
    looks = json.dumps({**avatars.get(avatar)["looks"], "speaker": name})
    with db.transaction():
        plain_sql.execute("UPDATE avatars SET appearance = ? WHERE id = ?", (looks, avatar))


def test_a_stored_voice_of_no_list_is_offered_and_kept(operator, ada):
    store(ada, "verse")
    page = f"/console/avatars/{ada}"
    assert '<option value="verse" selected>' in operator.get(page).get_data(as_text=True)
    assert operator.post(page, {"speaker": "verse", "pitch": "44"}).status_code == 303
    assert (speaker(ada), avatars.get(ada)["looks"]["pitch"]) == ("verse", 44)
    assert operator.post(page, {"speaker": "ash"}).status_code == 400
    assert operator.post(page, {"speaker": "joe"}).status_code == 303
    assert "verse" not in operator.get(page).get_data(as_text=True)


@pytest.mark.parametrize("how", ["endpoint", "piper"])
def test_voices_of_an_endpoint_and_of_piper_are_named_freely(operator, ada, app, how):
    service = app.extensions["svc"]
    if how == "endpoint":
        given = dataclasses.replace(service.settings, speech_url="http://127.0.0.1:9/v1")
        app.extensions["svc"] = dataclasses.replace(service, settings=given)
    else:
        service.settings.voices_dir.mkdir()
        (service.settings.voices_dir / "amy.onnx").touch()
    page = f"/console/avatars/{ada}"
    assert operator.post(page, {"speaker": "en_GB-cori.high"}).status_code == 303
    assert speaker(ada) == "en_GB-cori.high"
    assert 'value="en_GB-cori.high"' in operator.get(page).get_data(as_text=True)
    for wrong in ("a b", "x" * 61, "<b>"):
        refused = operator.post(page, {"speaker": wrong})
        assert refused.status_code == 400 and "at most 60 letters" in text(refused)
    assert operator.post(page, {"speaker": ""}).status_code == 303


def test_a_sample_is_spoken_by_a_voice_that_is_known_here(ada, app):
    heard = []
    for name in ("verse", "joe"):
        store(ada, name)
        heard.append(app.extensions["svc"].previews._build_presenter(avatars.get(ada)).speaker)
    assert heard == ["", "joe"]


def test_a_language_of_the_endpoint_is_chosen_where_it_is_offered(operator, ada):
    page, choice = f"/console/avatars/{ada}", f'value="{ids.derive_id("language", "ja")}"'
    assert choice not in operator.get(page).get_data(as_text=True)
    languages.offer_languages(("ja",))
    try:
        assert choice in operator.get(page).get_data(as_text=True)
        assert (
            operator.post(page, {"languages": ids.derive_id("language", "ja")}).status_code == 303
        )
        assert avatars.get(ada)["languages"] == [ids.derive_id("language", "ja")]
    finally:
        languages.offer_languages(())
    # it keeps what it was given
    assert "Japanese" in operator.get("/console/avatars").get_data(as_text=True)
