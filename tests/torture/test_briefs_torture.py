"""Hostile briefs: the corpus through the API, and mutations of it through all that a
brief goes through.
"""

import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from support import plain_sql
from support.cast import body

from svc.base import ids
from svc.media.errors import ScriptError
from svc.media.model import Presenter, Rendition, VideoBrief
from svc.media.script.from_brief import write_script
from svc.media.script.markdown import parse_blocks
from svc.store.database import db
from tests.torture import bombs, briefs

ROOT = Path(__file__).parents[2]
NAMES = list(bombs.CORPUS)


@pytest.fixture
def rules(app):
    """A phrase and a pattern that every brief is matched with."""
    with db.transaction():
        for phrase, is_pattern in (("unholy grail", 0), (r"\b(\w+\s?)+bomb\b", 1)):
            sql = "INSERT INTO sensitivity_rules VALUES (?, 'operator', NULL, ?, ?, 0)"
            plain_sql.execute(sql, (ids.derive_id("rule", phrase), phrase, is_pattern))


def test_every_brief_of_the_corpus_is_answered_by_a_production_or_a_reason(partner, rules):
    for name, text in bombs.CORPUS.items():
        response = partner.trigger(metadataMD=text)
        code = body(response).get("error")
        assert response.status_code == 202 or code in (
            "INVALID_REQUEST",
            "SENSITIVITY_RULE_SUPPRESSED",
        ), (name, code)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(8))
def test_no_brief_of_the_corpus_costs_the_api_much(partner, rules, part):
    for name in NAMES[part::8]:
        text = bombs.CORPUS[name]
        for changes in ({"metadataMD": text}, {"topic": text[:500], "subjectOverride": text[:200]}):
            began = time.process_time()
            response = partner.trigger(**changes)
            took = time.process_time() - began
            code = body(response).get("error")
            assert response.status_code == 202 or code in (
                "INVALID_REQUEST",
                "SENSITIVITY_RULE_SUPPRESSED",
            ), (name, code)
            assert took < 1, name


def test_every_brief_of_the_corpus_has_a_name_of_its_own():
    assert len(bombs.CORPUS) == len(bombs.YAML) + len(bombs.MARKDOWN) + len(bombs.TEXT)


def test_the_corpus_is_refused_where_a_rule_or_the_front_matter_says_so(partner, rules):
    suppressed = ("sorrow", "words that patterns like")
    for name in suppressed:
        assert (
            body(partner.trigger(metadataMD=bombs.CORPUS[name]))["error"]
            == "SENSITIVITY_RULE_SUPPRESSED"
        )
    for name in (
        "merge keys",
        "aliases",
        "itself",
        "open brackets",
        "tags of YAML",
        "deep mappings",
    ):
        assert "cannot be read" in body(partner.trigger(metadataMD=bombs.CORPUS[name]))["message"]


@pytest.mark.slow
@given(bombs.briefs())
@settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
def test_a_mutated_brief_is_read_in_little_time(bomb):
    began = time.process_time()
    parse_blocks(bomb.notes)
    assert time.process_time() - began < 1
    try:
        write_script(
            VideoBrief(
                "p",
                bomb.topic,
                bomb.topic,
                bomb.language,
                "US",
                bomb.notes,
                Presenter("Ada"),
                (Rendition("s", 640, 360),),
            )
        )
    except ScriptError as refused:
        assert refused.code in ("SCRIPT_EMPTY", "SCRIPT_TOO_LONG")
    assert time.process_time() - began < 2


@pytest.mark.slow
def test_a_thousand_mutated_briefs_cost_ten_ordinary_ones_and_100_megabytes_each_at_most():
    command = [sys.executable, "-m", "tests.torture.briefs", "--count", "1000", "--seed", "7"]
    # Each brief ends by a limit of its own processor time: how busy the machine is says nothing.
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    print(ended.stdout)
    assert ended.returncode == 0, ended.stdout + ended.stderr


@pytest.mark.slow
def test_a_brief_that_costs_too_much_is_reported(monkeypatch):
    found = subprocess.run(
        [
            sys.executable,
            "-c",
            "import tests.torture.briefs as b; b._taken = lambda bomb: [0] * (1 << 28) and "
            "'accepted'\n"
            "c = b.measure(b.Bomb('t', None, 'n', 'en')); print(c.is_bearable, c.verdict)\n"
            "b._taken = lambda bomb: exec('while True: pass')\n"
            "b._LIMIT_SECONDS = 1\nc = b.replace(b.measure(b.Bomb('t', None, 'n', 'en')), "
            "ordinary=0.05)\n"
            "print(c.is_bearable, c.seconds > 0.9, c.verdict)",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
    )
    first, second = found.stdout.splitlines()
    assert first.startswith("False crashed: MemoryError") and second.startswith(
        "False True ended with status"
    )


def test_briefs_are_measured_in_lots_of_one_language():
    found = [bombs.Bomb("t", None, str(n), ("en", "ja")[n % 2]) for n in range(130)]
    lots = briefs.batches(found)
    assert sorted(map(len, lots)) == [25, 25, 40, 40] and sorted(sum(lots, []), key=str) == sorted(
        found, key=str
    )
    assert all(len({each.language for each in lot}) == 1 for lot in lots)
