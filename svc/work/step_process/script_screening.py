"""Applies the sensitivity rules to the finished script: to its narration,
its visible text and its translated captions.
"""

import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

from svc.base.text import countries
from svc.domain.lifecycle import gates
from svc.domain.partners import sensitivity
from svc.media import model as programme
from svc.media.captions import stored_translations
from svc.media.captions.stored_translations import Translation
from svc.media.model import CARDS, Scene, Script
from svc.work.step_process.outcomes import Completed, Failed, Outcome

log = logging.getLogger("svc.script")


def screen_outcome(production_id: str, folder: Path, outcome: Outcome) -> Outcome:
    """Return the ``outcome`` of the script's or the narration's step, or a refusal if a rule
    matches what it wrote in ``folder``."""
    if not isinstance(outcome, Completed):
        return outcome
    rules = gates.find_rules_of_production(production_id)
    if not rules:
        return outcome
    script = programme.load_script(folder)
    translated = (
        sensitivity.Texts(
            _list_sentences(each),
            each.language,
            read_in=countries.in_country(each.language, script.country),
        )
        for each in stored_translations.read_translations(folder)
    )
    rule = next(
        (
            rule
            for texts in (extract_texts(script), *translated)
            for rule in sensitivity.find_matching(rules, texts)
        ),
        None,
    )
    if rule is None:
        # side by side they may say more than the topic
        tags = sensitivity.Texts(
            [" ".join(script.hashtags)], script.language, read_in=script.read_in
        )
        if any(sensitivity.find_matching(rules, tags)):
            programme.save(replace(script, hashtags=()), folder / "script.json")
        return outcome
    log.warning(
        "the script is suppressed by the sensitivity rule %s (%s)", rule["id"], rule["phrase"]
    )
    message = "A content sensitivity rule suppresses the script of this brief."
    return Failed("SENSITIVITY_RULE_SUPPRESSED", message)


def extract_texts(script: Script) -> sensitivity.Texts:
    """Return a script's narration, in one piece as sentences may span scenes, what its lexicon
    changes besides, and its visible texts."""
    # The words of the cards are standard sentences around the title, unless the account's lexicon
    # changes them.
    scenes = [scene for scene in script.scenes if scene.layout not in CARDS]
    written = " ".join(word for scene in scenes for word in scene.words)
    spoken = " ".join(word for scene in scenes for word in scene.spoken)
    shown = (text for scene in script.scenes for text in _list_shown_texts(scene))
    return sensitivity.Texts(
        [script.title, script.summary, written, spoken, *script.respoken, *shown],
        script.language,
        read_in=script.read_in,
    )


def _list_sentences(translation: Translation) -> list[str]:
    """Return the sentences of translated captions, scene by scene in one piece."""
    return [" ".join(scene) for scene in translation.scenes]


def _list_shown_texts(scene: Scene) -> Iterator[str]:
    yield scene.heading
    yield " ".join(point.text for point in scene.points)
    yield scene.sight.text
    yield scene.sight.alt
    # a link has its letters in percent-encoding
    yield from (scene.sight.note, unquote(scene.sight.note))
    yield "\n".join((" ".join(scene.sight.columns), *(" ".join(row) for row in scene.sight.rows)))
