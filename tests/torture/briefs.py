"""``python -m tests.torture.briefs --count 10000``: hostile briefs, each of which must cost little
to refuse or to accept.

Each brief is taken through what a stranger's brief goes through: the API's schema, the sandbox
scenario, the sensitivity rules, the console's page of it and the step that writes the script; in a
process of its own, forked from one that has everything loaded, under limits of processor time and
memory. CPU is what that process took once it had the words of the brief's language, memory the most
that it held, what it shares with its parent included. The corpus comes first, hypothesis' mutations
of it after that; ``--seed`` repeats them. A brief that costs more than is allowed, or ends its
process, makes the command end with 1. What is allowed is told in times of an ordinary brief, which
is measured beside them.
"""

import argparse
import multiprocessing
import os
import pickle
import random
import resource
import statistics
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import ceil

from hypothesis import HealthCheck, Phase, given, seed, settings
from marshmallow import ValidationError

from svc.api.schemas import productions as shapes
from svc.base import ids
from svc.base.errors import ServiceError
from svc.console import markdown
from svc.domain.lifecycle import sandbox
from svc.domain.partners import sensitivity
from svc.media.artwork import collection
from svc.media.errors import ScriptError
from svc.media.model import Presenter, Rendition, VideoBrief
from svc.media.script.from_brief import write_script
from svc.work.step_process import script_screening
from tests.torture.bombs import CORPUS, Bomb, briefs

# the processor time of an ordinary brief as long as there may be, without vectors of its sentences
MOST_TIMES = 10.0
MOST_MEGABYTES = 100  # beyond what is loaded once, of which the vectors of sentences are 130
_LIMIT_SECONDS, _LIMIT_BYTES = 10, 1 << 30  # what the process of a brief is given
_SHOWN = 10  # of the worst
_TOGETHER = 40  # briefs of one language
_ID = ids.derive_id("language", "en")
_ORDINARY = "".join(
    f"## Part {each}\n\n{'A komp tíz perccel később indul. A jegy öt euró. ' * 4}\n\n"
    for each in range(20)
)[:4096]
RULES = (
    {"phrase": "unholy grail", "is_pattern": 0},
    {"phrase": "война", "is_pattern": 0},
    {"phrase": r"\b(\w+\s?)+bomb\b", "is_pattern": 1},
)


@dataclass(frozen=True)
class Cost:
    """What a brief cost: seconds of the processor, and memory beyond what is loaded once.

    ``verdict``: how it ended.
    """

    bomb: Bomb
    seconds: float
    megabytes: float
    verdict: str
    ordinary: float = 0.0  # seconds that an ordinary brief cost the same process

    @property
    def is_bearable(self) -> bool:
        return (
            self.seconds <= MOST_TIMES * self.ordinary
            and self.megabytes <= MOST_MEGABYTES
            and self.verdict in VERDICTS
        )


VERDICTS = ("accepted", "refused at the door", "suppressed", "no script", "script suppressed")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    options = parser.parse_args()
    print(f"--count {options.count} --workers {options.workers} --seed {options.seed}", flush=True)
    began = time.monotonic()
    costs = []
    for cost in measured(bombs(options.count, options.seed), options.workers):
        costs.append(cost)
        if len(costs) % 500 == 0:
            worst = max(costs, key=lambda each: each.seconds)
            print(f"{len(costs)} briefs, the worst {worst.seconds:.2f} s", flush=True)
    report(costs, time.monotonic() - began)
    unbearable = [cost for cost in costs if not cost.is_bearable]
    for cost in unbearable[:_SHOWN]:
        figures = (
            f"{cost.seconds:.2f} s, {cost.seconds / cost.ordinary:.0f} times, "
            f"{cost.megabytes:.0f} MB"
        )
        print(f"TOO MUCH: {cost.verdict}, {figures}: {cost.bomb!r}")
    raise SystemExit(1 if unbearable else print("as asked"))


def bombs(count: int, number: int) -> list[Bomb]:
    """The corpus as notes, topic and subject, and mutations of it up to ``count``."""
    found = [Bomb("How tides work", None, text, "en") for text in CORPUS.values()]
    found += [Bomb(text[:500], text[:200], "", "en") for text in CORPUS.values()]
    rest = max(0, count - len(found))

    @seed(number)
    @settings(
        max_examples=rest,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(briefs())
    def collect(bomb: Bomb) -> None:
        found.append(bomb)

    if rest:
        collect()
    return found[:count]


def measured(briefs_: list[Bomb], workers: int) -> Iterator[Cost]:
    """The cost of each, in no order."""
    with multiprocessing.get_context("spawn").Pool(workers, initializer=_warm) as pool:
        for costs in pool.imap_unordered(measure_together, batches(briefs_)):
            yield from costs


def batches(briefs_: list[Bomb]) -> list[list[Bomb]]:
    """The briefs in lots of one language each: reading its words costs more than most briefs."""
    of_language: dict[str, list[Bomb]] = {}
    for bomb in briefs_:
        of_language.setdefault(bomb.language, []).append(bomb)
    return [
        each[first : first + _TOGETHER]
        for each in of_language.values()
        for first in range(0, len(each), _TOGETHER)
    ]


def measure_together(briefs_: list[Bomb]) -> list[Cost]:
    """The cost of briefs in one language, whose words a process that is forked for
    them reads once.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _read_words(briefs_[0].language)
        with os.fdopen(writing, "wb") as telling:
            ordinary = statistics.median(
                measure(Bomb("How tides work", None, _ORDINARY, "hu")).seconds for _ in range(3)
            )
            pickle.dump([replace(measure(each), ordinary=ordinary) for each in briefs_], telling)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as told:
        costs = pickle.load(told)
    os.waitpid(child, 0)
    return costs


def _read_words(language: str) -> None:
    collection.read_picture_words(language)  # the names of pictures, which a process reads once


def _warm() -> None:
    """Load what every brief needs, so that none pays for it."""
    _taken(
        Bomb(
            "How tides work",
            None,
            "## A\n\nIt is 5 km from здесь, 1 May.\n\n- b\n\n|a|b|\n|-|-|\n|c|1|",
            "en",
        )
    )


def measure(bomb: Bomb) -> Cost:
    """Take a brief through everything in a forked process."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _end_as_child(bomb, writing)
    os.close(writing)
    with os.fdopen(reading, "rb") as said:
        loading, _, verdict = said.read().decode().partition("\n")
    loaded_seconds, loaded_kilobytes = map(float, loading.split() or (0, 0))
    _, status, used = os.wait4(child, 0)
    died = f"ended with status {status}" if status else verdict
    seconds = used.ru_utime + used.ru_stime - loaded_seconds
    return Cost(bomb, seconds, (used.ru_maxrss - loaded_kilobytes) / 1024, died)


def _end_as_child(bomb: Bomb, writing: int) -> None:
    _read_words(bomb.language)
    loaded = time.process_time()
    os.write(
        writing, f"{loaded:.3f} {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}\n".encode()
    )
    resource.setrlimit(
        resource.RLIMIT_CPU, (ceil(loaded) + _LIMIT_SECONDS, ceil(loaded) + _LIMIT_SECONDS)
    )
    resource.setrlimit(resource.RLIMIT_AS, (_LIMIT_BYTES, _LIMIT_BYTES))
    try:
        verdict = _taken(bomb)
    except BaseException as crash:  # whatever it is, it is told
        verdict = f"crashed: {type(crash).__name__}: {crash}"
    os.write(writing, verdict[:500].encode("utf-8", "replace"))
    os._exit(0)


def _taken(bomb: Bomb) -> str:
    """Everything that a brief goes through, and how that ended."""
    body = {"topic": bomb.topic, "subjectOverride": bomb.subject, "metadataMD": bomb.notes}
    try:
        brief = shapes.Brief().load({**body, "languageId": _ID, "countryId": _ID, "avatarId": _ID})
        sandbox.parse_scenario(brief.metadata_md)
    except (ValidationError, ServiceError):
        return "refused at the door"
    title = f"{brief.subject_override or ''}: {brief.topic}"
    texts = sensitivity.extract_brief_texts(
        title, brief.topic, brief.subject_override, brief.metadata_md, bomb.language
    )
    suppressed = sensitivity.any_matches(RULES, texts)
    markdown.render_html(brief.metadata_md, below=2)
    try:
        script = write_script(
            VideoBrief(
                "p",
                title,
                brief.topic,
                bomb.language,
                "US",
                brief.metadata_md,
                Presenter("Ada"),
                (Rendition("s", 640, 360),),
            )
        )
    except ScriptError:
        return "no script"
    if suppressed:
        return "suppressed"
    return (
        "script suppressed"
        if sensitivity.any_matches(RULES, script_screening.extract_texts(script))
        else "accepted"
    )


def report(costs: list[Cost], took: float) -> None:
    """Print how they ended, how much they cost, and the worst."""
    verdicts = Counter(cost.verdict for cost in costs)
    print(
        f"{len(costs)} briefs in {took:.0f} s: "
        + ", ".join(f"{number} {name}" for name, number in verdicts.items())
    )
    for name, unit, figures in (
        ("CPU", "s", sorted(cost.seconds for cost in costs)),
        ("memory", "MB", sorted(cost.megabytes for cost in costs)),
    ):
        shares = (0.5, 0.9, 0.99, 0.999)
        at = ", ".join(
            f"p{100 * share:g} {figures[int(share * (len(figures) - 1))]:.3g} {unit}"
            for share in shares
        )
        print(f"{name}: {at}, most {figures[-1]:.3g} {unit}")
    times = sorted(cost.seconds / cost.ordinary for cost in costs)
    print(
        f"times of an ordinary brief: p50 {times[len(times) // 2]:.2g}, most {times[-1]:.2g}; "
        f"asked: {MOST_TIMES:g}"
    )
    names = {text: name for name, text in CORPUS.items()}
    for cost in sorted(costs, key=lambda cost: -cost.seconds)[:_SHOWN]:
        which = names.get(cost.bomb.notes) or repr(cost.bomb.notes[:60])
        print(
            f"  {cost.seconds:.2f} s {cost.megabytes:.0f} MB {cost.verdict}, "
            f"{cost.bomb.language}, {which}"
        )


if __name__ == "__main__":
    main()
