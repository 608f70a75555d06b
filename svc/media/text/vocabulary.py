"""Words for reading signs and abbreviations aloud, by language;
the voice itself reads whatever is not listed here.
"""

# Between the whole part of a number and its decimals.
DECIMAL = {
    "en": "point", "de": "Komma", "fr": "virgule", "es": "coma", "es-419": "punto", "it": "virgola",
    "pt": "vírgula", "ca": "coma", "ro": "virgulă", "nl": "komma", "sv": "komma", "nb": "komma",
    "da": "komma", "fi": "pilkku", "et": "koma", "hu": "egész", "lv": "komats", "lt": "kablelis",
    "pl": "przecinek", "cs": "celá", "sk": "celá", "sl": "vejica", "hr": "zarez", "sr": "запета",
    "mk": "запирка", "bg": "запетая", "ru": "запятая", "uk": "кома", "el": "κόμμα", "tr": "virgül",
    "id": "koma", "ms": "perpuluhan", "vi": "phẩy", "sw": "nukta", "ar": "فاصلة", "fa": "ممیز",
    "ur": "اعشاریہ", "hi": "दशमलव",
}  # fmt: skip
DECIMALS_AS_A_NUMBER = frozenset(
    ("fr", "es", "it", "pt", "ro", "ca", "ru", "uk", "pl", "cs", "sk", "tr", "ar", "fa", "bg")
)
MINUS = {
    "en": "minus", "de": "minus", "fr": "moins", "es": "menos", "it": "meno", "pt": "menos",
    "ca": "menys", "ro": "minus", "nl": "min", "sv": "minus", "nb": "minus", "da": "minus",
    "fi": "miinus", "et": "miinus", "hu": "mínusz", "lv": "mīnus", "lt": "minus", "pl": "minus",
    "cs": "minus", "sk": "mínus", "sl": "minus", "hr": "minus", "sr": "минус", "mk": "минус",
    "bg": "минус", "ru": "минус", "uk": "мінус", "el": "μείον", "tr": "eksi", "id": "minus",
    "ms": "negatif", "vi": "âm", "sw": "hasi", "ar": "ناقص", "fa": "منفی", "ur": "منفی",
    "hi": "माइनस",
}  # fmt: skip
PLUS = {
    "en": "plus", "de": "plus", "fr": "plus", "es": "más", "it": "più", "pt": "mais", "ca": "més",
    "ro": "plus", "nl": "plus", "sv": "plus", "nb": "pluss", "da": "plus", "fi": "plus",
    "et": "pluss", "hu": "plusz", "lv": "plus", "lt": "plius", "pl": "plus", "cs": "plus",
    "sk": "plus", "sl": "plus", "hr": "plus", "sr": "плус", "mk": "плус", "bg": "плюс",
    "ru": "плюс", "uk": "плюс", "el": "συν", "tr": "artı", "id": "plus", "ms": "tambah",
    "vi": "cộng", "sw": "jumlisha", "ar": "زائد", "fa": "مثبت", "ur": "جمع", "hi": "प्लस",
}  # fmt: skip
TO = {  # in a range of numbers
    "en": "to", "de": "bis", "fr": "à", "es": "a", "it": "a", "pt": "a", "ca": "a", "ro": "până la",
    "nl": "tot", "sv": "till", "nb": "til", "da": "til", "et": "kuni", "lv": "līdz", "lt": "iki",
    "pl": "do", "cs": "až", "sk": "až", "sl": "do", "hr": "do", "sr": "до", "mk": "до", "bg": "до",
    "ru": "до", "uk": "до", "el": "έως", "id": "sampai", "ms": "hingga", "vi": "đến", "sw": "hadi",
    "ar": "إلى", "fa": "تا", "ur": "سے", "hi": "से",
}  # fmt: skip
RATIO = {"en": "to", "de": "zu", "es": "a", "it": "a", "pt": "a"}  # 3:1
OUT_OF = {  # 4.5/5
    "en": "out of", "de": "von", "fr": "sur", "es": "de", "it": "su", "pt": "de", "nl": "van de",
    "sv": "av", "nb": "av", "da": "af", "pl": "na", "cs": "z", "ru": "из", "uk": "з", "ca": "de",
    "ro": "din", "id": "dari",
}  # fmt: skip
OVER = {  # 120/80, of the blood
    "en": "over", "de": "zu", "fr": "sur", "es": "sobre", "it": "su", "pt": "por", "nl": "over",
    "sv": "över", "nb": "over", "da": "over", "pl": "na", "cs": "na", "ru": "на", "uk": "на",
    "ca": "sobre", "ro": "cu", "id": "per",
}  # fmt: skip
SECTIONS = {  # §§ 3-5
    "en": "sections",
    "de": "Paragrafen",
    "fr": "paragraphes",
    "es": "secciones",
    "it": "paragrafi",
    "pt": "parágrafos",
    "nl": "paragrafen",
    "sv": "paragrafer",
    "nb": "paragrafer",
    "da": "paragraffer",
}
STARS = {
    "en": "stars",
    "de": "Sterne",
    "fr": "étoiles",
    "es": "estrellas",
    "it": "stelle",
    "pt": "estrelas",
    "nl": "sterren",
}
# 1920x1080
BY = {"en": "by", "de": "mal", "fr": "par", "es": "por", "it": "per", "pt": "por", "nl": "bij"}
TIMES = {  # after how many times something is: 2x; by the forms of the plural
    "en": {"other": "times"},
    "de": {"other": "mal"},
    "fr": {"other": "fois"},
    "es": {"other": "veces"},
    "it": {"other": "volte"},
    "pt": {"other": "vezes"},
    "nl": {"other": "keer"},
    "sv": {"other": "gånger"},
    "da": {"other": "gange"},
    "nb": {"other": "ganger"},
    "fi": {"other": "kertaa"},
    "pl": {"other": "razy"},
    "id": {"other": "kali"},
    "tr": {"other": "kat"},
    "vi": {"other": "lần"},
    "hr": {"other": "puta"},
    "ru": {"few": "раза", "other": "раз"},
    "ca": {"other": "vegades"},
}
TWO_TIMES = {"pt": "duas", "ca": "dues", "hr": "dva"}  # where the number agrees with the word
ONE_WITH_A_UNIT = {
    "de": "ein",
    "es": "un",
    "it": "un",
    "ca": "un",
    "ro": "un",
    "da": "en",
    "nb": "en",
    "sv": "en",
}
DOT = {  # in an address of the internet
    "en": "dot", "de": "Punkt", "fr": "point", "es": "punto", "it": "punto", "pt": "ponto",
    "ca": "punt", "ro": "punct", "nl": "punt", "sv": "punkt", "nb": "punktum", "da": "punktum",
    "fi": "piste", "et": "punkt", "hu": "pont", "lv": "punkts", "lt": "taškas", "pl": "kropka",
    "cs": "tečka", "sk": "bodka", "sl": "pika", "hr": "točka", "sr": "тачка", "mk": "точка",
    "bg": "точка", "ru": "точка", "uk": "крапка", "el": "τελεία", "tr": "nokta", "id": "titik",
    "ms": "titik", "vi": "chấm", "sw": "nukta", "ar": "نقطة", "fa": "نقطه", "ur": "ڈاٹ",
    "hi": "डॉट",
}  # fmt: skip
AT = {  # in an e-mail address
    "en": "at", "de": "ät", "fr": "arobase", "es": "arroba", "it": "chiocciola", "pt": "arroba",
    "ca": "arrova", "ro": "arond", "nl": "apenstaartje", "sv": "snabel-a", "nb": "krøllalfa",
    "da": "snabel-a", "fi": "ät", "et": "ät", "hu": "kukac", "lv": "et", "lt": "eta", "pl": "małpa",
    "cs": "zavináč", "sk": "zavináč", "sl": "afna", "hr": "et", "sr": "ет", "mk": "ет",
    "bg": "кльомба", "ru": "собака", "uk": "равлик", "el": "παπάκι", "tr": "et", "id": "at",
    "ms": "di", "vi": "a còng", "sw": "kwa", "ar": "آت", "fa": "ات", "ur": "ایٹ", "hi": "ऐट",
}  # fmt: skip
# How hours and minutes follow each other: {0} the hour, {1} the minutes; the second form is for the
# full hour.
TIME = {
    "de": ("{0} Uhr {1}", "{0} Uhr"),
    "fr": ("{0} heures {1}", "{0} heures"),
    "nl": ("{0} uur {1}", "{0} uur"),
    "it": ("{0} e {1}", "{0}"),
    "pt": ("{0} e {1}", "{0} horas"),
    "es": ("{0} y {1}", "{0} en punto"),
    "id": ("{0} lewat {1} menit", "{0}"),
    "vi": ("{0} giờ {1} phút", "{0} giờ"),
}
PER = {  # between an amount and what it is for: $12/mo
    "en": "per", "de": "pro", "fr": "par", "es": "por", "it": "per", "pt": "por", "ca": "per",
    "ro": "pe", "nl": "per", "sv": "per", "nb": "per", "da": "per", "pl": "za", "cs": "za",
    "sk": "za", "sl": "na", "hr": "po", "ru": "за", "uk": "за", "id": "per", "ms": "per",
}  # fmt: skip
PERIODS = {
    "de": {"Std": "Stunde", "h": "Stunde", "J": "Jahr", "Mon": "Monat"},
    "uk": {"міс": "місяць"},
    "ro": {"pers": "persoană"},
    "ca": {"pers": "persona"},
    "fr": {"sem": "semaine"},
    "es": {"sem": "semana"},
    "pt": {"sem": "semana"},
    "ru": {"мес": "месяц", "чел": "человека", "шт": "штуку"},
    "en": {
        "mo": "month",
        "mth": "month",
        "yr": "year",
        "y": "year",
        "wk": "week",
        "hr": "hour",
        "d": "day",
    },
}
PER_PERIOD = {  # where a period takes another word: 5 € al mes
    "es": {
        "mes": "al mes",
        "día": "al día",
        "año": "al año",
        "semana": "a la semana",
        "sem": "a la semana",
    },
    "it": {
        "mese": "al mese",
        "giorno": "al giorno",
        "anno": "all’anno",
        "settimana": "alla settimana",
        "ora": "all’ora",
    },
}
TIME_ZONES = frozenset((
    "ET", "EST", "EDT", "CT", "CST", "CDT", "MT", "MST", "MDT", "PT", "PST", "PDT", "GMT", "UTC",
    "BST", "CET", "CEST", "IST", "JST", "AEST", "AEDT",
))  # fmt: skip
AFTER_MINUTES = {"es": ("h", "hs", "horas"), "it": ("h",), "pt": ("h",), "ca": ("h",)}  # 18:00 h
ONE_OCLOCK = {"de": "ein", "fr": "une", "es": "una", "it": "una", "pt": "uma"}
BEFORE_A_TIME = {  # words before it, where it is written with a dot: om 14.15
    "de": ("um",),
    "nl": ("om",),
    "it": ("ore", "alle", "dalle", "ore:"),
    "da": ("kl.", "klokken"),
    "nb": ("kl.", "klokka", "klokken"),
    "sv": ("kl.", "klockan"),
    "fi": ("klo", "kello"),
    "pl": ("godz.", "godz", "godzina", "o"),
    "id": ("pukul", "jam", "pk."),
    "cs": ("od", "do", "v", "ve"),
    "et": ("kell",),
}
HOUR_WORDS = {
    "de": ("Uhr",),
    "nl": ("uur", "u.", "u"),
    "fr": ("h", "heures"),
    "en": ("am", "pm", "a.m.", "p.m.", "AM", "PM"),
}
# CLDR would add a country to the dollar and the pound, which a text need not mean; singular and
# plural.
CURRENCY = {
    "$": {
        "en": ("dollar", "dollars"),
        "de": ("Dollar", "Dollar"),
        "fr": ("dollar", "dollars"),
        "es": ("dólar", "dólares"),
        "it": ("dollaro", "dollari"),
        "pt": ("dólar", "dólares"),
        "nl": ("dollar", "dollar"),
        "sv": ("dollar", "dollar"),
        "da": ("dollar", "dollar"),
        "nb": ("dollar", "dollar"),
        "ca": ("dòlar", "dòlars"),
        "tr": ("dolar", "dolar"),
    },
    "kr": {"sv": ("krona", "kronor"), "da": ("krone", "kroner"), "nb": ("krone", "kroner")},
    "R$": {"pt": ("real", "reais")},
    "£": {
        "en": ("pound", "pounds"),
        "de": ("Pfund", "Pfund"),
        "fr": ("livre", "livres"),
        "es": ("libra", "libras"),
        "it": ("sterlina", "sterline"),
        "pt": ("libra", "libras"),
        "nl": ("pond", "pond"),
    },
}
# Just before the sign of a currency (3 M€, 2,5 Mrd. €): the forms for CLDR's one and other, or for
# one, few, many and other.
SHORT_SCALES: dict[str, dict[str, tuple[str, ...]]] = {
    "de": {
        "k": ("Tausend", "Tausend"),
        "Tsd": ("Tausend", "Tausend"),
        "Mio": ("Million", "Millionen"),
        "Mrd": ("Milliarde", "Milliarden"),
    },
    "fr": {
        "k": ("mille", "mille"),
        "M": ("million de", "millions de"),
        "Md": ("milliard de", "milliards de"),
        "Mds": ("milliard de", "milliards de"),
    },
    "es": {
        "k": ("mil", "mil"),
        "M": ("millón de", "millones de"),
        "mill": ("millón de", "millones de"),
    },
    "it": {
        "k": ("mille", "mila"),
        "mln": ("milione di", "milioni di"),
        "mld": ("miliardo di", "miliardi di"),
        "Mln": ("milione di", "milioni di"),
        "Mld": ("miliardo di", "miliardi di"),
    },
    "pt": {
        "k": ("mil", "mil"),
        "mil": ("mil", "mil"),
        "M": ("milhão de", "milhões de"),
        "mi": ("milhão de", "milhões de"),
        "bi": ("bilhão de", "bilhões de"),
    },
    "nl": {
        "mln": ("miljoen", "miljoen"),
        "mld": ("miljard", "miljard"),
        "mrd": ("miljard", "miljard"),
    },
    "da": {"mio": ("million", "millioner"), "mia": ("milliard", "milliarder")},
    "nb": {"mill": ("million", "millioner"), "mrd": ("milliard", "milliarder")},
    "pl": {
        "mln": ("milion", "miliony", "milionów", "miliona"),
        "mld": ("miliard", "miliardy", "miliardów", "miliarda"),
    },
    "ru": {
        "млн": ("миллион", "миллиона", "миллионов", "миллиона"),
        "млрд": ("миллиард", "миллиарда", "миллиардов", "миллиарда"),
    },
    "uk": {
        "млн": ("мільйон", "мільйони", "мільйонів", "мільйона"),
        "млрд": ("мільярд", "мільярди", "мільярдів", "мільярда"),
    },
}
SCALES = {  # after an amount with its sign in front: spoken between the number and the currency
    "en": {
        "million": "million",
        "billion": "billion",
        "trillion": "trillion",
        "thousand": "thousand",
        "m": "million",
        "bn": "billion",
        "k": "thousand",
        "mn": "million",
        "b": "billion",
        "tn": "trillion",
        "t": "trillion",
        "lakh": "lakh",
        "crore": "crore",
    },
    "de": {
        "million": "Million",
        "millionen": "Millionen",
        "milliarde": "Milliarde",
        "milliarden": "Milliarden",
        "mio": "Millionen",
        "mrd": "Milliarden",
    },
    "es": {"millón": "millón de", "millones": "millones de"},
    "fr": {
        "million": "million de",
        "millions": "millions de",
        "milliard": "milliard de",
        "milliards": "milliards de",
    },
    "nl": {"miljoen": "miljoen", "miljard": "miljard"},
    "it": {
        "milione": "milione di",
        "milioni": "milioni di",
        "miliardo": "miliardo di",
        "miliardi": "miliardi di",
    },
    "pt": {
        "milhão": "milhão de",
        "milhões": "milhões de",
        "bilhão": "bilhão de",
        "bilhões": "bilhões de",
        "mi": "milhões de",
        "bi": "bilhões de",
    },
    "sv": {
        "miljon": "miljon",
        "miljoner": "miljoner",
        "miljard": "miljard",
        "miljarder": "miljarder",
    },
    "da": {
        "million": "million",
        "millioner": "millioner",
        "milliard": "milliard",
        "milliarder": "milliarder",
    },
    "nb": {
        "million": "million",
        "millioner": "millioner",
        "milliard": "milliard",
        "milliarder": "milliarder",
    },
    **{
        language: {scale: forms[2] for scale, forms in SHORT_SCALES[language].items()}
        for language in ("pl", "ru", "uk")
    },
}
COUNTED_BY_MILLIONS = frozenset((  # what may follow 2.5m in English, where m is no metre
    "views", "likes", "shares", "streams", "downloads", "followers", "subscribers", "users",
    "visitors", "readers", "viewers", "listeners", "customers", "members", "people", "jobs",
    "homes", "households", "copies", "units", "children", "students", "workers", "voters",
    "patients", "passengers", "adults", "employees", "families", "visits", "clicks", "sales",
    "tonnes", "tons", "barrels", "dollars", "euros", "pounds", "records", "vehicles", "cars",
    "trees", "accounts", "years", "Americans", "Britons", "Europeans", "Germans", "orders",
    "transactions", "messages", "posts", "tweets", "residents",
))  # fmt: skip
# after a scale: 2,5 M de vues
OF = {"fr": ("de", "d’", "d'"), "es": ("de",), "it": ("di", "d’", "d'"), "pt": ("de",)}
SCALES_ALONE = {
    "en": ("bn", "tn", "mn", "M"),
    "pl": ("mln", "mld"),
    "ru": ("млн", "млрд"),
    "uk": ("млн", "млрд"),
}  # those that after a number without a currency mean nothing else
ONE_WITH_A_SCALE = {**ONE_WITH_A_UNIT, "de": "eine"}

# Abbreviations whose dot does not end a sentence. Voices can read the common ones without the dot;
# others are written out.
ABBREVIATIONS = {
    "": {
        "dr.": "", "prof.": "", "mr.": "", "mrs.": "", "ms.": "", "st.": "", "jr.": "", "sr.": "",
        "inc.": "", "ltd.": "", "vol.": "", "fig.": "", "nr.": "", "tel.": "", "mme.": "",
        "dott.": "", "ing.": "",
    },
    "en": {"ø": "diameter", "w/": "with", "w/o": "without", "e.g.": "for example",
           "i.e.": "that is", "etc.": "et cetera", "vs.": "versus", "approx.": "approximately",
           "no.": "number", "dept.": "department", "incl.": "including", "excl.": "excluding",
           "qty.": "quantity", "govt.": "government", "misc.": "miscellaneous", "pts": "points",
           "yoy": "year on year", "qoq": "quarter on quarter"},
    "de": {
        "z.b.": "zum Beispiel", "d.h.": "das heißt", "usw.": "und so weiter",
        "bzw.": "beziehungsweise", "ca.": "circa", "dr.": "Doktor", "nr.": "Nummer",
        "u.a.": "unter anderem", "inkl.": "inklusive", "evtl.": "eventuell", "mio.": "Millionen",
        "mrd.": "Milliarden", "vgl.": "vergleiche", "etc.": "et cetera", "ggf.": "gegebenenfalls",
        "u.": "und", "tsd.": "Tausend", "co.": "", "zzgl.": "zuzüglich", "exkl.": "exklusive",
        "hr.": "Herr", "hrn.": "Herrn", "fam.": "Familie", "pers.": "Personen", "betr.": "betrifft",
        "gg.": "gegen", "tbl.": "Tabletten", "mind.": "mindestens", "sog.": "sogenannt",
        "std.": "Stunden", "jh.": "Jahrhundert", "ff.": "folgende",
    },
    "fr": {"ø": "diamètre", "etc.": "et cætera", "p.ex.": "par exemple", "env.": "environ",
           "m.": "monsieur", "c.-à-d.": "c’est-à-dire", "av.": "avant", "apr.": "après",
           "ier": "premier", "pers.": "personnes", "hab.": "habitants", "bât.": "bâtiment",
           "c.às.": "cuillères à soupe", "c.àc.": "cuillères à café", "incl.": "inclus",
           "excl.": "exclu"},
    "es": {"ø": "diámetro", "etc.": "etcétera", "p.ej.": "por ejemplo", "sr.": "señor",
           "sra.": "señora", "aprox.": "aproximadamente", "dr.": "doctor", "dra.": "doctora",
           "ud.": "usted", "uds.": "ustedes", "núm.": "número", "tfno.": "teléfono",
           "tlfno.": "teléfono", "tlf.": "teléfono", "sta.": "Santa", "sto.": "Santo",
           "avda.": "avenida", "hab.": "habitantes", "pza.": "plaza", "plza.": "plaza",
           "incl.": "incluido", "excl.": "excluido", "pers.": "personas", "dcha.": "derecha",
           "izda.": "izquierda"},
    "it": {"ø": "diametro", "mln": "milioni", "mld": "miliardi", "ecc.": "eccetera",
           "es.": "esempio", "sig.": "signor", "ca.": "circa", "dott.": "dottor",
           "incl.": "inclusa", "escl.": "esclusa", "pz.": "pezzi", "pers.": "persone"},
    "pt": {"ø": "diâmetro", "etc.": "et cetera", "ex.": "exemplo", "sr.": "senhor",
           "sra.": "senhora", "dr.": "doutor", "dra.": "doutora", "aprox.": "aproximadamente",
           "hab.": "habitantes", "incl.": "incluído", "obs.": "observação"},
    "ca": {"etc.": "etcètera", "p.ex.": "per exemple", "sr.": "senyor", "sra.": "senyora"},
    "ro": {"etc.": "et cetera", "ex.": "exemplu", "nr.": "numărul", "dl.": "domnul",
           "dna.": "doamna"},
    "nl": {"ø": "diameter", "bijv.": "bijvoorbeeld", "bv.": "bijvoorbeeld", "enz.": "enzovoort",
           "d.w.z.": "dat wil zeggen", "ca.": "circa", "o.a.": "onder andere",
           "m.b.t.": "met betrekking tot", "i.v.m.": "in verband met", "t.o.v.": "ten opzichte van",
           "a.u.b.": "alstublieft", "i.p.v.": "in plaats van", "n.a.v.": "naar aanleiding van",
           "m.u.v.": "met uitzondering van", "o.b.v.": "op basis van", "t/m": "tot en met",
           "p.p.": "per persoon", "p.st.": "per stuk", "incl.": "inclusief", "excl.": "exclusief",
           "min.": "minimaal", "max.": "maximaal", "dhr.": "de heer", "mevr.": "mevrouw",
           "mw.": "mevrouw", "e.d.": "en dergelijke", "e.a.": "en anderen",
           "m.vr.gr.": "met vriendelijke groet"},
    "sv": {"t.ex.": "till exempel", "bl.a.": "bland annat", "osv.": "och så vidare", "ca.": "cirka",
           "m.m.": "med mera", "d.v.s.": "det vill säga", "kl.": "klockan",
           "fr.o.m.": "från och med", "t.o.m.": "till och med", "o.s.v.": "och så vidare",
           "m.fl.": "med flera"},
    "nb": {"f.eks.": "for eksempel", "bl.a.": "blant annet", "osv.": "og så videre", "ca.": "cirka",
           "dvs.": "det vil si", "kl.": "klokken", "m.m.": "med mer", "m.fl.": "med flere"},
    "da": {"f.eks.": "for eksempel", "bl.a.": "blandt andet", "osv.": "og så videre",
           "ca.": "cirka", "dvs.": "det vil sige", "kl.": "klokken", "ift.": "i forhold til",
           "inkl.": "inklusive", "mio.": "millioner", "mia.": "milliarder", "m.m.": "med mere",
           "m.fl.": "med flere", "m.v.": "med videre"},
    "fi": {"esim.": "esimerkiksi", "jne.": "ja niin edelleen", "mm.": "muun muassa",
           "ns.": "niin sanottu", "n.": "noin", "klo.": "kello", "ym.": "ynnä muuta",
           "yms.": "ynnä muuta sellaista"},
    "et": {"nt.": "näiteks", "jne.": "ja nii edasi", "st.": "see tähendab", "u.": "umbes"},
    "hu": {"pl.": "például", "stb.": "és a többi", "kb.": "körülbelül", "u.": "utca", "sz.": "szám",
           "em.": "emelet", "ill.": "illetve"},
    "lv": {"piem.": "piemēram", "u.c.": "un citi", "utt.": "un tā tālāk"},
    "lt": {"pvz.": "pavyzdžiui", "t.y.": "tai yra", "ir t.t.": "ir taip toliau"},
    "pl": {"np.": "na przykład", "m.in.": "między innymi", "itd.": "i tak dalej",
           "itp.": "i tym podobne", "ok.": "około", "tzn.": "to znaczy", "tj.": "to jest",
           "ul.": "ulica", "mln": "milionów", "mld": "miliardów", "tys.": "tysięcy",
           "godz.": "godzina", "szt.": "sztuk", "maks.": "maksymalnie", "r.": "roku"},
    "cs": {"např.": "například", "atd.": "a tak dále", "tj.": "to jest", "tzv.": "takzvaný",
           "apod.": "a podobně", "hod.": "hodin", "č.": "číslo", "aj.": "a jiné"},
    "sk": {"napr.": "napríklad", "atď.": "a tak ďalej", "t.j.": "to jest", "tzv.": "takzvaný",
           "č.": "číslo"},
    "sl": {"npr.": "na primer", "itd.": "in tako dalje", "t.i.": "tako imenovani"},
    "hr": {"npr.": "na primjer", "itd.": "i tako dalje", "tj.": "to jest", "tzv.": "takozvani"},
    "sr": {"нпр.": "на пример", "итд.": "и тако даље", "тј.": "то јест"},
    "bg": {"напр.": "например", "т.е.": "тоест", "др.": "други", "г.": "година", "лв.": "лева"},
    "ru": {"т.е.": "то есть", "т.д.": "так далее", "т.п.": "тому подобное", "т.к.": "так как",
           "г.": "года", "гг.": "годов", "руб.": "рублей", "тыс.": "тысяч", "млн.": "миллионов",
           "млрд.": "миллиардов", "др.": "другие", "эт.": "этаж", "раб.": "рабочий",
           "напр.": "например", "млн": "миллионов", "млрд": "миллиардов", "тыс": "тысяч"},
    "uk": {"т.д.": "так далі", "т.п.": "тому подібне", "р.": "року", "грн.": "гривень",
           "тис.": "тисяч", "млн": "мільйонів", "млрд": "мільярдів", "напр.": "наприклад"},
    "el": {"π.χ.": "παραδείγματος χάριν", "κ.λπ.": "και λοιπά", "κ.ά.": "και άλλα",
           "δηλ.": "δηλαδή"},
    "tr": {"vb.": "ve benzeri", "vs.": "vesaire", "örn.": "örneğin", "dr.": "doktor"},
    "hi": {"नं.": "नंबर", "डॉ.": "डॉक्टर", "प्रो.": "प्रोफ़ेसर", "रु.": "रुपये", "सं.": "संख्या", "कु.": "कुमारी",
           "पं.": "पंडित", "कि.मी.": "किलोमीटर", "ई.पू.": "ईसा पूर्व"},
    "ar": {"ص.ب.": "صندوق بريد", "أ.د.": "أستاذ دكتور", "ق.م.": "قبل الميلاد"},
    "fa": {"ق.م.": "قبل از میلاد"}, "ur": {"ڈا.": "ڈاکٹر"},
    "id": {
        "jl.": "Jalan", "dll.": "dan lain-lain", "dsb.": "dan sebagainya", "yth.": "yang terhormat",
        "mis.": "misalnya",
    },
    "ms": {"dll.": "dan lain-lain"},
}  # fmt: skip
# Abbreviations that close an enumeration: before a capital letter they end the sentence as well.
_CLOSING = (
    "etc. usw. std. ecc. enz. osv. jne. stb. utt. itd. itp. atd. apod. atď. итд. т.д. т.п. др. "
    "κ.λπ. κ.ά. vb. vs. dll."
)
_MORE_CLOSING = "dsb. m.m. m.fl. m.v. e.d. e.a. ym. yms. aj."
CLOSING = frozenset((*_CLOSING.split(), *_MORE_CLOSING.split()))
ONLY_BEFORE_A_NUMBER = frozenset(("no.", "nr.", "núm.", "č.", "kl.", "klo.", "n.", "ok."))

NUMBER = {
    "en": "number",
    "de": "Nummer",
    "fr": "numéro",
    "es": "número",
    "it": "numero",
    "pt": "número",
    "nl": "nummer",
}
TO_THE_POWER = {
    "en": "to the power of",
    "de": "hoch",
    "fr": "puissance",
    "es": "elevado a",
    "it": "elevato a",
    "pt": "elevado a",
    "nl": "tot de macht",
}

UNITS = {  # as written: CLDR's name, for which babel has the words and their plurals
    "km": "length-kilometer", "m": "length-meter", "cm": "length-centimeter",
    "mm": "length-millimeter", "ft": "length-foot", "mi": "length-mile", "kg": "mass-kilogram",
    "g": "mass-gram", "mg": "mass-milligram", "t": "mass-tonne", "lb": "mass-pound",
    "lbs": "mass-pound", "oz": "mass-ounce", "l": "volume-liter", "L": "volume-liter",
    "ml": "volume-milliliter", "mL": "volume-milliliter", "°C": "temperature-celsius",
    "°F": "temperature-fahrenheit", "°": "angle-degree", "%": "concentr-percent",
    "‰": "concentr-permille", "km/h": "speed-kilometer-per-hour", "mph": "speed-mile-per-hour",
    "m/s": "speed-meter-per-second", "h": "duration-hour", "min": "duration-minute",
    "s": "duration-second", "ms": "duration-millisecond", "hr": "duration-hour",
    "hrs": "duration-hour", "mins": "duration-minute", "sec": "duration-second",
    "secs": "duration-second", "yr": "duration-year", "yrs": "duration-year",
    "kB": "digital-kilobyte", "MB": "digital-megabyte", "GB": "digital-gigabyte",
    "TB": "digital-terabyte", "W": "power-watt", "kW": "power-kilowatt", "MW": "power-megawatt",
    "kWh": "energy-kilowatt-hour", "kcal": "energy-kilocalorie", "V": "electric-volt",
    "Hz": "frequency-hertz", "kHz": "frequency-kilohertz", "MHz": "frequency-megahertz",
    "GHz": "frequency-gigahertz", "m²": "area-square-meter", "km²": "area-square-kilometer",
    "cm²": "area-square-centimeter", "ha": "area-hectare", "m³": "volume-cubic-meter",
    "tsp": "volume-teaspoon", "tbsp": "volume-tablespoon", "hPa": "pressure-hectopascal",
    "bar": "pressure-bar", "км": "length-kilometer", "м": "length-meter", "см": "length-centimeter",
    "мм": "length-millimeter", "кг": "mass-kilogram", "км/ч": "speed-kilometer-per-hour",
    "км/год": "speed-kilometer-per-hour", "мин": "duration-minute", "ч": "duration-hour",
    "KB": "digital-kilobyte", "PB": "digital-petabyte", "kbit": "digital-kilobit",
    "Mbit": "digital-megabit", "Gbit": "digital-gigabit", "µg": "mass-microgram",
    "μg": "mass-microgram", "nm": "length-nanometer", "µm": "length-micrometer",
    "μm": "length-micrometer", "dm": "length-decimeter", "yd": "length-yard",
    "cl": "volume-centiliter", "dl": "volume-deciliter", "hl": "volume-hectoliter",
    "ppm": "concentr-permillion", "kPa": "pressure-kilopascal",
    "psi": "pressure-pound-force-per-square-inch", "kJ": "energy-kilojoule", "GW": "power-gigawatt",
    "m/s²": "acceleration-meter-per-square-second", "mmHg": "pressure-millimeter-ofhg",
    "J": "energy-joule", "Nm": "torque-newton-meter", "N·m": "torque-newton-meter",
    "ft²": "area-square-foot", "mi²": "area-square-mile", "yd²": "area-square-yard",
    "mol": "concentr-mole", "mmol/l": "concentr-millimole-per-liter",
    "mmol/L": "concentr-millimole-per-liter", "lx": "light-lux", "lm": "light-lumen",
    "px": "graphics-pixel", "dpi": "graphics-dot-per-inch", "ppi": "graphics-pixel-per-inch",
    "MPa": "pressure-megapascal", "Pa": "pressure-pascal", "Ω": "electric-ohm",
    "Tbit": "digital-terabit", "mA": "electric-milliampere", "ns": "duration-nanosecond",
    "µs": "duration-microsecond", "μs": "duration-microsecond",
}  # fmt: skip
OWN_UNITS = {  # of one language, where the letters mean nothing else
    "de": {
        "Min": "duration-minute",
        "Sek": "duration-second",
        "Std": "duration-hour",
        "EL": "volume-tablespoon",
        "TL": "volume-teaspoon",
    },
    "fr": {
        "ko": "digital-kilobyte",
        "Ko": "digital-kilobyte",
        "Mo": "digital-megabyte",
        "Go": "digital-gigabyte",
        "To": "digital-terabyte",
    },
    "es": {
        "cda": "volume-tablespoon",
        "cdas": "volume-tablespoon",
        "cdta": "volume-teaspoon",
        "cdtas": "volume-teaspoon",
    },
}
CENTS = {  # of amounts below one: one, and several
    "en": {"$": ("cent", "cents"), "€": ("cent", "cents"), "£": ("penny", "pence")},
    "de": {"€": ("Cent", "Cent")},
    "fr": {"€": ("centime", "centimes")},
    "es": {"€": ("céntimo", "céntimos"), "$": ("centavo", "centavos")},
    "it": {"€": ("centesimo", "centesimi")},
    "pt": {"€": ("cêntimo", "cêntimos"), "R$": ("centavo", "centavos")},
    "nl": {"€": ("cent", "cent")},
}
_CODES = "EUR USD GBP JPY CHF INR CNY RUB TRY UAH KRW ILS PLN CZK BRL HUF SEK NOK DKK CAD AUD MXN"
CURRENCIES = {  # signs and, in capitals, ISO 4217 codes
    "€": "EUR",
    "$": "USD",
    "£": "GBP",
    "¥": "JPY",
    "₹": "INR",
    "₽": "RUB",
    "₺": "TRY",
    "₴": "UAH",
    "₩": "KRW",
    "₪": "ILS",
    "₫": "VND",
    "zł": "PLN",
    "Kč": "CZK",
    "R$": "BRL",
    "US$": "USD",
    "C$": "CAD",
    "A$": "AUD",
    "NZ$": "NZD",
    "HK$": "HKD",
    "S$": "SGD",
    "kr": "SEK",
    "грн": "UAH",
    "Ft": "HUF",
    "лв": "BGN",
    "Rp": "IDR",
    **{code: code for code in _CODES.split()},
}
