"""The locks: each package that is installed, beneath those that are named too,
at one version and by its hashes.
"""

import re
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from support.tables import each_of

ROOT = Path(__file__).parents[1]
WHOSE = ("", "-postgres", "-mcp", "-test")
PROGRAM, POSTGRES, AGENTS, TESTS = (
    (ROOT / f"requirements{whose}.txt").read_text("utf-8") for whose in WHOSE
)
LOCKS = [(ROOT / f"requirements{whose}.lock").read_text("utf-8") for whose in WHOSE]
PROGRAM_LOCK, REQUIREMENTS, LOCK = LOCKS[0], PROGRAM + POSTGRES + AGENTS + TESTS, "".join(LOCKS)
ENTRIES = [
    each
    for each in re.split(r"\n(?=[a-z0-9])", re.sub(r"^#.*\n", "", LOCK, flags=re.MULTILINE))
    if each.strip()
]
PIN = re.compile(r"^([A-Za-z0-9._-]+)(?:\[\w+\])?==(\S+)", re.MULTILINE)
PINS = {canonicalize_name(name): version for name, version in PIN.findall(REQUIREMENTS)}
LOCKED = {
    canonicalize_name(each.split("==")[0]): each.split("==")[1].split()[0] for each in ENTRIES
}


def test_requirements_begin_with_the_lock():
    """First, so that pip takes the hashes of what is named again below."""
    assert _lines(PROGRAM)[0] == "-r requirements.lock"
    assert _lines(POSTGRES)[:2] == ["-r requirements.txt", "-r requirements-postgres.lock"]
    assert _lines(AGENTS)[:2] == ["-r requirements.txt", "-r requirements-mcp.lock"]
    others = ["-r requirements-postgres.txt", "-r requirements-mcp.txt"]
    assert _lines(TESTS)[:4] == ["-r requirements.txt", "-r requirements-test.lock", *others]


def test_what_agents_need_alone_is_locked_as_it_is_everywhere():
    alone = (ROOT / "requirements-agents.txt").read_text("utf-8")
    assert _lines(alone)[0] == "-r requirements-agents.lock"
    assert set(_named(alone).items()) <= set(PINS.items())
    lock = re.sub(r"^#.*\n", "", (ROOT / "requirements-agents.lock").read_text("utf-8"))
    entries = {each.strip() for each in re.split(r"\n(?=[a-z0-9])", lock)}
    assert entries <= {each.strip() for each in ENTRIES}
    locked = {each.split("==")[0] for each in entries}
    assert set(_named(alone)) <= locked
    for name in locked & {each.metadata["Name"] for each in metadata.distributions()}:
        wanted = [
            each for each in map(Requirement, metadata.requires(name) or []) if _is_for_us(each)
        ]
        assert {canonicalize_name(each.name) for each in wanted} <= locked, name


def _named(requirements: str) -> dict[str, str]:
    return {canonicalize_name(name): version for name, version in PIN.findall(requirements)}


def _is_for_us(requirement: Requirement) -> bool:
    return requirement.marker is None or requirement.marker.evaluate({"extra": ""})


def test_nothing_that_only_tests_need_is_installed_where_the_service_runs():
    named = {
        re.split(r"==|\[", line)[0]
        for line in _lines(POSTGRES) + _lines(AGENTS) + _lines(TESTS)
        if "==" in line
    }
    assert {
        "pytest",
        "pytest-xdist",
        "hypothesis",
        "feedparser",
        "psycopg",
        "psycopg-pool",
        "mcp",
    } <= named
    locked = set(re.findall(r"^([a-z0-9-]+)==", PROGRAM_LOCK, re.MULTILINE))
    assert named & locked <= {"lxml"}  # beneath python-docx


def _lines(requirements: str) -> list[str]:
    return [line for line in requirements.splitlines() if line and not line.startswith("#")]


def test_what_is_required_is_locked_at_its_version():
    assert len(PINS) > 30
    assert {name: LOCKED.get(name) for name in PINS} == PINS  # else: run .ci/lock


@each_of("entry", ENTRIES)
def test_an_entry_is_a_version_with_hashes_and_nothing_else(entry):
    head, *hashes = (part.strip() for part in entry.split("\\\n"))
    assert re.fullmatch(r"[a-z0-9.-]+==[\w.]+( ; .+)?", head), head
    assert hashes and all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", each) for each in hashes)


def test_the_lock_names_no_address():
    assert not re.search(r"https?:|file:|@ |--(extra-)?index|--find-links", LOCK + REQUIREMENTS)


@each_of("name", sorted(LOCKED))
def test_what_a_package_needs_is_locked_too(name):
    try:
        needed = metadata.requires(name) or []
    except metadata.PackageNotFoundError:
        return  # for another platform
    wanted = [
        each
        for each in map(Requirement, needed)
        if each.marker is None or each.marker.evaluate({"extra": ""})
    ]
    missing = {each.name for each in wanted if canonicalize_name(each.name) not in LOCKED}
    assert missing == set()
    for each in wanted:
        assert each.specifier.contains(LOCKED[canonicalize_name(each.name)], prereleases=True), each
