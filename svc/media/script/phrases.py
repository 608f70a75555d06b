"""The phrases that the service adds to a script: a sign-off with the account's name, and words where the brief has none.

They make no claims about the topic. Names stand after a colon or a preposition that leaves them as they are, in every language.
"""

from datetime import date

from babel import Locale
from babel.dates import format_date

_SIGN_OFF = {
    "en": "A video by {}.", "de": "Ein Video von {}.", "fr": "Une vidéo de {}.", "es": "Un vídeo de {}.",
    "es-419": "Un video de {}.", "it": "Un video di {}.", "pt": "Um vídeo de {}.", "ca": "Un vídeo de {}.",
    "ro": "Un videoclip de {}.", "nl": "Een video van {}.", "sv": "En video från {}.", "nb": "En video fra {}.",
    "da": "En video fra {}.", "fi": "Videon tekijä: {}.", "et": "Video autor: {}.", "hu": "A videó készítője: {}.",
    "lv": "Video autors: {}.", "lt": "Vaizdo įrašo autorius: {}.", "pl": "Autor filmu: {}.", "cs": "Autor videa: {}.",
    "sk": "Autor videa: {}.", "sl": "Avtor videa: {}.", "hr": "Autor videa: {}.", "sr": "Аутор видеа: {}.",
    "mk": "Автор на видеото: {}.", "bg": "Автор на видеото: {}.", "ru": "Автор видео: {}.", "uk": "Автор відео: {}.",
    "el": "Το βίντεο είναι από: {}.", "tr": "Videoyu hazırlayan: {}.", "id": "Video dari {}.", "ms": "Video daripada {}.",
    "vi": "Video của {}.", "sw": "Video ya {}.", "ar": "فيديو من {}.", "fa": "ویدیویی از {}.", "ur": "ویڈیو از {}۔",
    "hi": "प्रस्तुति: {}।",
    "ja": "制作：{}。", "zh": "制作：{}。", "zh-TW": "製作：{}。", "ko": "제작: {}.", "th": "วิดีโอโดย {}", "he": "סרטון מאת {}.",
}  # fmt: skip
_CODE = {
    "en": "The code", "de": "Der Code", "fr": "Le code", "es": "El código", "it": "Il codice", "pt": "O código",
    "ca": "El codi", "ro": "Codul", "nl": "De code", "sv": "Koden", "nb": "Koden", "da": "Koden", "fi": "Koodi", "et": "Kood",
    "hu": "A kód", "lv": "Kods", "lt": "Kodas", "pl": "Kod", "cs": "Kód", "sk": "Kód", "sl": "Koda", "hr": "Kod", "sr": "Код",
    "mk": "Кодот", "bg": "Кодът", "ru": "Код", "uk": "Код", "el": "Ο κώδικας", "tr": "Kod", "id": "Kode", "ms": "Kod",
    "vi": "Mã", "sw": "Msimbo", "ar": "الشيفرة", "fa": "کد", "ur": "کوڈ", "hi": "कोड",
    "ja": "コード", "zh": "代码", "zh-TW": "程式碼", "ko": "코드", "th": "โค้ด", "he": "הקוד",
}  # fmt: skip
# What a video without notes says of itself: its topic, the country that it is for, its language, its date.
_FACTS = {
    "en": ("This video is about", "Made for", "Language", "Date"),
    "de": ("In diesem Video geht es um", "Land", "Sprache", "Datum"),
    "fr": ("Le sujet de cette vidéo", "Pays", "Langue", "Date"), "es": ("El tema de este vídeo", "País", "Idioma", "Fecha"),
    "it": ("L’argomento di questo video", "Paese", "Lingua", "Data"), "pt": ("O tema deste vídeo", "País", "Idioma", "Data"),
    "ca": ("El tema d’aquest vídeo", "País", "Llengua", "Data"), "ro": ("Tema acestui videoclip", "Țara", "Limba", "Data"),
    "nl": ("Het onderwerp van deze video", "Land", "Taal", "Datum"), "sv": ("Videons ämne", "Land", "Språk", "Datum"),
    "nb": ("Videoens tema", "Land", "Språk", "Dato"), "da": ("Videoens emne", "Land", "Sprog", "Dato"),
    "fi": ("Videon aihe", "Maa", "Kieli", "Päiväys"), "et": ("Video teema", "Riik", "Keel", "Kuupäev"),
    "hu": ("A videó témája", "Ország", "Nyelv", "Dátum"), "lv": ("Video temats", "Valsts", "Valoda", "Datums"),
    "lt": ("Vaizdo įrašo tema", "Šalis", "Kalba", "Data"), "pl": ("Temat filmu", "Kraj", "Język", "Data"),
    "cs": ("Téma videa", "Země", "Jazyk", "Datum"), "sk": ("Téma videa", "Krajina", "Jazyk", "Dátum"),
    "sl": ("Tema videa", "Država", "Jezik", "Datum"), "hr": ("Tema videa", "Država", "Jezik", "Datum"),
    "sr": ("Тема видеа", "Држава", "Језик", "Датум"), "mk": ("Тема на видеото", "Држава", "Јазик", "Датум"),
    "bg": ("Тема на видеото", "Държава", "Език", "Дата"), "ru": ("Тема видео", "Страна", "Язык", "Дата"),
    "uk": ("Тема відео", "Країна", "Мова", "Дата"), "el": ("Το θέμα του βίντεο", "Χώρα", "Γλώσσα", "Ημερομηνία"),
    "tr": ("Videonun konusu", "Ülke", "Dil", "Tarih"), "id": ("Topik video ini", "Negara", "Bahasa", "Tanggal"),
    "ms": ("Topik video ini", "Negara", "Bahasa", "Tarikh"), "vi": ("Chủ đề của video", "Quốc gia", "Ngôn ngữ", "Ngày"),
    "sw": ("Mada ya video hii", "Nchi", "Lugha", "Tarehe"), "ar": ("موضوع هذا الفيديو", "البلد", "اللغة", "التاريخ"),
    "fa": ("موضوع این ویدیو", "کشور", "زبان", "تاریخ"), "ur": ("اس ویڈیو کا موضوع", "ملک", "زبان", "تاریخ"),
    "hi": ("इस वीडियो का विषय", "देश", "भाषा", "तारीख"),
    "ja": ("この動画のテーマ", "国", "言語", "日付"),
    "zh": ("本视频的主题", "国家", "语言", "日期"), "zh-TW": ("本影片的主題", "國家", "語言", "日期"),
    "ko": ("이 영상의 주제", "국가", "언어", "날짜"),
    "th": ("หัวข้อของวิดีโอนี้", "ประเทศ", "ภาษา", "วันที่"), "he": ("נושא הסרטון", "מדינה", "שפה", "תאריך"),
}  # fmt: skip


def sign_off(account: str, language: str) -> str:
    """Return the closing sentence, which names the account; empty without a name or a phrase in ``language``."""
    phrase = _in(_SIGN_OFF, language)
    return phrase.format(account.rstrip(" .")) if phrase and account.strip() else ""


def code(page: int, language: str) -> str:
    """Return what is said over code that no sentence introduces. ``page``: which screen of the section it is, from 1."""
    noun = _in(_CODE, language) or "Code"
    return noun if page == 1 else f"{noun}, {page}"


def facts(topic: str, country: str, language: str, made: date | None) -> tuple[str, list[str]]:
    """Return a sentence about the topic and a list of facts: the country and the language of the video, and its date.

    Names are those of the Unicode CLDR; ``country``: ISO 3166-1 alpha-2. Without phrases in ``language`` there are no facts.
    """
    named = _in(_FACTS, language)
    if named is None:
        return topic, []
    locale = Locale.parse(language, sep="-")
    values = (
        locale.territories.get(country, ""),
        locale.get_display_name(locale) or "",
        format_date(made, "long", locale) if made else "",
    )
    facts = [f"{name}: {value[:1].upper()}{value[1:]}" for name, value in zip(named[1:], values, strict=True) if value]
    return f"{named[0]}: {topic}", facts


def _in(phrases, language: str):
    """Return the phrase of a language or of the language that it is a variant of."""
    return phrases.get(language) or phrases.get(language.partition("-")[0])
