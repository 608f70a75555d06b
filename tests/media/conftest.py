"""A brief, and a programme recorded from it once for all tests of this folder."""

import dataclasses
import shutil
from types import SimpleNamespace

import pytest

from svc.media.captions import captions
from svc.media.model import Presenter, Rendition, Script, Timeline, VideoBrief, load
from svc.media.script import step as script_step
from svc.media.speech import narration
from tests.support.npm import npm_folder as npm_folder

MARKDOWN = """---
sandbox: {scenario: happy}
---
Coffee is roasted **all over** the world. Dr. Smith, who [wrote about it](https://example.com/a), \
says: it takes twelve minutes.

# Green beans

What happens in the drum:

- The beans *dry*
- They turn yellow
- They crack at 196 °C

## Taste

Roasting is a process that turns green coffee beans into roasted ones, and it gives the coffee \
its flavour. Unroasted beans hold
as many acids, proteins and sugars as roasted ones, but lack their taste, which heat alone brings \
about.
"""


def brief_of(**changes) -> VideoBrief:
    brief = VideoBrief(
        production_id="0b8f7d3e-1111-4222-8333-abcdefabcdef",
        title="How coffee is roasted",
        topic="How coffee is roasted",
        language="en",
        country="US",
        metadata_md=MARKDOWN,
        avatar=Presenter("Ada", "f3"),
        renditions=(
            Rendition("landscape", 1920, 1080, 30, ("YouTube", "LinkedIn")),
            Rendition("portrait", 1080, 1920, 30, ("TikTok",)),
        ),
        account_name="Roasters & Sons",
        triggered_at="2026-11-20T09:30:00.000Z",
    )
    return dataclasses.replace(brief, **changes)


def record(brief: VideoBrief, folder) -> SimpleNamespace:
    """Script, narration and captions of ``brief`` in ``folder``."""
    script_step.write_step(brief, folder, ignore)
    narration.record_narration(brief, folder, ignore)
    captions.write_captions(folder)
    return recorded(brief, folder)


def recorded(brief: VideoBrief, folder) -> SimpleNamespace:
    return SimpleNamespace(
        brief=brief,
        folder=folder,
        script=load(Script, folder / "script.json"),
        timeline=load(Timeline, folder / "timeline.json"),
    )


def ignore(fraction: float) -> None:
    """A step's progress that nobody watches."""


@pytest.fixture
def make_brief():
    return brief_of


@pytest.fixture
def make_programme(tmp_path, programme):
    """Record a brief; without changes, the files are a copy of what was recorded once."""

    def make(**changes) -> SimpleNamespace:
        if changes:
            return record(brief_of(**changes), tmp_path)
        shutil.copytree(programme.folder, tmp_path, dirs_exist_ok=True)
        return recorded(programme.brief, tmp_path)

    return make


@pytest.fixture(scope="session")
def programme(tmp_path_factory):
    """Read it, but do not change what is in its folder."""
    return record(brief_of(), tmp_path_factory.mktemp("programme"))


@pytest.fixture
def unwatched():
    return ignore
