"""The first step of a production: write the script, by rules or by a language model."""

from pathlib import Path

from svc.media.kit import Kit
from svc.media.model import VideoBrief, save
from svc.media.script import from_brief, from_model
from svc.media.text import lexicon


def write(brief: VideoBrief, folder: Path, progress, kit: Kit = Kit()) -> None:
    """Write ``script.json``.

    Raises ScriptError (SCRIPT_EMPTY, SCRIPT_TOO_LONG, SCRIPT_INVALID, LANGUAGE_NOT_SPOKEN), and the errors of ``kit.chat``.
    """
    written = from_model.write_script(brief, kit.chat) if kit.chat else from_brief.write_script(brief)
    save(lexicon.apply(written, brief.lexicon), folder / "script.json")
    progress(1.0)
