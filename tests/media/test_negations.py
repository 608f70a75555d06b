"""Words that exclude what they stand beside, in every language that has a list or a form of them:
what they exclude has no picture, and no key phrase leaves them out.
"""

import pytest
from support.tables import each_of

from svc.base.text.languages import LANGUAGES
from svc.media.languages import Grammar, read_words
from svc.media.text.grammar import negations

# of each language: excluded by "without", by "no" or "not", by "neither … nor", and by a ban
EXCLUDING = {
    "ar": "بدون أدوية|لا توجد كلاب|لا قطط ولا كلاب|ممنوع التدخين",
    "bg": "без кучета|няма кучета|нито котки|забранено пушене",
    "ca": "sense gossos|no hi ha gossos|ni gats ni gossos|prohibit fumar",
    "cs": "bez léků|žádné psy|ani psi|kouření zakázáno",
    "da": "uden hunde|ingen hunde|hverken hunde eller katte|rygning forbudt",
    "de": "ohne Medikamente|keine Hunde|weder Hunde noch Katzen|Rauchen verboten",
    "el": "χωρίς σκύλους|κανένας σκύλος|ούτε γάτες|απαγορεύεται το κάπνισμα",
    "en": "without dogs|no dogs|neither dogs nor cats|smoking is forbidden",
    "es": "sin perros|no hay perros|ni perros ni gatos|prohibido fumar",
    "et": "ilma koerata|koeri ei ole|ega kasse|suitsetamine keelatud",
    "fa": "بدون سگ|هیچ سگی|نه سگ|سیگار ممنوع",
    "fi": "ilman koiria|ei koiria|eikä kissoja|tupakointi kielletty",
    "fr": "sans chiens|pas de chiens|ni chiens ni chats|interdit de fumer",
    "he": "בלי כלבים|אין כלבים|ולא חתולים|אסור לעשן",
    "hi": "कुत्तों के बिना|कुत्ते नहीं|न कुत्ते|धूम्रपान निषिद्ध",
    "hr": "bez pasa|nema pasa|niti mačaka|pušenje zabranjeno",
    "hu": "kutya nélkül|nincs kutya|sem macska|tilos a dohányzás",
    "id": "tanpa anjing|tidak ada anjing|bukan kucing|dilarang merokok",
    "it": "senza cani|niente cani|né cani né gatti|vietato fumare",
    "ja": "犬なし|犬はいません|犬も猫もいない|喫煙禁止",
    "ko": "개 없이|개가 없습니다|개도 못|흡연 금지",
    "lt": "be šunų|nėra šunų|nei kačių|rūkyti draudžiama",
    "lv": "bez suņiem|nav suņu|nedz kaķu|smēķēt aizliegts",
    "mk": "без кучиња|нема кучиња|ниту мачки|забрането пушење",
    "ms": "tanpa anjing|tidak ada anjing|bukan kucing|dilarang merokok",
    "nb": "uten hunder|ingen hunder|verken hunder eller katter|røyking forbudt",
    "nl": "zonder honden|geen honden|noch katten|roken verboden",
    "pl": "bez psów|żadnych psów|ani kotów|zakaz palenia",
    "pt": "sem cães|não há cães|nem gatos|proibido fumar",
    "ro": "fără câini|niciun câine|nici pisici|fumatul interzis",
    "ru": "без собак|нет собак|ни кошек|курение запрещено",
    "sk": "bez psov|žiadne psy|ani mačky|fajčenie zakázané",
    "sl": "brez psov|ni psov|niti mačk|kajenje prepovedano",
    "sr": "без паса|нема паса|нити мачака|пушење забрањено",
    "sv": "utan hundar|inga hundar|varken hundar eller katter|rökning förbjuden",
    "sw": "bila mbwa|hakuna mbwa|wala paka|marufuku kuvuta",
    "th": "ปราศจากสุนัข|ไม่มีสุนัข|ไม่มีแมว|ห้ามสูบบุหรี่",
    "tr": "köpek olmadan|köpek yok|ne kedi|sigara yasak",
    "uk": "без собак|немає собак|ані котів|куріння заборонено",
    "ur": "کتوں کے بغیر|کتے نہیں|نہ بلی|ممنوع ہے",
    "vi": "trừ chó|không có chó|chẳng mèo|cấm hút thuốc",
    "zh": "没有狗|不养狗|无猫|禁止吸烟",
}  # fmt: skip


def _is_negated(text: str, language: str) -> bool:
    return any(negations.is_negation(word, language) for word in text.split())


@pytest.mark.parametrize("code", sorted({code.partition("-")[0] for code in LANGUAGES}))
def test_each_language_knows_what_excludes(code: str) -> None:
    assert code in EXCLUDING, f"EXCLUDING in tests/media/test_negations.py: add {code}"
    texts = EXCLUDING[code].split("|")
    assert [text for text in texts if not _is_negated(text, code)] == []


@each_of(
    ("language", "word"),
    [
        *(("ar", word) for word in ("ولا", "فلا", "ولم", "ولن", "وليس", "وليست", "وبدون", "ودون")),
        *(("ar", word) for word in ("بلا", "بغير", "وغير", "لعدم")),
        *(("he", word) for word in ("ולא", "שאין", "ובלי", "מבלי", "ללא")),
        ("it", "nessun’altra"),
        ("fr", "qu’aucun"),
        ("de", "Außer"),  # casefold() would make it "ausser"
        ("el", "Χωρίς"),  # and take the last letter for another
    ],
)  # fmt: skip
def test_a_word_excludes_with_what_is_joined_to_it(language: str, word: str) -> None:
    """Arabic and Hebrew write "and" and "with" as part of the next word."""
    assert negations.is_negation(word, language)


@each_of(
    ("language", "text"),
    [
        ("ar", "غداء ولاء أولاد الولايات"),
        ("cs", "neděle nejlepší nemocnice nejnovější"),
        ("he", "ישראל אלבום שאלה מלאכה"),
        ("ja", "未来"),
        ("ja", "非常に大きい"),
        ("ko", "안전 안녕 말씀"),
        ("lv", "nedēļa"),
        ("ro", "cel mai bun în mai"),
        ("sk", "nedeľa najlepší nemocnica"),
        ("tr", "daha iyi"),
        ("zh", "特别 未来"),
    ],
)
def test_words_that_only_look_like_negations_exclude_nothing(language: str, text: str) -> None:
    assert not _is_negated(text, language)


@pytest.mark.parametrize("code", sorted({code.partition("-")[0] for code in LANGUAGES}))
def test_what_negates_only_afterwards_is_a_negation(code: str) -> None:
    after = read_words(code, Grammar).negates_after
    assert [word for word in after if not negations.is_negation(word, code)] == []


# of each language, what asks not to use or to bring something
REFUSING = {
    "ar": "لا تستخدم البيض|تجنب السكر",
    "bg": "Не използвайте яйца|Избягвайте захар",
    "ca": "No feu servir ous|Eviteu el sucre",
    "cs": "Nepoužívejte vejce|Vyhněte se cukru",
    "da": "Brug ikke æg|Undgå sukker",
    "de": "Verwenden Sie keine Eier|Verzichten Sie auf Zucker",
    "el": "Μη χρησιμοποιείτε αυγά|Αποφύγετε τη ζάχαρη",
    "en": "Don’t use eggs|Refrain from sugar",
    "es": "No uses huevos|Evita el azúcar",
    "et": "Ära kasuta mune|Vältige suhkrut",
    "fa": "از تخم‌مرغ استفاده نکنید|از شکر پرهیز کنید",
    "fi": "Älä käytä munia|Vältä sokeria",
    "fr": "N’utilisez pas d’œufs|Évitez le sucre",
    "he": "אל תשתמשו בביצים|בלי סוכר",
    "hi": "अंडे का प्रयोग न करें|चीनी से बचें",
    "hr": "Ne koristite jaja|Izbjegavajte šećer",
    "hu": "Ne használj tojást|Kerülje a cukrot",
    "id": "Jangan gunakan telur|Hindari gula",
    "it": "Non usare uova|Evitate lo zucchero",
    "ja": "卵を使わないで|卵を使うな|犬に触るな|ここで泳ぐな",
    "ko": "달걀을 사용하지 마세요|설탕을 피하세요",
    "lt": "Nenaudokite kiaušinių|Venkite cukraus",
    "lv": "Nelietojiet olas|Izvairieties no cukura",
    "mk": "Не користете јајца|Избегнувајте шеќер",
    "ms": "Jangan guna telur|Elakkan gula",
    "nb": "Ikke bruk egg|Unngå sukker",
    "nl": "Gebruik geen eieren|Vermijd suiker",
    "pl": "Nie używaj jajek|Unikaj cukru",
    "pt": "Não use ovos|Evite o açúcar",
    "ro": "Nu folosiți ouă|Evitați zahărul",
    "ru": "Не используйте яйца|Избегайте сахара",
    "sk": "Nepoužívajte vajcia|Vyhnite sa cukru",
    "sl": "Ne uporabljajte jajc|Izogibajte se sladkorju",
    "sr": "Не користите јаја|Избегавајте шећер",
    "sv": "Använd inte ägg|Undvik socker",
    "sw": "Usitumie mayai|Epuka sukari|Usikimbie|Usisikilize",
    "th": "อย่าใช้ไข่|หลีกเลี่ยงน้ำตาล",
    "tr": "Yumurta kullanmayın|Köpek getirmeyiniz|Şekerden kaçının",
    "uk": "Не використовуйте яйця|Уникайте цукру",
    "ur": "انڈے استعمال نہ کریں|چینی سے گریز کریں",
    "vi": "Không dùng trứng|Tránh đường",
    "zh": "不要用鸡蛋|避免吃糖",
}


@pytest.mark.parametrize("language", REFUSING)
def test_who_asks_not_to_use_something_denies_it(language):
    for text in REFUSING[language].split("|"):
        assert any(negations.is_negation(word, language) for word in text.split()), text


@pytest.mark.parametrize(
    ("language", "word"),
    [
        ("sw", "usiku"),
        ("sw", "msingi"),
        ("sw", "usimamizi"),
        ("sw", "Usikilize"),
        ("sw", "Tusimame"),
        ("tr", "deneyin"),
        ("ja", "きれいな"),
        ("ja", "花のような"),
        ("ja", "まっすぐな"),
        ("ja", "真っ直ぐな"),
        ("ja", "じょうぶな"),
        ("ko", "대피하세요"),
    ],
)
def test_a_word_that_only_looks_like_a_refusal_is_none(language, word):
    assert not negations.is_negation(word, language)
