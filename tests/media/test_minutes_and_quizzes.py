"""Minutes whose items begin with their number, and the questions of a quiz, as people paste them:
each is the heading of what follows."""

from support.tables import each_of

from svc.media.script import law_titles, markdown


def kinds(text, language):
    return [(block.kind, block.text) for block in markdown.parse_blocks(text, language)]


@each_of(
    ("language", "title", "said"),
    [
        ("hu", "2. napirendi pont: Költségvetés", "A tagság elfogadta."),
        ("es", "2º punto del orden del día: Presupuesto", "Se aprueba."),
        ("es", "Punto 2 del orden del día: Presupuesto", "Se aprueba."),
        ("fr", "1er point : Budget", "Il est approuvé."),
        ("fr", "2e point de l'ordre du jour : Budget", "Il est approuvé."),
        ("it", "1° punto all’ordine del giorno: Bilancio", "È approvato."),
        ("pt", "1.º ponto da ordem de trabalhos: Contas", "Foram aprovadas."),
        ("ca", "2n punt de l'ordre del dia: Pressupost", "S'aprova."),
        ("da", "2. dagsordenspunkt: Økonomi", "Det blev godkendt."),
        ("de", "3. Tagesordnungspunkt: Finanzen", "Alles ist gut."),
        ("fi", "4. kohta: Talous", "Se hyväksyttiin."),
        ("cs", "2. bod programu: Rozpočet", "Byl schválen."),
        ("hr", "2. točka dnevnog reda: Proračun", "Prihvaćen je."),
        ("tr", "2. gündem maddesi: Bütçe", "Kabul edildi."),
        ("lv", "2. punkts: Budžets", "Tas ir apstiprināts."),
        ("et", "2. päevakorrapunkt: Eelarve", "See kinnitati."),
        ("ru", "2-й вопрос повестки дня: Бюджет", "Он принят."),
        ("el", "2ο θέμα: Προϋπολογισμός", "Εγκρίθηκε."),
        ("en", "2nd item: Budget", "It was approved."),
    ],
)
def test_an_item_that_begins_with_its_number_is_a_heading(language, title, said):
    expected = [("heading", title), ("prose", said)]
    assert kinds(f"{title}\n\n{said}", language) == expected
    assert kinds(f"{title}\n{said}", language) == expected
    assert law_titles.strip_item(title, language) == title.rpartition(":")[2].strip()


@each_of(
    ("language", "title"),
    [("de", "TOP 2: Wer übernimmt die Kasse?"), ("en", "Item 2: Shall we buy the hall?")],
)
def test_an_item_that_asks_is_a_heading(language, title):
    name = title.partition(" ")[0]
    text = f"{name} 1: Budget\nOK.\n{title}\nMary does.\n{name} 3: Budget\nOK."
    headings = [text for kind, text in kinds(text, language) if kind == "heading"]
    assert headings == [f"{name} 1: Budget", title, f"{name} 3: Budget"]


@each_of("end", ["\r\n", "\r", "\u00a0\n", " \u00a0\r\n"])
def test_other_ends_of_lines_change_nothing(end):
    for language, text in (
        ("de", "TOP 1: Finanzen\nAlles ist gut.\nTOP 2: Verschiedenes\nNichts."),
        ("de", "§ 1 Mietsache\nVermietet wird es.\n§ 2 Miete\nSie ist hoch."),
        ("en", "Question 1: Which?\nThis.\n\nQuestion 2: When?\n\nNow."),
        ("en", "Summer Fair\nSunday 3 May\nat the old town hall\n\nBread\n£2\nIt is baked here."),
    ):
        assert kinds(text.replace("\n", end), language) == kinds(text, language)
        assert kinds("\ufeff" + text, language) == kinds(text, language)


def test_items_below_one_another_stay_a_list():
    agenda = "1. napirendi pont: Beszámoló\n2. napirendi pont: Költségvetés"
    assert [kind for kind, _ in kinds(agenda, "hu")] == ["point", "point"]
    apart = agenda.replace("\n", "\n\n")
    assert [kind for kind, _ in kinds(apart, "hu")] == ["point", "point"]


@each_of("title", ["Item {}: Bring", "**Item {}: Bring**", "{}. bod: Bring"])
def test_an_item_below_the_points_of_the_one_before_is_a_heading(title):
    points = "- a towel\n- a cap"
    text = f"{title.format(1)}\n{points}\n{title.format(2)}\n{points}\n{title.format(3)}\nAll."
    parsed = kinds(text, "cs" if "bod" in title else "en")
    assert [kind for kind, _ in parsed] == [*["heading", "point", "point"] * 2, "heading", "prose"]


QUIZ = """{first}
{answer}

{second}
{answer}
"""


@each_of(
    ("language", "first", "second"),
    [
        ("ru", "Вопрос 1: Какая река самая длинная?", "Вопрос 2: Какая гора самая высокая?"),
        ("de", "Frage 1: Welcher Fluss ist der längste?", "Frage 2: Welcher Berg ist hoch?"),
        ("en", "Question 1: Which river is longest?", "Question 2: Which hill is highest?"),
        ("es", "Pregunta n.º 1: ¿Cuál es el río más largo?", "Pregunta n.º 2: ¿Y el monte?"),
        ("hu", "1. kérdés: Melyik a leghosszabb folyó?", "2. kérdés: Melyik hegy magas?"),
        ("fa", "سؤال 1: کدام رود بلندتر است؟", "سؤال 2: کدام کوه بلندتر است؟"),
        ("ja", "第1問： 一番長い川は？", "第2問： 一番高い山は？"),
    ],
)
def test_the_question_of_a_quiz_is_the_heading_of_its_answer(language, first, second):
    answer = "Amazonas, K2."
    expected = [("heading", first), ("prose", answer), ("heading", second), ("prose", answer)]
    quiz = QUIZ.format(first=first, second=second, answer=answer)
    assert kinds(quiz, language) == expected
    assert kinds(quiz.replace("\n", "\n\n"), language) == expected
    if language not in ("hu", "es", "ja"):
        label = first.partition(":")[0]
        in_bold = quiz.replace(f"{label}:", f"**{label}:**").replace(
            f"{second.partition(':')[0]}:", f"**{second.partition(':')[0]}:**"
        )
        assert kinds(in_bold, language) == expected
        assert kinds(in_bold.replace(":**", "**:"), language) == expected
        asked_in_bold = quiz
        for question in (first, second):
            asked = question.partition(": ")[2]
            asked_in_bold = asked_in_bold.replace(asked, f"**{asked}**")
        assert kinds(asked_in_bold, language) == expected
        assert kinds(quiz.replace(": ", "\n"), language) == expected


def test_code_within_a_quiz_stays_and_asks_nothing():
    code = "```\nQuestion 3: None?\nQuestion 1\n\nNone?\n```"
    quiz = f"Question 1: What is printed?\n{code}\nQuestion 2: And now?\n{code}\n"
    assert [kind for kind, _ in kinds(quiz, "en")] == ["heading", "code"] * 2


@each_of(
    ("language", "letters"),
    [("en", "AB"), ("en", "ab"), ("ru", "АБ"), ("ru", "аб"), ("el", "ΑΒ"), ("el", "αβ")]
    + [("ar", "أب"), ("he", "אב"), ("hi", "कख"), ("th", "กข"), ("ko", "가나"), ("ja", "アイ")],
)
def test_the_answers_to_choose_from_are_a_list(language, letters):
    first, second = (f"{letter}) Amazonas" for letter in letters)
    answers = f"{first}\n{second}"
    quiz = f"Quiz 1: Amazonas?\n{answers}\nQuiz 2: Everest?\n{answers}"
    points = [("point", first), ("point", second)]
    assert kinds(quiz, language) == [
        ("heading", "Quiz 1: Amazonas?"),
        *points,
        ("heading", "Quiz 2: Everest?"),
        *points,
    ]


def test_questions_without_answers_are_a_list_and_no_dialogue():
    quiz = "Question 1: Which river?\n\nQuestion 2: Which hill?\n\nQuestion 3: Which lake?"
    assert [kind for kind, _ in kinds(quiz, "en")] == ["point"] * 3


@each_of(
    ("language", "questions", "below"),
    [
        ("en", ["Question 1: Which day?", "Question 2: How many?"], "Send them to the office."),
        ("en", ["Question 1: Which day?", "Question 2: How many?"], "## Thank you"),
        ("fr", ["Question 1 : Quel jour ?", "Question 2 : Combien ?"], "Merci de répondre."),
        ("ru", ["Вопрос 1: Где?", "Вопрос 2: Когда?", "Вопрос 3: Кто?"], "Спасибо за ответы!"),
    ],
)
def test_what_stands_below_the_last_question_is_no_answer(language, questions, below):
    for apart in ("\n", "\n\n"):
        for end in ("\n", "\n\n"):
            parsed = kinds(apart.join(questions) + end + below, language)
            assert parsed[:-1] == [("point", question) for question in questions]
            assert parsed[-1][1] == below.strip("# ")


def test_questions_below_a_heading_each_are_no_answers():
    quiz = "## Rivers\n\nQuestion 1: Which river?\n\n## Hills\n\nQuestion 2: Which hill?"
    assert [kind for kind, _ in kinds(quiz, "en")] == ["heading", "point"] * 2


@each_of(
    ("language", "first", "second"),
    [
        ("fr", "Question n° 1 : Quel fleuve ?", "Question n° 2 : Quel sommet ?"),
        ("zh", "第1题：世界上最长的河是什么？", "第2题：世界上最高的山是什么？"),
    ],
)
def test_the_questions_of_a_quiz_keep_their_spaces(language, first, second):
    quiz = QUIZ.format(first=first, second=second, answer="Amazonas, K2.")
    headings = [text for kind, text in kinds(quiz, language) if kind == "heading"]
    assert headings == [first, second]


@each_of(
    "text",
    [
        "Question 1: Which river?\nAnswer: The Amazon.\nQuestion 2: Which hill?\nAnswer: Everest.",
        "Room 4: Is it open?\n\nRoom 9: Is it closed?\n\nNobody knows.",
        "Question 1: Which river is it?\n\nIt is the Amazon.",
    ],
)
def test_other_questions_with_a_number_are_no_quiz(text):
    assert not [kind for kind, _ in kinds(text, "en") if kind in ("heading", "point")]
