"""The doctor's checks of servers and workers, where several machines share the database."""

import re
from collections.abc import Iterable, Iterator

from svc.base import clock
from svc.base.settings import Settings
from svc.base.steps import STEPS
from svc.base.text.counted import count
from svc.base.version import VERSION
from svc.domain.monitoring import workers
from svc.domain.overview import queue_jobs
from svc.domain.overview.queue_jobs import QueueCount
from svc.domain.tables.productions import ShownWorker
from svc.store import meta
from svc.store.database import Connection
from svc.work.doctor.findings import OK, PROBLEM, WARNING, Finding
from svc.work.machines import further_languages, same_files

_START = (
    "python app.py worker --steps 2  # on any machine, with the same SVC_DATABASE_URL, "
    "SVC_STORAGE_URL and secret"
)


def examine(settings: Settings, now: int, connection: Connection) -> Iterator[Finding]:
    """Check the processes that run steps. Where there is one machine, nothing is found."""
    processes = workers.list_with_steps_by(connection, now)
    alive = [each for each in processes if not each["is_silent"]]
    for each in processes:
        if each["is_silent"]:
            yield _report_silence(each, now)
        elif each["sick"]:
            yield _report_sickness(each)
        elif each["version"] != VERSION:
            yield _report_release(each)
    if difference := same_files.describe_difference(
        settings.storage_url, meta.read_texts_by(connection), now
    ):
        yield Finding(
            "workers",
            PROBLEM,
            difference,
            "python app.py config  # give all of them the same SVC_STORAGE_URL",
        )
    yield from _check_jobs()
    steps = sum(each["steps"] for each in alive)
    if not steps and settings.render_workers == 0:
        text = "No worker runs, and SVC_RENDER_WORKERS is 0: nothing is produced."
        yield Finding("workers", PROBLEM, text, _START)
    elif alive:
        if settings.render_workers == 0:
            yield from _run_by_none(alive)
        yield from _report_lacking_languages(alive, settings)
        at_work = sum(each["role"] == "worker" for each in alive)
        yield Finding(
            "workers",
            OK,
            (
                f"{count(len(alive) - at_work, 'server')} and {count(at_work, 'worker')} live; "
                f"together they run {count(steps, 'step')}."
            ),
        )


def _check_jobs() -> Iterator[Finding]:
    counts = queue_jobs.count_by_queue()
    if lost := sum(each.failed + each.stalled for each in counts):
        text = (
            f"{count(lost, 'job')} of the queue failed, or began in a process that is gone "
            f"({_list_by_queue(counts, 'stalled', 'failed')}). What they were to do is looked for "
            "each second all the same."
        )
        yield Finding("jobs", WARNING, text, "python app.py queue jobs  # and: queue retry ID")
    if at_work := _list_by_queue(counts, "waiting", "running"):
        yield Finding("jobs", OK, f"Jobs of the queue: {at_work}. `queue abort ID` ends one.")


def _list_by_queue(counts: Iterable[QueueCount], *kinds: str) -> str:
    """Return how many jobs of these kinds each queue has."""
    return ", ".join(
        f"{each.queue}: {number} {kind}"
        for each in counts
        for kind in kinds
        if (number := getattr(each, kind))
    )


def _run_by_none(alive: list[ShownWorker]) -> Iterator[Finding]:
    able = {name for each in alive if each["steps"] for name in each["able"]}
    if lacking := [name for name, _ in STEPS if name not in able]:
        text = (
            f"No worker that lives may run these steps: {', '.join(lacking)}. Productions "
            "wait there."
        )
        yield Finding(
            "workers",
            PROBLEM,
            text,
            f"python app.py worker {' '.join(f'--only {name}' for name in lacking)}",
        )


def _report_lacking_languages(alive: list[ShownWorker], settings: Settings) -> Iterator[Finding]:
    named = settings.speech_languages
    for each in alive:
        if not each["steps"]:
            continue
        if lacking := [code for code in named if code in each["lacks"]]:
            text = (
                f"{_name_process(each)} has no {', '.join(lacking)} in SVC_SPEECH_LANGUAGES: it "
                "runs no step of such productions."
            )
            mend = (
                f"SVC_SPEECH_LANGUAGES={','.join(named)}  # on {each['hostname']}, and "
                "start it anew"
            )
            yield Finding("workers", WARNING, text, mend)
        elif not named and (
            lacking := [
                code for code in further_languages.list_codes(settings) if code in each["lacks"]
            ]
        ):
            text = (
                f"{_name_process(each)} does not speak {', '.join(lacking)}: it runs no step of "
                "such productions."
            )
            mend = f"python app.py voice install  # on {each['hostname']}, and start it anew"
            yield Finding("workers", WARNING, text, mend)


def _report_release(process: ShownWorker) -> Finding:
    text = (
        f"{_name_process(process)} is of release {process['version']}, this program of {VERSION}."
    )
    where = (
        "on this machine"
        if _parse_release(process["version"]) > _parse_release(VERSION)
        else f"on {process['hostname']}"
    )
    return Finding("workers", WARNING, text, f"git pull  # {where}, and start it anew")


def _parse_release(release: str) -> list[int]:
    """Return the numbers of a release, by which releases are ordered: 1.10.0 comes after 1.9.2."""
    return [int(number) for number in re.findall(r"\d+", release)]


def _report_silence(process: ShownWorker, now: int) -> Finding:
    seconds = (now - process["seen_at"]) // clock.SECOND
    when = f"{seconds} s ago" if seconds >= 0 else f"{-seconds} s ahead of the clock"
    text = (
        f"{_name_process(process)} gave its last sign of life {when}; its work is left to others."
    )
    return Finding(
        "workers",
        WARNING,
        text,
        f"kill -KILL {process['pid']}  # on {process['hostname']}, and start it anew",
    )


def _report_sickness(process: ShownWorker) -> Finding:
    text = (
        f"{_name_process(process)} failed three times in a row, and takes no steps until its place "
        f"is usable again: {process['sick']}"
    )
    return Finding("workers", PROBLEM, text, f"python app.py doctor  # on {process['hostname']}")


def _name_process(process: ShownWorker) -> str:
    kind = "Worker" if process["role"] == "worker" else "Server"
    return f"{kind} {process['pid']} on {process['hostname']}"
