"""Which figures of a text are shown large."""

from support.tables import each_of

from svc.media.model import Scene
from svc.media.slides.key_figures import find_figure
from svc.media.text.tokens import tokenize_text


def _figure_of(text: str, language: str) -> str:
    words = tokenize_text(text, language)
    scene = Scene(
        "prose",
        "",
        (),
        tuple(word.written for word in words),
        tuple(word.spoken for word in words),
        "",
        tuple(index for index, word in enumerate(words) if word.ends),
    )
    return find_figure(scene, range(len(words)))


@each_of(
    ("language", "text", "figure"),
    [
        ("pt", "A avenida tem 900 árvores.", "900\u00a0árvores"),
        ("pt", "Visite-nos na Av. Paulista, 900, São Paulo.", ""),
        ("pt", "Visite-nos na R. do Ouro, 2300, Lisboa.", ""),
        ("it", "Siamo in via Roma, 215, a Torino.", ""),
        ("de", "Die Menge ist 3-mal so groß.", ""),
        ("de", "Mit der 10er-Karte sparen Sie.", ""),
        ("pl", "Na 100-lecie firmy gramy.", ""),
        ("fr", "La nouvelle maîtresse est en CE2 et les grands vont en CM1.", ""),
        ("en", "Print it on A4 paper and send it.", ""),
        ("fr", "Le départ est à 8 h 15 devant la grille.", ""),
        ("de", "Der Zug geht um 8 Uhr 15 ab.", ""),
        ("fr", "Le départ est à 8 h devant la grille.", "8 h"),
        ("en", "The fee is €250 a year.", "€250 a year"),
        ("hi", "दूरी 120 कि.मी. है।", "120\u00a0कि.मी"),
        ("hi", "किराया ₹1,50,000 है।", "₹1,50,000"),
        ("en", "Harbour Ltd, company no. SC 448 210 (the Landlord), lets it.", ""),
        ("ja", "「KT-120」の一部で、取っ手が外れる。", ""),
        ("ja", "対象は120台です。", "120台"),
        ("en", "The mark was lower (95 % CI 1.4–3.2).", ""),
        ("ja", "窓口は0120-000-120（平日9時〜18時）です。", ""),
        ("en", "The fee (see below) is €250.", "€250"),
        ("nl", "Bel ons toestel 4455 (wachttijd nu lang).", ""),
        ("en", "We have 4455 (mostly new) bicycles here.", "4455"),
        ("vi", "Chị Hạnh là kế toán ở Q.7 nhé.", ""),
        ("hi", "हेल्पलाइन: 104 या अस्पताल।", ""),
        ("de", "Wählen Sie im Notfall: 112.", ""),
        ("en", "The mayor will cut the ribbon at 10 a.m.", "10\u00a0a.m."),
        ("es", "Los alumnos de 4.º de primaria irán al museo.", ""),
        ("pt", "A turma do 12ª está no primeiro andar.", ""),
        ("es", "El agua está a 180 ºC en la olla.", "180\u00a0ºC"),
    ],
)
def test_a_number_of_a_house_or_within_a_word_is_not_shown(
    language: str, text: str, figure: str
) -> None:
    assert _figure_of(text, language) == figure


@each_of(
    ("language", "text", "figure"),
    [
        ("en", "To help make the upgrade to React 19 easier, we've published a guide.", ""),
        ("en", "It includes upgrades to Chromium 94, V8 9.4, and Node.js 16.5.0.", ""),
        ("en", "The Boeing 747 flies again.", ""),
        ("en", "Our iPhone 15 costs less, in any shop.", ""),
        ("en", "The A320 lands, and Covid-19 patients, 5G and R2D2 wait.", ""),
        ("en", "From 192.168.0.1 you reach it.", ""),
        ("en", "We publish a react@18.3 release, as v2, in node:18.", ""),
        ("en", "Read RFC 9110 first, or see page 240 for more.", ""),
        ("en", "The server answers on port 8080 only.", ""),
        ("fr", "Le Boeing 747 décolle.", ""),
        ("es", "La Ruta 340 está cerrada.", ""),
        ("de", "In Zimmer 240 sitzt Frau Blum.", ""),
        ("zh", "科技爱好者周刊（第377期）：贫困线", ""),
        ("ja", "第120回大会です。", ""),
        ("en", "Electron 15 ships with Chromium 94.", ""),
        ("en", "Python 3.12 drops old modules.", ""),
        ("en", "We like it. Fedora 40 arrives in April.", ""),
        ("de", "Windows 11 bringt ein neues Menü.", ""),
        ("fr", "Firefox 130 arrive en septembre.", ""),
        ("es", "Android 15 llega en octubre.", ""),
        ("it", "Debian 13 arriva in estate.", ""),
        ("pt", "Android 15 chega em outubro.", ""),
    ],
)
def test_a_number_that_is_part_of_a_name_is_not_shown(
    language: str, text: str, figure: str
) -> None:
    assert _figure_of(text, language) == figure


@each_of(
    ("language", "text", "figure"),
    [
        ("en", "A change of the settings (PR #4812) had lowered it.", ""),
        ("de", "Kinder unter 14 J. sind frei.", ""),
        ("zh", "请致电400-555-0142。", ""),
        ("zh", "截至2026年10月，云笔记有1,260万注册用户。", "1,260万"),
        ("ja", "Gitは2005年に公開された。", ""),
        ("ja", "会期は120日間です。", "120日間"),
        ("ko", "2005년에 처음 열렸다.", ""),
        ("tr", "1953'te Ayvalık'ta doğdu.", ""),
        ("tr", "500'den fazla kişi geldi.", ""),
        ("fi", "Mukana oli 640:n hengen ryhmä.", ""),
    ],
)
def test_a_date_a_telephone_number_or_one_with_an_ending_is_not_shown(
    language: str, text: str, figure: str
) -> None:
    assert _figure_of(text, language) == figure


@each_of(
    ("language", "text", "figure"),
    [
        ("en", "In Berlin 3,200 people protested.", "3,200"),
        ("en", "Anna ran 42 km, all alone.", "42\u00a0km"),
        ("en", "We gave Anna £340 in all.", "£340"),
        ("en", "Version 2.10.4 fixes 340 bugs.", "340\u00a0bugs"),
        ("en", "Since the release of iOS 17.4 we sold 12,000 copies.", "12,000\u00a0copies"),
        ("en", "A fee of Rs340, or R340, or CHF340 is due.", ""),  # each of them is needed
        ("en", "A fee of R340 is due.", "R340"),
        ("en", "It costs CHF340 in all.", "CHF340"),
        ("de", "Es kamen in Bremen 3200 Besucher, mehr als je.", "3200\u00a0Besucher"),
        ("de", "Der Umsatz stieg auf 1.234.567 Euro.", "1.234.567\u00a0Euro"),
        ("en", "Each has a disk of 5GB for photos.", "5GB"),
        ("de", "Wir trinken am Tag 640 Tassen.", "640\u00a0Tassen"),
        ("zh", "每年发电4.5万度。", "4.5万度"),
        ("ja", "来場者は3200人でした。", "3200人"),
        ("ja", "予算は3.5万円です。", "3.5万円"),
        ("en", "Schools 15 km away stay open.", "15\u00a0km"),
        ("en", "Add 15 drops of oil.", "15\u00a0drops"),
        ("en", "About 15 ships with coal came.", "15\u00a0ships"),
        ("en", "The 15 ships with coal left.", "15\u00a0ships"),
        ("ja", "3月5日に500円です。", "500円"),
        ("en", "Berlin 2024 brings 340 films.", "340\u00a0films"),
        ("zh", "这台设备售价3.12万美元。", "3.12万美元"),
        ("zh", "项目获得3.5亿元资助。", "3.5亿元"),
        ("zh", "预算为5000万人民币。", "5000万人民币"),
        ("zh", "从300万美元到500万美元。", ""),
        ("zh-TW", "售價3.12萬美元。", "3.12萬美元"),
        ("ja", "予算は120億ユーロです。", "120億ユーロ"),
        ("ja", "面積は120平方メートルです。", "120平方メートル"),
        ("ko", "예산은 3억 원입니다.", "3억\u00a0원"),
        ("ko", "가격은 3.12만달러입니다.", "3.12만달러"),
        ("ko", "가격은 500유로입니다.", "500유로"),
    ],
)
def test_a_number_beside_a_name_that_counts_something_is_shown(
    language: str, text: str, figure: str
) -> None:
    assert _figure_of(text, language) == figure


@each_of(
    ("language", "text", "figure"),
    [
        ("en", "Only persons who have done the 2h induction may use the saw.", ""),
        ("en", "It takes 90min by train.", "90min"),
        ("sv", "Stenarna kommer från Lugnås och väger 900 kilo styck.", ""),
        ("en", "It drew 305000 visitors last year.", "305000"),
    ],
)
def test_a_figure_of_which_what_it_counts_is_missing_is_not_shown(
    language: str, text: str, figure: str
) -> None:
    assert _figure_of(text, language) == figure


@each_of(
    ("language", "text", "figure"),
    [
        ("en", "The bill was 1,146 euros last month.", "1,146\u00a0euros"),
        ("de", "Das kostet jetzt 39,90 Euro.", "39,90\u00a0Euro"),
        ("es", "La cuota cuesta 1.250,50 euros.", "1.250,50\u00a0euros"),
        ("en", "The fee is Rs. 1,146 only.", "Rs.\u00a01,146"),
        ("en", "The total is 1,146 (in euros).", "1,146"),
        ("en-u-rg-inzzzz", "A grant of Rs 3.4 Cr. was sanctioned.", "Rs\u00a03.4\u00a0Cr"),
        ("en-u-rg-inzzzz", "The grant is Rs. 18.5 lakhs.", "Rs.\u00a018.5\u00a0lakhs"),
        ("hi", "किराया 3.4 करोड़ रुपये है।", "3.4\u00a0करोड़\u00a0रुपये"),
        ("hi", "किराया 1,146 रुपये है।", "1,146\u00a0रुपये"),
    ],
)
def test_a_figure_is_shown_with_its_currency(language: str, text: str, figure: str) -> None:
    """Whether that stands before it or after it, and with its scale."""
    assert _figure_of(text, language) == figure
