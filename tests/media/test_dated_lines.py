"""Days with a dot that begin a line are said, and are no numbers of a list."""

from support.tables import each_of

from svc.media.script.dated_lines import mark_dated_lines
from svc.media.script.markdown import parse_blocks


@each_of(
    ("language", "source", "points"),
    [
        (
            "de",
            "- 14. November: Arbeit\n- 6. Dez.: Feier",
            ["14. November: Arbeit", "6. Dez.: Feier"],
        ),
        (
            "de",
            "14. November: Arbeit\n22. November: Spiel",
            ["14. November: Arbeit", "22. November: Spiel"],
        ),
        (
            "de",
            "14. November: Arbeit\n\n22. November: Spiel",
            ["14. November: Arbeit", "22. November: Spiel"],
        ),
        ("cs", "* 14. listopadu: úklid\n* 6. prosince: oslava", ["14. listopadu: úklid", "6."]),
        ("fi", "- 14. marraskuuta: talkoot", ["14. marraskuuta: talkoot"]),
        ("nb", "+ 14. november: dugnad", ["14. november: dugnad"]),
        ("de", "- 3. Klasse: Turnen", ["3. Klasse: Turnen"]),  # no month
        ("en", "1. May be late\n2. March on", ["May be late", "March on"]),  # days have no dot
    ],
)
def test_the_points_of_a_list_of_days_are_these(language, source, points):
    found = [block.text for block in parse_blocks(source, language) if block.text]
    assert len(found) == len(points)
    assert all(map(str.startswith, found, points)), found


@each_of(
    ("source", "text"),
    [
        ("Wir treffen uns am\n1. Mai um neun Uhr.", "Wir treffen uns am 1. Mai um neun Uhr."),
        ("14. November 2025\n\nLiebe Leute!", "14. November 2025"),
        ("Am 14. November 2025.", "Am 14. November 2025."),
    ],
)
def test_a_day_in_running_text_begins_no_list(source, text):
    block = parse_blocks(source, "de")[0]
    assert (block.kind, " ".join(block.text.split())) == ("prose", text)


def test_code_stays_as_it_is():
    source = "```\n14. November: x\n```\n\n~~~\n- 6. Dezember\n~~~"
    assert mark_dated_lines(source, "de") == source
