"""The register of the quality gates: a gate is one function in a module of this folder, under its
name.

    @quality_gate("length", of=FilmFile, failure="as long as its places take")
    def check_length(file: FilmFile) -> Measurement: ...

Whatever lists gates, or runs them, reads this register: to add a gate takes no other edit, in a
module that is there or in a new one. ``of`` is the class of what the gate measures: a film's file
(``film.FilmFile``), pictures, speech, music or clips, captions, documents, drawn texts or the
script. ``run`` makes one for each file, and the gates of its class measure it.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Protocol, TypeAlias, TypeVar

from svc.base.processes import entry_points
from svc.media import checks
from svc.media.model import QualityFinding

# The marks around the table in docs/media.md.
START, END = "<!-- quality gates -->", "<!-- /quality gates -->"


@dataclass(frozen=True)
class Measurement:
    """What a gate measured; its fields are those of a :class:`QualityFinding`, which also has the
    names of the gate and of the file."""

    measured: str
    limit: str
    passed: bool
    where: str = ""
    excess: str = ""
    certain: bool = True
    at: float | None = None
    scene: int | None = None


class Subject(Protocol):
    """What gates measure. ``CHECKED``: the same in words, for the documentation."""

    CHECKED: ClassVar[str]

    @property
    def name(self) -> str:
        """The name of the file."""


# What a gate returns; (): there is nothing to measure in this subject.
Measurements: TypeAlias = Measurement | Sequence[Measurement]
Kind = TypeVar("Kind", bound=Subject)


@dataclass(frozen=True)
class QualityGate:
    """A gate. ``how``: in words, how it measures, where the name does not say it. ``warning`` and
    ``failure``: likewise, the limits beyond which it warns, and beyond which the file is certainly
    broken; "": it never does."""

    name: str
    subject: type[Subject]
    how: str
    warning: str
    failure: str
    measure: Callable[[Any], Measurements]

    def list_findings(self, subject: Subject) -> list[QualityFinding]:
        """Return what the gate finds in a subject."""
        measured = self.measure(subject)
        each = [measured] if isinstance(measured, Measurement) else measured
        return [QualityFinding(self.name, subject.name, **asdict(one)) for one in each]


_gates: dict[str, QualityGate] = {}


def quality_gate(
    name: str, *, of: type[Kind], how: str = "", warning: str = "", failure: str = ""
) -> Callable[[Callable[[Kind], Measurements]], Callable[[Kind], Measurements]]:
    """Register the decorated function as the gate ``name``.

    ValueError: there is one of this name, or neither limit is given.
    """

    def register(measure: Callable[[Kind], Measurements]) -> Callable[[Kind], Measurements]:
        if name in _gates or not (warning or failure):
            raise ValueError(f"the gate {name!r} is there already, or has no limit")
        _gates[name] = QualityGate(name, of, how, warning, failure, measure)
        return measure

    return register


def list_gates() -> list[QualityGate]:
    """Return all gates: those in the module of what they measure first, then those of other
    modules by name, and in each as they stand there."""
    entry_points.import_modules(checks)
    return sorted(
        _gates.values(),
        key=lambda gate: (
            gate.subject.CHECKED,
            gate.subject.__module__,
            gate.measure.__module__ != gate.subject.__module__,
            gate.measure.__module__,
        ),
    )


def measure_subject(subject: Subject) -> list[QualityFinding]:
    """Return what every gate finds that measures such subjects."""
    return [
        finding
        for gate in list_gates()
        if gate.subject is type(subject)
        for finding in gate.list_findings(subject)
    ]


def format_table() -> str:
    """Return the table of all gates for the documentation."""
    rows = ["| checked | gate | beyond this, a warning | beyond this, certainly broken |"]
    rows.append("|---|---|---|---|")
    checked = ""
    for gate in list_gates():
        shown = "" if checked == gate.subject.CHECKED else f"{gate.subject.CHECKED} "
        checked, how = gate.subject.CHECKED, f", {gate.how}" if gate.how else ""
        limits = f"{gate.warning or '–'} | {gate.failure or '–'}"
        rows.append(f"| {shown}| {gate.name}{how} | {limits} |")
    return "\n".join(rows)
