"""The script contains what the brief says, without its markup."""

import pytest

from svc.base.text.languages import LANGUAGES
from svc.media import fonts
from svc.media.errors import ScriptError
from svc.media.model import Presenter, Script, load
from svc.media.script import phrases
from svc.media.script.from_brief import MOST_SCENES, write_script
from svc.media.script.scene_split import MOST_POINTS
from svc.media.script.step import write
from svc.media.text.tokens import tokens

PLAIN = {"title": "Tea", "topic": "Tea"}


@pytest.fixture
def scenes(make_brief):
    """The scenes between the title and the close."""
    return lambda markdown, **changes: write_script(make_brief(**PLAIN, metadata_md=markdown, **changes)).scenes[1:-1]


def said(scene) -> str:
    return " ".join(scene.words)


def test_the_title_opens_and_closes(make_brief):
    scenes = write_script(make_brief()).scenes
    assert [scene.layout for scene in (scenes[0], scenes[-1])] == ["title", "close"]
    assert said(scenes[0]) == "How coffee is roasted In this video: Green beans and Taste."
    assert said(scenes[-1]) == "How coffee is roasted Thanks for watching."


def test_one_heading_is_not_announced(make_brief):
    scenes = write_script(make_brief(metadata_md="# Only one\n\nIt is short.")).scenes
    assert said(scenes[0]) == "How coffee is roasted"


def test_every_language_has_words_for_the_opening_and_the_close():
    for code in LANGUAGES:
        for sentence in (phrases.announcement(["A", "B"], code), phrases.thanks(code)):
            assert tokens(sentence, code) and not fonts.undrawable_characters(sentence)


def test_what_is_emphasised_is_stressed(scenes):
    (scene,) = scenes("It is **really _very_** good, `not` so *so*, and __this__ too.\n\n- one **point**\n")
    assert [scene.words[index] for index in scene.stressed] == ["really", "very", "so,", "this", "point"]
    assert not any("\ue000" <= character <= "\uf8ff" for word in (*scene.words, scene.points[0].text) for character in word)


def test_a_writers_own_private_signs_stress_nothing(scenes):
    (scene,) = scenes("plain \ue000words\ue001 here")
    assert scene.stressed == () and said(scene) == "plain words here"


def test_a_heading_without_text_is_said_before_the_next_one(scenes):
    (scene,) = scenes("# Kinds\n\n## Green tea\n\nIt is not roasted.")
    assert (scene.heading, said(scene)) == ("Green tea", "Kinds Green tea It is not roasted.")


def test_a_short_last_sentence_stays_with_its_list(scenes):
    (scene,) = scenes("# Kinds\n\n- green\n- black\n\nThat is all.")
    assert (scene.layout, said(scene)) == ("points", "Kinds green black That is all.")


@pytest.mark.parametrize("pace", [110, 165, 240])
def test_scenes_are_of_a_length_that_a_viewer_follows(make_brief, pace):
    """Five to twelve seconds, of which pauses take about one and a half."""
    presenter = Presenter("Ada", words_per_minute=pace)
    brief = make_brief(**PLAIN, metadata_md="One sentence follows another one here. " * 40, avatar=presenter)
    lengths = [sum(len(word) + 1 for word in scene.words) for scene in write_script(brief).scenes[1:-1]]
    seconds = [length / (pace / 60 * 6.9) for length in lengths]
    assert min(seconds) > 4 and max(seconds) < 12


def test_a_brief_without_markdown_has_two_scenes(make_brief):
    assert [scene.layout for scene in write_script(make_brief(metadata_md="")).scenes] == ["title", "close"]


def test_a_topic_that_the_title_does_not_say_is_spoken_after_it(make_brief):
    brief = make_brief(title="Explainer", topic="Why tea is green", metadata_md="")
    assert [said(scene) for scene in write_script(brief).scenes[:2]] == ["Explainer", "Why tea is green"]


def test_a_long_topic_is_cut_for_the_title_and_said_whole(make_brief):
    topic = "the long story of tea and of those who drink it " * 8
    script = write_script(make_brief(title="", topic=topic, metadata_md=""))
    assert len(script.title) <= 100 and script.title.endswith("…")
    assert " ".join(said(scene) for scene in script.scenes[1:-1]) == topic.strip()


def test_a_heading_becomes_a_scene(scenes):
    (scene,) = scenes("# Green tea\n\nIt is not roasted.")
    assert (scene.layout, scene.heading) == ("prose", "Green tea")
    assert said(scene) == "Green tea It is not roasted."


def test_text_before_the_first_heading_becomes_a_scene_without_one(scenes):
    (first, second) = scenes("A word first.\n\n# Then a heading")
    assert (first.layout, first.heading, said(first)) == ("prose", "", "A word first.")
    assert second.heading == "Then a heading"


def test_list_items_become_points_that_are_spoken(scenes):
    (scene,) = scenes("# Kinds\n\n- green\n- very *black*\n")
    assert scene.layout == "points"
    assert [point.text for point in scene.points] == ["green", "very black"]
    assert [scene.words[point.first_word : point.last_word + 1] for point in scene.points] == [("green",), ("very", "black")]


def test_a_short_sentence_leads_into_its_list(scenes):
    (scene,) = scenes("# Kinds\n\nThere are two:\n\n- green\n- black\n")
    assert said(scene) == "Kinds There are two: green black"


def test_a_long_list_is_cut_into_even_scenes(scenes):
    written = scenes("# Numbers\n\n" + "".join(f"- point {number}\n" for number in range(12)))
    assert [len(scene.points) for scene in written] == [4, 4, 4]
    assert all(len(scene.points) <= MOST_POINTS and scene.heading == "Numbers" for scene in written)


def test_a_heading_is_spoken_once_and_shown_on_each_of_its_scenes(scenes):
    written = scenes("# Story\n\n" + "This sentence is one of many that follow each other. " * 10)
    assert len(written) > 2
    assert [scene.heading for scene in written] == ["Story"] * len(written)
    assert sum(scene.words.count("Story") for scene in written) == 1


def test_prose_is_cut_into_scenes_of_like_length(scenes):
    lengths = [len(said(scene)) for scene in scenes("One sentence follows another one here. " * 20)]
    assert max(lengths) <= 240 and min(lengths) >= 100


def test_a_sentence_without_end_is_cut_too(scenes):
    lengths = [len(said(scene)) for scene in scenes("and so it goes on, " * 60)]
    assert len(lengths) > 4 and max(lengths) <= 240


def test_rows_of_a_table_are_spoken_one_after_the_other(scenes):
    (scene,) = scenes("| kind | minutes |\n|---|---|\n| green | 2 |\n| black | 4 |\n")
    assert scene.words == ("green,", "2", "black,", "4")
    assert [(point.first_word, point.last_word) for point in scene.points] == [(0, 1), (2, 3)]


@pytest.mark.parametrize(
    ("markdown", "heard"),
    [
        ("some **bold** and _slanted_ words", "some bold and slanted words"),
        ("a [link](https://example.com/x) here", "a link here"),
        ("a `code` word", "a code word"),
        ("text <b>with</b> html <!-- hidden -->", "text with html"),
        ("![a picture of tea](tea.png)", "a picture of tea"),
        ("first\n\n```\nrm -rf\n```\n\nlast", "first last"),
        ("first\n\n<script>alert(1)</script>\n\nlast", "first last"),
        ("> quoted", "quoted"),
        ("one\\\ntwo", "one two"),
        ("tea &amp; milk", "tea & milk"),
        ("hot 🎉 tea ☕", "hot\u00a0🎉 tea\u00a0☕"),
        ("see https://www.example.com/a/b?c=d.", "see https://www.example.com/a/b? \u2060c=d."),
    ],
)
def test_markup_is_neither_shown_nor_spoken(scenes, markdown, heard):
    assert " ".join(said(scene) for scene in scenes(markdown)) == heard


def test_front_matter_is_left_out(scenes):
    (scene,) = scenes("---\nscenario: fail\nlist:\n  - a\n---\nOnly this.\n")
    assert said(scene) == "Only this."


def test_a_rule_at_the_top_is_not_front_matter(scenes):
    assert "Said" in [word for scene in scenes("---\nSaid aloud. And more!\n\n---\nEnd.") for word in scene.words]


def test_abbreviations_end_no_sentence(scenes):
    (scene,) = scenes("Dr. Smith drinks tea, e.g. green. He likes it.")
    assert [scene.words[index] for index in scene.sentence_ends] == ["green.", "it."]
    assert " ".join(scene.spoken) == "Dr Smith drinks tea, for example green. He likes it."


def test_a_dash_is_shown_with_the_word_before_it(scenes):
    (scene,) = scenes("Tea – hot.")
    assert scene.words == ("Tea\u00a0–", "hot.")


def test_words_and_spoken_words_are_one_for_one(make_brief):
    assert all(len(scene.words) == len(scene.spoken) for scene in write_script(make_brief()).scenes)


def test_a_scene_is_described_in_its_language(make_brief):
    german = write_script(make_brief(language="de")).scenes[0]
    assert german.description == "Ada und der Titel: How coffee is roasted."


def test_a_language_without_phrases_gets_the_heading_and_the_points(scenes):
    (scene,) = scenes("# Teet\n\n- musta\n- vihreä\n", language="fi")
    assert scene.description == "Teet. musta. vihreä."


def test_a_name_with_braces_is_only_a_name(make_brief):
    assert "{heading}" in write_script(make_brief(avatar=Presenter("{heading}"))).scenes[0].description


def test_nothing_to_say_is_an_error(make_brief):
    with pytest.raises(ScriptError) as caught:
        write_script(make_brief(title="🎉", topic="…", metadata_md=""))
    assert caught.value.code == "SCRIPT_EMPTY"


def test_an_unknown_language_is_an_error(make_brief):
    with pytest.raises(ScriptError) as caught:
        write_script(make_brief(language="ja"))
    assert caught.value.code == "LANGUAGE_NOT_SPOKEN"


def test_too_many_scenes_are_an_error(make_brief):
    with pytest.raises(ScriptError) as caught:
        write_script(make_brief(metadata_md="# a\n\nb\n\n" * (MOST_SCENES + 1)))
    assert caught.value.code == "SCRIPT_TOO_LONG"


def test_a_script_reads_back_as_it_was_written(make_brief, tmp_path):
    fractions = []
    write(make_brief(), tmp_path, fractions.append)
    assert load(Script, tmp_path / "script.json") == write_script(make_brief())
    assert fractions == [1.0]
