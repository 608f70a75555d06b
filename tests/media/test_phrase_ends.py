"""Where a sentence is parted that is too long to be shown at once."""

from support.tables import each_of

from svc.media.text.grammar.phrase_ends import cost_of_end

FREE = 1.0  # what an end costs at most that tears nothing


@each_of(
    ("text", "may_end"),
    [
        ("los alumnos de 3º | y 4º de Primaria", False),
        ("open from 9 | and 17 hours", False),
        ("it leaves from platform 9 | and 30 people wait", True),
        ("Avisam-se os senhores que, | devido às obras,", False),
        ("It is closed, | as it rains", True),
    ],
)
def test_no_part_ends_within_a_range_or_after_a_word_that_leads_on(text, may_end):
    before, _, after = text.partition(" | ")
    written, word = (*before.split(), *after.split()), len(before.split()) - 1
    assert (cost_of_end(written, (), word) < FREE) is may_end
