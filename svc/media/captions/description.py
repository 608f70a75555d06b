"""The text beside a video where it is published: title, summary, chapters, disclosure and hashtags.

Chapters are listed as YouTube wants them: the first at 0:00, at least three, each of at least ten
seconds.
"""

from pathlib import Path

from svc.base import atomic_file
from svc.base.text.timecodes import format_position
from svc.media.captions.chapters import Chapter, list_chapters
from svc.media.deliverables import name_description_file
from svc.media.languages import Phrases, Sentences, read_words
from svc.media.model import Rendition, Script, Timeline, VideoBrief, load_script, load_timeline
from svc.media.text import tokens

_FEWEST, _SHORTEST = 3, 10.0  # chapters; seconds of each


def write_descriptions(brief: VideoBrief, folder: Path) -> None:
    """Write ``description-{rendition}.txt`` for each rendition,
    from ``script.json`` and ``timeline.json``.
    """
    script = load_script(folder)
    timeline = load_timeline(folder)
    for rendition in brief.renditions:
        atomic_file.write_text(
            folder / name_description_file(rendition),
            describe_rendition(script, timeline, rendition),
        )


def describe_rendition(script: Script, timeline: Timeline, rendition: Rendition) -> str:
    """Return the description for a rendition, within its limit: without chapters, then hashtags, if
    there is too much, and with a shorter summary if that is still too much."""
    models = [tokens.clean(name) for name in dict.fromkeys((script.author, timeline.voice)) if name]
    disclosure = find_disclosure(script.language, models)
    title = tokens.clean(script.title)
    summary = tokens.clean(script.summary)
    tags = " ".join(f"#{tag}" for tag in script.hashtags)
    listed = (
        "\n".join(_list_chapters(list_chapters(script, timeline), timeline.duration))
        if rendition.chapter_list
        else ""
    )
    most = rendition.longest_description
    for parts in (
        (title, summary, listed, disclosure, tags),
        (title, summary, disclosure, tags),
        (title, summary, disclosure),
    ):
        text = "\n\n".join(part for part in parts if part)
        if len(text) <= most:
            return text
    left = most - len(f"{title}\n\n\n\n{disclosure}")
    return "\n\n".join(
        part
        for part in (title, tokens.shorten(summary, left) if left > 1 else "", disclosure)
        if part
    )[:most]


def find_disclosure(language: str, models: list[str]) -> str:
    """Return the sentence that says how a video was made, in English if ``language`` has none.

    ``models``: the trained models that took part.
    """
    code = language if read_words(language, Phrases).disclosure else "en"
    named = f" ({', '.join(models)})" if models else ""
    full_stop = read_words(code, Sentences).full_stop
    return f"{read_words(code, Phrases).disclosure}{named}{full_stop}"


def _list_chapters(chapters: tuple[Chapter, ...], duration: float) -> list[str]:
    """Return a line for each chapter.

    One that is too short belongs to the one before it, the first to the second.
    """
    long_enough: list[Chapter] = []
    for number, chapter in enumerate(chapters):
        ends = chapters[number + 1].start if number + 1 < len(chapters) else duration
        if ends - chapter.start >= _SHORTEST:
            long_enough.append(chapter if long_enough else Chapter(0.0, chapter.title))
    if len(long_enough) < _FEWEST:
        return []
    return [
        f"{format_position(chapter.start)} {tokens.clean(chapter.title)}" for chapter in long_enough
    ]
