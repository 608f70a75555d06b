"""Lines of posters stay lines, and those of a paragraph that was wrapped do not, in twelve
languages."""

import textwrap

import pytest
from support.counting import lines_run

from svc.base.text.pasted.convert import as_markdown

POSTERS = [
    "Saturday 14 June, 2 pm – 10 pm\nOld Harbour, Wexmoor\nFree entry",
    "Summer Fair\nSunday 3 May\nat the old town hall\nFree entry",
    "Big Band Night\nwith the Wexmoor Swing Orchestra\nFriday 8 pm\nTickets £5",
    "Sommerfest\nam Sonntag\n12. Oktober\nAb 14 Uhr\nEintritt frei",
    "Flohmarkt der Grundschule\nSamstag, 9. Mai\nvon 9 bis 13 Uhr\nTurnhalle am Bach",
    "Großer Kinderfasching\nSonntag, 15. Februar\nBürgerhaus\nKommt verkleidet!",
    "Fête du village\nSamedi 14 juin\nà partir de 18 h\nPlace de l'Église\nEntrée libre",
    "Vide-grenier\nDimanche 3 mai\nParking du stade\nRestauration sur place",
    "Fiesta de la primavera\nSábado 9 de mayo\nPlaza Mayor\nEntrada libre",
    "Gran mercadillo solidario\nDomingo 3 de mayo\nde 10 a 14 h\nCentro cívico",
    "Festa di primavera\nDomenica 3 maggio\nPiazza del Duomo\nIngresso libero",
    "Zomerfeest in het park\nzaterdag 14 juni\nVanaf 14 uur\nGratis toegang",
    "Piknik rodzinny\nNiedziela 3 maja\nPark Miejski\nWstęp wolny",
    "День открытых дверей\n14 июня\nв 12 часов\nШкола № 5\nВход свободный",
    "Летний концерт\nСубота, 14 июня\nПарк Горького",
    "A walk by the sea\nSunday 3 May\nOld Harbour",
    "Down by the river where the willows grow\nI saw my love and I told her so\nShe said no",
    "Walk with your dog\nSaturday 9 May\nBring the kids and have fun\nMill Park",
    "夏祭り\n8月3日\n中央公園\n入場無料",
    "معرض الكتاب\nالسبت ١٤ يونيو\nقاعة المدينة\nالدخول مجاني",
]
PARAGRAPHS = [
    "The Friends of Old Harbour invite all members and neighbours to the summer fair in the park",
    "On Saturday Mary Hill and John Stone of the Wexmoor Rotary Club open the new Old Harbour Hall",
    "Please bring your own cups and plates, as the Harbour Kitchen has only a few of them to lend",
    "Der Verein lädt alle Mitglieder und Freunde ein zum großen alten Sommerfest im Garten",
    "Die Freiwillige Feuerwehr Musterstadt feiert am Sonntag mit allen Bürgern ihr großes Jubiläum",
    "Wegen Bauarbeiten bleibt die Bibliothek der Stadt Neustadt am Montag und Dienstag geschlossen",
    "La mairie de Saint-Denis invite tous les habitants à la réunion publique sur le nouveau parc",
    "Les Amis du Musée vous proposent une visite de la vieille ville avec Madame Anne Roche",
    "La Asociación de Vecinos invita a todas las familias a la gran fiesta de la primavera",
    "El Ayuntamiento de Villanueva informa de que la Plaza Mayor estará cerrada por las obras",
    "Il Comune di Roccabruna invita tutti i cittadini alla festa della Repubblica in Piazza Roma",
    "De Vereniging van Huiseigenaren nodigt alle bewoners uit voor de vergadering in Café Anker",
    "Rada Osiedla zaprasza wszystkich mieszkańców na spotkanie z Prezydentem Miasta w Domu Kultury",
    "Библиотека имени Пушкина приглашает жителей города на встречу с писателем Иваном Петровым",
    "Дом культуры Заречье сообщает, что концерт Анны Орловой переносится на субботу в Большой зал",
    "تدعو بلدية المدينة جميع السكان إلى حضور مهرجان الربيع الذي يقام في الحديقة العامة يوم السبت",
    "עיריית תל אביב מזמינה את כל התושבים לפסטיבל האביב שיתקיים בפארק הירקון ביום שבת הקרוב",
    "नगर पालिका सभी निवासियों को वसंत उत्सव में आमंत्रित करती है जो शनिवार को मुख्य उद्यान में होगा",
    "시청은 모든 주민 여러분을 토요일에 중앙 공원에서 열리는 봄 축제에 진심으로 초대하고자 합니다",
]
WIDTHS = range(24, 44)
RAGGED = [  # by people, who break lines where they like, in scripts without capitals
    "拝啓　春の候、皆様には\nますますご清栄のこととお喜び\n申し上げます",
    "本周六上午九点在小区广场将\n举行安全演练请\n大家准时参加",
    "يسرنا أن ندعوكم إلى\nحضور الحفل السنوي الذي\nتقيمه المدرسة",
    "우리 학교의\n여름 축제에 여러분을\n초대합니다",
    "हम आप सभी को नगर भवन की\nनई पुस्तकालय के\nउद्घाटन पर बुलाते हैं",
]


@pytest.mark.parametrize("text", POSTERS)
def test_the_lines_of_a_poster_stay(text):
    assert as_markdown(text).count("  \n") == text.count("\n")


@pytest.mark.parametrize("text", RAGGED)
def test_lines_that_end_with_a_particle_are_one_paragraph(text):
    assert as_markdown(text) == text


@pytest.mark.parametrize("text", PARAGRAPHS)
def test_lines_that_were_wrapped_are_one_paragraph(text):
    kept = []
    for width in WIDTHS:
        lines = textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)
        wrapped = "\n".join(lines)
        if as_markdown(wrapped) != wrapped:
            kept.append(wrapped)
    assert not kept


@pytest.mark.parametrize("text", PARAGRAPHS)
def test_lines_that_were_wrapped_twice_are_one_paragraph(text):
    kept = []
    for width in range(30, 44):  # a program that wraps at fewer characters than the one before
        once = textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)
        lines = [
            part
            for line in once
            for part in textwrap.wrap(
                line, width - 5, break_long_words=False, break_on_hyphens=False
            )
        ]
        wrapped = "\n".join(lines)
        if as_markdown(wrapped) != wrapped:
            kept.append(wrapped)
    assert not kept


@pytest.mark.parametrize("price", ["£3.50", "3,50 €", "12 zł", "**$5**"])
def test_a_sentence_below_a_price_does_not_go_on_from_it(price):
    text = "Our bread is baked each morning by hand."
    for above in ("", "**Bread**\n", "Bread\n"):
        shown = as_markdown(f"{above}{price}\n{text}")
        assert shown.endswith(f"{price}\n\n{text}")
    wrapped = f"The bread of the mill costs\n{price}\nand the cake costs more."
    assert as_markdown(wrapped) == wrapped


def test_each_price_alone_ends_above_what_is_sold_next():
    text = "Baguette\n1,20 €\nCroissant\n1,10 €\nLe pain est cuit chaque matin."
    assert as_markdown(text).split("\n\n") == [
        "Baguette  \n1,20 €",
        "Croissant  \n1,10 €",
        "Le pain est cuit chaque matin.",
    ]


@pytest.mark.parametrize(
    "piece",
    [
        *("✅ a\n\n", "■ A\n\n", "Ab!\n", "a of\n", "£1\n", "Question 1\n\n", "夏祭\n"),
        *("```\nQuestion 1: Which?\n", "Question 1: Which?\n\n", "A......", "Soup\n£1\n"),
    ],
)
def test_twice_the_text_takes_twice_the_steps(piece):
    def count(length):
        text = (piece * length)[:length]
        return lines_run(lambda: as_markdown(text))

    assert count(4096) < 2.2 * count(2048)


POSTERS_WITHOUT_CAPITALS = [
    "حفل الربيع\nالأحد ٣ مايو\nقاعة البلدية\nالدخول مجاني",
    "ליל מוזיקה\nיום שני 3 במאי\nאולם העירייה\nכניסה חופשית",
    "秋祭り\n10月12日\n中央公園\n参加無料",
    "春季音乐会\n5月3日 晚上7点\n市民广场\n免费入场",
    "वसंत मेला\nरविवार 3 मई\nनगर भवन\nप्रवेश निःशुल्क",
]
WRAPPED_WITHOUT_CAPITALS = [
    "تدعو جمعية أصدقاء الميناء جميع الأعضاء والجيران إلى حفل الربيع في الحديقة يوم الأحد القادم",
    "העירייה מזמינה את כל התושבים לערב מוזיקה בפארק הגדול ביום ראשון הקרוב בשעה שמונה בערב",
    "नगर पालिका सभी निवासियों को रविवार को बड़े पार्क में होने वाले वसंत मेले में आमंत्रित करती है",
]
WRAPPED_WITHOUT_SPACES = [  # and from how many characters on
    (
        "当町内会では毎年恒例の秋祭りを中央公園で開催いたしますので皆さまお誘い合わせのうえご参加くださいますようお願いいたします",
        12,
    ),
    (
        "本社区将于本周日上午在中央公园举办一年一度的春季音乐会欢迎各位居民携带家人朋友前来参加并提前十分钟到达会场",
        12,
    ),
    ("เทศบาลขอเชิญชาวบ้านทุกท่านร่วมงานวันปีใหม่ที่สวนสาธารณะกลางเมืองในวันอาทิตย์นี้ตั้งแต่เวลาเก้าโมงเช้า", 28),
]


@pytest.mark.parametrize("text", POSTERS_WITHOUT_CAPITALS)
def test_the_lines_of_a_poster_without_capitals_stay(text):
    assert as_markdown(text).count("  \n") == text.count("\n")


@pytest.mark.parametrize("text", WRAPPED_WITHOUT_CAPITALS)
def test_wrapped_lines_without_capitals_are_one_paragraph(text):
    kept = []
    for width in WIDTHS:
        wrapped = textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False)
        if as_markdown(wrapped) != wrapped:
            kept.append(wrapped)
    assert not kept


@pytest.mark.parametrize(("text", "narrowest"), WRAPPED_WITHOUT_SPACES)
def test_wrapped_lines_without_spaces_are_one_paragraph(text, narrowest):
    kept = []
    for width in range(narrowest, 44):
        lines = [text[at : at + width] for at in range(0, len(text), width)]
        wrapped = "\n".join(lines)
        if as_markdown(wrapped) != wrapped:
            kept.append(wrapped)
    assert not kept
