"""``python -m tests.torture.hostile``: a partner floods the service, and the others must hardly
notice.

First the other partners' answers are measured in calm, then again beside the attacks (bombs in
briefs, scenarios that are slow, forty productions at once, endpoints that hang, names that never
resolve, wrong passwords, templates that expand, lists of nothing, batches cancelled and resumed,
long polls, refusals without a pause, scripts corrected again and again, previews and tries of the
console). Asked: the p99 of the other partners' answers is at most three times that of calm, and a
live production of theirs starts within one step's time, and within five seconds.

``--attacks`` names some of them alone; ``--each`` runs each against a service of its own, and
prints a table. Names that never resolve need root, for a name server of our own. ``--floor`` lets
the attackers ask a trivial server instead: what is lost then is lost to them as processes on the
same machine.
"""

import argparse
import os
import random
import sys
import tempfile
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import requests

from svc.base import clock
from svc.cli.installation import seed
from svc.cli.signals import end_as_by_ctrl_c
from svc.domain.people import users
from svc.domain.people.audit import Actor
from svc.store import database
from svc.store.database import db
from tests.support.front import Gunicorn, remove_data
from tests.torture.attacks import ATTACKS, AttackProcess, BlackHole, Trivial, sleep_until
from tests.torture.load import Partner
from tests.torture.remains import sqlite3

MOST = 3.0  # times the p99 of calm
# seconds: on a machine so quick that calm is under a third of this, noise alone would be three
# times calm
FLOOR = 0.050
TICK = 1.0  # seconds until the engine looks by itself
# seconds until a live production starts: another step gives way once it has waited for PATIENCE of
# svc.domain.productions.render_queue, when the engine looks and has ended it
START = 5.0
# seconds from one request of each other partner to the next: 300 a minute are allowed
EVERY = 0.22
# of one partner's hundred answers in twenty seconds, the second slowest would be the p99
OTHERS = 4
_NAME_SERVER = "127.0.0.66"
_WARM_SECONDS = 3.0
_PATIENCE = 180.0
_PASSWORD = "correct horse"
_SHORT = "## One\n\nOne sentence, and no more."


class Victim:
    """One of the other partners: polls and lists with a live key, and triggers live productions."""

    def __init__(self, address: str, partner: Partner):
        self._address, self._partner = address, partner
        self._session = requests.Session()
        self._session.trust_env = False
        self._headers = {
            "X-API-Key": partner.seeded["liveKey"],
            "X-Forwarded-For": f"192.0.2.{partner.number}",
        }
        self.strange: list[str] = []

    def ask(self, method: str, path: str, **more) -> dict:
        answer = self._session.request(
            method, self._address + path, headers=self._headers, timeout=120, **more
        )
        if answer.status_code not in (200, 202, 429):
            self.strange.append(f"{method} {path}: {answer.status_code} {answer.text[:200]}")
        return answer.json()

    def trigger(self) -> str:
        account = self._partner.seeded["liveAccountId"]
        return self.ask(
            "POST", f"/v1/accounts/{account}/productions", json=self._partner.brief(_SHORT)
        )["productionId"]

    def read(self, production: str, turn: int) -> None:
        """Ask for one of three resources, by turns."""
        paths = (
            f"/v1/productions/{production}",
            "/v1/partner/accounts",
            f"/v1/productions/{production}/events",
        )
        self.ask("GET", paths[turn % len(paths)])


def measure(productions: dict[Victim, str], seconds: float) -> list[float]:
    """Let the other partners read, one after the other at a steady pace.

    Returns the seconds that each answer took, from when it was due to be asked for: who is slow is
    not asked more rarely.
    """
    took: list[float] = []
    due, end, turn = time.monotonic(), time.monotonic() + seconds, 0
    while due < end:
        for victim, production in productions.items():
            sleep_until(due)
            victim.read(production, turn)
            took.append(time.monotonic() - due)
            due += EVERY / len(productions)
        turn += 1
    return took


class Bystander:
    """Asks a trivial server as often as the other partners ask the service, from a thread;
    a context manager.
    """

    def __init__(self, address: str):
        self.took: list[float] = []
        self._address, self._ended = address, threading.Event()
        self._thread = threading.Thread(target=self._ask)

    def __enter__(self) -> "Bystander":
        self._thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._ended.set()
        self._thread.join()

    def _ask(self) -> None:
        session = requests.Session()
        session.trust_env = False
        while not self._ended.wait(EVERY / OTHERS):
            asked = time.monotonic()
            session.get(self._address, timeout=120)
            self.took.append(time.monotonic() - asked)


def p99(took: list[float]) -> float:
    return sorted(took)[min(len(took) - 1, round(0.99 * len(took)))]


def start_of(data_dir: Path, production: str) -> float:
    """Seconds from a production's trigger to its first step. SystemExit: it does not start."""
    deadline = time.monotonic() + _PATIENCE
    sql = """SELECT s.started_at - p.created_at FROM productions p JOIN production_steps s
    ON s.production_id = p.id
             WHERE p.id = ? AND s.position = 0"""
    while not (found := _ask(data_dir, sql, production)):
        if time.monotonic() > deadline:
            return _PATIENCE
        time.sleep(0.05)
    return found[0][0] / 1000


def longest_step(data_dir: Path, since: int) -> float:
    """Seconds of the longest step that ran lately or runs, of whomever;
    those of a slow scenario wait, and do not run.
    """
    now = round(time.time() * 1000)
    sql = f"""SELECT max(coalesce(s.completed_at, {now}) - s.started_at) FROM production_steps s
              JOIN productions p ON p.id = s.production_id
              WHERE coalesce(s.completed_at, {now}) >= ? AND p.metadata_md NOT LIKE '%slowStep%'"""
    mean = "SELECT max(mean_ms) FROM step_paces"
    return max(_ask(data_dir, sql, since)[0][0] or 0, _ask(data_dir, mean)[0][0] or 0) / 1000


def _ask(data_dir: Path, sql: str, *params) -> list[tuple]:
    connection = sqlite3.connect(f"file:{data_dir / 'service.db'}?mode=ro", uri=True)
    try:
        return connection.execute(sql, params).fetchall()
    finally:
        connection.close()


class Measured(NamedTuple):
    """The p99 of answers in calm, beside the attacks, and of a trivial server beside them, in
    seconds; what is not as asked.

    ``asked``: the attackers' requests. ``waited``: seconds until a live production started.
    """

    calm: float
    beside: float
    trivial: float
    asked: int
    waited: float
    wrong: list[str]


def run(
    folder: Path, seconds: float, attacks: tuple[str, ...], number: int, floor: bool = False
) -> Measured:
    """Measure in calm and under attack.

    ``floor``: attack a trivial server instead of the service.
    """
    service = Gunicorn(folder / "data", workers=2, SVC_RENDER_WORKERS="2", SVC_TRUSTED_PROXIES="1")
    database.open_database(service.data_dir / "service.db")
    hostile, *others = (
        Partner(each, seed.make_partner("Enterprise", clock.now())) for each in range(1 + OTHERS)
    )
    email, own = "owner@example.com", "hostile@example.com"
    for address, partner in ((email, others[0]), (own, hostile)):
        users.add(
            Actor(None, "torture"),
            address,
            "Owner",
            _PASSWORD,
            "owner",
            partner.seeded["partnerId"],
            clock.now(),
        )
    db.close()
    with ExitStack() as stack:
        targets = {"email": email, "own email": own, "password": _PASSWORD}
        targets["black hole"] = stack.enter_context(BlackHole()).port
        if "dns" in attacks:
            _use_name_server(folder, service, stack)
        try:
            service.start()
            attacked = stack.enter_context(Trivial()).address if floor else service.address
            attack = AttackProcess(attacked, hostile, number, targets, attacks)
            return _measured(
                service, others, attack, seconds, stack.enter_context(Trivial()).address
            )
        finally:
            service.kill()


def _measured(
    service: Gunicorn, others: list[Partner], attack: AttackProcess, seconds: float, trivial: str
) -> Measured:
    victims = {}
    for other in others:
        victim = Victim(service.address, other)
        victims[victim] = first = victim.trigger()
        calm_start = start_of(service.data_dir, first)
        _wait_until_made(service.data_dir, first)
    measure(victims, _WARM_SECONDS)
    calm = measure(victims, seconds)
    began = clock.now()
    attack.start()
    time.sleep(_WARM_SECONDS)
    waits: list[float] = []
    live = threading.Thread(
        target=lambda: waits.append(
            start_of(service.data_dir, Victim(service.address, others[0]).trigger())
        )
    )
    timer = threading.Timer(seconds / 2, live.start)
    timer.start()
    with Bystander(trivial) as bystander:
        stormy = measure(victims, seconds)
    timer.join()
    live.join()
    answers = attack.stop()
    step = longest_step(service.data_dir, began)
    for (name, answer), count in sorted(answers.items(), key=str):
        print(f"  {name}: {answer} {count} times")
    print(
        f"p99 of {len(calm)} answers in calm: {1000 * p99(calm):.1f} ms, median "
        f"{1000 * sorted(calm)[len(calm) // 2]:.1f} ms"
    )
    print(
        f"p99 of {len(stormy)} answers beside the attacks: {1000 * p99(stormy):.1f} ms, "
        f"{p99(stormy) / p99(calm):.1f} times, median "
        f"{1000 * sorted(stormy)[len(stormy) // 2]:.1f} ms"
    )
    print(
        f"p99 of {len(bystander.took)} answers of a trivial server beside the attacks: "
        f"{1000 * p99(bystander.took):.1f} ms"
    )
    print(
        f"a live production started after {calm_start:.2f} s in calm, {waits[0]:.2f} s beside; "
        f"longest step: {step:.2f} s"
    )
    wrong = [f"answered strangely: {each}" for victim in victims for each in victim.strange[:5]]
    if p99(stormy) > max(MOST * p99(calm), MOST * p99(bystander.took), FLOOR):
        wrong.append(
            f"the p99 is {p99(stormy) / p99(calm):.1f} times that of calm; asked: at most {MOST:g}"
        )
    if waits[0] > min(step + TICK, START):
        wrong.append(
            f"the live production waited {waits[0]:.2f} s for its start; asked: within one "
            f"step's time, and within {START:g} s"
        )
    if "Traceback" in service.said():
        wrong.append("errors in the server's log:\n" + service.said().split("Traceback")[1][:1500])
    return Measured(p99(calm), p99(stormy), p99(bystander.took), answers.total(), waits[0], wrong)


def _wait_until_made(data_dir: Path, production: str) -> None:
    deadline = time.monotonic() + _PATIENCE
    while _ask(
        data_dir,
        "SELECT 1 FROM productions WHERE id = ? AND status IN ('Queued', 'Producing')",
        production,
    ):
        if time.monotonic() > deadline:
            raise SystemExit("nothing is made, even in calm")
        time.sleep(0.1)


def _use_name_server(folder: Path, service: Gunicorn, stack: ExitStack) -> None:
    """Let the service ask a name server that never answers, in a mount namespace of its own."""
    if os.geteuid():
        raise SystemExit("the attack dns needs root; name others with --attacks")
    stack.enter_context(BlackHole(_NAME_SERVER, 53, udp=True))
    (folder / "resolv.conf").write_text(f"nameserver {_NAME_SERVER}\n")
    prefix = [
        "unshare",
        "--mount",
        "sh",
        "-c",
        'mount --bind "$0" "$(realpath /etc/resolv.conf)" && exec "$@"',
    ]
    service.command[:0] = [*prefix, str(folder / "resolv.conf")]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=60, help="of each of the two measurements")
    parser.add_argument("--attacks", default=",".join(ATTACKS), help="comma between: %(default)s")
    parser.add_argument("--each", action="store_true", help="each attack by itself, and a table")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    parser.add_argument(
        "--floor", action="store_true", help="attack a trivial server beside the service"
    )
    options = parser.parse_args()
    attacks = tuple(options.attacks.split(","))
    if unknown := set(attacks) - ATTACKS.keys():
        parser.error(f"there is no attack {', '.join(unknown)}; there are {', '.join(ATTACKS)}")
    end_as_by_ctrl_c()
    print(
        f"--seconds {options.seconds:g} --attacks {options.attacks} --seed {options.seed}",
        flush=True,
    )
    folder = Path(tempfile.mkdtemp(prefix="hostile."))
    found = {}
    for named in [(each,) for each in attacks] if options.each else [attacks]:
        found[named] = run(
            folder / "-".join(named), options.seconds, named, options.seed, options.floor
        )
    if options.each:
        _print_table(found)
    wrong = [
        f"{', '.join(named)}: {each}"
        for named, measured in found.items()
        for each in measured.wrong
    ]
    print("\n".join(f"WRONG {each}" for each in wrong), end="\n" if wrong else "")
    if wrong:
        sys.exit(f"WRONG; everything is left in {folder}")
    remove_data(folder)
    print("as asked")


def _print_table(found: dict[tuple[str, ...], Measured]) -> None:
    print(
        "| attack | its requests | p99 in calm, ms | beside, ms | times | trivial server, ms | "
        "live production starts, s |"
    )
    print("|---|---|---|---|---|---|---|")
    for named, each in found.items():
        figures = (
            f"{1000 * each.calm:.1f} | {1000 * each.beside:.1f} | {each.beside / each.calm:.1f} | "
            f"{1000 * each.trivial:.1f}"
        )
        print(f"| {', '.join(named)} | {each.asked} | {figures} | {each.waited:.2f} |")


if __name__ == "__main__":
    main()
