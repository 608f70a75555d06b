"""The first step of a production: write the script, by rules or by a language model."""

from pathlib import Path

from svc.media import dictation, script
from svc.media.kit import Kit
from svc.media.programme import VideoBrief, save


def write(brief: VideoBrief, folder: Path, progress, kit: Kit = Kit()) -> None:
    """Write ``script.json``.

    Raises ScriptError (SCRIPT_EMPTY, SCRIPT_TOO_LONG, SCRIPT_INVALID, LANGUAGE_NOT_SPOKEN), and the errors of ``kit.chat``.
    """
    written = dictation.write_script(brief, kit.chat) if kit.chat else script.write_script(brief)
    save(written, folder / "script.json")
    progress(1.0)
