"""Sensitivity rules over the finished script, whoever wrote it: what it says and shows is what they are about."""

import logging
from collections.abc import Iterator
from pathlib import Path

from svc.domain.partners import sensitivity
from svc.domain.productions import gates
from svc.media import model as programme
from svc.media.model import Scene, Script
from svc.work.step_process.runner import Outcome

log = logging.getLogger("svc.script")

_CARDS = ("title", "close")  # scenes that say the title, with sentences of our own that no brief asked for


def screened(production_id: str, folder: Path, outcome: Outcome) -> Outcome:
    """The ``outcome`` of the script's step; a refusal if a rule matches the script that it left in ``folder``."""
    if not outcome.done:
        return outcome
    rules = gates.rules_of(production_id)
    if not rules:
        return outcome
    script = programme.load(Script, folder / "script.json")
    rule = next(sensitivity.matching(rules, texts_of(script)), None)
    if rule is None:
        return outcome
    log.warning("the script is suppressed by the sensitivity rule %s (%s)", rule["id"], rule["phrase"])
    message = "A content sensitivity rule suppresses what the script of this brief says or shows."
    return Outcome(False, "SENSITIVITY_RULE_SUPPRESSED", message)


def texts_of(script: Script) -> sensitivity.Texts:
    """What a script says, in one piece since a sentence may go on in the next scene, and what it shows."""
    scenes = [scene for scene in script.scenes if scene.layout not in _CARDS]
    said = " ".join(word for scene in scenes for word in scene.words)
    voiced = " ".join(word for scene in scenes for word in scene.spoken)
    shown = (text for scene in script.scenes for text in _shown(scene))
    return sensitivity.Texts([script.title, said, voiced, *shown], script.language)


def _shown(scene: Scene) -> Iterator[str]:
    yield scene.heading
    yield " ".join(point.text for point in scene.points)
    yield scene.sight.text
    yield scene.sight.note
    yield "\n".join((" ".join(scene.sight.columns), *(" ".join(row) for row in scene.sight.rows)))
