"""Languages without spaces and other further ones: words, lines, captions,
documents and completeness.
"""

import dataclasses

import numpy
import pytest
from anyascii import anyascii
from media.brief_sheet import read
from small_programme import scene
from support.tables import each_of

from svc.base.text.languages import FURTHER, LANGUAGES, find_language
from svc.media import fonts
from svc.media.captions import captions, transcript
from svc.media.captions import parse as subtitles
from svc.media.checks import captions as gates
from svc.media.checks import documents
from svc.media.drawing import typesetting
from svc.media.drawing.typesetting import Typeface
from svc.media.errors import NarrationError
from svc.media.model import Presenter, Script, Timeline, load, save
from svc.media.script import completeness, from_brief, key_phrases, summary
from svc.media.speech import sound_times
from svc.media.speech.espeak import Espeak
from svc.media.text import line_breaks, scene_prose, tokens
from svc.media.text.tokens import GLUE, STRESS, UNSTRESS
from svc.media.voice import SpokenPassage
from tests.media.conftest import brief_of
from tests.media.contact_sheet import evenly

TEXTS = {
    "ja": (
        "日本の緑茶は、1191年に栄西が持ち帰った種に始まります。"
        "「お茶でも」と声をかける習慣も、ショッピングも、増えました！"
    ),
    "zh": "这部短片展示了小团队如何打造更好的产品。2024年，产量增长了18%（去年为12%）。",
    "zh-TW": "這部短片展示了小團隊如何打造更好的產品。今年，產量增長了18%。",
    "th": "ภาพยนตร์สั้นเรื่องนี้แสดงให้เห็นว่าทีมเล็กสร้างผลิตภัณฑ์ที่ดีกว่าอย่างไร",
}
CLOSING = tuple("、。，！？」）%ーぁぃっゃゅょッャュョ")


@pytest.fixture
def cjk():
    """Of .ci/requirements.txt."""
    pytest.importorskip("noto_cjk_sans_otc")


@pytest.mark.parametrize("code", TEXTS)
def test_words_are_found_and_nothing_is_added(code):
    words = [token.written for token in tokens.tokenize_text(TEXTS[code], code)]
    assert (
        len(words) > 8
        and not words[0].startswith(GLUE)
        and all(word.startswith(GLUE) for word in words[1:])
    )
    assert tokens.join_words(words) == TEXTS[code]


@pytest.mark.parametrize("code", TEXTS)
def test_no_word_begins_with_a_closing_mark_or_is_too_long_for_a_line(code):
    for word in line_breaks.split_unspaced(TEXTS[code], code):
        bare = word.removeprefix(GLUE)
        assert not bare.startswith(CLOSING) and not bare.endswith(("「", "（"))
        assert tokens.measure_display_length(bare.rstrip("。、！」）")) <= 24


def test_figures_and_names_in_latin_letters_stay_whole():
    words = [
        token.written.removeprefix(GLUE)
        for token in tokens.tokenize_text("Wi-Fi接続料は3,500円で、帯域は16 MHzです。", "ja")
    ]
    assert any(word.startswith("Wi-Fi") for word in words) and any(
        "3,500" in word for word in words
    )
    assert any("16\u00a0MHz" in word for word in words)


def test_a_paragraph_that_goes_on_after_code_begins_with_a_word():
    assert [
        tokens.tokenize_text(text, code)[0].written[0]
        for text, code in (("，然后将", "zh"), ("、 はい。", "ja"))
    ] == ["然", "は"]


def test_sentences_end_at_full_stops_and_a_heading_gets_one_for_the_voice():
    ends = [
        token.written.removeprefix(GLUE)
        for token in tokens.tokenize_text("茶です。「どうぞ。」と言う！次は？", "ja")
        if token.ends
    ]
    assert ends[0] == "茶です。" and ends[-1].endswith("？") and len(ends) >= 3
    assert tokens.tokenize_text("おいしい淹れ方", "ja")[-1].spoken.endswith("淹れ方。")
    assert tokens.tokenize_text("נושא הסרטון", "he")[-1].spoken == "הסרטון."


def test_what_is_emphasised_is_stressed_to_the_letter():
    spoken = tokens.tokenize_text(
        f"日本の{STRESS}緑茶{UNSTRESS}は、{STRESS}東京、大阪{UNSTRESS}。", "ja"
    )
    assert (
        tokens.join_words(token.written for token in spoken if token.stressed) == "緑茶東京、大阪。"
    )
    korean = tokens.tokenize_text(f"이 {STRESS}영상{UNSTRESS}은 좋습니다.", "ko")
    assert [token.written for token in korean if token.stressed] == ["영상은"]


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("ko", "1191년에 5km를 걸었습니다."),
        ("he", "ב־1948 נמכרו 5 ק״מ."),
        ("ja", "5月2日に18％です。"),
    ],
)
def test_the_voice_gets_what_is_written(code, text):
    words = tuple(token.spoken for token in tokens.tokenize_text(text, code))
    assert SpokenPassage(words).text == text


def test_pictures_are_shown_and_not_spoken_and_an_address_is_spoken_by_its_host():
    words = tokens.tokenize_text("茶 🍵 https://example.com/a です。", "ja")
    assert "🍵" in tokens.join_words(word.written for word in words)
    said = SpokenPassage(tuple(word.spoken for word in words)).text
    assert "🍵" not in said and "example.com" in said and "https" not in said


def test_wide_signs_count_twice_and_emoji_once():
    assert [
        tokens.measure_display_length(text)
        for text in ("茶a", "한국", "ไทย", "🍵", f"{GLUE}茶", "café")
    ] == [3, 4, 3, 1, 2, 4]
    assert tokens.shorten("日本茶の一年と八十八夜", 9) == "日本茶の…"


@pytest.fixture(scope="module")
def japanese():
    brief = read("japanese")
    script = from_brief.write_script(brief)
    return brief, script, evenly(script)


@pytest.mark.usefixtures("cjk")
def test_captions_have_lines_by_width_without_spaces_and_pass_their_gates(japanese, tmp_path):
    _, script, timeline = japanese
    captions.write_files(script, timeline, tmp_path / "captions.srt", tmp_path / "captions.vtt")
    for name in ("captions.srt", "captions.vtt"):
        cues = subtitles.read_cues(tmp_path / name)
        lines = [line for cue in cues for line in cue.lines]
        assert max(map(tokens.measure_display_length, lines)) <= 40 and not any(
            GLUE in line for line in lines
        )
        assert not any(line.startswith(CLOSING) for line in lines)
        said = "".join(lines).replace(" ", "")
        assert said == "".join(tokens.join_words(scene.words) for scene in script.scenes).replace(
            " ", ""
        )
        found = gates.list_findings(tmp_path / name, script, timeline, None, timeline.duration)
        # not spoken yet
        wrong = [
            finding for finding in found if not finding.passed and finding.check != "reading speed"
        ]
        assert not wrong and "beginnings of caption lines" in {finding.check for finding in found}


@each_of(
    ("language", "text", "whole"),
    [
        ("zh", "指数上涨了12.3%，但是第一名涨了56.1%。", ["12.3%，", "56.1%。"]),
        ("zh", "得到了贫困线3.12万美元。", ["贫困线3.12万"]),
        ("zh", "合作请联系（yifeng.ruan@gmail.com）。", ["（yifeng.ruan@gmail.com）。"]),
        ("zh", "国外的一个建站服务Bubble.io，版本是v2.0.1。", ["Bubble.io，", "v2.0.1。"]),
        ("zh-TW", "一共1,250人，10:30開始。", ["1,250", "10:30"]),
        (
            "ja",
            "価格は12.3%上がり、連絡先はa.b@example.comです。",
            ["12.3%上がり、", "a.b@example.com"],
        ),
        ("th", "ราคาเพิ่มขึ้น12.3%แล้ว", ["12.3%"]),
    ],
)
def test_figures_and_addresses_are_one_word(language, text, whole):
    words = [word.written.removeprefix(GLUE) for word in tokens.tokenize_text(text, language)]
    assert [word for word in words if any(part in word for part in whole)] == whole, words


def test_a_line_ends_after_a_comma_rather_than_before_a_bracket():
    words = line_breaks.split_unspaced("2027年5月12日（日）、午前9時から", "ja")
    lines = line_breaks.balance_lines(
        words, [tokens.measure_display_length(word) for word in words], [0] * len(words), 22, 2
    )
    assert [tokens.join_words(line) for line in lines] == ["2027年5月12日（日）、", "午前9時から"]


@pytest.mark.usefixtures("cjk")
@pytest.mark.parametrize("line_length", (18, 22, 24, 28, 42))
def test_captions_break_after_sentences_and_not_before_a_particle(japanese, line_length):
    _, script, timeline = japanese
    shown = captions.split_cues(script, timeline, line_length)
    lines = [line for cue in shown for line in captions.list_cue_lines(script, cue)]
    assert not [line for line in lines if line.startswith("に")]
    assert line_length < 42 or "お湯を注ぎ、60秒待ちます。" in lines


@pytest.mark.usefixtures("cjk")
def test_a_sign_of_a_program_may_begin_a_line(tmp_path):
    script = from_brief.write_script(
        brief_of(language="ja", metadata_md="- `%c`。出力文字列を意味します。\n- 50%。半分です。")
    )
    timeline = evenly(script)
    captions.write_files(script, timeline, tmp_path / "captions.srt", tmp_path / "captions.vtt")
    found = gates.list_findings(
        tmp_path / "captions.srt", script, timeline, None, timeline.duration
    )
    assert any(
        line.startswith("%c")
        for cue in subtitles.read_cues(tmp_path / "captions.srt")
        for line in cue.lines
    )
    assert "beginnings of caption lines" in {finding.check for finding in found if finding.passed}


@pytest.mark.usefixtures("cjk")
@pytest.mark.parametrize(
    ("between", "passes"), [("", True), ("但是\n", False)], ids=["begins", "in the middle"]
)
def test_a_sentence_may_begin_with_an_ellipsis(tmp_path, between, passes):
    script = from_brief.write_script(
        brief_of(
            language="zh",
            metadata_md="政府为了刺激经济，发了很多货币，这些钱都集中到富人手里。\n\n"
            "……富人拿去买房、买资产、买股票什么的，并没有通过做买卖发到基层老百姓手里。",
        )
    )
    timeline, srt = evenly(script), tmp_path / "captions.srt"
    captions.write_files(script, timeline, srt, tmp_path / "captions.vtt")
    written = srt.read_text("utf-8")
    assert "\n……富人" in written
    srt.write_text(written.replace("\n……", f"\n{between}……"), "utf-8")
    found = gates.list_findings(srt, script, timeline, None, timeline.duration)
    (beginnings,) = (each for each in found if each.check == "beginnings of caption lines")
    assert beginnings.passed is passes


@pytest.mark.parametrize(
    ("wrong", "check"),
    [
        (lambda text: text.replace("に始まるとされ", ""), "scenes in captions"),
        (lambda text: text.replace("。", "\n。", 1), "beginnings of caption lines"),
        (
            lambda text: text.replace("--> 00:00:0", "--> 00:00:0", 1).replace(
                "日本の", "日本の" * 9, 1
            ),
            "caption line",
        ),
    ],
)
@pytest.mark.usefixtures("cjk")
def test_the_gates_see_what_is_wrong_with_captions_without_spaces(japanese, tmp_path, wrong, check):
    _, script, timeline = japanese
    srt = tmp_path / "captions.srt"
    captions.write_files(script, timeline, srt, tmp_path / "captions.vtt")
    srt.write_text(wrong(srt.read_text("utf-8")), "utf-8")
    found = gates.list_findings(srt, script, timeline, None, timeline.duration)
    assert check in {finding.check for finding in found if not finding.passed}


def test_nine_wide_signs_a_second_can_be_read_and_ten_cannot(tmp_path):
    for signs, passes in ((36, True), (41, False)):
        words = (
            "日" * 10,
            *(GLUE + "本" * 10 for _ in range(signs // 10 - 1)),
            GLUE + "本" * (signs % 10),
        )
        script = Script(
            "日", "ja", (dataclasses.replace(scene("prose", "", "x"), words=words, spoken=words),)
        )
        text = tokens.join_words(words)
        (tmp_path / "a.srt").write_text(
            f"1\n00:00:00,000 --> 00:00:04,000\n{text[:20]}\n{text[20:]}\n\n", "utf-8"
        )
        found = {
            each.check: each
            for each in gates.list_findings(tmp_path / "a.srt", script, evenly(script), None, 5.0)
        }
        assert (
            found["reading speed"].passed is passes
            and "18 characters a second" in found["reading speed"].limit
        )


@pytest.mark.usefixtures("cjk")
def test_nothing_of_the_brief_is_lost_and_a_lost_word_is_seen(japanese):
    brief, script, _ = japanese
    assert completeness.list_lost(brief, script) == []
    without = dataclasses.replace(
        script, scenes=tuple(each for each in script.scenes if "ョ" not in "".join(each.words))
    )
    assert any(
        "'ョ'" in report for report in completeness.list_lost(brief, without)
    )  # of ショッピング
    other = dataclasses.replace(
        brief, metadata_md=brief.metadata_md.replace("入場は無料です", "入場は有料です")
    )
    assert any("有" in report for report in completeness.list_lost(other, script))


@pytest.mark.usefixtures("cjk")
def test_the_transcript_has_no_spaces_between_words_and_passes_its_gate(japanese, tmp_path):
    brief, script, timeline = japanese
    save(script, tmp_path / "script.json"), save(timeline, tmp_path / "timeline.json")
    transcript.write_transcript(brief, tmp_path)
    text = (tmp_path / "transcript.txt").read_text("utf-8")
    assert (
        "日本の緑茶は、1191年に栄西が中国から持ち帰った種に始まるとされています。いまでは世界中で愛される飲み物に"
        in text
    )
    assert (
        load(Script, tmp_path / "script.json") == script
        and load(Timeline, tmp_path / "timeline.json") == timeline
    )
    findings = [
        documents._check_transcript(tmp_path / name, brief, script)
        for name in documents.TRANSCRIPTS
    ]
    assert [finding.measured for finding in findings if not finding.passed] == []
    (tmp_path / "transcript.txt").write_text(text.replace("栄西が", ""), "utf-8")
    assert not documents._check_transcript(tmp_path / "transcript.txt", brief, script).passed


def test_a_heading_that_is_spoken_before_prose_gets_the_full_stop_of_its_script(japanese):
    _, script, _ = japanese
    text = scene_prose.find_prose_words(dataclasses.replace(script.scenes[5], heading=""))
    assert text.startswith("八十八夜の茶摘み。") and "." not in text


def test_key_phrases_are_emphasised_words_or_whole_sentences_and_never_half_of_a_negation(japanese):
    brief, script, _ = japanese
    shown = [each.key_phrase for each in script.scenes if each.layout == "prose"]
    assert "世界中で愛される飲み物" in shown and "雨の日でも中止にはなりません" in shown

    def chosen(text: str) -> str:
        return key_phrases.choose_key_phrase([tokens.tokenize_text(text, "ja")], "", brief)

    assert chosen(f"これは{STRESS}安全{UNSTRESS}ではありません。") == "これは安全ではありません"
    assert chosen(f"これは{STRESS}安全{UNSTRESS}です。") == "これは安全です"
    assert chosen("長い" * 30 + "文です。") == ""


@pytest.mark.usefixtures("cjk")
def test_summary_and_hashtags_are_words_of_the_brief(japanese):
    brief, script, _ = japanese
    assert summary.choose_hashtags(brief) == ("日本茶", "一年", "八十八夜")
    assert summary.summarise(brief, script).startswith("日本の緑茶は、1191年に")


@pytest.mark.usefixtures("cjk")
def test_headings_break_between_words_and_signs_have_the_regions_form():
    face = Typeface(80, 650, language="ja")
    block = typesetting.fit_text("立春から数えて八十八日目、茶摘みが始まります", 520, 900, face, 80)
    lines = ["".join(line).replace(GLUE, "") for line in block.lines]
    assert "".join(lines) == "立春から数えて八十八日目、茶摘みが始まります" and not any(
        line.startswith(CLOSING) for line in lines
    )
    words = {
        word.removeprefix(GLUE)
        for word in line_breaks.split_unspaced("立春から数えて八十八日目、茶摘みが始まります", "ja")
    }
    assert all(line[0] in {word[0] for word in words} for line in lines)
    forms = [fonts.load(60, 400, "骨", language=code).getmask("骨") for code in ("ja", "zh")]
    assert bytes(forms[0]) != bytes(forms[1])


@pytest.mark.usefixtures("cjk")
def test_a_title_keeps_its_size_where_few_wide_signs_end_it_and_breaks_between_words():
    face = Typeface(150, 700, language="ja")
    block = typesetting.fit_display("日本茶の一年と八十八夜", 1300, 500, face, 60)
    assert block.face.size == 150 and [tokens.join_words(line) for line in block.lines] == [
        "日本茶の一年と",
        "八十八夜",
    ]
    # "お茶" alone would look torn off
    torn = typesetting.fit_display("世界中で愛されるお茶", 1300, 500, face, 60)
    assert (
        all(line[0].startswith(GLUE) for line in torn.lines[1:])
        and "".join(map(tokens.join_words, torn.lines)) == "世界中で愛されるお茶"
    )
    assert all(
        word in line_breaks.split_unspaced("世界中で愛されるお茶", "ja")
        for line in torn.lines
        for word in line
    )


@pytest.mark.usefixtures("cjk")
def test_a_word_wider_than_its_line_is_broken_without_a_hyphen():
    block = typesetting.fit_text(
        "インターネットサービスプロバイダー", 200, 900, Typeface(60, 600, language="ja"), 60
    )
    assert "-" not in "".join("".join(line) for line in block.lines) and len(block.lines) > 3


@pytest.mark.usefixtures("cjk")
@pytest.mark.parametrize("code", FURTHER)
def test_a_further_language_has_its_glyphs_and_its_phrases(code):
    assert fonts.find_undrawable_characters(FURTHER[code].letters) == ""
    script = from_brief.write_script(
        dataclasses.replace(read("japanese"), language=code, metadata_md="", title="A", topic="A")
    )
    said = " ".join(tokens.join_words(each.words) for each in script.scenes)
    english = from_brief.write_script(
        dataclasses.replace(read("japanese"), language="en", metadata_md="", title="A", topic="A")
    )
    assert (
        said != " ".join(tokens.join_words(each.words) for each in english.scenes)
        and "Harbour & Sons" in said
    )


def test_no_voice_of_this_machine_is_given_a_further_language():
    for code in FURTHER:
        with pytest.raises(NarrationError) as refused:
            list(Espeak().utter([SpokenPassage(("a",))], code, Presenter("Ada")))
        assert refused.value.code == "LANGUAGE_NOT_SPOKEN"
    assert not set(FURTHER) & set(LANGUAGES) and find_language("zh-HK") == FURTHER["zh"]


def sound(spans: list[tuple[float, float]], seconds: float, rate: int = 16_000) -> numpy.ndarray:
    """The indices of the samples that are audible: within ``spans``, in seconds."""
    moments = numpy.arange(round(seconds * rate)) / rate
    return numpy.flatnonzero(
        numpy.any([(start <= moments) & (moments < end) for start, end in spans], axis=0)
    )


def test_pauses_are_matched_with_punctuation_and_not_with_those_within_a_phrase():
    words = tuple(
        token.spoken
        for token in tokens.tokenize_text("お茶を、どうぞ。ゆっくり飲んでください。", "ja")
    )
    # the last pause is within the sentence
    audible = sound([(0.0, 0.45), (0.75, 1.2), (1.7, 2.4), (2.55, 3.3)], 3.5)
    times = {
        words[word].removeprefix(GLUE): sample / 16_000
        for word, sample in sound_times.find_word_starts(words, audible, 16_000)
    }
    assert times["お茶を、"] == 0.0 and times["どうぞ。"] == pytest.approx(0.75, abs=0.01)
    assert times["ゆっくり"] == pytest.approx(1.7, abs=0.01)


def test_sound_that_cannot_be_the_words_is_refused():
    words = tuple(token.spoken for token in tokens.tokenize_text(TEXTS["ja"], "ja"))
    for seconds in (0.5, 90.0):
        with pytest.raises(NarrationError, match="for each syllable"):
            sound_times.find_word_starts(words, sound([(0.0, seconds)], seconds + 1), 16_000)


def test_a_small_kana_is_no_mora_of_its_own_and_a_kanji_is_about_two():
    assert [
        sound_times.count_morae(text) for text in ("きょう", "コーヒー", "緑茶", f"{GLUE}に")
    ] == [
        2.0,
        4.0,
        3.8,
        1.0,
    ]
    assert anyascii("に") == "ni"


def test_what_a_long_run_of_figures_is_joined_to_is_looked_at_by_its_end_alone(monkeypatch):
    """A run of 4,000 figures would be read 4,000 times otherwise."""
    lengths, real = [], line_breaks._RATE

    class Counted:
        def search(self, text: str):
            lengths.append(len(text))
            return real.search(text)

    monkeypatch.setattr(line_breaks, "_RATE", Counted())
    line_breaks.split_unspaced("1" * 300, "zh")
    assert lengths and max(lengths) < 10


@pytest.mark.parametrize(
    "parts",
    [
        ("ご参加", "いただけます。"),
        ("お申し込み", "いただけます"),
        ("お問い合わせ", "ください"),
        ("ご参加いただき、",),  # short enough
    ],
)
def test_a_long_word_of_japanese_is_parted_in_front_of_its_auxiliary_verb(parts):
    words = line_breaks.split_unspaced("".join(parts), "ja")
    assert tuple(word.removeprefix(GLUE) for word in words) == parts
