"""Readmes of the packages that are installed here, as partners paste them:
the gates refuse none of what they say.
"""

import random
import re
from collections.abc import Iterator
from importlib import metadata

import pytest
from small_programme import timeline_of

from svc.media.captions import transcript
from svc.media.checks import documents as checks
from svc.media.model import VideoBrief, save
from svc.media.script.completeness import list_lost
from svc.media.script.from_brief import write_script

LENGTHS = (400, 1500, 4000)  # characters of a part


def parts() -> Iterator[tuple[str, str]]:
    """Yield the name of a package and a part of its readme in Markdown, from a heading on."""
    for package in sorted(metadata.distributions(), key=lambda package: package.metadata["Name"]):
        if "markdown" not in (package.metadata["Description-Content-Type"] or ""):
            continue
        text, chance = (
            package.metadata.get_payload() or package.metadata["Description"],
            random.Random(package.name),
        )  # noqa: S311
        starts = [0, *(heading.start() for heading in re.finditer(r"^#+ ", text, re.MULTILINE))]
        start = chance.choice(starts)
        yield package.name, text[start : start + chance.choice(LENGTHS)]


def objections(brief: VideoBrief, folder) -> list[str]:
    """Return what the comparison with the script, and the checks of the transcripts, find."""
    script = write_script(brief)
    save(script, folder / "script.json")
    save(timeline_of(script), folder / "timeline.json")
    transcript.write_transcript(brief, folder)
    found = [checks._check_transcript(folder / name, brief, script) for name in checks.TRANSCRIPTS]
    return [*list_lost(brief, script), *(each.measured for each in found if not each.passed)]


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "de", "ja"])
def test_the_gates_refuse_no_readme(make_brief, tmp_path, language):
    texts = list(parts())
    assert len(texts) > 50
    for name, text in texts:
        brief = make_brief(title=name, topic=name, language=language, metadata_md=text)
        assert objections(brief, tmp_path) == [], text
