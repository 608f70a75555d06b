"""What commands cost before they begin, beside a
bare ``import click``: ``python -m tests.bench.commands``.
"""

import resource
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROUNDS = 7
COMMANDS = {
    "import click": ["-c", "import click"],
    "--version": ["app.py", "--version"],
    "--help": ["app.py", "--help"],
    "config": ["app.py", "config"],
    "production --help": ["app.py", "production", "--help"],
    "backup --help": ["app.py", "backup", "--help"],
    "serve --help": ["app.py", "serve", "--help"],
}


def cpu_seconds(words: list[str]) -> float:
    """The CPU time of one run, of user and system."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *words], cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    taken: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(ROUNDS):
        for name, words in COMMANDS.items():  # alternating
            taken[name].append(cpu_seconds(words))
    bare = statistics.median(taken["import click"])
    print(f"{'command':20} CPU s   times a bare import of click (medians of {ROUNDS})")
    for name, each in taken.items():
        print(f"{name:20} {statistics.median(each):.3f}   {statistics.median(each) / bare:.2f}")


if __name__ == "__main__":
    main()
