"""Abbreviations: which dots end no sentence, and how they are spoken.

The lists are chosen from CLDR 46's sentence break suppressions and from the non-breaking prefixes
of the Moses tokenizer, without those that are ordinary words as well; months are babel's.
"""

import re
import unicodedata
from functools import cache
from typing import Literal

from babel.dates import get_day_names, get_month_names
from yasbd.rules import get_supported_langs, load_rule

from svc.media.text import vocabulary
from svc.media.text.figures import labels
from svc.media.text.numerals import OPENERS, SPACE, base_language, locale

# U.S., J.-C., EE.UU., and no numeral
_INITIALS = re.compile(r"(?:[^\W\d_]\.(?:-|(?=.)|$)){2,}|(?:([^\W\d_IXix])\1\.){1,2}")
_INITIAL = re.compile(r"[^\W\d_]\.")
_NUMBER = re.compile(
    rf"§+$|[{re.escape(OPENERS)}§#]*(?:[-+−≥≤<>~]?[$€£¥]?\d|[IVXLCM]{{2,}}[.,;:)]?$|[A-Za-z]?\d)"
)
_YEAR = re.compile(r"(?:1\d|20)\d\d(?!,?\d)")
_LONGEST = 4  # letters of an abbreviation that no list needs to know, before a small letter
_ALSO_SHORTENED = frozenset(("al", "milj"))  # before a small letter, and in no list
_VOWELS = frozenset("aeiouyæœøıаеёиоуыэюяєіъαεηιουω")  # without their marks
_HAVE_STREETS = ("de", "en")  # which others take over with the rest of a list
_STREETS_OF_LIBRARY = "STREET_ABBRVS"  # which the library's type of rules lacks
_MOST_PARTS = 4  # z. B., i. d. R., s. r. o.

_BEFORE_A_NUMBER = {  # what is said of each; elsewhere its dot ends the sentence
    "en": (
        "no.=number nos.=numbers art.=article arts.=articles p.=page pp.=pages vol.=volume "
        "vols.=volumes ch.=chapter chap.=chapter sec.=section fig.=figure figs.=figures "
        "eq.=equation para.=paragraph pt.=part col.=column l.=line ver.=version ext.=extension "
        "apt.=apartment ste.=suite rm.=room cl.=clause ed.=edition eff.=effective op.=opus "
        "tab.=table paras.=paragraphs max.=maximum min.=minimum c.=circa ca.=circa №=number "
        "nº=number"
    ),
    "de": (
        "nr.=Nummer art.=Artikel abs.=Absatz s.=Seite kap.=Kapitel bd.=Band abb.=Abbildung "
        "tab.=Tabelle ziff.=Ziffer rn.=Randnummer anm.=Anmerkung tel.=Telefon lit.=Litera "
        "anl.=Anlage str.=Straße bj.=Baujahr kl.=Klasse max.=maximal gem.=gemäß"
    ),
    "fr": (
        "art.=article arts.=articles p.=page pp.=pages fig.=figure chap.=chapitre ch.=chapitre "
        "vol.=volume t.=tome n°=numéro al.=alinéa th.=thermostat tél.=téléphone no.=numéro "
        "nos.=numéros sect.=section env.=environ max.=maximum min.=minimum"
    ),
    "es": (
        "art.=artículo arts.=artículos núm.=número núms.=números pág.=página págs.=páginas "
        "p.=página pp.=páginas cap.=capítulo vol.=volumen fig.=figura apdo.=apartado tel.=teléfono "
        "no.=número n.os=números n.º=número nº=número n°=número s.=siglo "
        "máx.=máximo mín.=mínimo"
    ),
    "it": (
        "art.=articolo artt.=articoli n.=numero nn.=numeri pag.=pagina pagg.=pagine p.=pagina "
        "pp.=pagine cap.=capitolo vol.=volume fig.=figura tab.=tabella c.=comma cell.=cellulare "
        "tel.=telefono no.=numero n°=numero nº=numero"
    ),
    "pt": (
        "art.=artigo arts.=artigos n.=número p.=página pp.=páginas pág.=página págs.=páginas "
        "cap.=capítulo vol.=volume fig.=figura inc.=inciso apto.=apartamento tel.=telefone "
        "no.=número n.º=número nº=número n°=número"
    ),
    "ca": (
        "art.=article núm.=número pàg.=pàgina pàgs.=pàgines p.=pàgina cap.=capítol vol.=volum "
        "fig.=figura tel.=telèfon"
    ),
    "ro": (
        "nr.=numărul art.=articolul alin.=alineatul pag.=pagina p.=pagina cap.=capitolul "
        "fig.=figura vol.=volumul sec.=secolul et.=etajul ap.=apartamentul bl.=blocul sc.=scara "
        "tel.=telefon"
    ),
    "nl": (
        "nr.=nummer nrs.=nummers art.=artikel blz.=bladzijde p.=pagina hfst.=hoofdstuk "
        "fig.=figuur afb.=afbeelding dl.=deel tel.=telefoon lid.=lid"
    ),
    "sv": (
        "d.=den nr.=nummer s.=sidan kap.=kapitel fig.=figur art.=artikel st.=stycket vån.=våning "
        "tel.=telefon bil.=bilaga enl.=enligt"
    ),
    "nb": (
        "d.=den nr.=nummer etg.=etasje s.=side kap.=kapittel fig.=figur art.=artikkel tlf.=telefon"
    ),
    "da": (
        "d.=den nr.=nummer etg.=etage s.=side kap.=kapitel fig.=figur art.=artikel stk.=stykke "
        "tlf.=telefon"
    ),
    "fi": (
        "v.=vuonna p.=puhelin nro.=numero s.=sivu ss.=sivut kpl.=kappale art.=artikla puh.=puhelin"
    ),
    "et": "nr.=number lk.=lehekülg art.=artikkel ptk.=peatükk tel.=telefon",
    "hu": "tel.=telefon fsz.=földszint ép.=épület",
    "lv": "nr.=numurs lpp.=lappuse tālr.=tālrunis",
    "lt": "nr.=numeris p.=puslapis psl.=puslapis str.=straipsnis pav.=paveikslas tel.=telefonas",
    "pl": (
        "nr.=numer art.=artykuł ust.=ustęp pkt.=punkt str.=strona s.=strona rozdz.=rozdział "
        "rys.=rysunek tab.=tabela par.=paragraf tel.=telefon poz.=pozycja min.=minimum pok.=pokój"
    ),
    "cs": (
        "č.=číslo čl.=článek odst.=odstavec str.=strana s.=strana kap.=kapitola obr.=obrázek "
        "tab.=tabulka tel.=telefon r.=roku"
    ),
    "sk": (
        "r.=roku č.=číslo čl.=článok ods.=odsek str.=strana s.=strana kap.=kapitola obr.=obrázok "
        "tab.=tabuľka tel.=telefón"
    ),
    "sl": (
        "l.=leta št.=številka čl.=člen odst.=odstavek str.=stran pogl.=poglavje sl.=slika "
        "tel.=telefon"
    ),
    "hr": (
        "br.=broj čl.=članak st.=stavak str.=stranica pogl.=poglavlje sl.=slika tab.=tablica "
        "tel.=telefon"
    ),
    "sr": "бр.=број чл.=члан ст.=став стр.=страна сл.=слика тел.=телефон",
    "mk": "бр.=број чл.=член ст.=став стр.=страница сл.=слика тел.=телефон",
    "bg": (
        "№=номер чл.=член ал.=алинея т.=точка стр.=страница с.=страница фиг.=фигура бр.=брой "
        "тел.=телефон"
    ),
    "ru": (
        "№=номер ст.=статья п.=пункт пп.=пункты с.=страница стр.=страница гл.=глава рис.=рисунок "
        "табл.=таблица т.=том д.=дом корп.=корпус каб.=кабинет доб.=добавочный эт.=этаж "
        "кв.=квартира тел.=телефон ч.=часть ок.=около"
    ),
    "uk": (
        "№=номер ст.=стаття п.=пункт с.=сторінка стор.=сторінка гл.=глава рис.=рисунок "
        "табл.=таблиця т.=том буд.=будинок кв.=квартира каб.=кабінет пов.=поверх тел.=телефон "
        "ч.=частина"
    ),
    "el": (
        "αρ.=αριθμός άρθ.=άρθρο σ.=σελίδα σελ.=σελίδα κεφ.=κεφάλαιο εικ.=εικόνα παρ.=παράγραφος "
        "τηλ.=τηλέφωνο"
    ),
    "tr": "no.=numara s.=sayfa md.=madde bkz.=bakınız tel.=telefon",
    "id": (
        "no.=nomor hlm.=halaman hal.=halaman bab.=bab ps.=pasal pk.=pukul telp.=telepon "
        "tel.=telepon"
    ),
    "ms": "no.=nombor hlm.=halaman ms.=muka surat tel.=telefon",
    "vi": "tr.=trang đ.=điều",
    "sw": "na.=namba uk.=ukurasa",
}
# titles and the like: their dot never ends a sentence, and the voice reads them without it
_BEFORE_A_NAME = {
    "": (
        "dr prof mr mrs ms mx mme mlle st rev hon gen col capt lt maj sgt adm gov sen rep dott "
        "ing mag dipl phd vs cf dra sra srta sres sras lic arq avda avv frl dhr mevr"
    ),
    "en": "av messrs sch reg cmdr cpl supt insp pres bros mt ft viz fr esp v",
    "de": "av gebr hrsg dipl.-ing dipl.-kfm geb gest ehem einschl entspr erw österr "
    "schweiz röm kath ev ggfs od spezif verf urspr jahrh reg.-bez int kfm hl jhd bes max min",
    "fr": "pr cap gén cdt mm mgr me mlles mmes ste sts éd dir coll",
    "es": "sr d dª excmo excma ilmo rvdo mons fr ntra hnos gral pdte dtor",
    "it": "sigg sig.ra sig.na dott.ssa arch geom rag cav on mons spett egr gent prof.ssa cfr",
    "pt": "sr profa eng enga exmo exma ilmo pe d",
    "ca": "sr sra dra av ctra pl ptge",
    "ro": "d-na d-l arh av str bd",
    "nl": "av drs ir jhr nl ev",
    "sv": "hr fr dir ev bl jfr resp",
    "nb": "hr fr ev jf bl",
    "da": "hr fr ev jf bl evt",
    "fi": "esim ns mm tri toim huom vrt",
    "et": "hr pr nt vt",
    "hu": "dr özv ifj id szt pl kb vö ill ún",
    "lv": "dr prof piem sk sv",
    "lt": "žr šv pan",
    "pl": "mgr inż ks św al pl płk mjr kpt por tzw zob",
    "cs": "mgr bc doc judr mudr phdr rndr sv ul nám tř zvl mj",
    "sk": "mgr bc doc judr mudr sv ul nám",
    "sl": "dr mag prof ing sv ul npr t.i ga gdč",
    "hr": "dr mr prof ing sv ul npr tzv g gđa",
    "sr": "др мр проф инж св ул нпр тзв г гђа",
    "mk": "д-р м-р проф инж св ул на.пр",
    "bg": "д-р проф доц инж св ул бул гр г-н г-жа акад",
    "ru": "проф акад доц им св ул пр пл просп д-р гр тов см",
    "uk": "проф акад доц ім св вул пл пр м див",
    "el": "κ κα κος δρ καθ αγ οδ λεωφ",
    "tr": "doç av müh sn sok cad mah yrd",
    "id": "drs ir hj sdr bpk",
    "hi": "श्री श्रीमती सुश्री स्व इं मो चौ ले ब्रि कै सौ मा ज़ि जि ता पो",
    "ur": "ای ایم بی ڈی",
    "he": "גב מר עמ רח שד",
    "ms": "dr prof ir en pn cik hj tn jln",
    "vi": "ts ths gs pgs tp q p",
    "sw": "bw bi dk mh",
}
# Words of some language (she in Swedish, you in Turkish, May in Danish), unless they have a
# capital.
_TITLES_LIKE_WORDS = frozenset(
    ("hon", "gen", "col", "capt", "lt", "maj", "gov", "sen", "rep", "mag", "rev")
)
_IN_PIECES = {  # written with spaces, with and without expansion
    "de": {"i.d.r.": "in der Regel", "o.ä.": "oder ähnlich", "u.ä.": "und ähnlich",
           "z.t.": "zum Teil", "z.zt.": "zur Zeit", "v.a.": "vor allem", "n.chr.": "nach Christus",
           "v.chr.": "vor Christus", "a.d.": "an der", "o.g.": "oben genannt", "s.o.": "siehe oben",
           "s.u.": "siehe unten", "u.u.": "unter Umständen", "i.a.": "im Allgemeinen",
           "z.hd.": "zu Händen", "p.p.": "pro Person", "e.v.": "e V"},
    "es": {"ee.uu.": "Estados Unidos", "a.c.": "antes de Cristo", "d.c.": "después de Cristo",
           "p.d.": "posdata"},
    "fr": {"av.j.-c.": "avant Jésus-Christ", "ap.j.-c.": "après Jésus-Christ",
           "p.-s.": "post-scriptum"},
    "en": {"ph.d.": "P H D", "u.s.a.": "U S A", "u.s.": "U S"},
    "ru": {"н.э.": "нашей эры", "до.н.э.": "до нашей эры"},
    "uk": {"н.е.": "нашої ери", "т.зв.": "так званий"},
    "nb": {"e.kr.": "etter Kristus", "f.kr.": "før Kristus"},
    "da": {"e.kr.": "efter Kristus", "f.kr.": "før Kristus"},
    "sv": {"e.kr.": "efter Kristus", "f.kr.": "före Kristus"},
    "pl": {"n.e.": "naszej ery", "p.n.e.": "przed naszą erą"},
    "cs": {"n.l.": "našeho letopočtu", "s.r.o.": "s r o"}, "sk": {"s.r.o.": "s r o"},
}  # fmt: skip
_WIDTHS: tuple[Literal["abbreviated", "short"], ...] = ("abbreviated", "short")
_WITH = {"es": "con", "pt": "com", "ca": "carrer"}
_STREET_ENDS = {"de": ("str.", "straße"), "nb": ("gt.", "gate")}  # of a compound, and in full
_MORE_DAYS = {  # as they are written besides CLDR's; 0: Monday
    "en": {"tues": 1, "weds": 2, "thur": 3, "thurs": 3},
    "nb": {"tirs": 1, "tors": 3},
    "da": {"tirs": 1, "tors": 3},
}
_WORDS_LIKE_DAYS = {  # in languages whose abbreviated days are read in full
    "en": "",
    "de": "",
    "fr": "mer jeu",
    "es": "mar",
    "it": "mar",
    "pt": "ter sex dom",
    "ca": "",
    "nl": "zo do",
    "sv": "",
    "da": "man søn",
    "nb": "man søn",
    "pl": "śr",
    "ru": "ср",
    "uk": "ср",
    "cs": "ne po so st",
}
_SHORTEST_DAY = {"en": 3, "de": 2}  # letters of one without a dot
_INITIALS_OF_HINDI = frozenset((  # Latin letters by their names: ए. पी. जे. अब्दुल कलाम
    "ए", "बी", "सी", "डी", "ई", "एफ", "जी", "एच", "जे", "के", "एल", "एम", "एन", "ओ", "पी", "क्यू", "आर",
    "एस", "टी", "यू", "वी", "डब्ल्यू", "एक्स", "वाई", "जेड",
))  # fmt: skip
# of one letter, in scripts in which no capital letter shows that a name follows
_CASELESS_TITLES = {
    "ar": {"د": "دكتور", "أ": "أستاذ", "م": "مهندس"},
    "fa": {"د": "دکتر"},
    "ur": {},
    "he": {},
    "hi": {},
}
_ELIDED = re.compile(r"([^\W\d_]{1,5}['’])([^\W\d_]{2,5}\.)")  # l'Avv., dell'Ing.
_ELIDING = ("it", "fr", "ca")
_STREETS = {
    "st.": "Street",
    "ave.": "Avenue",
    "rd.": "Road",
    "ln.": "Lane",
    "blvd.": "Boulevard",
    "sq.": "Square",
    "hwy.": "Highway",
}
_NAMED = {
    "de": {"fr.": "Frau"},
    "es": {"d.": "don", "dña.": "doña", "av.": "avenida"},
    "pt": {"av.": "avenida"},
    "fr": {"bd": "boulevard", "bd.": "boulevard", "av.": "avenue"},
}
# After these, a capital letter or the end of the text means that the sentence ends as well.
_MAY_ENDS = (
    "inc. ltd. co. corp. jr. sr. esq. a.m. p.m. ph.d. b.a. m.a. e.v. s.a. s.l. s.r.o. n.chr. "
    "v.chr. н.э."
)
_COUNTABLE = (
    "hab. pers. tbl. dcha. izda. pz. r. szt. hod. эт. mio. mia. govt. qty. misc. p.p. a.u.b. o.s.v."
)
_COUNTED = frozenset(_COUNTABLE.split())  # a sentence may end with them
_OF_A_PRICE = ("incl.", "excl.", "escl.")
_MAY_END = frozenset(_MAY_ENDS.split())


def count_joined(parts: list[str], language: str) -> int:
    """Return how many of ``parts``, the pieces from here on,
    are one abbreviation written with spaces (``z. B.``); 0: none.
    """
    known = _known(base_language(language))
    written = ""
    length = 0
    for count, part in enumerate(parts[:_MOST_PARTS], 1):
        written += part.lstrip(OPENERS) if count == 1 else part
        bare = written.lower().rstrip(",;:)!?")
        if count > 1 and (
            bare in known or (count == 2 and _INITIALS.fullmatch(bare) and bare[0] == bare[1])
        ):
            length = count
        # c. à s.
        if not part.endswith(".") and not part.rstrip(",;:)!?").endswith(".") and part != "à":
            break
    return length


def spoken(bare: str, language: str, before: str, after: str) -> str | None:
    """Return how ``bare`` (with its dot) is spoken: in full, or without its dots;
    None: it is not an abbreviation here.
    """
    base = base_language(language)
    if base in _CASELESS_TITLES and (
        _INITIAL.fullmatch(bare) or (bare[-1:] == "." and bare[:-1] in _INITIALS_OF_HINDI)
    ):
        return _caseless_initial(bare[:-1], base, before, after)
    if base in _ELIDING and (parts := _ELIDED.fullmatch(bare)):
        said = _spoken(parts[2], language, before, after)
        return said and parts[1] + said
    return _spoken(bare, language, before, after)


def _spoken(bare: str, language: str, before: str, after: str) -> str | None:
    name, base = bare.lower().replace(SPACE, ""), base_language(language)
    before_number = bool(_NUMBER.match(after))
    is_name = before and bare in ("C.", "Max.")
    if before_number and not is_name and (full := _before_a_number(base).get(name)):
        return full
    dotted = name.endswith(".")
    if (
        (dotted or base == "en")
        and (before_number or before[:1].isdecimal())
        and (month := months(base).get(name.rstrip(".")))
    ):
        return month
    if (named := _in_full(bare, base, before, after)) is not None:
        return named
    if name == "est." and base == "en":
        return (
            "established"
            if _YEAR.match(after)
            else "estimated"
            if before_number or after[:1].islower()
            else None
        )
    if name == "i.a." and base == "de" and bare[-2:-1] == "A":
        return "im Auftrag"
    if name == "г." and not before[:1].isdecimal():
        # Г. Иванов, an initial
        return "Г" if bare[0].isupper() and after[:1].isupper() else "город"
    if name in vocabulary.ONLY_BEFORE_A_NUMBER and not before_number:
        return None
    if (full := _known(base).get(name)) is not None:
        return full or " ".join(bare.replace(".", "").split())
    if name in vocabulary.ABBREVIATIONS[""] or (dotted and _is_title(bare[:-1], base)):
        return bare.replace(".", " ").strip()
    if _INITIAL.fullmatch(bare) and (bare[0].isupper() or after[:1].islower()):
        return None if labels.ends_sentence(bare[0], before, after, language) else bare[0]
    return " ".join(re.sub(rf"[.\-{SPACE}]", "", bare)) if _INITIALS.fullmatch(name) else None


def never_ends(bare: str, language: str, after: str) -> bool:
    """Return whether the dot of ``bare`` ends no sentence in a language whose text is spoken as it
    is written: it is that of a title, or of a letter of a script without capitals."""
    base, name = base_language(language), bare.lower()
    is_initial = (
        base in _CASELESS_TITLES
        and _INITIAL.fullmatch(bare) is not None
        and not labels.names_letter(after)
    )
    return bool(after) and name.endswith(".") and (is_initial or _is_title(bare[:-1], base))


def is_listed(bare: str, language: str) -> bool:
    """Return whether ``bare`` (with its dot) stands in one of the lists of a language, or is an
    initial or several, so that the rules here know what its dot means."""
    name, base = bare.lower().replace(SPACE, ""), base_language(language)
    lists = (
        _known(base),
        _before_a_number(base),
        vocabulary.ABBREVIATIONS[""],
        _COUNTED,
        _MAY_END,
        _OF_A_PRICE,
    )
    if (
        any(name in listed for listed in lists)
        or name.rstrip(".") in _titles(base) | months(base).keys() | days(base).keys()
    ):
        return True
    return _INITIAL.fullmatch(bare) is not None or _INITIALS.fullmatch(name) is not None


def is_title(word: str, language: str) -> bool:
    """Return whether ``word`` stands before names, with or without its dot: Dr., sig.ra."""
    return word.casefold().removesuffix(".") in _titles(base_language(language))


def is_day_or_month(word: str, language: str) -> bool:
    """Return whether ``word`` is a day or a month, or short for one: 5 p.m. Monday."""
    base, name = base_language(language), word.strip(f"{OPENERS},;:.").casefold()
    known = {**days(base), **months(base)}
    return len(name) > 2 and (name in known or name in {full.casefold() for full in known.values()})


def _caseless_initial(letter: str, base: str, before: str, after: str) -> str | None:
    """Return how a letter with a dot in front of a name is spoken; None: its dot ends a sentence,
    as after a year or a plan.
    """
    if not after[:1].isalpha() or before[-1:].isdecimal() or labels.names_letter(before):
        return None
    return _CASELESS_TITLES[base].get(letter, letter)


def _in_full(bare: str, base: str, before: str, after: str) -> str | None:
    """Return a day of the week beside a number, a street after its name,
    or what stands before a name, in full.
    """
    name = bare.lower()
    follows, beside_number = after[:1], bool(_NUMBER.match(after))
    if name == "c/" and base in _WITH:
        return "calle" if base == "es" and (bare[0] == "C" or follows.isupper()) else _WITH[base]
    if (day := _day(bare, base, before, after)) is not None:
        return day
    if beside_number and name == "ø" and base == "de":
        return "Durchmesser" if re.search(r"\d\D?[cdm]?m\b", after) else "durchschnittlich"
    if beside_number and base in _STREET_ENDS:
        return _compound(bare, base)
    if base == "en" and before[:1].isupper() and not follows.isupper() and name in _STREETS:
        return _STREETS[name]
    is_initial = _INITIAL.fullmatch(bare) and (
        before[:1].isupper() or before.lower() in ("la", "el") or labels.names_letter(before)
    )
    return (
        _NAMED.get(base, {}).get(name)
        if follows.isupper() and not is_initial and bare != "BD"
        else None
    )


def _day(bare: str, base: str, before: str, after: str) -> str | None:
    """Return an abbreviated day of the week beside a number, a month, a comma,
    a small letter or the word for "to" in full.
    """
    name = bare.lower().removesuffix(".")
    if (
        base not in _WORDS_LIKE_DAYS
        or name in _WORDS_LIKE_DAYS[base].split()
        or not (bare[1:].islower() or len(name) == 1)
    ):
        return None
    beside_number, follows = bool(_NUMBER.match(after)), after[:1]
    without_dot = (
        base in _SHORTEST_DAY
        and bare[:1].isupper()
        and len(bare) >= _SHORTEST_DAY[base]
        and name != "so"
    )
    with_dot = bare.endswith(".") and (
        bare[:1].isupper() if base in _SHORTEST_DAY else base != "it" or bare.islower()
    )
    beside = with_dot and (
        follows.islower()
        or follows == ","
        or before == vocabulary.TO.get(base)
        or after.strip(",.").lower() in months(base)
    )
    return days(base).get(name) if (beside_number and (with_dot or without_dot)) or beside else None


def _compound(bare: str, base: str) -> str | None:
    """Return ``Kontonr.``, ``Hauptstr.`` and ``Storgt.`` in full;
    None: ``bare`` is no such compound.
    """
    if base == "de" and bare.lower().endswith("nr."):
        return bare[:-3] + "nummer"
    end, full = _STREET_ENDS[base]
    is_street = bare.lower().endswith(end) and len(bare) > _LONGEST and bare[:1].isupper()
    return bare[: -len(end)] + full if is_street else None


def also_ends_sentence(bare: str, language: str, before: str, after: str) -> bool:
    """Return whether an abbreviation that may close a sentence does: a capital letter follows."""
    name = bare.lower().replace(SPACE, "")
    if name == "sr." and not bare.isupper() and not (before[:1].isupper() and before[-1].isalpha()):
        return labels.is_sentence_start(after, language)  # of Señor García, not of Davis senior
    if name in ("a.m.", "p.m.") and is_day_or_month(after, language):
        return False
    if name == "co." and after.rstrip(",.;:") in ("KG", "KGaA", "OHG"):
        return False
    if _INITIALS.fullmatch(name) and labels.is_sentence_start(after, language):
        return True
    if name in _COUNTED and bare != "R.":
        return after[:1].isupper() and (
            base_language(language) != "de" or labels.is_sentence_start(after, language)
        )
    if name in _OF_A_PRICE:  # IVA incl. Reservas; but incl. IVA
        return after[:1].isupper() and not after.rstrip(".,").isupper()
    closing = name in vocabulary.CLOSING and (name != "vs." or base_language(language) == "tr")
    may_end = closing or (
        name in _MAY_END and name.removesuffix(".") not in _BEFORE_A_NAME.get(language, "").split()
    )
    return may_end and after.lstrip(OPENERS)[:1].isupper()


def dot_is_inside(bare: str, language: str, before: str, after: str) -> bool:
    """Return whether the dot of a word that is not read in full stands within a sentence: a small
    letter follows, and the word is an abbreviation. Some writers begin every sentence so."""
    follows = after.lstrip(OPENERS)
    short = bare.removesuffix(".").replace("-", ".").rpartition(".")[2]  # of 3-Zi.-Whg., Whg
    if not bare.endswith(".") or not short.isalpha():
        return False
    if after == ":":
        return len(short) <= _LONGEST
    is_small = follows[:1].isalpha() and follows.islower()
    return is_small and is_shortened(short, language, before)


def is_shortened(word: str, language: str, before: str) -> bool:
    """Return whether a word between a dot and the word ``before`` is an abbreviation by our lists
    or the library's, or by its letters: it has no vowel, and is no acronym."""
    if len(word) == 1 and labels.names_letter(before):
        return False
    name, base = word.lower(), base_language(language)
    is_word = f"{name}." in vocabulary.ONLY_BEFORE_A_NUMBER or _is_like_a_day(word, base)
    is_known = is_listed(f"{word}.", language) or name in _listed_by_library(base)
    is_street = base == "en" and f"{name}." in _STREETS
    if name in _ALSO_SHORTENED or is_street or (is_known and not is_word):
        return True
    letters = unicodedata.normalize("NFD", name)
    is_acronym = len(word) > 1 and word.isupper()
    return len(word) <= _LONGEST and not is_acronym and _VOWELS.isdisjoint(letters)


@cache
def months(base: str) -> dict[str, str]:
    """Return the full name of each abbreviated month, without dots, in small letters."""
    short, wide = (
        get_month_names(width, "format", locale(base)) for width in ("abbreviated", "wide")
    )
    named = {
        short[number].lower().rstrip("."): wide[number]
        for number in short
        if short[number].lower() != wide[number].lower()
    }
    if base == "en":
        named["sept"] = wide[9]
    return {
        name: full for name, full in named.items() if not name[:1].isdecimal() and "." not in name
    }


@cache
def days(base: str) -> dict[str, str]:
    """Return the full name of each abbreviated day of the week, without dots, in small letters."""
    wide = get_day_names("wide", "format", locale(base))
    names = [get_day_names(width, "format", locale(base)) for width in _WIDTHS]
    short = {each[day].lower().rstrip("."): full for each in names for day, full in wide.items()}
    short |= {name: wide[day] for name, day in _MORE_DAYS.get(base, {}).items()}
    return {
        name: full
        for name, full in short.items()
        if len(name) > 1 and name != full.lower() and "." not in name
    }


def _is_like_a_day(word: str, base: str) -> bool:
    """Return whether ``word``, short for a day, is a common word as well: German so, French mer."""
    name = word.lower()
    is_common = name in _WORDS_LIKE_DAYS.get(base, "").split() or (base == "de" and word == name)
    return is_common and name in days(base)


@cache
def _listed_by_library(base: str) -> frozenset[str]:
    """Return the library's abbreviations within sentences, without those of streets, and before
    names, dates and numbers, which are common words as well: app, long, pen, German weg."""
    if base not in get_supported_langs():
        return frozenset()
    rules = load_rule(base, ext_registry={})
    words = frozenset(rules.CORP_ENTITY_ABBRVS) | rules.INLINE_ONLY_ABBRVS
    streets = (
        getattr(load_rule(each, ext_registry={}), _STREETS_OF_LIBRARY) for each in _HAVE_STREETS
    )
    return words.difference(*streets)


@cache
def _before_a_number(base: str) -> dict[str, str]:
    pairs = (
        entry.split("=")
        for entry in re.findall(r"\S+=[^=]+(?=\s\S+=|$)", _BEFORE_A_NUMBER.get(base, ""))
    )
    return {name: full.strip() for name, full in pairs}


@cache
def _known(base: str) -> dict[str, str]:
    return {**_IN_PIECES.get(base, {}), **vocabulary.ABBREVIATIONS.get(base, {})}


def _is_title(word: str, base: str) -> bool:
    """Return whether ``word`` stands before a name: Rev.

    Brown, but not Swedish hon, which is "she".
    """
    name = word.lower()
    return name in _titles(base) and (word[:1].isupper() or name not in _TITLES_LIKE_WORDS)


@cache
def _titles(base: str) -> frozenset[str]:
    return frozenset(_BEFORE_A_NAME[""].split()) | frozenset(_BEFORE_A_NAME.get(base, "").split())
