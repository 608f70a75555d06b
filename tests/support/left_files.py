"""What the steps of a production leave in its folder, in small."""

import json

from svc.media import deliverables
from svc.media import model as programme
from svc.work import brief_builder
from svc.work.step_process.outcomes import Completed


def leave_files(_name, folder, *_given):
    """Do what the steps of a production would."""
    programme.save(programme.Script("Tea", "en", ()), folder / "script.json")
    (folder / "scenes.json").write_text("[]")
    programme.save(programme.Descriptions(()), folder / "descriptions.json")
    (folder / "timeline.json").write_text(
        json.dumps({"duration": 1.0, "sample_rate": 1, "scenes": [], "voice": ""})
    )
    (folder / "findings.json").write_text("{}")
    for file in deliverables.list_deliverables(brief_builder.build_brief(folder.name), folder):
        (folder / file.path).write_bytes(file.path.encode())
    return Completed()
