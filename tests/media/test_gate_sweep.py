"""Addresses, READMEs and generated briefs: a few of each here;
all of them by ``python -m tests.media.gate_sweep``.
"""

import json
from dataclasses import asdict

import pytest
from support.sampling import sampled

from tests.media import gate_sweep
from tests.media.gate_sweep import Result


@pytest.mark.parametrize("kind", sampled(gate_sweep.COUNTS, 3))
def test_addresses_readmes_and_briefs_fail_no_gate_of_texts(kind):
    [result] = [gate_sweep.quickly(*job) for job in gate_sweep.jobs(kind, 3, 1)]
    assert (result.ended, result.message) == ("finished", "")


def test_documents_of_a_folder_are_briefs_in_the_language_that_it_is_named_by(tmp_path):
    for place in ("de/Rezept.md", "pt/notas/ata.md", "README.md"):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text("Text. " * 1000)
    listed = gate_sweep.list_documents(tmp_path)
    assert [
        (name, brief.topic, brief.language, brief.country, len(brief.metadata_md))
        for _, brief, name in listed
    ] == [
        ("de/Rezept.md", "Rezept", "de", "DE", gate_sweep.CHARACTERS),
        ("pt/notas/ata.md", "ata", "pt", "BR", gate_sweep.CHARACTERS),
    ]


def test_what_a_small_picture_alone_has_no_room_for_is_no_failure():
    def make(kind, brief, name):
        is_small = brief.renditions[0].width < 1000
        return Result(
            kind, name, "QUALITY_GATE_FAILED", failed=("code in the pictures",) * is_small
        )

    job = "documents", gate_sweep.brief_of("documents", "Lists", "```\nlong\n```"), "Lists"
    assert make(*job).failed and not gate_sweep._in_either_size(make, *job).failed


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 44, 11))
def test_addresses_of_every_kind_fail_no_gate_of_texts(first):
    results = [gate_sweep.quickly(*job) for job in gate_sweep.jobs("addresses", first, 11)]
    assert [result for result in results if result.is_bad] == []


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("kind", gate_sweep.COUNTS)
def test_a_whole_production_of_each_kind_fails_no_gate(kind):
    [result] = [gate_sweep.made(*job) for job in gate_sweep.jobs(kind, 5, 1)]
    assert not result.is_bad, result.message


def test_the_texts_are_as_many_as_asked_for_each_time_the_same_and_no_longer_than_a_brief_may_be():
    first, again = (gate_sweep.jobs("addresses", 0, 44) for _ in range(2))
    assert first == again and len({brief.metadata_md for _, brief, _ in first}) == 44
    assert gate_sweep.jobs("addresses", 40, 4) == first[40:]
    readmes = gate_sweep.jobs("readmes", 0, 20)
    assert (
        len(readmes) == 20
        and max(len(brief.metadata_md) for _, brief, _ in readmes) <= gate_sweep.CHARACTERS
    )


def test_a_sweep_goes_on_where_the_file_ends_and_makes_again_what_failed(tmp_path):
    todo, path = gate_sweep.jobs("addresses", 0, 4), tmp_path / "results"
    first, second, third, fourth = (name for _, _, name in todo)
    results = [
        Result("addresses", first, "finished"),
        Result("addresses", second, "QUALITY_GATE_FAILED"),
        Result("readmes", third, "finished"),
        Result("addresses", second, "crashed: ValueError"),
    ]
    path.write_text("".join(json.dumps(asdict(result)) + "\n" for result in results))
    assert [name for *_, name in gate_sweep.remaining(todo, gate_sweep._read(path))] == [
        second,
        third,
        fourth,
    ]
    assert gate_sweep.remaining(todo, gate_sweep._read(tmp_path / "nothing")) == todo


def test_the_table_counts_what_each_gate_said():
    results = [
        Result("readmes", "a", "finished", 9.0),
        Result("readmes", "b", "finished", 9.0, "…", (), ("reading speed",)),
        Result("readmes", "c", "QUALITY_GATE_FAILED", 9.0, "…", ("decoding",), ("reading speed",)),
        Result("addresses", "d", "SCRIPT_EMPTY"),
        Result("addresses", "e", "crashed: ValueError"),
    ]
    table = gate_sweep.table(results)
    assert (
        "| readmes | 3 | 2 | 0 | 1 | 0 | 2 |" in table
        and "| addresses | 2 | 0 | 1 SCRIPT_EMPTY | 0 | 1 | 0 |" in table
    )
    assert (
        "| readmes | reading speed | warning | 2 |" in table
        and "| readmes | decoding | failure | 1 |" in table
    )
    assert [result.is_bad for result in results] == [False, False, True, False, True]
