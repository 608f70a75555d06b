"""``python .ci/closing_table.py FOLDER``: print what each group of .ci/full did: its tests, minutes
and failures.

FOLDER holds ``table``, a line a group (name, exit status, seconds), and pytest's JUnit report of
each group that runs tests.
"""

import sys
from pathlib import Path
from xml.etree import ElementTree


def counts(report: Path) -> tuple[str, str, list[str]]:
    """Return the numbers of tests and failures of a report, and the names of what failed."""
    if not report.exists():
        return "", "", []
    root = ElementTree.parse(report).getroot()  # noqa: S314 - pytest has just written it
    suites = root.findall("testsuite")
    failed = [
        f"{case.get('classname')}::{case.get('name')}"
        for suite in suites
        for case in suite.iter("testcase")
        if case.find("failure") is not None or case.find("error") is not None
    ]
    return str(sum(int(suite.get("tests", 0)) for suite in suites)), str(len(failed)), failed


def main(folder: Path) -> None:
    print(f"\n{'group':<12}{'tests':>8}{'minutes':>9}{'failures':>10}")
    everything = []
    for line in (folder / "table").read_text("utf-8").splitlines():
        group, status, seconds = line.split()
        tests, failures, failed = counts(folder / f"{group}.xml")
        verdict = failures if status == "0" or failed else "failed"
        print(f"{group:<12}{tests:>8}{int(seconds) / 60:>9.1f}{verdict:>10}")
        everything += [f"  {group}: {name}" for name in failed]
    print("\n".join(["", *everything] if everything else []))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
