"""A topic without notes: the facts at hand about the video itself, since nothing about the topic may be invented."""

from contextlib import suppress
from datetime import date

from svc.media.model import VideoBrief
from svc.media.script import phrases, scene_split
from svc.media.script.scene_split import ScriptPart
from svc.media.text import tokens as words


def parts(brief: VideoBrief, named: bool) -> list[ScriptPart]:
    """Return a sentence that names the topic, and a list: the country and the language of the video, and its date.

    ``named``: the topic has been spoken already.
    """
    topic = words.shorten(words.clean(brief.topic) or words.clean(brief.title), scene_split.LONGEST_POINT)
    sentence, facts = phrases.facts(topic, brief.country, brief.language, _day(brief.triggered_at))
    limit = scene_split.longest_scene(brief.avatar)
    lead = [] if named else scene_split.split_sentences(sentence, brief.language, limit)
    return [*lead, *(ScriptPart(tuple(tokens), fact) for fact in facts if (tokens := words.tokens(fact, brief.language)))]


def _day(instant: str) -> date | None:
    """Return the day of an instant (ISO 8601); None if it is unknown."""
    with suppress(ValueError):
        return date.fromisoformat(instant[:10])
    return None
