"""The simulation of cells, small: what it claims of a lost cell,
a hot partner and moves holds for other chances, too.
"""

import random
import subprocess
import sys

import pytest

from tests.bench import cells
from tests.bench.cell_queue import Cell, Partner

STEPS = [0.6, 6, 14, 0.7, 5, 9, 1.5]


@pytest.mark.parametrize("seed", [2, 3, 4])
def test_a_partner_is_moved_whole_however_often_its_mover_is_killed(seed):
    chance = random.Random(seed)
    move = cells.Move(500, 20_000, 2.0, chance)
    move.run()
    assert move.new == set(range(move.acknowledged))
    assert not move.old and move.directory == "new"


def test_a_production_is_accepted_once_its_cell_is_back_and_is_finished():
    cell = Cell(1, STEPS, random.Random(1))
    cell.down = 10.0, 100.0
    cell.ask(0.0, Partner(0, "Free", 1.0))
    cell.ask(20.0, Partner(1, "Free", 1.0))
    cell.run(1_000.0)
    assert cell.refused >= 1 and cell.run_again == 1
    assert [production.finished is not None for production in cell.productions] == [True, True]
    assert cell.productions[1].accepted >= 100.0


@pytest.mark.parametrize(("fair", "shortest", "longest"), [(True, 0, 60), (False, 3_000, 10_000)])
def test_a_partner_waits_for_a_flood_of_another_only_where_the_first_is_served_first(
    fair, shortest, longest
):
    cell, flood = Cell(1, STEPS, random.Random(1), fair), Partner(0, "Free", 1.0)
    for _ in range(100):
        cell.ask(0.0, flood)
    cell.ask(1.0, Partner(1, "Free", 1.0))
    cell.run(20_000.0)
    last = next(production for production in cell.productions if production.partner.number == 1)
    assert shortest <= last.started - last.asked <= longest


def test_the_emptier_of_two_cells_spreads_partners_better_than_chance():
    chance = random.Random(5)
    by_hash, by_two, where = cells.placed(cells.partners(2_000, chance), 20, chance)
    assert max(by_two) < max(by_hash)
    assert sum(by_two) == pytest.approx(sum(by_hash)) and set(where) == set(range(20))


def test_the_command_says_what_a_loss_a_flood_and_moves_cost():
    command = [
        sys.executable,
        "-m",
        "tests.bench.cells",
        "--cells",
        "10",
        "--partners",
        "200",
        "--moves",
        "20",
    ]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "a lost cell" in printed and " 0 lost" in printed
    assert "a hot partner" in printed and "by turns" in printed
    assert "20 moves between cells" in printed and "0 in two cells" in printed
