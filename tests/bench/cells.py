"""``python -m tests.bench.cells``: 1,000 cells in simulation: a lost cell, a hot partner, and moves
between cells.

A cell is one whole installation: a database, its servers and its workers. Each partner lives in one
cell; a directory in front knows which. What is simulated is what no machine here could carry; what
is not: the tiers' limits and weights are the service's own, the queue's rule is that of
``svc.domain.lifecycle.render_queue`` (start-time fair queueing), and the steps last as long as
``--step-seconds`` says, by default what docs/benchmarks.md measured.
"""

import argparse
import random
import statistics
from collections.abc import Iterator

from svc.base.steps import STEPS
from svc.domain.tiers import TIERS
from tests.bench.cell_queue import Cell, Partner, Production

DAY, HOUR, MINUTE = 86_400.0, 3_600.0, 60.0
SHARES = {"Free": 0.85, "Standard": 0.13, "Enterprise": 0.02}  # of the partners
A_DAY = {"Free": 0.3, "Standard": 6.0, "Enterprise": 150.0}  # productions of an average partner
# of the productions a day of Enterprise partners: the sigma of a log-normal distribution
SPREAD = 1.2


def partners(number: int, chance: random.Random) -> list[Partner]:
    """Partners of all tiers; the productions of Enterprise partners are spread widely,
    the others' are bounded by quota.
    """
    found = []
    tiers = chance.choices(list(SHARES), weights=list(SHARES.values()), k=number)
    for at, tier in enumerate(tiers):
        quota = TIERS[tier].daily_productions_per_account
        a_day = chance.lognormvariate(-(SPREAD**2) / 2, SPREAD) * A_DAY[tier]
        found.append(Partner(at, tier, min(a_day, quota) if quota else a_day))
    return found


def arrivals(partner: Partner, begin: float, end: float, chance: random.Random) -> Iterator[float]:
    """The times at which a partner asks: most at its busiest hour, few at night."""
    if partner.a_day <= 0:
        return
    at = begin
    while (at := at + chance.expovariate(2 * partner.a_day / DAY)) < end:
        if chance.random() < wave(at) / 2:
            yield at


def wave(at: float) -> float:
    """The load at a time of the day, 0.4 to 1.6 of the mean: a triangle with its peak at 12:00."""
    return 1.6 - 1.2 * abs((at % DAY) / DAY - 0.5) * 2


def placed(
    everyone: list[Partner], cells: int, chance: random.Random
) -> tuple[list[float], list[float], list[int]]:
    """The productions a day of each cell placed by hash, and in the emptier of two;
    with the latter's choice.
    """
    by_hash, by_two, where = [0.0] * cells, [0.0] * cells, [0] * len(everyone)
    # the large first, as moves would have it in the end
    for partner in sorted(everyone, key=lambda each: -each.a_day):
        by_hash[chance.randrange(cells)] += partner.a_day
        one, other = chance.randrange(cells), chance.randrange(cells)
        cell = one if by_two[one] <= by_two[other] else other
        by_two[cell] += partner.a_day
        where[partner.number] = cell
    return by_hash, by_two, where


def waits(
    productions: list[Production], begin: float = 0.0, end: float = DAY, tier: str | None = None
) -> list[float]:
    """Seconds between the first asking and the start, of those that were asked for
    within a time.
    """
    return sorted(
        (each.started if each.started is not None else end) - each.asked
        for each in productions
        if begin <= each.asked < end and tier in (None, each.partner.tier)
    )


def said(seconds: list[float]) -> str:
    if not seconds:
        return "none"
    return (
        f"p50 {seconds[len(seconds) // 2]:.1f} s, p95 "
        f"{seconds[int(0.95 * (len(seconds) - 1))]:.1f} s, most {seconds[-1]:.0f} s"
    )


def lost_cell(options: argparse.Namespace, members: list[Partner], seed: int) -> list[str]:
    """A cell that is lost at noon and restored from its backup on another machine."""
    noon, back = DAY / 2, DAY / 2 + options.restore_minutes * MINUTE
    cell = Cell(options.workers, options.step_seconds, random.Random(seed))
    cell.down = noon, back
    chance = random.Random(seed + 1)
    for partner in members:
        for at in arrivals(partner, 0, DAY, chance):
            cell.ask(at, partner)
    cell.run(2 * DAY)
    behind = [
        each for each in cell.productions if each.asked < noon and (each.finished or DAY) > back
    ]
    usual = said(waits(cell.productions, noon - 2 * HOUR, noon))
    calm = next(
        (
            minute
            for minute in range(0, 720)
            if _is_calm(cell, back + minute * MINUTE, back + (minute + 10) * MINUTE)
        ),
        None,
    )
    lost = sum(each.finished is None for each in cell.productions)
    assert not lost, "a production that was acknowledged was never finished"
    return [
        f"a lost cell, back after {options.restore_minutes} min: 1 of {options.cells} cells, "
        f"{len(members)} of {options.cells * options.partners} partners ({1 / options.cells:.1%})",
        f"  {cell.refused} requests refused with Retry-After and asked again; {cell.run_again} "
        f"steps run again, {len(behind)} productions late, {lost} lost",
        (
            f"  waits before: {usual}; of those asked meanwhile: "
            f"{said(waits(cell.productions, noon, back))}"
        ),
        f"  waits are usual again {calm} min after the cell is back"
        if calm is not None
        else "  waits are not usual again",
    ]


def _is_calm(cell: Cell, begin: float, end: float) -> bool:
    found = waits(cell.productions, begin, end)
    return bool(found) and found[int(0.95 * (len(found) - 1))] <= 10.0


def hot_partner(options: argparse.Namespace, members: list[Partner], seed: int) -> list[str]:
    """An Enterprise partner that asks as often as its limit lets it, for ten minutes:
    how long the others wait.
    """
    begin, end = DAY / 2, DAY / 2 + 10 * MINUTE
    rate = TIERS["Enterprise"].requests_per_minute / MINUTE
    lines = [
        (
            f"a hot partner: {rate * 60:.0f} productions a minute for ten minutes; the others' "
            "waits in the hour from its start"
        )
    ]
    for name, hot, fair in (
        ("calm", False, True),
        ("first come, first served", True, False),
        ("by turns", True, True),
    ):
        cell = Cell(options.workers, options.step_seconds, random.Random(seed), fair)
        chance = random.Random(seed + 1)
        fresh = [Partner(each.number, each.tier, each.a_day) for each in members]
        for partner in fresh:
            for at in arrivals(partner, begin - 2 * HOUR, begin + HOUR, chance):
                cell.ask(at, partner)
        flood = Partner(-1, "Enterprise", 0.0)
        for number in range(int(rate * (end - begin)) if hot else 0):
            cell.ask(begin + number / rate, flood)
        cell.run(begin + HOUR)
        others = [each for each in cell.productions if each.partner is not flood]
        lines.append(f"  {name}: {said(waits(others, begin, begin + HOUR))}")
    return lines


PHASES = ("copy", "fence", "rest", "flip", "open", "remove")
TAKEN_OVER = 5.0  # seconds until another mover goes on in place of one that was killed


class Move:
    """A partner's move to another cell, phase by phase, while it asks.

    The mover copies while the partner is served, then refuses the partner's writes (503 with
    Retry-After), copies what came meanwhile, flips the directory, opens the new cell and removes
    the old copy. The directory notes each phase once it is done, and a copy is made again from what
    is missing, so a mover that takes over can repeat a phase without harm.
    """

    def __init__(
        self, rows: int, rows_a_second: float, asked_a_second: float, chance: random.Random
    ):
        self.old, self.new, self.acknowledged = set(range(rows)), set[int](), rows
        self.directory = "old"
        self.kills, self.refused, self.seconds_fenced = 0, 0, 0.0
        self._rows_a_second, self._asked_a_second, self._chance = (
            rows_a_second,
            asked_a_second,
            chance,
        )

    def run(self) -> None:
        for phase in PHASES:
            while not self._try(phase):
                self.kills += 1

    def _try(self, phase: str) -> bool:
        """Do a phase; False if the mover is killed in the middle of it."""
        copies = phase in ("copy", "rest")
        seconds = 0.05 + (len(self.old - self.new) / self._rows_a_second if copies else 0.0)
        killed = self._chance.random() < 0.2
        if killed:
            seconds = seconds / 2 + TAKEN_OVER
        if copies:
            self.new |= {
                row for row in self.old - self.new if not killed or self._chance.random() < 0.5
            }
        elif phase == "flip" and not killed:
            self.directory = "new"
        elif phase == "remove" and not killed:
            self.old = set()
        self._serve(seconds, fenced=phase in ("rest", "flip", "open"))
        return not killed

    def _serve(self, seconds: float, fenced: bool) -> None:
        asked = int(self._asked_a_second * seconds + self._chance.random())
        if fenced:
            self.refused += asked
            self.seconds_fenced += seconds
            return
        (self.old if self.directory == "old" else self.new).update(
            range(self.acknowledged, self.acknowledged + asked)
        )
        self.acknowledged += asked


def moves(options: argparse.Namespace, seed: int) -> list[str]:
    """Partners that are moved while they ask, the mover killed at any moment:
    each production is in one cell, once.
    """
    chance = random.Random(seed)
    made = []
    for _ in range(options.moves):
        stored = int(chance.lognormvariate(8, 1.5))
        made.append(Move(stored, options.rows_a_second, chance.uniform(0.01, 5), chance))
        made[-1].run()
    lost = sum(len(set(range(move.acknowledged)) - move.new) for move in made)
    twice = sum(len(move.old & move.new) for move in made)
    assert not lost and not twice, f"{lost} lost, {twice} in two cells"
    kills, refused = sum(move.kills for move in made), sum(move.refused for move in made)
    return [
        (
            f"{options.moves} moves between cells, the mover killed {kills} times: {lost} lost, "
            f"{twice} in two cells"
        ),
        (
            f"  writes refused for {said(sorted(move.seconds_fenced for move in made))}; "
            f"{refused} requests asked again"
        ),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cells", type=int, default=1_000)
    parser.add_argument("--partners", type=int, default=1_000, help="of each cell")
    parser.add_argument("--workers", type=int, default=4, help="steps that a cell runs at once")
    parser.add_argument(
        "--step-seconds", type=float, nargs=len(STEPS), default=[0.6, 6, 14, 0.7, 5, 9, 1.5]
    )
    parser.add_argument("--restore-minutes", type=float, default=20)
    parser.add_argument("--rows-a-second", type=float, default=20_000)
    parser.add_argument("--moves", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    everyone = partners(options.cells * options.partners, chance)
    by_hash, by_two, where = placed(everyone, options.cells, chance)
    carried = options.workers * DAY / sum(options.step_seconds)
    print(
        f"{options.cells} cells, {len(everyone)} partners; a cell carries {carried:.0f} "
        "productions a day"
    )
    large = sum(1.6 * partner.a_day > carried / 4 for partner in everyone)
    print(
        f"  {large} partners need more than a quarter of a cell at their peak: the directory "
        "gives them cells with room"
    )
    for name, loads in (("by hash", by_hash), ("the emptier of two", by_two)):
        mean = statistics.fmean(loads)
        over = sum(1.6 * load > carried for load in loads)
        print(
            f"  placed {name}: mean load {mean / carried:.0%}, fullest "
            f"{max(loads) / carried:.0%}, {over} too full at peak"
        )
    mean = statistics.fmean(by_two)
    typical = min(range(options.cells), key=lambda cell: abs(by_two[cell] - mean))
    members = [partner for partner, cell in zip(everyone, where, strict=True) if cell == typical]
    for line in (
        *lost_cell(options, members, options.seed),
        *hot_partner(options, members, options.seed),
        *moves(options, options.seed),
    ):
        print(line)


if __name__ == "__main__":
    main()
