"""``python app.py voice``: the trained voices; they can be listed, installed and heard."""

import subprocess
import sys
from importlib import invalidate_caches
from pathlib import Path

import click

from svc.base import settings, voices
from svc.base.errors import CommandError, InvalidRequest
from svc.base.processes import entry_points
from svc.base.text import languages
from svc.cli import command_support
from svc.media.speech.trained import weights
from svc.work.avatar_previews import AvatarPreviews

voice = command_support.group("voice", "Trained voices: list, install and hear them.")
_REQUIREMENTS = entry_points.ROOT / "requirements-voices.lock"
_ESPEAK = "espeak-ng"
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")


@voice.command("list")
@_json
def list_(as_json: bool) -> None:
    """List the trained voices, and whether each can be used."""
    models = {model: _state(model) for model in voices.TITLES}
    rows = [
        {
            "name": each.name,
            "languages": ", ".join(each.languages),
            "register": "lower" if each.lower else "higher",
            "model": voices.TITLES[each.model],
            "state": _explain_unreadable(each.languages[0]) or models[each.model],
        }
        for each in voices.VOICES.values()
    ]
    command_support.write_result(rows, as_json)


@voice.command("install")
def install() -> None:
    """Install Kokoro's voices with pip, from requirements-voices.lock, and check them."""
    if not _REQUIREMENTS.is_file():
        raise CommandError(
            "requirements-voices.lock is not here, as in a bundle; install the voices where you "
            "make the bundle."
        )
    completed = subprocess.run(
        [sys.executable, "-m", "pip", "install", "--requirement", str(_REQUIREMENTS)]
    )
    if completed.returncode != 0:
        raise CommandError("pip could not install the voices; its message is above.")
    if (state := _state(voices.KOKORO)) != "ready":
        raise CommandError(f"The voices are installed, but the model {state}.")
    invalidate_caches()
    if unreadable := [
        each.name for each in voices.VOICES.values() if _explain_unreadable(each.languages[0])
    ]:
        raise CommandError(
            f"The voices are installed, but what reads the text of {unreadable[0]} is not there."
        )
    click.echo("The voices are installed. `python app.py voice list` lists them.")


@voice.command("say")
@click.argument("text")
@click.option("--voice", "name", required=True, help=f"A name from `voice list`, or {_ESPEAK}.")
@click.option(
    "--language", "code", help="As a BCP 47 tag; by default the first language of the voice."
)
@click.option(
    "-o",
    "--out",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="A WAV file.",
)
def say(text: str, name: str, code: str | None, out: Path) -> None:
    """Say TEXT with a voice."""
    known_voice = voices.VOICES.get(name)
    if known_voice is None and name != _ESPEAK:
        raise CommandError(
            f"There is no voice called {name!r}; there are: {', '.join([*voices.VOICES, _ESPEAK])}."
        )
    language = code or (known_voice.languages[0] if known_voice else "en")
    spoken_language = languages.find_language(language)
    if spoken_language is None or (spoken_language.is_further and known_voice is None):
        raise CommandError(
            f"--language {language} is not supported; these languages are: "
            f"{', '.join(languages.LANGUAGES)}."
        )
    if known_voice and not known_voice.speaks(language):
        raise CommandError(
            f"The voice {name} does not speak {language}, but {', '.join(known_voice.languages)}."
        )
    if (
        known_voice
        and (state := _explain_unreadable(language) or _state(known_voice.model)) != "ready"
    ):
        raise CommandError(f"The voice {name} {state}." + _give_advice(known_voice.model))
    config = settings.read()
    config.data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        AvatarPreviews(config).say(name, language, text, out.absolute())
    except InvalidRequest as refused:
        raise CommandError(refused.message) from refused
    click.echo(f"wrote {out}")


def _state(model: str) -> str:
    try:
        weights.check_weights(model)
    except weights.Unusable as error:
        return voices.REASONS[error.reason]
    return "ready"


def _explain_unreadable(language: str) -> str:
    """Return why a voice cannot read a language; empty if it can."""
    return "" if weights.can_read(language) else "lacks what reads its language"


def _give_advice(model: str) -> str:
    return " Run `python app.py voice install`." if model == voices.KOKORO else ""
