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
        ("请 \u2060联系 \u2060王老师： \u2060138 | 0000 1234", False),
        ("call us on 138, | 40 people wait", True),
        ("営業時間は（平日9時〜18時、 | 土日は17時まで）です。", False),
    ],
)
def test_no_part_ends_within_a_range_or_after_a_word_that_leads_on(text, may_end):
    before, _, after = text.partition(" | ")
    written, word = (*before.split(), *after.split()), len(before.split()) - 1
    assert (cost_of_end(written, (), word) < FREE) is may_end
