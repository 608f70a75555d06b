"""The phrases that the service adds to a script: a sign-off with the account's name, and words
where the brief has none.

They make no claims about the topic. Names stand after a colon or a preposition that leaves them as
they are, in every language.
"""

from svc.base.text import alerts

_SIGN_OFF = {
    "en": "A video by {}.", "de": "Ein Video von {}.", "fr": "Une vidéo de {}.",
    "es": "Un vídeo de {}.", "es-419": "Un video de {}.", "it": "Un video di {}.",
    "pt": "Um vídeo de {}.", "ca": "Un vídeo de {}.", "ro": "Un videoclip de {}.",
    "nl": "Een video van {}.", "sv": "En video från {}.", "nb": "En video fra {}.",
    "da": "En video fra {}.", "fi": "Videon tekijä: {}.", "et": "Video autor: {}.",
    "hu": "A videó készítője: {}.", "lv": "Video autors: {}.", "lt": "Vaizdo įrašo autorius: {}.",
    "pl": "Autor filmu: {}.", "cs": "Autor videa: {}.", "sk": "Autor videa: {}.",
    "sl": "Avtor videa: {}.", "hr": "Autor videa: {}.", "sr": "Аутор видеа: {}.",
    "mk": "Автор на видеото: {}.", "bg": "Автор на видеото: {}.", "ru": "Автор видео: {}.",
    "uk": "Автор відео: {}.", "el": "Το βίντεο είναι από: {}.", "tr": "Videoyu hazırlayan: {}.",
    "id": "Video dari {}.", "ms": "Video daripada {}.", "vi": "Video của {}.", "sw": "Video ya {}.",
    "ar": "فيديو من {}.", "fa": "ویدیویی از {}.", "ur": "ویڈیو از {}۔", "hi": "प्रस्तुति: {}।",
    "ja": "制作：{}。", "zh": "制作：{}。", "zh-TW": "製作：{}。", "ko": "제작: {}.",
    "th": "วิดีโอโดย {}", "he": "סרטון מאת {}.",
}  # fmt: skip
_CODE = {
    "en": "The code", "de": "Der Code", "fr": "Le code", "es": "El código", "it": "Il codice",
    "pt": "O código", "ca": "El codi", "ro": "Codul", "nl": "De code", "sv": "Koden", "nb": "Koden",
    "da": "Koden", "fi": "Koodi", "et": "Kood", "hu": "A kód", "lv": "Kods", "lt": "Kodas",
    "pl": "Kod", "cs": "Kód", "sk": "Kód", "sl": "Koda", "hr": "Kod", "sr": "Код", "mk": "Кодот",
    "bg": "Кодът", "ru": "Код", "uk": "Код", "el": "Ο κώδικας", "tr": "Kod", "id": "Kode",
    "ms": "Kod", "vi": "Mã", "sw": "Msimbo", "ar": "الشيفرة", "fa": "کد", "ur": "کوڈ", "hi": "कोड",
    "ja": "コード", "zh": "代码", "zh-TW": "程式碼", "ko": "코드", "th": "โค้ด", "he": "הקוד",
}  # fmt: skip
# The titles of alerts without one of their own: note, tip, important, warning, caution.
_ALERTS = {
    "en": "Note Tip Important Warning Caution", "de": "Hinweis Tipp Wichtig Warnung Vorsicht",
    "fr": "Remarque Astuce Important Avertissement Attention",
    "es": "Nota Consejo Importante Advertencia Precaución",
    "it": "Nota Suggerimento Importante Avvertenza Attenzione",
    "pt": "Nota Dica Importante Aviso Cuidado", "ca": "Nota Consell Important Advertència Atenció",
    "ro": "Notă Sfat Important Avertisment Atenție",
    "nl": "Opmerking Tip Belangrijk Waarschuwing Pas_op",
    "sv": "Obs Tips Viktigt Varning Försiktigt", "nb": "Merk Tips Viktig Advarsel Forsiktig",
    "da": "Bemærk Tip Vigtigt Advarsel Forsigtig", "fi": "Huomautus Vinkki Tärkeää Varoitus Varo",
    "et": "Märkus Nõuanne Tähtis Hoiatus Ettevaatust",
    "hu": "Megjegyzés Tipp Fontos Figyelmeztetés Vigyázat",
    "lv": "Piezīme Padoms Svarīgi Brīdinājums Uzmanību",
    "lt": "Pastaba Patarimas Svarbu Įspėjimas Atsargiai",
    "pl": "Uwaga Wskazówka Ważne Ostrzeżenie Ostrożnie",
    "cs": "Poznámka Tip Důležité Varování Pozor", "sk": "Poznámka Tip Dôležité Varovanie Pozor",
    "sl": "Opomba Nasvet Pomembno Opozorilo Pozor", "hr": "Napomena Savjet Važno Upozorenje Oprez",
    "sr": "Напомена Савет Важно Упозорење Опрез",
    "mk": "Забелешка Совет Важно Предупредување Внимание",
    "bg": "Забележка Съвет Важно Предупреждение Внимание",
    "ru": "Примечание Совет Важно Предупреждение Осторожно",
    "uk": "Примітка Порада Важливо Попередження Обережно",
    "el": "Σημείωση Συμβουλή Σημαντικό Προειδοποίηση Προσοχή",
    "tr": "Not İpucu Önemli Uyarı Dikkat", "id": "Catatan Tips Penting Peringatan Awas",
    "ms": "Nota Petua Penting Amaran Awas", "vi": "Ghi_chú Mẹo Quan_trọng Cảnh_báo Cẩn_thận",
    "sw": "Kumbuka Dokezo Muhimu Onyo Tahadhari", "ar": "ملاحظة نصيحة مهم تحذير تنبيه",
    "fa": "نکته راهنمایی مهم هشدار احتیاط", "ur": "نوٹ مشورہ اہم انتباہ احتیاط",
    "hi": "सूचना सुझाव महत्वपूर्ण चेतावनी सावधान", "ja": "メモ ヒント 重要 警告 注意",
    "zh": "说明 提示 重要 警告 小心", "zh-TW": "說明 提示 重要 警告 小心",
    "ko": "참고 팁 중요 경고 주의", "th": "หมายเหตุ เคล็ดลับ สำคัญ คำเตือน ระวัง",
    "he": "הערה טיפ חשוב אזהרה זהירות",
}  # fmt: skip


def sign_off_sentence(account: str, language: str) -> str:
    """Return the closing sentence, which names the account;
    empty without a name or a phrase in ``language``.
    """
    phrase = _in(_SIGN_OFF, language)
    return phrase.format(account.rstrip(" .")) if phrase and account.strip() else ""


def code_sentence(page: int, language: str) -> str:
    """Return what is said over code that no sentence introduces.

    ``page``: which screen of the section it is, from 1.
    """
    noun = _in(_CODE, language) or "Code"
    return noun if page == 1 else f"{noun}, {page}"


def alert_title(kind: str, language: str) -> str:
    """Return the title of an alert of a ``kind`` (svc.base.text.alerts);
    empty without one in ``language``.
    """
    titles = _in(_ALERTS, language)
    return titles.split()[alerts.KINDS.index(kind)].replace("_", " ") if titles else ""


def _in(phrases, language: str):
    """Return the phrase of a language or of the language that it is a variant of."""
    return phrases.get(language) or phrases.get(language.partition("-")[0])
