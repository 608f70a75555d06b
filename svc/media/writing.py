"""The first step: whoever is to write the script, our own writer or a model, writes it."""

from pathlib import Path

from svc.media import dictation, script
from svc.media.kit import Kit
from svc.media.programme import VideoBrief, save


def write(brief: VideoBrief, folder: Path, progress, kit: Kit = Kit()) -> None:
    """Make ``script.json``. Raises ScriptError: SCRIPT_EMPTY, SCRIPT_TOO_LONG, SCRIPT_INVALID, LANGUAGE_NOT_SPOKEN; and what
    the kit's model raises."""
    made = dictation.write_script(brief, kit.chat) if kit.chat else script.write_script(brief)
    save(made, folder / "script.json")
    progress(1.0)
