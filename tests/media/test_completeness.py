"""Nothing of a brief is lost, turned round or said twice: generated briefs through the script step alone."""

from dataclasses import replace

import pytest

from svc.media.checks import run
from svc.media.model import Upload
from svc.media.script.completeness import lost
from svc.media.script.from_brief import write_script
from tests.media.generated import Generator

SEEDS = range(300)
PICTURES = (Upload("boat.png", "asset-1.png"),)


@pytest.mark.parametrize("first", SEEDS[::50])
def test_nothing_of_generated_briefs_is_lost_or_said_twice(make_brief, first):
    for seed in range(first, first + 50):
        brief = make_brief(title="A title", topic="A title", metadata_md=Generator(seed).brief(), uploads=PICTURES)
        script = write_script(brief)
        assert lost(brief, script) == [], f"seed {seed}:\n{brief.metadata_md}"
        assert all(scene.words and scene.shortest >= 2 for scene in script.scenes)


def test_a_script_that_lost_a_part_of_its_brief_is_refused(make_brief):
    brief = make_brief(metadata_md="| Plan | SSO |\n|---|---|\n| Free | – |\n| Team | ✓ |\n\nThe price stays.")
    script = write_script(brief)
    assert run._completeness(brief, script).passed
    table = next(scene for scene in script.scenes if scene.sight.rows)
    cut = replace(table, sight=replace(table.sight, rows=table.sight.rows[:1]), points=table.points[:1], words=table.words[:2])
    finding = run._completeness(brief, replace(script, scenes=tuple(cut if each is table else each for each in script.scenes)))
    assert not finding.passed and "Team" in finding.measured


def test_an_address_too_long_to_be_written_out_loses_nothing(make_brief):
    long = "https://www.example.com/a/very/long/path/with/many/segments/and-a-slug-that-goes-on/index.html?source=newsletter"
    brief = make_brief(metadata_md=f"See {long} for more.")
    assert lost(brief, write_script(brief)) == []


@pytest.mark.parametrize(
    "notes",
    [
        "Meeting link: https://zoom.us/j/93456789012?pwd=aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789 - join on Monday.\n\nSee you.",
        "The SHA-256 is e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855, so check it.\n\nThen run it.",
        "Das Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz gilt nicht mehr.\n\nEs war lang.",
        "# How tides work",
        "How tides work\n\n## How tides work",
        "1. [ ] Book the hall\n2. [x] Pay the deposit",
        "1. Open the settings\n2. ![Screenshot](settings.png)\n3. Save",
        "By Ada Lovelace\n\n# How tides work\n\n## The Moon\n\nIt pulls.",
        "The shop is on 5^th^ Avenue, in the 21^st^ district.",
        "It has 10<sup>6</sup> cells on 5 m<sup>2</sup>, on 2<sup>nd</sup> Avenue.",
        "> See http://127.0.0.1:5000/users/1.\n> — Q2\n\n**3×** — with AES-256.",
        f"|{'---|' * 8}\n| Asia yes | $10.96 | 4.5 days, against a target of 2. | $47.70 | 2–20 d |\n| Asia | 8 % |",
        "- [x] Rent\n  : What it means",
        '6. <div align="center"><b>Contact</b><br>Tel.',
        "> It discovers.\n> — Ada, Countess of Lovelace, mathematician and writer of the first program, London",
    ],
)
def test_a_complete_script_is_not_accused(make_brief, notes):
    brief = make_brief(title="How tides work", topic="How tides work", metadata_md=notes)
    assert lost(brief, write_script(brief)) == []


def test_a_lost_sentence_is_found_beside_an_address_too_long_to_be_written_out(make_brief):
    long = "https://zoom.us/j/93456789012?pwd=aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789"
    brief = make_brief(metadata_md=f"Join at {long} now.\n\n- Bring tea\n- Pour honey")
    script = write_script(replace(brief, metadata_md=f"Join at {long} now.\n\n- Bring tea"))
    assert lost(brief, script) == [f"The script lacks {word!r} of 'Pour honey'." for word in ("pour", "honey")]
