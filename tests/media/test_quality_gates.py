"""The register of the quality gates: whatever lists them reads it."""

import sys
from types import ModuleType

import pytest

from svc.base.processes import entry_points
from svc.media.checks import quality_gates
from svc.media.checks.film_timeline import Film
from svc.media.checks.music import FilmMusic
from svc.media.checks.quality_gates import Measurement, quality_gate
from svc.media.model import QualityFindings, Rendition, save
from svc.work.step_process import gate_findings
from tests.media import mutations
from tests.support.documents import require_table

NAME = "songs in the music"
FILM = Film("landscape.mp4", Rendition("landscape", 320, 180), ())


@pytest.fixture
def added(monkeypatch):
    """A gate that was written this moment: one function under its name."""
    quality_gates.list_gates()  # all modules are imported: what they register later would be lost
    monkeypatch.setattr(quality_gates, "_gates", dict(quality_gates._gates))

    @quality_gate(NAME, of=FilmMusic, warning="at most 1")
    def check_songs(music: FilmMusic) -> Measurement:
        return Measurement("3", "at most 1", False, "scene 2", certain=False, scene=2)


def test_a_gate_of_one_function_is_asked_shown_and_documented(added, tmp_path):
    found = quality_gates.measure_subject(FilmMusic(FILM, 20.0))
    assert [(each.check, each.subject, each.warns) for each in found] == [
        ("music", "landscape.mp4", False),
        (NAME, "landscape.mp4", True),
    ]
    assert NAME in [gate.name for gate in quality_gates.list_gates()]
    assert f"| | {NAME} | at most 1 | – |" in quality_gates.format_table()
    save(QualityFindings(tuple(found)), tmp_path / "findings.json")
    (warning,) = gate_findings.read_warnings(tmp_path)
    assert warning.scene == 2 and warning.message.startswith("Songs in the music of landscape.mp4")


def test_a_gate_is_asked_of_its_own_subject_only(added):
    asked = {gate.name: gate.subject for gate in quality_gates.list_gates()}
    assert asked[NAME] is FilmMusic and len(set(asked.values())) > 8


def test_a_name_is_given_once_and_a_gate_has_a_limit(added):
    for name, limits in ((NAME, {"failure": "none"}), ("another", {})):
        with pytest.raises(ValueError, match=name):
            quality_gate(name, of=FilmMusic, **limits)(lambda music: ())


def test_a_module_that_is_new_is_found_by_itself(tmp_path, monkeypatch):
    (tmp_path / "brand_new.py").write_text("FOUND = True\n")
    package = ModuleType("folder_of_gates")
    package.__path__ = [str(tmp_path)]
    monkeypatch.setitem(sys.modules, package.__name__, package)
    entry_points.import_modules(package)
    assert sys.modules.pop("folder_of_gates.brand_new").FOUND


def test_the_documentation_lists_every_gate_with_its_limits():
    require_table(
        "docs/media.md",
        quality_gates.START,
        quality_gates.END,
        "svc.media.checks.quality_gates.format_table()",
        quality_gates.format_table(),
    )


def test_every_mutation_is_judged_by_a_gate_that_there_is():
    names = {gate.name for gate in quality_gates.list_gates()}
    assert {mutation.gate for mutation in mutations.MUTATIONS} | {*mutations._MARGINS} <= names
