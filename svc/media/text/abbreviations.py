"""Abbreviations: which dots end no sentence, and how they are spoken.

The lists are chosen from CLDR 46's sentence break suppressions and from the non-breaking prefixes of the Moses tokenizer,
without those that are ordinary words as well; months are babel's.
"""

import re
from functools import cache

from babel.dates import get_month_names

from svc.media.text import vocabulary
from svc.media.text.numerals import SPACE, base_language, locale

_OPENERS = "\"'“„‘«([{¿¡"
_INITIALS = re.compile(r"(?:[^\W\d_]\.(?:-|(?=.)|$)){2,}|(?:([^\W\d_])\1\.){1,2}")  # U.S., J.-C., EE.UU.
_INITIAL = re.compile(r"[^\W\d_]\.")
_DOTTED = re.compile(r"[^\W\d_]+\.")
_NUMBER = re.compile(rf"[{re.escape(_OPENERS)}§#]*(?:[-+−≥≤<>~]?[$€£¥]?\d|[IVXLCM]{{2,}}[.,;:)]?$|[A-Za-z]?\d)")
_YEAR = re.compile(r"(?:1\d|20)\d\d(?!,?\d)")
_LONGEST = 4  # letters of an abbreviation that no list needs to know, before a small letter
_MOST_PARTS = 4  # z. B., i. d. R., s. r. o.

_BEFORE_A_NUMBER = {  # what is said of each; elsewhere its dot ends the sentence
    "en": "no.=number nos.=numbers art.=article arts.=articles p.=page pp.=pages vol.=volume vols.=volumes ch.=chapter "
    "chap.=chapter sec.=section fig.=figure figs.=figures eq.=equation para.=paragraph pt.=part col.=column l.=line "
    "ver.=version ext.=extension apt.=apartment ste.=suite rm.=room cl.=clause ed.=edition op.=opus tab.=table "
    "paras.=paragraphs max.=maximum min.=minimum",
    "de": "nr.=Nummer art.=Artikel abs.=Absatz s.=Seite kap.=Kapitel bd.=Band abb.=Abbildung tab.=Tabelle ziff.=Ziffer "
    "rn.=Randnummer anm.=Anmerkung tel.=Telefon lit.=Litera anl.=Anlage str.=Straße",
    "fr": "art.=article arts.=articles p.=page pp.=pages fig.=figure chap.=chapitre ch.=chapitre vol.=volume t.=tome "
    "al.=alinéa tél.=téléphone no.=numéro nos.=numéros sect.=section env.=environ max.=maximum min.=minimum",
    "es": "art.=artículo arts.=artículos núm.=número núms.=números pág.=página págs.=páginas p.=página pp.=páginas "
    "cap.=capítulo vol.=volumen fig.=figura apdo.=apartado tel.=teléfono no.=número s.=siglo "
    "máx.=máximo mín.=mínimo",
    "it": "art.=articolo artt.=articoli n.=numero nn.=numeri pag.=pagina pagg.=pagine p.=pagina pp.=pagine cap.=capitolo "
    "vol.=volume fig.=figura tab.=tabella tel.=telefono no.=numero",
    "pt": "art.=artigo arts.=artigos n.=número p.=página pp.=páginas pág.=página págs.=páginas cap.=capítulo vol.=volume "
    "fig.=figura inc.=inciso tel.=telefone no.=número",
    "ca": "art.=article núm.=número pàg.=pàgina pàgs.=pàgines p.=pàgina cap.=capítol vol.=volum fig.=figura tel.=telèfon",
    "ro": "nr.=numărul art.=articolul alin.=alineatul pag.=pagina p.=pagina cap.=capitolul fig.=figura vol.=volumul "
    "tel.=telefon",
    "nl": "nr.=nummer nrs.=nummers art.=artikel blz.=bladzijde p.=pagina hfst.=hoofdstuk fig.=figuur afb.=afbeelding "
    "dl.=deel tel.=telefoon lid.=lid",
    "sv": "nr.=nummer s.=sidan kap.=kapitel fig.=figur art.=artikel st.=stycket tel.=telefon bil.=bilaga",
    "nb": "nr.=nummer s.=side kap.=kapittel fig.=figur art.=artikkel tlf.=telefon",
    "da": "nr.=nummer s.=side kap.=kapitel fig.=figur art.=artikel stk.=stykke tlf.=telefon",
    "fi": "nro.=numero s.=sivu ss.=sivut kpl.=kappale art.=artikla puh.=puhelin",
    "et": "nr.=number lk.=lehekülg art.=artikkel ptk.=peatükk tel.=telefon",
    "hu": "tel.=telefon",
    "lv": "nr.=numurs lpp.=lappuse tālr.=tālrunis",
    "lt": "nr.=numeris p.=puslapis psl.=puslapis str.=straipsnis pav.=paveikslas tel.=telefonas",
    "pl": "nr.=numer art.=artykuł ust.=ustęp pkt.=punkt str.=strona s.=strona rozdz.=rozdział rys.=rysunek tab.=tabela "
    "par.=paragraf tel.=telefon poz.=pozycja",
    "cs": "č.=číslo čl.=článek odst.=odstavec str.=strana s.=strana kap.=kapitola obr.=obrázek tab.=tabulka tel.=telefon",
    "sk": "č.=číslo čl.=článok ods.=odsek str.=strana s.=strana kap.=kapitola obr.=obrázok tab.=tabuľka tel.=telefón",
    "sl": "št.=številka čl.=člen odst.=odstavek str.=stran pogl.=poglavje sl.=slika tel.=telefon",
    "hr": "br.=broj čl.=članak st.=stavak str.=stranica pogl.=poglavlje sl.=slika tab.=tablica tel.=telefon",
    "sr": "бр.=број чл.=члан ст.=став стр.=страна сл.=слика тел.=телефон",
    "mk": "бр.=број чл.=член ст.=став стр.=страница сл.=слика тел.=телефон",
    "bg": "чл.=член ал.=алинея т.=точка стр.=страница с.=страница фиг.=фигура бр.=брой тел.=телефон",
    "ru": "ст.=статья п.=пункт пп.=пункты с.=страница стр.=страница гл.=глава рис.=рисунок табл.=таблица т.=том д.=дом "
    "кв.=квартира тел.=телефон ч.=часть",
    "uk": "ст.=стаття п.=пункт с.=сторінка стор.=сторінка гл.=глава рис.=рисунок табл.=таблиця т.=том тел.=телефон ч.=частина",
    "el": "αρ.=αριθμός άρθ.=άρθρο σ.=σελίδα σελ.=σελίδα κεφ.=κεφάλαιο εικ.=εικόνα παρ.=παράγραφος τηλ.=τηλέφωνο",
    "tr": "no.=numara s.=sayfa md.=madde bkz.=bakınız tel.=telefon",
    "id": "no.=nomor hlm.=halaman hal.=halaman bab.=bab ps.=pasal tel.=telepon",
    "ms": "no.=nombor hlm.=halaman ms.=muka surat tel.=telefon",
    "vi": "tr.=trang đ.=điều",
    "sw": "na.=namba uk.=ukurasa",
}
_BEFORE_A_NAME = {  # titles and the like: their dot never ends a sentence, and the voice reads them without it
    "": "dr prof mr mrs ms mx mme mlle st rev hon gen col capt lt maj sgt adm gov sen rep dott ing mag dipl phd vs cf",
    "en": "messrs cmdr cpl supt insp pres bros mt ft viz approx dept fr esp incl v",
    "de": "hr hrn fr frl fam gebr hrsg dipl.-ing dipl.-kfm geb gest ehem einschl entspr erw exkl inkl sog vgl zzgl österr "
          "schweiz röm kath ev ggfs od spezif verf urspr jahrh reg.-bez int kfm hl jhd jh bes max min",
    "fr": "mm mgr me mlles mmes ste sts env av apr cf éd dir coll env",
    "es": "sr sra srta sres sras d dña dª lic ing arq excmo excma ilmo rvdo mons fr avda av ntra hnos gral pdte dtor",
    "it": "sig sigg sig.ra sig.na dott.ssa avv arch geom rag cav on mons spett egr gent prof.ssa cfr",
    "pt": "sr sra srta dra profa eng enga arq exmo exma ilmo pe av d",
    "ca": "sr sra dra av ctra pl ptge",
    "ro": "dl dna dra d-na d-l ing arh av str bd",
    "nl": "dhr mevr mw drs ir mr ing jhr bijv bv nl ev",
    "sv": "hr fr dir ev bl jfr resp", "nb": "hr fr ev jf bl", "da": "hr fr ev jf bl evt",
    "fi": "esim ns mm tri toim huom vrt", "et": "hr pr nt vt", "hu": "dr özv ifj id szt pl kb vö ill ún",
    "lv": "dr prof piem sk sv", "lt": "dr prof pvz žr šv pan",
    "pl": "dr mgr inż prof hab ks św ul al pl gen płk mjr kpt por np tzw zob ok",
    "cs": "dr mgr ing bc prof doc judr mudr phdr rndr sv ul nám tř např tzv zvl mj",
    "sk": "dr mgr ing bc prof doc judr mudr sv ul nám napr tzv",
    "sl": "dr mag prof ing sv ul npr t.i", "hr": "dr mr prof ing sv ul npr tzv g gđa",
    "sr": "др мр проф инж св ул нпр тзв г гђа",
    "mk": "д-р м-р проф инж св ул на.пр", "bg": "д-р проф доц инж св ул бул гр г-н г-жа акад",
    "ru": "проф акад доц им св ул пр пл просп г д-р гр тов см напр", "uk": "проф акад доц ім св вул пл пр м див напр",
    "el": "κ κα κος δρ καθ αγ οδ λεωφ π.χ", "tr": "dr prof doç av müh sn sok cad mah yrd örn",
    "id": "dr drs ir hj prof jl sdr bpk yth",
    "ms": "dr prof ir en pn cik hj tn jln", "vi": "ts ths gs pgs tp q p", "sw": "bw bi dk mh prof",
}  # fmt: skip
_IN_PIECES = {  # written with spaces, with and without expansion
    "de": {"i.d.r.": "in der Regel", "o.ä.": "oder ähnlich", "u.ä.": "und ähnlich", "z.t.": "zum Teil", "z.zt.": "zur Zeit",
           "v.a.": "vor allem", "n.chr.": "nach Christus", "v.chr.": "vor Christus", "a.d.": "an der", "o.g.": "oben genannt",
           "s.o.": "siehe oben", "s.u.": "siehe unten", "u.u.": "unter Umständen", "i.a.": "im Allgemeinen", "e.v.": "e V"},
    "es": {"ee.uu.": "Estados Unidos", "a.c.": "antes de Cristo", "d.c.": "después de Cristo", "p.d.": "posdata"},
    "fr": {"av.j.-c.": "avant Jésus-Christ", "ap.j.-c.": "après Jésus-Christ", "p.-s.": "post-scriptum"},
    "en": {"ph.d.": "P H D", "u.s.a.": "U S A", "u.s.": "U S"},
    "ru": {"н.э.": "нашей эры", "до.н.э.": "до нашей эры"}, "uk": {"н.е.": "нашої ери", "т.зв.": "так званий"},
    "nb": {"e.kr.": "etter Kristus", "f.kr.": "før Kristus"}, "da": {"e.kr.": "efter Kristus", "f.kr.": "før Kristus"},
    "sv": {"e.kr.": "efter Kristus", "f.kr.": "före Kristus"}, "pl": {"n.e.": "naszej ery", "p.n.e.": "przed naszą erą"},
    "cs": {"n.l.": "našeho letopočtu", "s.r.o.": "s r o"}, "sk": {"s.r.o.": "s r o"},
}  # fmt: skip
# After these, a capital letter or the end of the text means that the sentence ends as well.
_MAY_ENDS = "inc. ltd. co. corp. jr. sr. esq. a.m. p.m. ph.d. b.a. m.a. e.v. s.a. s.l. s.r.o. n.chr. v.chr. н.э."
_MAY_END = frozenset(_MAY_ENDS.split())


def join(parts: list[str], language: str) -> int:
    """Return how many of ``parts``, the pieces from here on, are one abbreviation written with spaces (``z. B.``); 0: none."""
    known = _known(base_language(language))
    written = ""
    length = 0
    for count, part in enumerate(parts[:_MOST_PARTS], 1):
        written += part.lstrip(_OPENERS) if count == 1 else part
        bare = written.lower().rstrip(",;:)!?")
        if count > 1 and (bare in known or (count == 2 and _INITIALS.fullmatch(bare) and bare[0] == bare[1])):
            length = count
        if not part.endswith(".") and not part.rstrip(",;:)!?").endswith("."):
            break
    return length


def spoken(bare: str, language: str, before: str, after: str) -> str | None:
    """Return how ``bare`` (with its dot) is spoken: in full, or without its dots; None: it is not an abbreviation here."""
    name, base = bare.lower().replace(SPACE, ""), base_language(language)
    before_number = bool(_NUMBER.match(after))
    if before_number and (full := _before_a_number(base).get(name)):
        return full
    dotted = name.endswith(".")
    if (dotted or base == "en") and (before_number or before[:1].isdecimal()) and (month := months(base).get(name.rstrip("."))):
        return month
    if name == "est." and base == "en" and _YEAR.match(after):
        return "established"
    if name == "г." and not before[:1].isdecimal():
        return "город"
    if name in vocabulary.ONLY_BEFORE_A_NUMBER and not before_number:
        return None
    if (full := _known(base).get(name)) is not None:
        return full or " ".join(bare.replace(".", "").split())
    if name in vocabulary.ABBREVIATIONS[""] or (dotted and name[:-1] in _titles(base)):
        return bare.replace(".", " ").strip()
    if _INITIAL.fullmatch(bare) and (bare[0].isupper() or after[:1].islower()):
        return bare[0]
    return " ".join(re.sub(rf"[.\-{SPACE}]", "", bare)) if _INITIALS.fullmatch(name) else None


def ends_too(bare: str, language: str, after: str) -> bool:
    """Return whether an abbreviation that may close a sentence does: a capital letter follows."""
    name = bare.lower().replace(SPACE, "")
    closing = name in vocabulary.CLOSING and (name != "vs." or base_language(language) == "tr")
    may_end = closing or (name in _MAY_END and name.removesuffix(".") not in _BEFORE_A_NAME.get(language, "").split())
    return may_end and after.lstrip(_OPENERS)[:1].isupper()


def dot_is_inside(bare: str, after: str) -> bool:
    """Return whether the dot of an unlisted short word stands within a sentence, since a small letter follows."""
    return bool(_DOTTED.fullmatch(bare)) and len(bare) <= _LONGEST + 1 and after.lstrip(_OPENERS).islower()


@cache
def months(base: str) -> dict[str, str]:
    """Return the full name of each abbreviated month, without dots, in small letters."""
    short, wide = (get_month_names(width, "format", locale(base)) for width in ("abbreviated", "wide"))
    named = {
        short[number].lower().rstrip("."): wide[number] for number in short if short[number].lower() != wide[number].lower()
    }
    if base == "en":
        named["sept"] = wide[9]
    return {name: full for name, full in named.items() if not name[:1].isdecimal() and "." not in name}


@cache
def _before_a_number(base: str) -> dict[str, str]:
    pairs = (entry.split("=") for entry in re.findall(r"\S+=[^=]+(?=\s\S+=|$)", _BEFORE_A_NUMBER.get(base, "")))
    return {name: full.strip() for name, full in pairs}


@cache
def _known(base: str) -> dict[str, str]:
    return {**_IN_PIECES.get(base, {}), **vocabulary.ABBREVIATIONS.get(base, {})}


@cache
def _titles(base: str) -> frozenset[str]:
    return frozenset(_BEFORE_A_NAME[""].split()) | frozenset(_BEFORE_A_NAME.get(base, "").split())
