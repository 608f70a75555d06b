"""The first step of a production: write the script, by rules or by a language model."""

import json
from pathlib import Path

from svc.base import atomic_file
from svc.media.clips import in_scenes
from svc.media.model import VideoBrief, save
from svc.media.resources import Resources
from svc.media.script import from_brief, from_model, revision, summary
from svc.media.text.pronunciation import lexicon


def write_step(
    brief: VideoBrief, folder: Path, progress, resources: Resources = Resources()
) -> None:
    """Write ``script.json``, and ``scenes.json`` as people review it.

    Raises ScriptError (SCRIPT_EMPTY, SCRIPT_TOO_LONG, SCRIPT_INVALID, LANGUAGE_NOT_SPOKEN), and the
    errors of ``resources.chat``.
    """
    written = (
        from_model.write_script(brief, resources.chat)
        if resources.chat
        else from_brief.write_script(brief)
    )
    script = in_scenes.lengthen_scenes(
        summary.add_summary(brief, lexicon.apply_lexicon(written, brief.lexicon)), folder
    )
    atomic_file.write_text(
        folder / "scenes.json", json.dumps(revision.outline_script(script), ensure_ascii=False)
    )
    save(script, folder / "script.json")
    progress(1.0)
