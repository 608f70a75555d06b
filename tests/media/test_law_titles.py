"""The title of a part of a law, a contract or a statute is the heading of the text below it."""

from support.tables import each_of

from svc.media.script.from_brief import write_script
from svc.media.script.law_titles import is_law_title
from svc.media.script.markdown import parse_blocks

TEXT = "It may be used for living only, and nobody may let it."
TITLES = [
    ("en", "§ 3 Use"),
    ("en", "Section 2. Scope"),
    ("en", "Clause 4.2 – Payment of rent"),
    ("de", "§ 3 Nutzung"),
    ("de", "§ 12a Kündigung"),
    ("de", "Art. 5 Haftung"),
    ("fr", "Article 5 — Durée"),
    ("fr", "Article 1er – Objet"),
    ("fr", "Titre II : Cotisations"),
    ("es", "Artículo 5.º Duración"),
    ("es", "Cláusula 3. Precio"),
    ("pt", "Artigo 5.º"),
    ("it", "Art. 5 – Durata"),
    ("nl", "Artikel 5 Duur"),
    ("sv", "5 § Användning"),
    ("da", "§ 5. Kontingent"),
    ("nb", "§ 5 Årsmøte"),
    ("fi", "5 § Jäsenmaksu"),
    ("pl", "§ 3. Użytkowanie"),
    ("cs", "Čl. 5 Odpovědnost"),
    ("sk", "Článok 5 Trvanie"),
    ("hu", "5. § Tagdíj"),
    ("ro", "Articolul 5. Durata"),
    ("hr", "Članak 5."),
    ("sl", "5. člen"),
    ("sr", "Члан 5."),
    ("mk", "Член 5"),
    ("bg", "Чл. 5. Срок"),
    ("ru", "Статья 5. Срок"),
    ("uk", "Стаття 5. Строк"),
    ("el", "Άρθρο 5 – Διάρκεια"),
    ("et", "§ 5. Liikmemaks"),
    ("lv", "5. pants"),
    ("lt", "5 straipsnis. Trukmė"),
    ("ca", "Article 5. Durada"),
    ("tr", "Madde 5 – Süre"),
    ("id", "Pasal 5"),
    ("ms", "Seksyen 5"),
    ("vi", "Điều 5. Thời hạn"),
    ("sw", "Ibara ya 5"),
    ("ja", "第3条"),
    ("ja", "第三条（目的）"),
    ("zh", "第三条"),
    ("zh-TW", "第三條"),
    ("ko", "제3조(목적)"),
    ("th", "ข้อ 5"),
    ("ar", "المادة 5"),
    ("fa", "ماده ۵"),
    ("ur", "دفعہ 5"),
    ("he", "סעיף 5"),
    ("hi", "धारा 5"),
]


@each_of(("language", "title"), TITLES)
@each_of("form", ["{0}\n\n{1}", "{0}\n{1}", "{1}\n\n{0}\n{1}", "{1}\n{0}\n{1}", "**{0}**\n\n{1}"])
def test_the_title_of_a_part_of_a_law_is_a_heading(language, title, form):
    blocks = parse_blocks(form.format(title, TEXT), language)
    assert [block.text for block in blocks if block.kind == "heading"] == [title]
    assert {block.text for block in blocks if block.kind != "heading"} == {TEXT}


@each_of(
    ("language", "line"),
    [
        ("en", "§ 3 says who may use it"),
        ("en", "Section 2 applies to all members."),
        ("en", "Part civil, part military"),
        ("en", "Part I love"),
        ("en", "Article 5 of the statute"),
        ("en", "Schedule 9:30 Lunch"),
        ("en", "Room 5"),
        ("en", "Section 2. Members pay. Others do not"),
        ("de", "§ 3 regelt die Nutzung"),
        ("de", "Art. 5 gilt nicht."),
        ("fr", "Article 5 du contrat"),
        ("da", "Del 5 æbler"),
        ("zh", "第三条 会员应当缴纳会费。"),
    ],
)
def test_a_line_that_goes_on_or_is_a_sentence_is_no_title(language, line):
    assert not is_law_title(line, language)
    blocks = parse_blocks(f"{line}\n\n{TEXT}", language)
    assert "heading" not in [block.kind for block in blocks]


def test_a_title_within_a_sentence_or_code_and_one_above_nothing_is_none():
    for notes in (f"{TEXT}\n\n§ 3 Use", "We read\n§ 3 Use\nand more.", "```\n§ 3 Use\nx\n```"):
        assert "heading" not in [block.kind for block in parse_blocks(notes, "en")]


@each_of(
    ("language", "lines"),
    [
        ("en", ["Chapter 1 Basics", "Chapter 2 Advanced work", "Chapter 3 Practice"]),
        ("en", ["Part I: Monday", "Part II: Tuesday"]),
        ("de", ["Kapitel 1 Wald", "Kapitel 2 Wiese"]),
        ("hu", ["5. § Tagdíj", "6. § Közgyűlés"]),
        ("zh", ["第一章 山", "第二章 水"]),
    ],
)
@each_of("form", ["{0}", "{1}\n\n{0}", "{0}\n\n{1}", "{1}\n{0}\n\n{1}"])
def test_titles_right_below_one_another_are_a_list(language, lines, form):
    blocks = parse_blocks(form.format("\n".join(lines), TEXT), language)
    assert [block.text for block in blocks if block.kind == "point"] == lines
    assert "heading" not in [block.kind for block in blocks]


def test_titles_of_different_parts_right_below_one_another_are_headings():
    blocks = parse_blocks(f"Chapter 1 Use\n§ 1 Rooms\n{TEXT}", "en")
    assert [block.kind for block in blocks] == ["heading", "heading", "prose"]


def test_the_scenes_of_a_contract_have_its_titles(make_brief):
    notes = f"§ 1 Use\n\n{TEXT}\n\n§ 2 Rent\n{TEXT}"
    script = write_script(make_brief(title="Lease", topic="Lease", metadata_md=notes))
    assert [scene.heading for scene in script.scenes[1:-1]] == ["§ 1 Use", "§ 2 Rent"]
