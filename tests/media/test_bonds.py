"""What belongs together stays on one line wherever the line can hold it."""

import re
from dataclasses import replace
from itertools import accumulate, pairwise
from types import SimpleNamespace

import pytest
from media.test_captions import spoken
from support.tables import each_of

from svc.base.text.languages import FURTHER, LANGUAGES
from svc.media.captions import captions
from svc.media.drawing import typesetting
from svc.media.drawing.typesetting import GLUE, Typeface
from svc.media.slides.key_phrases import fit_phrase
from svc.media.text import bonds
from svc.media.text.bonds import Bond
from svc.media.text.tokens import tokenize_text

MARKS = {Bond.NONE: " ", Bond.LOOSE: "_", Bond.YEAR: "^", Bond.TIGHT: "~", Bond.SIGN: "#"}
NARROW = 864  # pixels: the content of a portrait frame


@each_of(
    ("language", "text"),
    [
        ("de", "ab_dem_30.~April beim Hausmeister"),
        ("pl", "w~piątek_27~lutego^2026 o~godz.~19:00 kino"),
        ("de", "am Dienstag, 17.~März^2026, wird von_8:00_bis_ca.~14:00~Uhr"),
        ("en", "on Tuesday_17~March^2026 the water, in_May 2028"),
        ("pl", "w~sali przy ul._Lipowej~9"),
        ("fr", "fermés les_5~et~6~janvier (inventaire)"),
        ("it", "chiusi il_5~e~6~gennaio, e 6 persone"),
        ("es", "el lunes_30~de~junio^2025"),
        ("en", "a range (in most of it~) ends"),
        ("en", "It is 110~×~85~×~40~cm wide, 15'2\"~×~12'10\", or 4~x~3~m"),
        ("en", "for them (n~=~401; p~<~0.05) it ends in Q3~2027, or H1~2028"),
        ("en", "the sum x of all = the total"),
        ("sv", "den_12–23~december"),
        ("pt", "na Rua das Flores, n.º~210, Porto"),
        ("de", "im Haus Lindenstraße~17 wird die Heizung erneuert"),
        ("de", "in der Hauptstr.~5a geliefert"),
        ("de", "Herr~Yıldız und Frau~Dr.~Brömmelkamp&~Söhne"),
        ("de", "nach §~555d Abs.~2 BGB, S.~12"),
        ("de", "von_7~bis~15~Uhr, auf Seite~12, im_Mai 2026"),
        ("de", "vom_4.~bis~8.~Mai kamen 340 Leute"),
        ("de", "im_1.~und 2.~Obergeschoss, 8–12~Uhr"),
        ("de", "Geöffnet 9~–~17~Uhr, Saal~2 – Foyer, Lindenstraße~9~–~11"),
        ("de", "Kapitel~3 kostet rund_2~Millionen~€, und 2 davon"),
        ("de", "Um_11~Uhr in Bad_Homburg, Sankt_Gallen und SAN_MARTÍN"),
        ("de", "fährt die Linie~7 alle zehn_Minuten vom Gleis~3 in Zimmer~204"),
        ("en", "Meet at Gate~12, platform~9 or table~4, part~2 of book three"),
        ("fr", "la ligne~7 passe toutes_les_10~minutes, salle~3, tome~2"),
        ("es", "La línea~7 pasa cada_10~minutos por la sala~3, parte~2"),
        ("it", "la linea~7 ogni_10~minuti dal binario~3, atto~2"),
        ("pt", "A linha~7 passa na plataforma~3 da sala~12"),
        ("nl", "lijn~7 rijdt vanaf perron~3 naar zaal~2, deel~4"),
        ("pl", "linia~7 jedzie z~peronu do sali~2, rozdział~4"),
        ("cs", "linka~7 jede od nástupiště~3, díl~4"),
        ("sv", "buss~7 går från spår~3, kapitel~4"),
        ("fi", "juna~7 lähtee laiturilta raiteella~3, luku~4"),
        ("ru", "автобус~7 ждёт в кабинете~12, часть~4"),
        ("uk", "автобус~7 чекає, кабінет~12, частина~4"),
        ("el", "λεωφορείο~7 στην αίθουσα~3"),
        ("tr", "peron~3, salon~12 ve bölüm~4"),
        ("ar", "الخط~7 من الرصيف~3"),
        ("he", "קו~7 יוצא, חדר~12"),
        ("hi", "लाइन~7 और कमरा~12"),
        ("vi", "tuyến~7, phòng~204, bước~3"),
        ("id", "jalur~7 dari peron~3, kamar~204"),
        ("de", "das Bad im Keller von Müller&~Söhne, Huber+~Partner"),
        ("en", "the night of_12~August, or August~12, by Dr.~Lin in_May 2028"),
        ("en", "Room~5, and on_May~3rd; you may 3 times"),
        ("en", "Dublin has 42 people and Saturn is 1.3~billion~km away"),
        ("en", "from_9:00~to~17:30 at_6~p.m. sharp"),
        ("en", "from_10\u00a0a.m. to_2~p.m., 5\u00a0km to_10~km away, 7~to~15~km"),
        ("es", "El domingo~6, a_las_12:00, o el lunes_7~de~abril, y el martes~8 a las dos"),
        ("en", "on Sunday~6, Monday_7~May or Tuesday~8 at noon"),
        ("de", "am Freitag~7.~Mai, Montag, 8 Leute"),
        ("pl", "klasa~4b, w~klasie~4b, do_5~maja w~sali~12"),
        ("fr", "de_10\u00a0h à_14~h, de_10~à~14~h"),
        ("en", "from_10~a.m. to_2~p.m., then (at_6~p.m.), 7~hours, 8~hours;"),
        ("en", "A cake for_£3 a kg, or 12 of them"),
        ("en", "In London 5 people met J.~R.~Silva"),
        ("en", "on_the_5th~of~May in New_York and St.~Louis, a new Fort"),
        ("en", "only_about_10~metres thick, 40~liters, 70~square~metres, 2~hours and 4 eggs"),
        ("de", "nach_3~Kilometern oder 20~Minuten mit_5 Leuten"),
        ("fr", "à_8~h~15 devant la grille, à_9~h 100 personnes"),
        ("de", "um_8~Uhr~15 und_9~Uhr mit_5 Leuten"),
        ("en", "on macOS_13, Windows 10 or Ubuntu_22.04"),
        ("en", "in hall_B we met, Team_A won; so I went. Make A Great Cup"),
        ("pl", "w~hali_B trwa, grupa_A idzie, A wózki"),
        ("fr", "à_2~kilomètres, 3~mois, 20 pour deux"),
        ("pl", "po_3~godzinach i 5~metrach"),
        ("ru", "через_5~минут и 20~метров"),
        ("en", "Brown_and~Sons met Tom and Sue, 2 + 2"),
        ("en-GB", "the_1st~September, and 1~September"),
        ("es", "domingo_14~de~junio, a_las_9:00"),
        ("es", "la Sra.~Lima paga 18.400~€ de_los_26.000~€"),
        ("es", "en San_Martín, Santa_Marta y La_Paz"),
        ("es-419", "a_las_11:30"),
        ("es", "Abierto de_9~–~14~h en_mayo 2026"),
        ("fr", "le_1er~septembre, chez Mme.~Dupont, à_14~h à Saint_Louis"),
        ("it", "dalle_9 alle_17:30, alle_9"),
        ("nl", "vóór_1~september in de Assendorperstraat~12 of om_9~uur in Den_Haag"),
        ("pt", "no_dia~7~de~setembro às_10h, em São_Paulo"),
        ("pt-BR", "às_10h"),
        ("ru", "до_9~мая весит 5~кг, в_9:30"),
        ("hi", "रविवार_16~नवंबर सुबह 9~बजे"),
        ("ar", "يوم 16~نوفمبر في_الساعة_9:30"),
        ("fa", "ساعت_۹:۳۰"),
        ("he", "בשעה_9:30"),
        ("hu", "november~24 reggel, az_5.~emeleten"),
        ("fi", "1.~toukokuuta klo~9.30"),
        ("tr", "29~Ekim günü saat_9.30"),
        ("vi", "ngày_5_tháng_9"),
        ("pl", "o_14:30, w_2026~r., na_5~dni"),
        ("cs", "v_10~hodin, na_3~dny"),
        ("sk", "o_9:00, v_10:30"),
        ("uk", "о_9:30"),
        ("bg", "в_9:30"),
        ("sr", "у_9:30"),
        ("hr", "u_9:30"),
        ("sl", "ob_9.30"),
        ("mk", "во_9:30"),
        ("el", "στις_9:00"),
        ("da", "kl.~9.30, den_5.~maj, på_3~dage"),
        ("nb", "kl.~9.30, den_5.~mai, på_3 dager"),
        ("sv", "kl.~9.30, den_5~maj, på_3 dagar"),
        ("et", "kell_9.30"),
        ("lv", "no_9"),
        ("lt", "nuo_9"),
        ("ro", "la_ora_9"),
        ("ca", "a_les_9"),
        ("id", "pukul_9.30"),
        ("ms", "pukul_9.30"),
        ("sw", "saa_3"),
        # a weekday with its day, the days of a range, short months, what a year and a day end with
        ("es", "el jueves_22~de~mayo, entre_el_3_y_el_21~de~noviembre, 3 de_cada_10"),
        ("pt", "quinta-feira_22~de~maio^de^2025"),
        ("fr", "mercredi_5~mars, du_3_au_21~novembre"),
        ("it", "sabato_14~giugno, dal_3_al_21~novembre"),
        ("sv", "lördagen_den_14~juni, mellan_3~och~21~november"),
        ("nl", "vrijdag~3_nov., tussen_3_en_21~november"),
        ("de", "Am Samstag, dem_21.~Juni, 3_Nov. und 22_Dez. gilt"),
        ("uk", "у середу_12~березня^2025~р., з_3_по_21~листопада"),
        ("ru", "в пятницу_6~июня^2025~г., с_3_по_21~ноября"),
        ("lt", "gegužės~22~d."),
        ("fi", "maanantaina_3.~marraskuuta"),
        ("ko", "11월~3일 월요일"),
        ("he", "22_במאי"),
        # the year of a date, whatever is between them
        ("fr", "fermé les_5~et~6~janvier^2027, en_janvier 2027"),
        ("en", "We open on_January~5,^2027 and close in_March 2028"),
        ("es", "el jueves_22~de~mayo^de^2026, y en mayo de_2027"),
        ("hr", "Rok je 22.~svibnja^2026. u podne"),
        ("sr", "22.~маја^2026. године"),
        ("hu", "A közgyűlés_2026.^május~22-én lesz"),
        ("lt", "2026\u00a0m.^gegužės~22~d."),
        ("el", "την Πέμπτη_22~Μαΐου^2026"),
        ("vi", "ngày_22_tháng_5^năm^2026"),
        ("ca", "dijous_22~de~maig^de^2026"),
        ("fi", "torstaina_22.~toukokuuta^2026"),
        ("tr", "22~Mayıs^2026 Perşembe"),
        ("hi", "22~मई^2026"),
        ("ar", "الخميس_22~مايو^2026"),
        # what a figure counts, in short or with its kind; a minute of a match
        ("de", "hat 96_S. und kostet, 45~dB(A) nachts, 20~m³(n) Gas"),
        ("fr", "un livre de_96_p. en couleur, 45~dB(A)"),
        ("sv", "en bok på_96~s. om vår, 1987 B.~Ek"),
        ("en", "in_12 B.~Smith, a crane (SWL_2.5~t), two (max_3~km) and (see 2 of them)"),
        ("de", "in_der_90.+2~Minute traf Lindqvist_(90.+2), er (12) und Kurt_(45.)"),
        # a title in full, and both names after one
        ("en", "Rev.~Dr~Helen_Okafor, Cllr_Rudge and Mrs~P.~Cole opened St_Martin's"),
        ("de", "Frau~Dr.~Anna_Berger, Herr~Max_Weiß"),
        ("fr", "le Pr_Jean_Dupont, Me~Carrel"),
        ("nl", "mevr._Anna_de_Vries"),
        ("pt", "a Prof.~Maria_da_Silva"),
        # prices
        ("de", "39,90~Euro inkl._MwSt., zzgl._Versand"),
        ("en", "1.5~million~euros, 20~zlotys"),
        ("ar", "50~دينار"),
        ("pl", "w~cenie 40~złotych"),
        ("", "40~cm by J.~Winter, §~5"),
        ("de", "zwischen_10 und_13~Uhr"),
        ("fr", "à Quimper entre_1958 et_1989, ses sept petits-enfants"),
        ("pt", "entre_3_e_21~de~novembro, nº~14 ao nº~40, na Av._João, Dom_Pedro_V ficará"),
        ("sv", "Kvarnen byggdes_1787 av Anders, år_1919, men 1800 flaskor"),
        ("sv", "Mellan_1846 och_1930 lämnade"),
        ("nl", "ma t/m vr_8.00-18.30~u, za_9-17~u, zo gesloten"),
        ("en", "open Sat_9-17 and Sun_10–12"),
        ("tr", "Emre (1_maç), Serkan (2_maç)."),
        ("fr", "Lampe Pélican~: elle arrive~!"),
        ("da", "mellem_9 og_17"),
        ("nb", "mellom_9 og_17"),
        ("it", "lungo sei_metri, escl._IVA"),
        ("nl", "incl._btw, excl._verzendkosten"),
        ("en", "Please pray_for: Doris, in_May 2028 or in Minnesota_1883"),
    ],
)
def test_what_belongs_together_is_known_in_every_language(language, text):
    """``~`` stands for a firm bond, ``_`` for a loose one, ``^`` for that of a year, and a sign
    such as ``&`` for the firmest, before itself."""
    written = text.replace("&~", "#&~").replace("+~", "#+~")
    words = tuple(re.split("[ ~_^#]", written))
    joints = [*(MARKS[bond] for bond in bonds.find_bonds(words, language)[:-1]), ""]
    assert "".join(map("".join, zip(words, joints, strict=True))) == written
    firm = re.sub("[~#]", "\u00a0", re.sub("[_^]", " ", written))
    assert bonds.bind(" ".join(words), language) == firm


def tears(block) -> list[str]:
    """Return the words that belong to the first one of the next line."""
    words = tuple(word for line in block.lines for word in line)
    bound = bonds.find_bonds(words, block.face.language)
    ends = list(accumulate(len(line) for line in block.lines))[:-1]
    return [words[end - 1] for end in ends if bound[end - 1]]


@each_of(
    ("language", "text"),
    [
        ("de", "Elektrische Heizlüfter können Sie ab dem 30. April beim Hausmeister ausleihen."),
        ("de", "Vom 4. bis 8. Mai wird im Haus Lindenstraße 17 die Heizungsanlage erneuert"),
        ("de", "Die Modernisierungsmieterhöhung beginnt am 1. Oktober nach § 559 BGB"),
        ("de", "Herr Yıldız nimmt die Wohnungsübergabeprotokolle am 3. September entgegen"),
        (
            "es",
            "La recogida es el martes 14 de junio, de 17 a 19 h, en los salones de la Sra. Lima",
        ),
        ("en", "Saturn is 1.3 billion km away on the night of 12 August"),
        ("nl", "De fietsenmakersopleiding begint op 1 september in de Assendorperstraat 12"),
        ("en", "Harbour & Sons of 12 Baker Street"),
    ],
)
def test_no_line_of_any_width_or_size_tears_what_it_can_hold(language, text):
    """A day kept with its month meets a narrow column, and a word that is wider than it."""
    for width in range(360, 2 * NARROW, 72):
        for size in (60, 104, 150):
            for balanced, hyphenated in ((False, False), (True, False), (True, True)):
                face = Typeface(size, 800, 1.1, language=language)
                block = typesetting.fit_text(text, width, 2000, face, 40, balanced, hyphenated)
                torn = [word for word in tears(block) if can_hold(word, block, width)]
                assert torn == [], (width, size, block.lines)
                assert block.width <= width


def can_hold(word: str, block, width: int) -> bool:
    """Return whether a line holds ``word`` and all that belongs to it, before and after."""
    words = tuple(word for line in block.lines for word in line)
    bound = bonds.find_bonds(words, block.face.language)
    starts = [0, *(at for at in range(1, len(words)) if not bound[at - 1]), len(words)]
    groups = [words[first:stop] for first, stop in pairwise(starts)]
    return all(
        typesetting.measure_line(group, block.face) <= width for group in groups if word in group
    )


def test_a_group_wider_than_its_line_is_torn_where_it_must_be():
    """Neither smaller type nor an empty line comes of it."""
    face = Typeface(150, 800, 1.1, language="en")
    block = typesetting.fit_text("Harbour & Sons", 900, 750, face, 150, balanced=True)
    assert block.lines == (("Harbour", "&"), ("Sons",))


def test_a_long_word_is_in_two_even_parts_and_what_follows_stays_whole():
    face = Typeface(120, 800, 1.1, language="de")
    text = "Die Modernisierungsmieterhöhung beträgt höchstens 0,50 € je m²"
    block = typesetting.fit_display(text, NARROW, 900, face, 40, hyphenated=True)
    words = [word for line in block.lines for word in line]
    parts = [word for word in words if word.endswith("-") or word.startswith(GLUE)]
    assert parts == ["Modernisierungs-", f"{GLUE}mieterhöhung"]
    assert tears(block) == [] and block.face.size >= 0.6 * face.size


def test_captions_tear_no_bond():
    """Lines and cues end elsewhere, although a figure between two words costs them nothing."""
    text = (
        "Elektrische Heizlüfter können Sie ab dem 30. April im Haus Lindenstraße 17 bei "
        "Herrn Yıldız ausleihen und am 8. Mai von 7 bis 15 Uhr für 2 € abgeben."
    )
    words = text.split()
    bound = bonds.find_bonds(tuple(words), "de")
    script, timeline = spoken(words, (len(words) - 1,))
    script = replace(script, language="de")
    for length in (26, 32, 42):
        for lines in (1, 2):
            cues = captions.split_cues(script, timeline, line_length=length, lines=lines)
            ends = [line[-1] for cue in cues for line in cue.lines]
            # where a cue is short, a preposition may be torn off rather than a cue flash
            least = Bond.LOOSE if lines > 1 and length > 26 else Bond.TIGHT
            assert [words[end] for end in ends if bound[end] >= least] == [], (length, lines)


@each_of(
    ("language", "text", "size"),
    [
        ("el", "Η συνάντηση είναι στις 9:00, από τις 9 έως τις 17", 150),
        ("ar", "الاجتماع في الساعة 9:30 يوم 16 نوفمبر من 9 إلى 17", 110),
    ],
)
def test_loose_bonds_shrink_type_little_where_they_leave_a_word_alone(language, text, size):
    """A word that would not be alone if a preposition ended a line meets type that shrinks for
    such words."""
    face = Typeface(size, 800, 1.1, language=language)
    block = typesetting.fit_display(text, 1000, 900, face, 40)
    assert block.face.size >= 0.8 * size


def test_units_are_known_in_every_language():
    for language in (*LANGUAGES, *FURTHER):
        assert bonds.find_bonds(("40", "cm"), language)[0] == Bond.TIGHT, language


def bound_chinese() -> str:
    """A text with a mark between its words that are bound, and a space between the others."""
    text = "这就是通货膨胀，11月3日上课。国际货币基金组织"
    words = tuple(token.written for token in tokenize_text(text, "zh"))
    joints = [MARKS[bond] for bond in bonds.find_bonds(words, "zh")[:-1]]
    pieces = [word.removeprefix(GLUE) for word in words]
    return "".join(map("".join, zip(pieces, [*joints, ""], strict=True)))


def test_no_chinese_word_is_torn_that_the_dictionary_has():
    """Nor the day off its month; a word of more than four signs may be in two lines."""
    pytest.importorskip("rjieba")
    written = bound_chinese()
    assert "通货~膨胀" in written and "11月~3日" in written and "货币 基金" in written


def test_a_chinese_day_stays_with_its_month_without_the_packages_for_mandarin(monkeypatch):
    monkeypatch.setattr(bonds, "_cut_words", None)
    bonds.find_bonds.cache_clear()
    assert "11月~3日" in bound_chinese()
    bonds.find_bonds.cache_clear()


@each_of(
    ("text", "joined"),
    [
        ("心よりお詫び申し上げます。", "申し~上げます"),
        ("受付期間は2026年2月2日から", "2026年2~月2日"),
        ("再発防止に努めてまいります", "努めて まいります"),
    ],
)
def test_no_japanese_verb_of_two_and_no_date_is_torn(text, joined):
    words = tuple(token.written for token in tokenize_text(text, "ja"))
    joints = [*(MARKS[bond] for bond in bonds.find_bonds(words, "ja")[:-1]), ""]
    pieces = (word.removeprefix(GLUE) for word in words)
    assert joined in "".join(map("".join, zip(pieces, joints, strict=True)))


@pytest.mark.parametrize("text", ["受付期間は2026年2月2日から", "心よりお詫び申し上げます。"])
def test_large_type_is_as_small_as_a_japanese_date_or_verb_needs(text):
    sizes = SimpleNamespace(least=10, title=53, label=21)
    canvas = SimpleNamespace(plan=SimpleNamespace(sizes=sizes))
    face = Typeface(80, 700, language="ja")
    assert not tears(fit_phrase(canvas, text, 432, 450, face, 0.5))
