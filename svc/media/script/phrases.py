"""The phrases that the service adds to a script: they announce the brief's own headings and thank for watching.

They make no claims. A language that is not listed gets no phrases.
"""

from babel import Locale
from babel.lists import format_list

_MOST_ANNOUNCED = 3
_IN_THIS_VIDEO = {
    "en": "In this video:", "de": "In diesem Video:", "fr": "Dans cette vidéo :", "es": "En este vídeo:",
    "es-419": "En este video:", "it": "In questo video:", "pt": "Neste vídeo:", "ca": "En aquest vídeo:",
    "ro": "În acest videoclip:", "nl": "In deze video:", "sv": "I den här videon:", "nb": "I denne videoen:",
    "da": "I denne video:", "fi": "Tässä videossa:", "et": "Selles videos:", "hu": "Ebben a videóban:", "lv": "Šajā video:",
    "lt": "Šiame vaizdo įraše:", "pl": "W tym filmie:", "cs": "V tomto videu:", "sk": "V tomto videu:", "sl": "V tem videu:",
    "hr": "U ovom videu:", "sr": "У овом видеу:", "mk": "Во ова видео:", "bg": "В това видео:", "ru": "В этом видео:",
    "uk": "У цьому відео:", "el": "Σε αυτό το βίντεο:", "tr": "Bu videoda:", "id": "Dalam video ini:",
    "ms": "Dalam video ini:", "vi": "Trong video này:", "sw": "Katika video hii:", "ar": "في هذا الفيديو:",
    "fa": "در این ویدیو:", "ur": "اس ویڈیو میں:", "hi": "इस वीडियो में:",
}  # fmt: skip
_THANKS = {
    "en": "Thanks for watching.", "de": "Danke fürs Zuschauen.", "fr": "Merci d’avoir regardé.",
    "es": "Gracias por ver este vídeo.",
    "es-419": "Gracias por ver este video.", "it": "Grazie per la visione.", "pt": "Obrigado por assistir.",
    "ca": "Gràcies per mirar-ho.", "ro": "Vă mulțumim pentru vizionare.", "nl": "Bedankt voor het kijken.",
    "sv": "Tack för att du tittade.", "nb": "Takk for at du så på.", "da": "Tak fordi du så med.", "fi": "Kiitos katsomisesta.",
    "et": "Täname vaatamast.", "hu": "Köszönjük a figyelmet.", "lv": "Paldies, ka skatījāties.", "lt": "Ačiū, kad žiūrėjote.",
    "pl": "Dziękujemy za obejrzenie.", "cs": "Děkujeme za sledování.", "sk": "Ďakujeme za sledovanie.", "sl": "Hvala za ogled.",
    "hr": "Hvala na gledanju.", "sr": "Хвала на гледању.", "mk": "Ви благодариме за гледањето.",
    "bg": "Благодарим за гледането.", "ru": "Спасибо за просмотр.", "uk": "Дякуємо за перегляд.",
    "el": "Ευχαριστούμε για την παρακολούθηση.", "tr": "İzlediğiniz için teşekkürler.", "id": "Terima kasih sudah menonton.",
    "ms": "Terima kasih kerana menonton.", "vi": "Cảm ơn bạn đã xem.", "sw": "Asante kwa kutazama.",
    "ar": "شكرا على المشاهدة.", "fa": "از تماشای شما سپاسگزاریم.", "ur": "دیکھنے کا شکریہ۔", "hi": "देखने के लिए धन्यवाद।",
}  # fmt: skip


def announcement(headings: list[str], language: str) -> str:
    """Return a sentence that announces the first of ``headings``; empty for fewer than two, or without a phrase in
    ``language``."""
    phrase = _IN_THIS_VIDEO.get(language) or _IN_THIS_VIDEO.get(language.partition("-")[0])
    named = [heading.rstrip(" .:;,!…") for heading in headings[:_MOST_ANNOUNCED]]
    if phrase is None or len(named) < 2 or not all(named):
        return ""
    return f"{phrase} {format_list(named, locale=Locale.parse(language, sep='-'))}."


def thanks(language: str) -> str:
    """Return the closing sentence; empty without a phrase in ``language``."""
    return _THANKS.get(language) or _THANKS.get(language.partition("-")[0], "")
