"""Languages that only a speech endpoint speaks, on the command line of a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support import plain_sql
from support.cast import body

from svc.base import ids, states
from svc.base.errors import CommandError
from svc.base.text import languages
from svc.store.database import db
from svc.work import brief_builder

ROOT = Path(__file__).parents[2]
ENDPOINT = {"SVC_SPEECH_URL": "http://127.0.0.1:9/v1", "SVC_SPEECH_MODEL": "tts-1"}


def render(tmp_path, language: str, **settings: str) -> str:
    """What ``render`` says: a country that does not exist is refused only after the
    language is accepted.
    """
    (tmp_path / "brief.md").write_text("# お茶\n\nお茶です。\n", "utf-8")
    command = [
        "app.py",
        "render",
        str(tmp_path / "brief.md"),
        "-o",
        str(tmp_path / "out"),
        "--language",
        language,
    ]
    environment = {**os.environ, "SVC_DATA_DIR": str(tmp_path / "data"), **settings}
    done = subprocess.run(
        [sys.executable, *command, "--country", "XX"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode != 0
    return done.stderr


def _offered(error: str, refused: str) -> list[str]:
    """Return the languages that an error names in place of the one that is refused."""
    said = f"--language {refused} is not supported; these languages are: "
    assert said in error, error
    return error.partition(said)[2].strip().removesuffix(".").split(", ")


@pytest.mark.slow
def test_a_language_of_the_endpoint_is_accepted_where_it_is_offered(tmp_path):
    offered = _offered(render(tmp_path, "he"), "he")
    assert "en" in offered and "he" not in offered
    assert "--country XX is not" in render(tmp_path, "he", **ENDPOINT, SVC_SPEECH_LANGUAGES="he,th")
    offered = _offered(render(tmp_path, "ja", **ENDPOINT, SVC_SPEECH_LANGUAGES="he,th"), "ja")
    assert {"en", "he", "th"} <= set(offered) and "ja" not in offered
    assert "SVC_SPEECH_URL is missing" in render(tmp_path, "he", SVC_SPEECH_LANGUAGES="he")


def test_a_production_in_a_language_of_the_endpoint_is_retried_by_a_command(
    run, partner, monkeypatch
):
    thai = ids.derive_id("language", "th")
    languages.offer_languages(("th",))
    try:
        first = body(partner.trigger(languageId=thai))["productionId"]
        with db.transaction():
            plain_sql.execute(
                "UPDATE productions SET status = ? WHERE id = ?", (states.FAILED, first)
            )
        with pytest.raises(CommandError, match="No such language"):
            run("production", "retry", first, "--json")  # a process without the setting
        for name, value in {**ENDPOINT, "SVC_SPEECH_LANGUAGES": "th"}.items():
            monkeypatch.setenv(name, value)
        again = run("production", "retry", first, "--json")["id"]
        assert brief_builder.build_brief(again).language == "th"
    finally:
        languages.offer_languages(())
