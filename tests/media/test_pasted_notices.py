"""Notices, minutes and newsletters as people paste them: what is a label, a title or the item of
an agenda, and how far a heading goes."""

from dataclasses import replace

import pytest
from support.tables import each_of

from svc.base.text.languages import FURTHER, LANGUAGES
from svc.base.text.pasted.convert import as_markdown
from svc.media.languages import Pictures, read_words
from svc.media.pictures import meaning
from svc.media.script import agendas, from_brief, labels, law_titles, markdown, scene_split
from svc.media.script.blocks import Block
from svc.media.slides import framings
from svc.media.text import bonds, line_breaks
from svc.media.text.grammar.phrase_ends import cost_of_end
from tests.media.conftest import brief_of
from tests.media.small_programme import scene


@each_of(
    ("written", "shown"),
    [
        ("日時：10月12日\n場所：中央公園", ["- **日時**：10月12日", "- **場所**：中央公園"]),
        ("日　時： 9時\n場　所：公園", ["- **日　時**：9時", "- **場　所**：公園"]),
        ("时间：10：30～12：00\n费用：免费", ["- **时间**：10：30～12：00", "- **费用**：免费"]),
        ("**时间**：5月\n**地点**：礼堂", ["- **时间**：5月", "- **地点**：礼堂"]),
    ],
)
def test_labels_with_a_wide_colon_are_a_list(written, shown):
    assert as_markdown(written).split("\n") == shown


def test_sentences_after_a_wide_colon_are_no_list():
    said = as_markdown("他说：我们明天再来。\n她说：好的。")
    assert "- " not in said


@each_of(
    ("line", "is_title"),
    [
        ("Story time", True),
        ("Book club", True),
        ("Come and sing with", False),
        ("Treffen nach", False),
        ("Un taller para", False),
        ("Spotkanie przy", False),
    ],
)
def test_a_title_may_end_with_a_short_noun(line, is_title):
    text = f"{line}\nThe Harbour volunteers read to children on Saturdays in the garden."
    assert ("\n\n" in as_markdown(text)) == is_title


POSTER = "Saturday 14 June, 2 pm – 10 pm\nOld Harbour, Wexmoor\nFree entry"
WRAPPED = "Der Verein lädt alle Mitglieder und\nFreunde ein zum großen alten\nSommerfest"


@each_of(("text", "is_kept"), [(POSTER, True), (WRAPPED, False), (POSTER.lower(), False)])
def test_the_lines_of_a_poster_stay_lines(text, is_kept):
    assert (as_markdown(text).count("  \n") == text.count("\n")) == is_kept


def test_a_title_begins_the_scene_of_its_text():
    parts = scene_split.split_sentences("We read to children on Saturdays in the room.", "en", 90)
    title = scene_split.split_sentences("Book club", "en", 90)
    text = scene_split.split_sentences("We meet on Monday and read a new novel a month.", "en", 90)
    groups = scene_split.group_into_scenes([*parts, *title, *text], 70)
    assert [len(group) for group in groups] == [1, 2]


@each_of(
    ("language", "title", "rest"),
    [
        ("de", "TOP 4: Verschiedenes", "Verschiedenes"),
        ("de", "TOP 4–5: Verschiedenes", "Verschiedenes"),
        ("nb", "Sak 5/24: Eventuelt", "Eventuelt"),
        ("en", "Item 5 - Any other business", "Any other business"),
        ("en", "Item 5. Any other business", "Any other business"),
        ("fr", "Point 3 : Questions diverses", "Questions diverses"),
        ("sv", "Punkt 8: Övriga frågor", "Övriga frågor"),
        ("ja", "議題3：その他", "その他"),
        ("nl", "Agendapunt 6: Rondvraag", "Rondvraag"),
        ("pl", "Punkt 7: Sprawy różne", "Sprawy różne"),
    ],
)
def test_an_item_of_an_agenda_is_a_heading_and_its_label_says_nothing(language, title, rest):
    assert law_titles.strip_item(title, language) == rest
    assert agendas.is_miscellany(title, language)
    blocks = markdown.parse_blocks(f"{title}\n\nFrau Meyer 8.", language)
    assert (blocks[0].kind, blocks[0].text) == ("heading", title)


@each_of(
    ("language", "text"),
    [
        ("de", "Punkt 4 wurde vertagt."),
        ("de", "Kasse"),
        ("en", "Item 5 is late"),
        ("en", "Point 3: the roof leaks."),
        ("de", "Punkt 5. Mai"),
        ("da", "Punkt 12. juni"),
        ("hr", "Ad 5. Svibnja"),
        ("en", "Item 7-Eleven"),
        ("en", "Point 3-D"),
        ("en", "Item 3.14 Pi"),
        ("en", "Item 3: 4.50"),
        ("en", "Item 5: ---"),
    ],
)
def test_a_sentence_about_an_item_is_none(language, text):
    assert law_titles.strip_item(text, language) == text


NEWS = (
    "**Bring**\n\n- a towel\n- a cap\n\n**Times**\n\nWe start at eight.\n\n"
    "**Parking**\n\nPark behind the hall.\n\n"
    "Our chair, Mary, has stepped down after ten years."
)


def test_the_last_heading_in_bold_ends_where_the_others_do():
    kinds = [block.kind for block in markdown.parse_blocks(NEWS, "en")]
    assert kinds[-4:] == ["heading", "prose", labels.END, "prose"]


@pytest.mark.parametrize(
    "notes",
    [
        NEWS.partition("**Parking**")[2],  # nothing shows how far it goes
        NEWS.partition("**Bring**\n\n- a towel\n- a cap\n\n")[2],  # one other shows too little
        NEWS.replace("Our chair, Mary, has stepped down after ten years.", "See you there!"),
        NEWS.replace("- a cap", "- a cap\n\nIt may rain."),
        NEWS.replace("the hall.", "the hall:"),
    ],
)
def test_a_heading_in_bold_goes_on_where_nothing_ends_it(notes):
    assert labels.END not in [block.kind for block in markdown.parse_blocks(notes, "en")]


@each_of(
    ("text", "words"),
    [
        ("秋祭りのお知らせ", ["秋祭りの", "お知らせ"]),
        ("参加費：無料", ["参加費：", "無料"]),
        ("日時：10月12日", ["日時：", "10月12日"]),
    ],
)
def test_no_japanese_compound_is_torn_after_its_first_sign(text, words):
    pieces = line_breaks.split_unspaced(text, "ja")
    assert [piece.removeprefix(line_breaks.GLUE) for piece in pieces] == words


def test_a_short_quotation_stays_on_one_line():
    words = ["the", "name", "“Beatles,", "The”", "and", "“a", "far", "too", "long", "quotation”"]
    assert bonds.find_short_quotations(words) == {2}
    assert bonds.find_short_quotations(["by", "“Salt,", 'The"', "and"]) == {1}
    assert cost_of_end(["by", "“Salt,", 'The"', "and"], (), 1) > 1
    widths = [float(len(word)) for word in words]
    lines = line_breaks.balance_lines(words, widths, [1.0] * len(words), 40.0, 3, "en")
    assert any("“Beatles," in line and "The”" in line for line in lines)


def test_no_figure_stands_beside_a_card_that_says_it():
    said = (
        "Prasowanie kosztuje 500 zł za komplet. Komplet ma dziesięć koszul i pięć par spodni. "
        "Te 500 zł można zapłacić gotówką lub kartą przy odbiorze."
    )
    prose = scene("prose", "", said, ends=(5, 13, 23))
    phrase = "Prasowanie kosztuje 500\u00a0zł za komplet"
    for key_phrase, count in ((phrase, 0), ("Komplet ma dziesięć koszul i pięć par spodni", 1)):
        framed = framings.list_framings(replace(prose, key_phrase=key_phrase))
        assert [each.kind for each in framed].count(framings.FIGURE) == count, framed


def test_a_list_has_no_point_alone_on_a_screen():
    point = "a point of about seventy characters that says something worth reading"
    tokens = scene_split.split_sentences(point, "en", 200)[0].tokens
    parts = [scene_split.ScriptPart(tokens, point) for _ in range(3)]
    groups = scene_split.group_into_scenes(parts, 190)
    assert [len(group) for group in groups] == [3]


@pytest.mark.parametrize("code", [*LANGUAGES, *FURTHER])
def test_every_language_knows_notices_of_a_death(code):
    assert read_words(code, Pictures).mourns is not None


def test_blocks_are_as_they_are_without_labels():
    blocks = [Block("prose", "One."), Block("prose", "Two.")]
    assert [block.text for block in labels.place_labels(blocks, "en")] == ["One.", "Two."]


@each_of(
    ("language", "text"),
    [
        ("en", "The funeral will be held at St Mary's on Friday."),
        ("en", "She is survived by her two daughters."),
        ("de", "Die Beisetzung ist am Freitag um elf."),
        ("fr", "Il nous a quittés le 3 mai."),
        ("pl", "Pogrzeb odbędzie się w piątek."),
        ("ja", "告別式は5月8日に行います。"),
        ("ru", "Скончался наш учитель."),
    ],
)
def test_a_notice_of_a_death_is_sombre_by_its_words(language, text):
    assert meaning.is_sombre([text], "", "", language)


@each_of(
    ("language", "text"),
    [
        ("ko", "경부고속도로가 막힙니다."),
        ("ko", "전주 남부고등학교 학생"),
        ("ar", "نعيش في القاهرة منذ عام."),
        ("ar", "اخترنا نعيمة مديرة للمدرسة."),
        ("hu", "A részvétel ingyenes, a részvételi díj elmarad."),
        ("pl", "Pies pogrzebał kość, a pogrzebacz stoi obok."),
        ("cs", "Pohřebiště z doby bronzové."),
        ("hi", "साधनिधन एक शब्द है।"),
        ("sl", "Naložite datoteko v spomin naprave."),
        ("el", "Το πρόγραμμα φορτώνει στη μνήμη του υπολογιστή."),
        ("ro", "Fișierul este în memoria telefonului."),
        ("en", "The file is kept in memory of the device."),
        ("en", "Our dessert is called in memory of summer."),
        ("en", "Funeral service prices rise by 5 percent."),
        ("en", "The rumours were finally laid to rest."),
        ("en", "We passed away the time with a game."),
        ("fr", "Le feu s'est éteint à midi."),
        ("it", "È mancata la corrente e la luce si è spenta."),
        ("it", "Il tecnico ci ha lasciato le chiavi."),
        ("es", "La tormenta nos ha dejado 30 litros."),
        ("sv", "Han har lämnat oss nycklarna."),
        ("nb", "Hun gikk bort til vinduet."),
        ("nl", "Dat woord is me ontvallen."),
        ("he", "הלוויתן שוחה בים."),
        ("he", "לזכרון הזה אין שם."),
        ("id", "Kami mengenang masa kecil di kampung."),
        ("ms", "Kelas surah al-fatihah untuk kanak-kanak."),
        ("mk", "Се собравме во споменикот."),
    ],
)
def test_other_texts_are_no_notices_of_a_death(language, text):
    assert read_words(language, Pictures).mourns.search(text) is None


@each_of(
    ("language", "text"),
    [
        ("ko", "부고를 전합니다."),
        ("ar", "نعي فقيد الأسرة"),
        ("hu", "Fogadják őszinte részvétünket."),
        ("pl", "W dniu pogrzebu prosimy o ciszę."),
        ("cs", "Po pohřbu se sejdeme doma."),
        ("hi", "राम का निधन हो गया।"),
        ("sl", "V spomin na Janeza"),
        ("el", "Στη μνήμη του Γιώργου"),
        ("ro", "În memoria bunicii noastre"),
        ("en", "In memory of our dear friend"),
        ("en", "In memory of Ann Brown"),
        ("en", "He was laid to rest beside his wife."),
        ("en", "She was laid to rest today."),
        ("en", "She passed away from cancer."),
        ("fr", "Elle s'est éteinte dans sa 87e année."),
        ("it", "È mancato all'affetto dei suoi cari."),
        ("it", "Ci ha lasciato il nostro caro Paolo."),
        ("es", "Nos ha dejado nuestra madre."),
        ("sv", "Vår mor har lämnat oss i stor sorg."),
        ("nb", "Hun gikk bort i går."),
        ("nl", "Ons is ontvallen onze vader."),
        ("he", "לזכרו של משה"),
        ("id", "Mengenang guru kita"),
        ("mk", "Во спомен на Иван"),
    ],
)
def test_notices_of_a_death_keep_their_words(language, text):
    assert meaning.is_sombre([], text, "", language)


@each_of(
    ("language", "cheerful", "sombre"),
    [
        ("tr", "Şehrimizin kuruluşu anısına festival var.", "Ailesine başsağlığı dileriz."),
        ("fa", "جشنواره بناهای یادبود امروز آغاز می‌شود.", "خانواده او را تسلیت می‌گوییم."),
        ("vi", "Trò chơi này không có tin buồn nào.", "Lễ tang vào thứ Sáu."),
        ("mk", "Добивате чаша во спомен.", "Примете сочувство."),
        ("bg", "Децата получават медал за възпоменание.", "Приемете съболезнования."),
        ("pl", "Klepsydra w tej grze odmierza minutę.", "Pogrzeb w piątek."),
    ],
)
def test_words_with_a_cheerful_sense_count_in_a_title_or_beside_others(language, cheerful, sombre):
    known = read_words(language, Pictures)
    assert known.may_mourn.search(cheerful) and not known.mourns.search(cheerful)
    assert not meaning.is_sombre([cheerful], "", "", language)
    assert meaning.is_sombre([cheerful, sombre], "", "", language)
    assert meaning.is_sombre([sombre], "", "", language)
    assert meaning.is_sombre([], known.may_mourn.search(cheerful)[0], "", language)


@each_of(
    ("language", "text"),
    [
        ("tr", "Rahmetli dedemiz Ahmet Yılmaz anısına mevlit okutulacaktır."),
        ("hu", "Nagymamánk emlékére misét tartunk vasárnap a templomban."),
        ("vi", "Gia đình vô cùng thương tiếc báo tin buồn: cha chúng tôi đã qua đời."),
        ("bg", "Една година без теб. Възпоменание за Иван ще бъде в неделя."),
        ("sr", "Сећање на нашег драгог оца Петра. Парастос је у суботу на гробљу."),
        ("fa", "مراسم یادبود مرحوم احمد رضایی روز جمعه برگزار می‌شود."),
        ("et", "Mälestame head kolleegi Jaan Tamme. Avaldame kaastunnet omastele."),
        ("it", "Domenica alle 10 messa in memoria di Giovanni Rossi."),
        ("mk", "Во спомен на нашиот татко Петар. Парастосот е во сабота."),
        ("pl", "Na drzwiach wisi klepsydra: zmarł Jan Kowalski."),
        ("id", "Kita mengenang almarhum Bapak Budi, yang meninggal dunia kemarin."),
        ("sl", "V spomin na Janeza Novaka, ki nas je zapustil, bo v soboto maša."),
    ],
)
def test_a_notice_without_a_mournful_title_is_one_by_two_words(language, text):
    assert meaning.is_sombre([text], "", "", language)


LEAFLET = """Vacunación

¿Quién debe vacunarse?
•	Mayores de 60 años
•	Personal sanitario

¿Cuándo?
Del 13 de octubre al 30 de noviembre.

¿Qué debo llevar?
1.- Tarjeta sanitaria
2.- Ropa cómoda

{more}C/ Mayor, 14
28013 Madrid
Tel. 900 123 456
"""


@each_of(
    "more", ["", "Efectos secundarios\nPuede notar dolor en el brazo durante uno o dos días.\n\n"]
)
def test_no_heading_stands_over_the_address_at_the_end(more):
    brief = brief_of(
        language="es", title="Vacunación", topic="Vacunación", metadata_md=LEAFLET.format(more=more)
    )
    scenes = from_brief.write_script(brief).scenes
    assert [scene.heading for scene in scenes if scene.layout == "verse"] == [""]
    assert ("Efectos secundarios" in [scene.heading for scene in scenes]) == bool(more)


def test_a_brief_that_begins_with_its_title_says_it_once():
    brief = brief_of(
        title="Lemon cake", topic="Lemon cake", metadata_md="Lemon cake\n\nIt is good."
    )
    said = " ".join(
        word for scene in from_brief.write_script(brief).scenes[:-1] for word in scene.words
    )
    assert said.count("Lemon cake") == 1


MINUTES = """1. Apologies
None.

2. Matters arising
a) Bench by the pond
The bench, which was damaged in the storm, has been repaired.
b) Mill Lane
No answer yet.

3. Date of next meeting
Tuesday 12 May 2026, 7.30 pm.

– Ends –
"""


def test_numbered_titles_of_minutes_are_headings():
    brief = brief_of(title="Minutes", topic="Minutes", metadata_md=MINUTES)
    scenes = from_brief.write_script(brief).scenes
    headings = [scene.heading for scene in scenes[1:-1]]
    assert headings == ["1. Apologies", "2. Matters arising", "3. Date of next meeting"]
    assert not [point for scene in scenes for point in scene.points]
