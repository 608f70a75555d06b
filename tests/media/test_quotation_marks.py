"""Straight quotation marks of a keyboard in large type: those of the language, and apostrophes."""

import json
from dataclasses import replace
from pathlib import Path

from small_programme import brief_of
from support.tables import each_of

from svc.base.text.languages import FURTHER, LANGUAGES
from svc.media.drawing import typesetting
from svc.media.drawing.typesetting import Typeface
from svc.media.script.from_brief import write_script
from svc.media.text import quotation_marks
from svc.media.text.quotation_marks import set_typographically
from tests.support.documents import require_names


@each_of(
    ("language", "written", "shown"),
    [
        ("en", 'a copy called "conflict" that', "a copy called “conflict” that"),
        ("en-GB", 'Tipping is "not expected".', "Tipping is “not expected”."),
        ("en", "Don't call it 'new', it's the '90s.", "Don’t call it ‘new’, it’s the ’90s."),
        ("en", "\"He said 'no'.\"", "“He said ‘no’.”"),
        ("en", "the dogs' bowls", "the dogs’ bowls"),
        ("de", 'Das "Haus am See"-Konzert', "Das „Haus am See“-Konzert"),
        ("fr", 'l\'été "bleu"', "l’été «\u00a0bleu\u00a0»"),
        ("it", 'dell\'anno "Caffè"', "dell’anno «Caffè»"),
        ("es", 'la "casa" (de "Ana")', "la “casa” (de “Ana”)"),
        ("sv", 'boken "Orgeln"', "boken ”Orgeln”"),
        ("pl", 'serwis "Kotwica"', "serwis „Kotwica”"),
        ("nl", '\'t is "rood"', "’t is ‘rood’"),
        ("ru", 'книга "Чайка"', "книга «Чайка»"),
        ("ja", '新しい"図書館"です', "新しい「図書館」です"),
        ("zh", '我们"借用"了', "我们“借用”了"),
        # of what is shown in two parts
        ("en", 'called "conflict', "called “conflict"),
        ("de", 'nie wieder".', "nie wieder“."),
        ("zh", '可能没有说过"复利是', "可能没有说过“复利是"),
        ("zh", '世界第八大奇迹"，但', "世界第八大奇迹”，但"),
        ("zh", '屏幕12"', '屏幕12"'),
        # measures, code and what is marked already
        ("en", "a 12\" disc and 5'10\" of 3' x 4'", "a 12\" disc and 5'10\" of 3' x 4'"),
        ("en", 'name = "x" and f("y")', 'name = "x" and f("y")'),
        ("he", 'צה"ל', 'צה"ל'),
        ("fr", "« déjà »", "« déjà »"),
    ],
)
def test_straight_marks_become_those_of_the_language(language, written, shown):
    assert set_typographically(written, language) == shown


def test_every_language_has_four_marks_with_their_source():
    content = json.loads(Path(quotation_marks._FILE).read_text("utf-8"))
    assert "CLDR" in content.pop("")
    require_names(
        "svc/media/text/quotation_marks.json, by .ci/quotation_marks.py",
        content,
        {*LANGUAGES, *FURTHER},
    )
    assert {len(marks.split()) for marks in content.values()} == {4}


def test_large_type_has_them_and_the_words_of_captions_are_as_written():
    face = Typeface(60, 600, language="de")
    for fit in (typesetting.fit_text, typesetting.fit_display):
        lines = fit('Ein "neues" Haus', 2000, 200, face, 20).lines
        assert lines == (("Ein", "„neues“", "Haus"),)
    [line] = typesetting.wrap_marked([("Ein", '"neues"', "Haus")], 2000, face)
    assert [word for _, word in line] == ["Ein", "„neues“", "Haus"]
    notes = 'Es ist ein "neues" Haus, sagen die Nachbarn.'
    script = write_script(replace(brief_of(), metadata_md=notes))
    assert '"neues"' in [word for scene in script.scenes for word in scene.words]


@each_of(
    ("language", "written", "shown"),
    [
        ("en", 'the “Beatles, The" and', "the “Beatles, The” and"),
        ("en", 'an "odd” one', "an “odd” one"),
        ("en", '“Really?" he said', "“Really?” he said"),
        ("en", 'the “7" single” is', 'the “7" single” is'),
        ("en", 'a “size 7" is', "a “size 7” is"),
        ("de", 'Das „Haus" ist', "Das „Haus“ ist"),
        ("pl", '„Haus".', "„Haus”."),
        ("fr", 'le «bleu" est', "le «bleu» est"),
    ],
)
def test_a_straight_mark_pairs_with_one_that_is_set_already(language, written, shown):
    assert set_typographically(written, language) == shown
