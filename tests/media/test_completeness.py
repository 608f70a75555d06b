"""Nothing of a brief is lost, turned round or said twice: generated briefs through the
script step alone.
"""

from dataclasses import replace

import pytest
from support.sampling import sampled

from svc.media.artwork import emoji
from svc.media.checks import script as script_checks
from svc.media.model import CARDS, SceneEdit, Upload
from svc.media.script.completeness import list_lost
from svc.media.script.from_brief import write_script
from svc.media.text.tokens import is_glued
from tests.media import generated
from tests.media.generated import Generator

SEEDS = range(300)
PICTURES = (Upload("boat.png", "asset-1.png"),)


def only_finding(brief, script):
    (finding,) = script_checks.list_findings(brief, script)
    return finding


@pytest.mark.parametrize(
    "first",
    [first if first < 3 else pytest.param(first, marks=pytest.mark.slow) for first in SEEDS[::3]],
)
def test_nothing_of_generated_briefs_is_lost_or_said_twice(make_brief, first):
    for seed in range(first, first + 3):
        brief = make_brief(
            title="A title", topic="A title", metadata_md=Generator(seed).brief(), uploads=PICTURES
        )
        script = write_script(brief)
        assert list_lost(brief, script) == [], f"seed {seed}:\n{brief.metadata_md}"
        assert all(scene.words and scene.shortest >= 2 for scene in script.scenes)


@pytest.mark.parametrize(
    "notes",
    [
        "⚠️ The plate is hot. Use a cloth.",
        "⚠ The plate is hot.",
        "> ⚠️ **Hot?** See the [guide](https://a.example).",
        "⚠️⚠️ The plate is hot.",
        "⚠️ **Warning:** The plate is hot.",
        "> [!WARNING]\n> ⚠️ The plate is hot.",
        "- ⚠️ The plate is hot.\n- ✅ The cloth is dry.",
        "The pan is hot.\n\n⚠️ So is the plate.\n\n⚠️ And the lid.",
    ],
)
def test_a_warning_sign_is_not_lost_where_an_alert_stands_for_it(make_brief, notes):
    brief = make_brief(metadata_md=notes)
    assert list_lost(brief, write_script(brief)) == []


def test_a_script_that_lost_most_of_its_brief_is_refused(make_brief):
    brief = make_brief(
        metadata_md="| Plan | SSO |\n|---|---|\n| Free | – |\n| Team | ✓ |\n\nThe price stays."
    )
    script = write_script(brief)
    assert only_finding(brief, script).passed
    table = next(scene for scene in script.scenes if scene.sight.rows)
    cut = replace(
        table,
        sight=replace(table.sight, rows=table.sight.rows[:1]),
        points=table.points[:1],
        words=table.words[:2],
    )
    finding = only_finding(
        brief,
        replace(script, scenes=tuple(cut if each is table else each for each in script.scenes)),
    )
    assert finding.fails and "Team" in finding.measured


def test_a_script_that_lost_a_part_of_its_brief_is_warned_of(make_brief):
    brief = make_brief(
        metadata_md=(
            "## Tea\n\nTea grows on hills.\n\n## Cocoa\n\n"
            "Cocoa grows in the shade of much taller trees."
        )
    )
    script = write_script(brief)
    cut = tuple(scene for scene in script.scenes if scene.heading != "Tea")
    finding = only_finding(brief, replace(script, scenes=cut))
    assert (
        len(cut) < len(script.scenes)
        and finding.warns
        and "hills" in str(list_lost(brief, replace(script, scenes=cut)))
    )


def test_a_script_that_lacks_more_than_half_of_what_its_reviewer_wrote_is_refused(make_brief):
    brief = make_brief(
        metadata_md="Tea grows on hills.", edits=(SceneEdit(1, "", "One two three four."),)
    )
    script = replace(write_script(make_brief(metadata_md="One two three four.")), is_edited=True)
    assert only_finding(brief, script).passed
    content = next(scene for scene in script.scenes if scene.layout not in CARDS)

    def saying(*words: str):
        other = replace(content, words=words, heading="", points=())
        return replace(
            script, scenes=tuple(other if scene is content else scene for scene in script.scenes)
        )

    assert (
        only_finding(brief, saying("One", "two")).warns and only_finding(brief, saying("One")).fails
    )


@pytest.mark.parametrize(
    "notes",
    [
        "```\nprint('今日は')\n# 日本語\n```\n\nIt prints.",
        "    idna.encode('ドメイン.テスト')\n\nIt works.",
    ],
)
def test_code_in_letters_without_a_font_is_compared_as_it_is_drawn(make_brief, monkeypatch, notes):
    monkeypatch.setattr(
        emoji, "undrawable_characters", lambda text: [sign for sign in text if sign > "\u3000"]
    )
    brief = make_brief(metadata_md=notes)
    assert list_lost(brief, write_script(brief)) == []


def test_an_address_too_long_to_be_written_out_loses_nothing(make_brief):
    long = (
        "https://www.example.com/a/very/long/path/with/many/segments/and-a-slug-that-goes-on"
        "/index.html?source=newsletter"
    )
    brief = make_brief(metadata_md=f"See {long} for more.")
    assert list_lost(brief, write_script(brief)) == []


@pytest.mark.parametrize(
    "notes",
    [
        (
            "Meeting link: https://zoom.us/j/93456789012?pwd=aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789 "
            "- join on Monday.\n\nSee you."
        ),
        (
            "The SHA-256 is e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855, so "
            "check it.\n\nThen run it."
        ),
        (
            "Das Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz gilt nicht "
            "mehr.\n\nEs war lang."
        ),
        "# How tides work",
        "How tides work\n\n## How tides work",
        "1. [ ] Book the hall\n2. [x] Pay the deposit",
        "1. Open the settings\n2. ![Screenshot](settings.png)\n3. Save",
        "By Ada Lovelace\n\n# How tides work\n\n## The Moon\n\nIt pulls.",
        "The shop is on 5^th^ Avenue, in the 21^st^ district.",
        "It has 10<sup>6</sup> cells on 5 m<sup>2</sup>, on 2<sup>nd</sup> Avenue.",
        "> See http://127.0.0.1:5000/users/1.\n> — Q2\n\n**3×** — with AES-256.",
        (
            f"|{'---|' * 8}\n| Asia yes | $10.96 | 4.5 days, against a target of 2. | $47.70 | "
            "2–20 d |\n| Asia | 8 % |"
        ),
        "- [x] Rent\n  : What it means",
        '6. <div align="center"><b>Contact</b><br>Tel.',
        (
            "> It discovers.\n> — Ada, Countess of Lovelace, mathematician and writer of the "
            "first program, London"
        ),
        "```sh\n➜ ~ make ⣿ test\n```\n\n| Step | Done |\n|---|---|\n| ➜ | ⛣ |\n| b | ✘ |",
        "Сайт https://пример.рф/очень/длинный/путь/к/странице/о/товаре здесь.",
        "詳細はhttps://example.com/a/very/long/path/that/goes/onをご覧ください。",
        "=========\npip check\n=========\n\nIt checks +++++++++++++++++ all.",
        (
            "The ``AWSIoTDeviceDefenderDailyAudit`` runs.\n\nOutput::\n\n    {\n"
            '    "it": "AWSIoTDeviceDefenderDailyAudit"\n    }'
        ),
        (
            "See s3://arn:aws:s3:us-west-2:123456789012:accesspoint/mine/key and "
            "file://C:\\awscli\\route53\\create-health-check.json."
        ),
        'In order:\n\n1. `""`\n\nIt goes on.\n\n2. <Next step>\n    - expect: it',
        "```\n" + "; ".join(f"colour-{number}: #337ab7" for number in range(60)) + "\n```",
        "```\nkey = " + "MIIDCTCCAfGgAwIBAgIRAO" * 50 + "\n```\n\nThen it ends.",
        (
            "내용은 https://wiki.freedesktop.org/xorg/를 참조하십시오. "
            "https://www.debian.org/releases/stable/manual를 봅니다."
        ),
        *sampled(
            (
                f"Read https://www.example.org/how-tea-is-{'m' * length}ade-and-drunk today."
                for length in range(40)
            ),
            10,
        ),
        *sampled(
            (f"- (see example.com/{'a-' * length}bc), or not" for length in range(0, 40, 3)), 10
        ),
        generated.brief_of(8389).metadata_md,  # a table of headings alone after a long one
    ],
)
def test_a_complete_script_is_not_accused(make_brief, notes):
    brief = make_brief(title="How tides work", topic="How tides work", metadata_md=notes)
    assert list_lost(brief, write_script(brief)) == []


def test_signs_of_code_that_no_font_has_keep_their_place(make_brief):
    script = write_script(make_brief(metadata_md="```sh\n➜ ~ make ⣿ ✓\n```"))
    [code] = [scene.sight.text for scene in script.scenes if scene.sight.kind == "code"]
    assert code == "→ ~ make □ ✓"


def test_a_lost_sentence_is_found_beside_an_address_too_long_to_be_written_out(make_brief):
    long = "https://zoom.us/j/93456789012?pwd=aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789"
    brief = make_brief(metadata_md=f"Join at {long} now.\n\n- Bring tea\n- Pour honey")
    script = write_script(replace(brief, metadata_md=f"Join at {long} now.\n\n- Bring tea"))
    assert list_lost(brief, script) == [
        f"The script lacks {word!r} of 'Pour honey'." for word in ("pour", "honey")
    ]


@pytest.mark.parametrize("before", sampled(range(0, 60, 7), 3))
def test_no_scene_ends_within_a_long_word(make_brief, before):
    text = (
        f"Use it {'now and ' * before}to detach the AWSGreengrassResourceAccessRolePolicy policy, "
        f"and then go {'on ' * 40}"
    )
    for scene in write_script(make_brief(metadata_md=text)).scenes:
        assert not is_glued(scene.words[0])


def test_a_line_of_code_longer_than_a_screen_is_cut_between_words(make_brief):
    line = "; ".join(f"colour-{number}: #337ab7" for number in range(60))
    screens = [
        scene.sight.text
        for scene in write_script(make_brief(metadata_md=f"```\n{line}\n```")).scenes
        if scene.sight.text
    ]
    assert len(screens) == 2 and " ".join(screens).replace("  ", " ") == line
