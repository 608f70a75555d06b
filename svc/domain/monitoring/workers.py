"""The processes that run steps where several machines share the database: each has a row, and gives
signs of life.

svc.work.machines.lost_processes decides whether a process lives: it sees that the sign changes, so
that no two machines' clocks need to agree. What is shown to people is judged by the clock.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, cast

from svc.base import clock, voices
from svc.base.steps import STEPS
from svc.base.text.languages import FURTHER
from svc.domain.monitoring import alerts, backlog
from svc.domain.monitoring.backlog import ReadyStep
from svc.domain.monitoring.gauges import Reading, gauge
from svc.domain.tables.productions import ShownWorker, Worker
from svc.store.database import Connection, Row, db
from svc.store.engine.jobs import JobCount
from svc.store.expressions import fn
from svc.store.models import service as models
from svc.store.models.productions import Production
from svc.store.queries import Prepared, slot, slots

_ROLES = ("driver", "standby", "worker")
Role = Literal["driver", "worker"]  # "standby": a server of an earlier release, beside it
SILENT_AFTER = 15 * clock.SECOND  # age of the last sign from which a process is shown as silent
FORGOTTEN_AFTER = clock.HOUR  # age from which its row is removed
_COMMAND = "python app.py worker"
_SICK = "WorkerSick"
_WAITS_IN_VAIN = 30 * clock.SECOND  # for which a step may wait while nothing could run it

_WORKER = models.Worker
_BEAT = Prepared(
    _WORKER.insert(
        slots("id", "role", "hostname", "pid", "version", "steps", "can_run", "started_at", "sick")
        | slots("master_keys", "signs_with"),
        seen_at=slot("now"),
    ).on_conflict(
        conflict_target=[_WORKER.id],
        preserve=[
            _WORKER.role,
            _WORKER.steps,
            _WORKER.seen_at,
            _WORKER.sick,
            _WORKER.master_keys,
            _WORKER.signs_with,
        ],
    )
)
_LEAVE = Prepared(_WORKER.delete().where(_WORKER.id == slot("id")))
_FORGET = Prepared(
    _WORKER.delete().where((_WORKER.seen_at < slot("before")) | (_WORKER.seen_at > slot("latest")))
)
_KNOWN = Prepared(_WORKER.select(), Worker)
_SHOWN = Prepared(
    _WORKER.select(
        _WORKER,
        Production.select(fn.count(Production.id))
        .where(
            Production.claim_token.is_null(False),
            Production.claim_boot == _WORKER.id,
            Production.claim_until > slot("now"),
        )
        .alias("running"),
    ).order_by(_WORKER.role, _WORKER.hostname, _WORKER.started_at, _WORKER.id)
)


@dataclass(frozen=True)
class Process:
    """A process that gives signs of life. ``id``: as in the claims of its work; ``can_run``: names
    of steps, and of what not every process has: voice models and further languages."""

    id: str
    hostname: str
    pid: int
    version: str
    can_run: Sequence[str]
    started_at: int


@dataclass(frozen=True)
class Keys:
    """The versions of the master keys that a process has, and the one with which it signs;
    None: it lacks a newer one.
    """

    held: Sequence[int]
    signs_with: int | None


def record_heartbeat(
    process: Process,
    role: Role,
    steps: int,
    now: int,
    sick: str | None = None,
    keys: Keys | None = None,
) -> None:
    """Record a sign of life.

    ``steps``: how many it runs at the same time; ``sick``: why it takes none, though it would. As
    long as it is so, ``steps`` is 0, so that nothing is left to it.
    """
    with db.transaction(durable=False, in_turn=False):
        columns = vars(process) | {
            "can_run": json.dumps(process.can_run),
            "role": role,
            "steps": 0 if sick else steps,
            "sick": sick,
            "master_keys": keys and json.dumps(keys.held),
            "signs_with": keys and keys.signs_with,
        }
        _BEAT.execute(**columns, now=now)


def remove_process(process_id: str) -> None:
    """Remove the row of a process that ends."""
    with db.transaction(durable=False, in_turn=False):
        _LEAVE.execute(id=process_id)


def list_processes() -> list[Worker]:
    """Return the rows of all processes, alive or not."""
    return _KNOWN.rows()


def count_queue_jobs() -> list[JobCount]:
    """Return how many jobs the queues have by which these processes hear of work."""
    return db.count_jobs()


def forget_silent(now: int) -> None:
    """Remove the rows of processes that have been silent for long."""
    with db.transaction(durable=False, in_turn=False):
        _FORGET.execute(before=now - FORGOTTEN_AFTER, latest=now + FORGOTTEN_AFTER)


def list_with_steps(now: int) -> list[ShownWorker]:
    """Return all processes, with the number of steps that each is ``running`` and
    whether it ``is_silent``.
    """
    return _judge_workers(_SHOWN.rows(now=now), now)


def list_with_steps_by(connection: Connection, now: int) -> list[ShownWorker]:
    """Return :func:`list_with_steps` over another connection."""
    return _judge_workers(_SHOWN.rows_by(connection, now=now), now)


def _judge_workers(rows: list[Row], now: int) -> list[ShownWorker]:
    """Add what is concluded from the rows.

    A language is lacking where another process speaks it.
    """
    processes = [cast(ShownWorker, dict(row)) for row in rows]
    able = [frozenset(json.loads(row["can_run"])) for row in processes]
    spoken = {code: code for code in FURTHER if any(code in each for each in able)}
    extras = {model: voices.TITLES[model] for model in voices.OPTIONAL} | spoken
    return [
        {
            **row,
            # a sign of the future is of before the clock was set back
            "is_silent": abs(now - row["seen_at"]) > SILENT_AFTER,
            "lacks": [title for name, title in extras.items() if name not in has],
            "able": [name for name, _ in STEPS if name in has],
            "is_limited": not has.issuperset(name for name, _ in STEPS),
        }
        for row, has in zip(processes, able, strict=True)
    ]


def alert_sick(boot: str, name: str, why: str, now: int) -> None:
    """Raise an alert that a process takes no steps.

    ``boot``: as in its claims; ``name``: for people.
    """
    message = (
        f"{name} failed three times in a row, and takes no more steps until its place is usable "
        f"again: {why}"
    )
    with db.transaction(in_turn=False):
        alerts.raise_alert(_SICK, "critical", message, now, subject_id=boot)


def close_alert_of_sick(boot: str, now: int) -> None:
    """Close the alert of a process that runs steps again."""
    with db.transaction():
        alerts.close_recovered((_SICK,), [boot], now)


def alert_if_none_can_run(own: int, can_run: frozenset[str], now: int) -> None:
    """Raise an alert if steps have waited for long and no living process can run them.

    ``own``: how many steps the driver itself runs; ``can_run``: what it is able to run, as in
    :class:`Process`.
    """
    alive = [row for row in list_with_steps(now) if not row["is_silent"]]
    able = [frozenset(json.loads(row["can_run"])) for row in alive if row["steps"]]
    able += [can_run] if own else []
    sick = [row for row in alive if row["sick"]]
    long = [step for step in backlog.list_ready_steps(now) if now - step.since > _WAITS_IN_VAIN]
    stuck = [step for step in long if not any(step.needs <= each for each in able)]
    if stuck:
        reasons = " ".join(_explain_stuck_steps(stuck, able, sick))
        alerts.raise_once("NoWorker", "critical", reasons, now, every=clock.HOUR)


def _explain_stuck_steps(
    stuck: list[ReadyStep], able: list[frozenset[str]], sick: list[ShownWorker]
) -> Iterator[str]:
    """Yield why steps wait, and what to do. ``able``: what each living process is able to run."""
    for_sick = {
        step: [row for row in sick if step.needs <= frozenset(json.loads(row["can_run"]))]
        for step in stuck
    }
    if waiting := [step for step in stuck if for_sick[step]]:
        places = _join_names(
            f"{row['pid']} on {row['hostname']}" for s in waiting for row in for_sick[s]
        )
        yield (
            f"Steps wait ({_join_names(step.name for step in waiting)}), and the processes that "
            f"may run them take no steps ({places})."
        )
        yield f"See the alert {_SICK}, or start another worker."
    stuck = [step for step in stuck if not for_sick[step]]
    if not stuck:
        return
    if not able:
        yield (
            f"Steps wait ({_join_names(step.name for step in stuck)}), and no worker runs: "
            "SVC_RENDER_WORKERS is 0 here."
        )
        yield f"Start one with `{_COMMAND}`."
        return
    may_be_run = frozenset[str]().union(*able)
    if barred := list(dict.fromkeys(step.name for step in stuck if step.name not in may_be_run)):
        only = " ".join(f"--only {name}" for name in barred)
        yield f"Steps wait ({_join_names(barred)}), and no server or worker that runs may run them."
        yield f"Start a worker with `{_COMMAND} {only}`, or one without `--only`."
    if unspoken := [step for step in stuck if step.name in may_be_run]:
        codes = _join_names(step.language for step in unspoken)
        names = _join_names(step.name for step in unspoken)
        yield (
            f"Productions in {codes} wait ({names}), and no server or worker that runs such steps "
            "speaks it."
        )
        yield "Start one with SVC_SPEECH_URL, and the language in SVC_SPEECH_LANGUAGES."


def _join_names(words: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(words))


def _list_workers(reading: Reading) -> list[ShownWorker]:
    return list_with_steps(reading.now)


def _list_alive(reading: Reading) -> list[ShownWorker]:
    return [each for each in reading.measure_once(_list_workers) if not each["is_silent"]]


# Where one machine has the database to itself, there are no processes, and none of these is shown.


@gauge("processes", "Servers and workers that give signs of life, by role.", "role")
def count_living(reading: Reading) -> dict[str, int] | None:
    """Return the number of processes that live, by role."""
    if not reading.measure_once(_list_workers):
        return None
    roles = Counter(each["role"] for each in reading.measure_once(_list_alive))
    return {name: roles[name] for name in _ROLES}


@gauge("processes_silent", "Servers and workers that give none.")
def count_silent(reading: Reading) -> int | None:
    """Return the number of processes that give no signs of life."""
    processes = reading.measure_once(_list_workers)
    return len(processes) - len(reading.measure_once(_list_alive)) if processes else None


@gauge(
    "processes_sick",
    "Of those that give signs of life, those that take no steps until their place is usable.",
)
def count_sick(reading: Reading) -> int | None:
    """Return how many living processes take no steps, as their place is unusable."""
    alive = reading.measure_once(_list_alive)
    return (
        sum(each["sick"] is not None for each in alive)
        if reading.measure_once(_list_workers)
        else None
    )


@gauge("step_slots", "How many steps they can run at the same time.")
def count_slots(reading: Reading) -> int | None:
    """Return how many steps the living processes can run."""
    alive = reading.measure_once(_list_alive)
    return sum(each["steps"] for each in alive) if reading.measure_once(_list_workers) else None


@gauge("steps_running", "How many steps they run.")
def count_running(reading: Reading) -> int | None:
    """Return how many steps the living processes run."""
    alive = reading.measure_once(_list_alive)
    return sum(each["running"] for each in alive) if reading.measure_once(_list_workers) else None


@gauge("jobs", "Jobs of the queues by which servers and workers hear of work.", "queue", "status")
def count_jobs(reading: Reading) -> dict[tuple[str, str], int] | None:
    """Return the number of jobs by queue and status; None: there is no queue of jobs."""
    return {(queue, status): number for queue, status, number in count_queue_jobs()} or None
