"""Plain text that was pasted as Markdown."""

import pytest
from support.sampling import sampled
from support.tables import each_of

from svc.base.text.markdown import build_brief_reader
from svc.base.text.pasted.convert import as_markdown

READ = [
    ("• Free\n• Fast", "- Free\n- Fast"),
    ("Optional parts\n~~~~~~~~~~~~~~\n\nText.", "Optional parts\n--------------\n\nText."),
    ('Usage\n^^^^^\n\nText.\n\nMore\n""""', "Usage\n-----\n\nText.\n\nMore\n----"),
    ("Parts\n++++++\n\nText.\n\nOther\n*****\n", "Parts\n------\n\nText.\n\nOther\n-----\n"),
    ("=====\nUsage\n=====\n\nText.", "\nUsage\n=====\n\nText."),
    ("Text.\n\n~~~~~\nUsage\n~~~~~", "Text.\n\n\nUsage\n-----"),
    ("Why:\n▪ Free\n▪ Fast", "Why:\n- Free\n- Fast"),
    ("✅ Free\n👉 Fast", "- ✅ Free\n- 👉 Fast"),
    ("1° Approbation\n2° Comptes", "1. Approbation\n2. Comptes"),
    ("– Free\n– Fast", "- Free\n- Fast"),
    ("**£1** · 3 beds · 118 m²\n\nOld.", "- **£1**\n- 3 beds\n- 118 m²\n\nOld."),
    ("**Phase 3 · blind · 1,204 adults**", "- Phase 3\n- blind\n- 1,204 adults"),
    ("Menu · Casa Rosa", "Menu · Casa Rosa"),
    ("# Ham · Wye · Lee", "# Ham · Wye · Lee"),
    ("Jo · Ham · 0161 496 0733", "Jo · Ham · 0161 496 0733"),
    ("It is so. · It is. · Yes.", "It is so. · It is. · Yes."),
    ("a) Basis\nb) Premium", "- a) Basis\n- b) Premium"),
    ("1/ Budget\n2/ Other", "1. Budget\n2. Other"),
    ("Do:\n1️⃣ Save\n2️⃣ Wait", "Do:\n1. Save\n2. Wait"),
    ("1️⃣ Save it\n\n2️⃣ Wait\n\nThe end", "1. Save it\n2. Wait\n\nThe end"),
    ("✅ Free\n\n✅ Fast\n\n\nThe end", "- ✅ Free\n- ✅ Fast\n\n\nThe end"),
    ("✅ Free\n\n✅ Fast\nand warm", "✅ Free\n\n✅ Fast\nand warm"),
    ("Agenda:\nWelcome\n1/ Budget\n2/ Other", "Agenda:\n\nWelcome\n1. Budget\n2. Other"),
    ("Q: Is it free?\nA: Yes.", "Q: Is it free?\n\nA: Yes."),
    ("**Q:** Free?\n**A:** Yes.", "**Q:** Free?\n\n**A:** Yes."),
    (
        "Best regards,\nAnna Smith\nanna@example.com",
        "Best regards,\n\nAnna Smith\n\nanna@example.com",
    ),
    ("Name\tAge\nAda\t36\nBen\t7", "| Name | Age |\n|---|---|\n| Ada | 36 |\n| Ben | 7 |"),
    ("Before | After\n$100 | $10", "| Before | After |\n|---|---|\n| $100 | $10 |"),
    ("•\tBudget\n•\tHiring plan", "- Budget\n- Hiring plan"),
    ("a)\tBudget\nb)\tPlan", "- a)\tBudget\n- b)\tPlan"),
    ("Anna Smith\nHauptstr. 5\n10115 Berlin", "Anna Smith  \nHauptstr. 5  \n10115 Berlin"),
    (  # an address is no stanza
        "Anna Smith\nHauptstr. 5, Berlin\nGermany\n\nWe are there\nat nine and we\nstay long.",
        "Anna Smith  \nHauptstr. 5, Berlin  \nGermany\n\nWe are there\nat nine and we\nstay long.",
    ),
    (
        "Step 1 → Open the application\nStep 2 → Tap it",
        "Step 1 → Open the application\n\nStep 2 → Tap it",
    ),
    (
        "¡Oferta especial para usted!\nHorario: L-V\nCalle de la Constitución, número 5",
        "¡Oferta especial para usted!\n\nHorario: L-V\nCalle de la Constitución, número 5",
    ),
    (
        "Monday | 9–17 | Berlin\nTuesday | 10–18 | Hamburg",
        "Monday | 9–17 | Berlin\n\nTuesday | 10–18 | Hamburg",
    ),
    ("・価格：1,980円\n・発売日：3月1日", "- 価格：1,980円\n- 発売日：3月1日"),
    (
        "Classes\nMon\t9:00 AM\tYoga\nTue\t6:30 PM\tPilates",
        "Classes\n\nMon\t9:00 AM\tYoga\n\nTue\t6:30 PM\tPilates",
    ),
    ("Location: Room 4B\nDial-in: +1 555", "- **Location:** Room 4B\n- **Dial-in:** +1 555"),
    ("**When:** May 5  \n**Where**: Room 4", "- **When:** May 5\n- **Where:** Room 4"),
    ("Join us!\nWhen: May 5\nWhere: Room 4", "Join us!\n\n- **When:** May 5\n- **Where:** Room 4"),
    ("Lieu : Paris\nDate : 5 mai", "- **Lieu:** Paris\n- **Date:** 5 mai"),
    ("Anna: Hi!\nBen: Hello!\nAnna: Bye!", "Anna: Hi!\n\nBen: Hello!\n\nAnna: Bye!"),
    (
        "Ingredients: flour,\nbutter and eggs\nTime: 20 min",
        "- **Ingredients:** flour, butter and eggs\n- **Time:** 20 min",
    ),
    ("Lisa: I love this place.\nTom: Me too.", "Lisa: I love this place.\n\nTom: Me too."),
    ("– Bonjour, dit-il.\n– Bonjour, dit-elle.", "– Bonjour, dit-il.\n\n– Bonjour, dit-elle."),
    ("Question: Is it free?\nAnswer: Yes.", "Question: Is it free?\n\nAnswer: Yes."),
    ("## Days\nWhen: May 5\nWhere: Room 4", "## Days\n- **When:** May 5\n- **Where:** Room 4"),
    (
        "Rutter: Five Songs\ntrad. arr. Orr: The Dove\nGershwin – Summertime",
        "- Rutter: Five Songs\n- trad. arr. Orr: The Dove\n- Gershwin – Summertime",
    ),
    ("1- Open it.\n2- Wait.", "1. Open it.\n2. Wait."),
    ("1-Kimlik\n2-Telefon", "1. Kimlik\n2. Telefon"),
    ("1.- Abrir\n2.- Cerrar", "1. Abrir\n2. Cerrar"),
    ("1º Abrir\n2º Cerrar", "1. Abrir\n2. Cerrar"),
    ("1 – Open\n2 – Wait", "1. Open\n2. Wait"),
    ("1- Open it.\n\n2- Wait.\n\nThe end", "1. Open it.\n2. Wait.\n\nThe end"),
    ("١- افتح\n٢- أغلق", "1. افتح\n2. أغلق"),
    ("1、打开\n2、关闭", "1. 打开\n2. 关闭"),
    ("（1）打开\n（2）关闭", "1. 打开\n2. 关闭"),
    ("① 外す\n②押す", "1. 外す\n2. 押す"),
    ("■ 手順\n・外す\n・押す", "**手順**\n- 外す\n- 押す"),
    ("【日時】\n- 6月1日", "**日時**\n- 6月1日"),
    ("■ 手順\n\n車輪を外す。", "**手順**\n\n車輪を外す。"),
    ("■ 赤\n■ 青", "- 赤\n- 青"),
    (
        "R$ 30 – card\nR$ 90 – name\nR$ 500 – trip",
        "- R$ 30 – card\n- R$ 90 – name\n- R$ 500 – trip",
    ),
    ("$5 – card\n$9 – name\n$50 – trip", "- $5 – card\n- $9 – name\n- $50 – trip"),
    (
        "*Days*\n2 May → open\n6 May → talk\n9 May → end",
        "*Days*\n\n- 2 May: open\n- 6 May: talk\n- 9 May: end",
    ),
    (
        "The sea is calm – and so am I\nThe moon is high – and so is she\n"
        "The night is long – and dark",
        "The sea is calm – and so am I  \nThe moon is high – and so is she  \n"
        "The night is long – and dark",
    ),
    ("Eggs – two\nMilk – a cup\nSalt – some", "- Eggs – two\n- Milk – a cup\n- Salt – some"),
    (
        "Ulm → Aalen\nAalen → Crailsheim\nCrailsheim → Fürth",
        "- Ulm → Aalen\n- Aalen → Crailsheim\n- Crailsheim → Fürth",
    ),
    (
        "Cast\nMme Verdier ..... Anne\nJeanne ..... Lou\nTea .... 2,50 €",
        "Cast\n\n- Mme Verdier: Anne\n- Jeanne: Lou\n- Tea: 2,50 €",
    ),
    (
        "T. Tallis (c. 1505): If ye love me\nW. A. Mozart: Ave verum\ntrad. arr. Orr: The Dove\n"
        "Gershwin – Summertime",
        "- T. Tallis (c. 1505): If ye love me\n- W. A. Mozart: Ave verum\n"
        "- trad. arr. Orr: The Dove\n- Gershwin – Summertime",
    ),
    ("```\nx\n```python\n```\n\n• a\n• b", "```\nx\n```python\n```\n\n- a\n- b"),
    ("Where: Hall\nPrice: $20", "- **Where:** Hall\n- **Price:** $20"),
    ("Onde: Casa\nQuanto: R$ 480 sem juros", "- **Onde:** Casa\n- **Quanto:** R$ 480 sem juros"),
    (
        "Programme\n18:00 Welcome and a hymn\n18:15 Poems by class three\n19:00 Soup in the hall",
        "Programme\n\n- 18:00 Welcome and a hymn\n- 18:15 Poems by class three\n"
        "- 19:00 Soup in the hall",
    ),
    (
        "Zutaten\n3 Stangen Lauch\n½ TL Salz\n500 g Kartoffeln\nPfeffer und etwas Muskat",
        "Zutaten\n\n- 3 Stangen Lauch\n- ½ TL Salz\n- 500 g Kartoffeln\n- Pfeffer und etwas Muskat",
    ),
    (
        "TOP 3: Wasserleitung\nDie alte Leitung ist undicht. Eine neue kostet 9.800 €.",
        "TOP 3: Wasserleitung\n\nDie alte Leitung ist undicht. Eine neue kostet 9.800 €.",
    ),
    (
        "Zeiten: Mo–Fr 8–18 Uhr\nAm 29. Mai ist geschlossen.",
        "Zeiten: Mo–Fr 8–18 Uhr\n\nAm 29. Mai ist geschlossen.",
    ),
    (
        "Is it free?\nYes, it is.\n\n¿Cuánto dura?\nDos horas.",
        "**Is it free?**\n\nYes, it is.\n\n**¿Cuánto dura?**\n\nDos horas.",
    ),
    (
        "Starters\nTomato soup £5.50\nBread £4\nMains\nFish and chips £12.95",
        "Starters\n\n- Tomato soup £5.50\n- Bread £4\n\nMains\n\n- Fish and chips £12.95",
    ),
    (
        "Tee 2 €\nKaffee 2,50 €\nKuchen 3,20 €/Stück",
        "- Tee 2 €\n- Kaffee 2,50 €\n- Kuchen 3,20 €/Stück",
    ),
    ("Is it free?\nYes, it is.", "Is it free?\n\nYes, it is."),
    ("Mains\nFish £12\nPie £9", "Mains\n\n- Fish £12\n- Pie £9"),
    ("Mains\nFish and chips £12.95", "Mains\n\nFish and chips £12.95"),
    (
        "Yoga class\nFish and chips £12.95\nWe are open on Fridays.",
        "Yoga class\n\nFish and chips £12.95\n\nWe are open on Fridays.",
    ),
    (
        "Brot\n3,50 €\nUnser Brot ist gut.",
        "**Brot**\n\n3,50 €\n\nUnser Brot ist gut.",
    ),
    ("Männer\nSchnitt\t35 €\nBart\t12 €", "Männer\n\n- Schnitt: 35 €\n- Bart: 12 €"),
    ("TOP 1\tBegrüßung\nTOP 2\tKasse", "- TOP 1: Begrüßung\n- TOP 2: Kasse"),
    ("Name:\tAnna\nAge:\t36", "- **Name:** Anna\n- **Age:** 36"),
    ("Wann:\t14. März\nWo:\tVereinsheim", "- **Wann:** 14. März\n- **Wo:** Vereinsheim"),
    ("１．日時　４月\n２．場所　全戸", "1. 日時　４月\n2. 場所　全戸"),
    (
        "1. Apologies\nNone.\n\n2. Matters arising\na) The bench at the pond is new.",
        "1. Apologies\n\nNone.\n\n2. Matters arising\n\na) The bench at the pond is new.",
    ),
    (
        "Is it free?\n\nYes, it is.\n\nWho may come?\n\nEverybody may.",
        "**Is it free?**\n\nYes, it is.\n\n**Who may come?**\n\nEverybody may.",
    ),
    (
        "Question 1: Name the river.\nQuestion 2: Which hill?\nAnswers below.",
        "- Question 1: Name the river.\n- Question 2: Which hill?\n\nAnswers below.",
    ),
    (
        "Aufgabe 1: Nenne den Fluss.\nDie Elbe.\n\nAufgabe 2: Nenne den Berg.\nDer Brocken.",
        "**Aufgabe 1: Nenne den Fluss**\n\nDie Elbe.\n\n"
        "**Aufgabe 2: Nenne den Berg**\n\nDer Brocken.",
    ),
    (
        "Gärten e. V.\nLindenweg 3\n04177 Leipzig",
        "Gärten e. V.  \nLindenweg 3  \n04177 Leipzig",
    ),
    (
        "CENTRO LOS OLIVOS\nCampaña de vacunación 2026",
        "CENTRO LOS OLIVOS\n\nCampaña de vacunación 2026",
    ),
    (
        "a) Bench by the pond\nThe bench has been repaired.\nb) Mill Lane\nNo answer yet.",
        "a) Bench by the pond\n\nThe bench has been repaired.\n\nb) Mill Lane\n\nNo answer yet.",
    ),
    (
        "4.1 Rose Cottage: no objection\n4.2 Mill Lane: objection (access)",
        "- 4.1 Rose Cottage: no objection\n- 4.2 Mill Lane: objection (access)",
    ),
    (
        "Jane Porter\n+44 1632 960 123\njane@example.com",
        "Jane Porter\n\n+44 1632 960 123\n\njane@example.com",
    ),
    ("For the icing\n1½ lemons\n85g sugar", "For the icing\n\n- 1½ lemons\n- 85g sugar"),
    (
        "Serves 8\nPrep: 15 min | Cook: 45 min",
        "Serves 8\n\n- **Prep:** 15 min\n- **Cook:** 45 min",
    ),
    (
        "Godziny otwarcia:\npn.–pt. 9–19\nsob. 9–14\nniedz. nieczynne",
        "Godziny otwarcia:\n\n- pn.–pt. 9–19\n- sob. 9–14\n- niedz. nieczynne",
    ),
    (  # two lists: what introduces the first is not said of the second
        "Bring:\n• a hat\n• a cup\n\nName: Hall\nPlace: Ham",
        "Bring:\n- a hat\n- a cup\n\n* **Name:** Hall\n* **Place:** Ham",
    ),
]
KEPT = [
    "Run:\n~~~~\nls\n~~~~",
    "Run\n~~~\n\nls\n~~~",
    "A longer title\n~~~~~~\n\nls\n~~~~~~",
    "Usage\n=====\n\nText.",
    "```\nUsage\n~~~~~\n\nText.\n```",
    "Two\nlines\n~~~~~\n\nls",
    "=====\nUsage\n\nText.",
    "  Usage\n~~~~~~~\n\nls",
    "The plan is simple: we start early\nand the end is clear: we finish late.",
    "This is prose that was wrapped\nby an editor at forty columns,\nas Anna does.",
    "We went to the old harbour of the town, where the boats lie, and met\nAnna there.",
    "One line\\\nAnd another",
    "One line  \nAnd another",
    "A heading\n=========",
    "Two lines\nOf a heading\n---",
    "- Item\nAnd more\n- Another",
    "1. First\n2. Second",
    "> Quoted\n> Too",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "a | b\n---|---\n1 | 2",
    "```\n• kept\na) as\nb) it is\n\nName\tAge\nAda\t36\n```",
    "~~~\n```\n• kept\n~~~",
    "    x = 1\n    y = 2",
    (
        "Thank you for coming to the\nInternational School. The\nSecretary of the University of\n"
        "Bath will reply by\n15 March."
    ),
    "Wir danken unseren\nPartnern für die gute\nZusammenarbeit.",
    "Am Montag besucht uns Frau\nMüller aus\nBerlin.",
    "We moved to Berlin in\n2021.",
    "当社は東京で\n2026年に設立されました。",
    "P(A | B) is the chance\nof A | given B",
    "Use `a | b` to pipe 1\nand `c | d` too 2",
    "Read the <!-- TODO: ask\nBob about it. --> offer.",
    "Read [The\nBook](https://example.com) today.",
    "Hello – we\nare here – and\nwe stay – always",
    "1-Bedroom flats\n\n2-Bedroom flats\n\n3-Bedroom flats",
    "1º ano\n\n2º ano",
    "1-Euro-Jobs sind selten\n2-Cent-Stücke sind klein",
    f"2- Wait {'so ' * 20}long.\n\n5- Go.",
    "1-bedroom flats are dear, and\n2-bedroom flats are dearer",
    "Mix 1 cup flour with\n1/ 2 cup milk and\n3/ 4 cup oil",
    "b) second\nd) fourth",
    "[^1]: Note.\n\n    Second Para. Of note.",
    "Term\n: Definition",
    "[^1]: A note.\nThat goes on",
    "[a]: https://example.com\n[b]: https://example.org",
    "— Bonjour !\n— Salut !",
    "日本語の文章です\n続きがあります",
    "✅ One alone",
    "<div>\nText\n</div>",
    "",
    "We went to the\nNational Museum and saw a hundred pictures there on that day.",
    "Ort: Halle an der großen Straße hinter dem\nBahnhof.",
    "1. Wash the pears and the\nplums well.\n\n2. Cut them into\nhalves.",
    "1. Bring your cup to Mary\nHill today.\n\n2. Ask for the key at\nHill House.",
    "1. Apologies\nNone.\n\n4. Close\nAt nine.",
    "The ticket for the hall costs\n£40 and",
    "We say this:\nthe harbour is open to all who\ncome in peace and to all boats",
    "The rate of the country rose from\n4.1 million to\n4.2 million.",
    "THE MAYOR OF\nWexmoor invites you to the hall.",
    "The plum cake for six needs\n3 plums\n",
    "We paid Mr Stone £39.90\nMary Hill of the office\nin the town says so.",
]


@each_of(("text", "markdown"), READ)
def test_pasted_text_becomes_what_it_looks_like(text, markdown):
    assert as_markdown(text) == markdown
    assert (
        as_markdown(f"Before it.\n\n{text}\n\nAfter it.")
        == f"Before it.\n\n{markdown}\n\nAfter it."
    )


EVAPORATION = (
    "Evaporation\nThe sun heats the sea. Water becomes vapour, which we cannot see.",
    "High clouds\nHigh up it is cold. The vapour turns into tiny drops, and these into clouds.",
    "Rain\nWhen the drops are heavy, they fall as rain, snow or hail.",
)


@each_of(
    ("paragraphs", "titles"),
    [
        (EVAPORATION, 3),
        (EVAPORATION[:2], 2),
        ((*EVAPORATION, "We thank all who have helped."), 3),
        ((*EVAPORATION[:2], "We thank all who have helped."), 0),  # how far goes the second one?
        (EVAPORATION[:1], 0),
        (("# Water", *EVAPORATION), 0),
        (("```", *EVAPORATION, "```"), 0),
        ((EVAPORATION[0], "Why?\nNobody knows."), 2),
        (tuple(each.replace("\n", ": ") for each in EVAPORATION), 0),
    ],
)
def test_titles_right_above_paragraphs_are_headings_where_there_are_several(paragraphs, titles):
    shown = as_markdown("\n\n".join(paragraphs)).split("\n")
    assert sum(line.startswith("**") for line in shown) == titles


@each_of(
    "text",
    [
        "早上9：30开门\n晚上8：00关门",
        "比分3：1获胜\n比分2：0落败",
        "午前9：30 開場\n午後8：00 閉場",
    ],
)
def test_a_wide_colon_of_a_time_or_a_ratio_ends_no_label(text):
    assert "- " not in as_markdown(text) and "*" not in as_markdown(text)
    assert as_markdown("时间：9：30\n地点：公园") == "- **时间**：9：30\n- **地点**：公园"


@each_of("text", KEPT)
def test_what_has_marks_or_was_wrapped_stays_as_it_is(text):
    assert as_markdown(text).replace("\n\n— ", "\n— ") == text


def test_a_wide_decimal_point_is_no_number_of_a_point():
    assert "1. " not in as_markdown("１．5倍\n２．5倍")


def test_briefs_are_read_so():
    kinds = [
        token.type
        for token in build_brief_reader().parse(
            "Why?\n• It is free\n• It is fast\n\nName\tAge\nAda\t36"
        )
    ]
    assert kinds.count("list_item_open") == 2 and "table_open" in kinds


@pytest.mark.parametrize(
    "text",
    sampled(
        [
            "•\t" * 20_000,
            "a\tb\n" * 20_000,
            "A\n" * 40_000,
            "    A.\n" * 15_000,
            "```\n" * 25_000,
            "a | b" * 20_000,
            "a\n" + "A@b." * 25_000,
            "a\n" + "@" * 99_000,
        ],
        6,
    ),
)
def test_long_texts_are_read_at_once(text):
    assert as_markdown(text)


def test_code_within_a_line_opens_no_fence():
    assert (
        as_markdown("```code``` is inline here.\n\n• one\n• two")
        == "```code``` is inline here.\n\n- one\n- two"
    )


@pytest.mark.parametrize("label", ["Answer: b", "Respuesta: el Amazonas.", "答え：b"])
def test_a_label_below_points_is_no_part_of_the_last_one(label):
    assert as_markdown(f"a) Nile\nb) Amazon\n{label}") == f"- a) Nile\n- b) Amazon\n\n{label}"
    assert as_markdown(f"1) Nile\n2) Amazon\n{label}").endswith(f"Amazon\n\n{label}")
