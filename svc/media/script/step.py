"""The first step of a production: write the script, by rules or by a language model."""

from pathlib import Path

from svc.media.model import VideoBrief, save
from svc.media.resources import Resources
from svc.media.script import from_brief, from_model
from svc.media.social import summary
from svc.media.text import lexicon


def write(brief: VideoBrief, folder: Path, progress, resources: Resources = Resources()) -> None:
    """Write ``script.json``.

    Raises ScriptError (SCRIPT_EMPTY, SCRIPT_TOO_LONG, SCRIPT_INVALID, LANGUAGE_NOT_SPOKEN), and the errors of
    ``resources.chat``.
    """
    written = from_model.write_script(brief, resources.chat) if resources.chat else from_brief.write_script(brief)
    save(summary.add(brief, lexicon.apply(written, brief.lexicon)), folder / "script.json")
    progress(1.0)
