"""The gates refuse spoiled files.

All mutations are run by ``python -m tests.media.mutations``; a few of them here.
"""

import re
import shutil

import pytest

from svc.media.checks import quality_gates
from svc.media.checks.film import FilmFile
from svc.media.checks.quality_gates import Measurement, quality_gate
from svc.media.proof import record
from tests.media import mutations
from tests.support.documents import read

A_FEW = (
    "picture frozen for 1 s across scenes",
    "black box over the content",
    "a word reversed",
    "captions 0.9 s late",
    "emptied transcript",
    "the described version's text is wrong",
)
SHORT = mutations.BRIEF.partition("## The range")[0]


def test_the_documentation_lists_every_mutation_with_its_gate():
    _, _, table = read("docs/media.md").partition("| mutation | gate | verdict |\n|---|---|---|\n")
    rows = re.findall(r"^\| (.+) \| (.+) \| (.+) \|$", table.partition("\n\n")[0], re.MULTILINE)
    assert rows == [
        (mutation.name, mutation.gate, mutation.wanted) for mutation in mutations.MUTATIONS
    ]
    assert len(rows) >= 40


@pytest.fixture(scope="module")
def between_clips(tmp_path_factory):
    folder = tmp_path_factory.mktemp("between-clips")
    brief = mutations.with_clips(mutations.brief_of(SHORT), folder)
    mutations.produce(brief, folder)
    return brief, folder


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("finished")
    mutations.produce(mutations.brief_of(SHORT), folder)
    return folder


@pytest.mark.slow
def test_a_sound_production_is_not_refused(finished):
    assert mutations.judged_by(mutations.brief_of(SHORT), finished) == {}


@pytest.mark.slow
@pytest.mark.parametrize("name", A_FEW)
def test_a_mutation_is_refused_or_warned_of_by_its_gate(finished, name):
    (mutation,) = [mutation for mutation in mutations.MUTATIONS if mutation.name == name]
    assert (
        mutations.verdict(mutation, mutations.brief_of(SHORT), finished).get(mutation.gate)
        == mutation.wanted
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [mutation.name for mutation in mutations.MUTATIONS if mutation.clips]
)
def test_a_mutation_of_a_clip_is_refused_or_warned_of_by_its_gate(between_clips, name):
    (mutation,) = [mutation for mutation in mutations.MUTATIONS if mutation.name == name]
    assert mutations.verdict(mutation, *between_clips).get(mutation.gate) == mutation.wanted


@pytest.mark.slow
def test_a_sound_production_between_clips_is_not_refused(between_clips):
    assert mutations.judged_by(*between_clips) == {}


@pytest.mark.slow
def test_a_gate_of_one_function_judges_a_production_and_stands_in_its_certificate(
    finished, tmp_path, monkeypatch
):
    quality_gates.list_gates()  # all modules are imported: what they register later would be lost
    monkeypatch.setattr(quality_gates, "_gates", dict(quality_gates._gates))

    @quality_gate("presenter", of=FilmFile, warning="at least one")
    def check_presenter(file: FilmFile) -> Measurement:
        return Measurement("none", "at least one", False, certain=False, at=1.0)

    brief, folder = mutations.brief_of(SHORT), tmp_path / "judged"
    shutil.copytree(finished, folder)
    assert mutations.judged_by(brief, folder) == {"presenter": mutations.WARNING}
    found = [
        (each["check"], each["subject"])
        for each in record.build_record(brief, folder, (), bytes(32))["findings"]
    ]
    assert ("presenter", "landscape.mp4") in found and ("presenter", "described.mp4") in found
