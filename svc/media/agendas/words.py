"""What agendas are headed by, in every language of the narration."""

from svc.media.text.numerals import base_language

_MARKS = " .,:;!?…،؛۔।¿¡\u00a0"
# What a list is headed by, and is then an agenda; and what it is headed by if its points have
# times, by language.
HEADINGS = {
    "en": (
        (
            "agenda|the agenda|our agenda|today’s agenda|meeting agenda|programme|running "
            "order|order of business|in this video"
        ),
        "program|schedule|timetable",
    ),
    "de": (
        "agenda|unsere agenda|tagesordnung|ablauf|tagesablauf|programmablauf|in diesem video",
        "programm|zeitplan",
    ),
    "fr": (
        "ordre du jour|au programme|déroulé|déroulement|dans cette vidéo",
        "agenda|programme|planning|horaire",
    ),
    "es": ("orden del día|agenda|en este vídeo|en este video", "programa|cronograma|horario"),
    "it": ("ordine del giorno|agenda|scaletta|in questo video", "programma|orario"),
    "pt": (
        "ordem do dia|ordem de trabalhos|agenda|pauta|neste vídeo",
        "programa|programação|cronograma",
    ),
    "ca": ("ordre del dia|agenda|en aquest vídeo", "programa|horari"),
    "ro": ("ordinea de zi|agenda|în acest videoclip", "program|programul"),
    "nl": ("agenda|dagindeling|in deze video", "programma|schema"),
    "sv": ("agenda|dagordning|föredragningslista|i den här videon", "program|schema"),
    "nb": ("agenda|dagsorden|saksliste|i denne videoen", "program"),
    "da": ("agenda|dagsorden|i denne video", "program"),
    "fi": ("agenda|esityslista|asialista|tällä videolla", "ohjelma|aikataulu"),
    "et": ("päevakord", "programm|ajakava"),
    "hu": ("napirend", "program|programterv"),
    "lv": ("darba kārtība|dienas kārtība", "programma"),
    "lt": ("darbotvarkė|dienotvarkė", "programa"),
    "pl": ("agenda|porządek obrad|porządek dnia|plan spotkania", "program|harmonogram"),
    "cs": ("agenda|program jednání|pořad jednání", "program|harmonogram"),
    "sk": ("agenda|program rokovania", "program|harmonogram"),
    "sl": ("dnevni red", "program|urnik"),
    "hr": ("dnevni red", "program|raspored"),
    "sr": ("дневни ред", "програм|распоред"),
    "mk": ("дневен ред", "програма|распоред"),
    "bg": ("дневен ред", "програма|график"),
    "ru": ("повестка дня|повестка|план встречи|в этом видео", "программа|расписание"),
    "uk": ("порядок денний|план зустрічі|у цьому відео", "програма|розклад"),
    "el": ("ημερήσια διάταξη|ατζέντα|σε αυτό το βίντεο", "πρόγραμμα"),
    "tr": ("gündem|toplantı gündemi|bu videoda", "program"),
    "id": ("agenda|susunan acara|dalam video ini", "jadwal"),
    "ms": ("agenda|atur cara|aturcara|dalam video ini", "jadual"),
    "vi": ("chương trình nghị sự|trong video này", "chương trình|lịch trình"),
    "sw": ("ajenda|katika video hii", "ratiba"),
    "ar": ("جدول الأعمال|في هذا الفيديو", "البرنامج|برنامج"),
    "fa": ("دستور جلسه|دستور کار|در این ویدیو", "برنامه"),
    "ur": ("ایجنڈا|اس ویڈیو میں", "پروگرام"),
    "hi": ("कार्यसूची|एजेंडा|इस वीडियो में", "कार्यक्रम"),
}


def is_surely_agenda(heading: str, language: str) -> bool | None:
    """Return whether a list under ``heading`` is surely an agenda,
    or only one if its points have times; None: neither.
    """
    sure, perhaps = (names.split("|") for names in HEADINGS.get(base_language(language), ("", "")))
    return True if plain(heading) in sure else False if plain(heading) in perhaps else None


def plain(text: str) -> str:
    """Return what is compared of a heading or a point."""
    return text.replace("'", "’").strip(_MARKS).casefold()
