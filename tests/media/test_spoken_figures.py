"""Amounts, ranges, numerals and formulas as they are spoken,
and what the screen shows meanwhile.
"""

import itertools
import re

import pytest
from support.sampling import sampled
from support.tables import each_of

from svc.base.text.languages import LANGUAGES
from svc.media.captions import captions, parse, transcript
from svc.media.model import Presenter, Pronunciation, Script, Timeline, load
from svc.media.script import step
from svc.media.speech import narration
from svc.media.text.pronunciation import lexicon
from svc.media.text.tokens import join_words, tokenize_text
from tests.media.conftest import brief_of, ignore

SAID = {
    "en": [
        (
            "City 3-2 United, Sun 11/22, eff. 1 Jan. 2027",
            (
                "City three to two United, Sunday November twenty-second, effective the first of "
                "January twenty twenty-seven."
            ),
        ),
        ("about ~65 lbs., seen", "About about sixty-five pounds, seen."),
        (
            "in Jun '26, up 18% YoY, Thurs., Jan 14th",
            "In June twenty-six, up eighteen percent year on year, Thursday, January fourteenth.",
        ),
        (
            "240 kcal/slice, 100g/3½oz, 180C/160C, Bake 60 min. Cool",
            "Two hundred and forty kilocalories per slice, one hundred grams, three and a half "
            "ounces, one hundred and eighty degrees Celsius, one hundred and sixty degrees "
            "Celsius, Bake sixty minutes. Cool.",
        ),
        (
            "10 20 30 40, 2026-118, x >= 7",
            (
                "Ten twenty thirty forty, twenty twenty-six one hundred and eighteen, x at "
                "least seven."
            ),
        ),
        (
            "at 10 Main St., 5 Mill Ln. and St. Mary's, Sat 9 am",
            "At ten Main Street, five Mill Lane and St Mary's, Saturday nine a m.",
        ),
        (
            "2 x 90 min, 12/40 spots, 35 h/week, 5 lessons/week",
            (
                "Two times ninety minutes, twelve out of forty spots, thirty-five hours per week, "
                "five lessons per week."
            ),
        ),
        (
            "from 1.8s -> 1.1s (incl. tax) ;->",
            "From one point eight seconds to one point one seconds (including tax).",
        ),
        (
            "He came (it was late!) and Tel. 22 555 01 99",
            "He came (it was late!) and Tel two two, five five five, zero one, nine nine.",
        ),
        (
            "Karl V. Karlstrom and Joseph L. Brothers, Henry V. He ruled (Part II).",
            "Karl V Karlstrom and Joseph L Brothers, Henry the fifth. He ruled (Part two.",
        ),
        (
            "from 0x200, ISO 8859-2",
            "from 0x200, ISO eight thousand eight hundred and fifty-nine two.",
        ),
        ("0.0000001 mm", "zero point zero zero zero zero zero zero one millimeters."),
        ("$0.0000001", "zero point zero zero zero zero zero zero one dollars."),
        (
            "→ It fell in the war.[1][12] “Yes.”[4] Then argv[10].",
            "It fell in the war. “Yes.” Then argv ten.",
        ),
        ("It was 50%.[3] So", "it was fifty percent. So."),
        (
            "Sale – up to 50% off | now. Mon – Fri, “Really?” she said",
            "Sale, up to fifty percent off, now. Monday to Friday, “Really?” she said.",
        ),
        (
            "1/2 tsp. salt for $0.45 or £0.01",
            "one half teaspoon salt for forty-five cents or one penny.",
        ),
        (
            "Alea iacta est. Est. 1999, est. 500",
            "Alea iacta est. Established nineteen ninety-nine, estimated five hundred.",
        ),
        (
            "Henry VIII, Elizabeth II and John Paul II. James I of England.",
            (
                "Henry the eighth, Elizabeth the second and John Paul the second. James the first "
                "of England."
            ),
        ),
        ("Charles III's crown, the Mary I know", "Charles the third's crown, the Mary I know."),
        (
            "a $1.5T market with 5–10k shops, 1.5M users",
            (
                "a one point five trillion dollar market with five to ten thousand shops, one "
                "point five million users."
            ),
        ),
        (
            "2x faster, 1.5x as good, 1x, 0x",
            "Two times faster, one point five times as good, 1x, 0x.",
        ),
        ("open Mon - Fri, 9 am - 5 pm", "Open Monday to Friday, nine a m to five p m."),
        (
            "for $5 - $10, 5 - 10 %, ages 10 - 12",
            "For five to ten dollars, five to ten percent, ages ten to twelve.",
        ),
        (
            "from 2020 – 2024 for 5 – 10 km (2 - 3 min.)",
            (
                "From twenty twenty to twenty twenty-four for five to ten kilometers (two to "
                "three minutes.)"
            ),
        ),
        (
            "Day 1 - 5 km, Chapter 5 - 2024",
            "Day one, five kilometers, Chapter five, twenty twenty-four.",
        ),
        (
            "won 3 - 2, pages 5 - 2000, 10 - 12 = -2",
            "Won three, two, pages five, two thousand, ten minus twelve equals minus two.",
        ),
        ("so 5 - 3 = 2, 2x + 3 = 7", "so five minus three equals two, 2x + three equals seven."),
        ("a 4 x 6 grid, x 5", "a four by six grid, x five."),
        ("budget (≈ 5 km)", "budget (about five kilometers)."),
        ("a 401k, in a 10k run", "a 401k, in a 10k run."),
        (
            "a ratio of 3:1 at 16:9 with 1920x1080",
            "a ratio of three to one at sixteen to nine with nineteen twenty by ten eighty.",
        ),
        (
            "4.5/5 stars in 2020/21, 4/5",
            "four point five out of five stars in twenty twenty twenty-one, four out of five.",
        ),
        (
            "0.5 mg/l, 3 g/m², ±5 mm",
            (
                "zero point five milligrams per liter, three grams per square meter, plus or "
                "minus five millimeters."
            ),
        ),
        (
            "5.3 l/100 km after 2 hrs, 30 secs",
            "five point three liters per one hundred kilometers after two hours, thirty seconds.",
        ),
        ("51.5°N, 0.12°W", "fifty-one point five degrees north, zero point one two degrees west."),
        (
            "6.02×10²³ and 10⁻³",
            (
                "six point zero two times ten to the power of twenty-three and ten to the power "
                "of minus three."
            ),
        ),
        ("Mon–Fri, Jan.–Mar, Sat-Nav", "Monday to Friday, January to March, Sat-Nav."),
        ("on 3/5/2000 and 2000-03-05", "on March fifth two thousand and March fifth two thousand."),
        ("on Jan 5, 2026/11/24", "on January fifth, November twenty-fourth twenty twenty-six."),
        (
            "born c. 1500, w/ 5★, 4th–6th",
            "born circa fifteen hundred, with five stars, fourth to sixth.",
        ),
        (
            "18+, C$50, ₹5 crore, nº 7",
            "eighteen plus, fifty Canadian dollars, five crore Indian rupees, number seven.",
        ),
        (
            "100 Mbit/s, 5 µg, 512 KB",
            "one hundred megabits per second, five micrograms, five hundred and twelve kilobytes.",
        ),
        ("½ l and 1½ kg", "one half liter and one and a half kilograms."),
        (
            "-$5 million, +$3 million, −$5.50",
            "minus five million dollars, plus three million dollars, minus five dollars fifty.",
        ),
        ("a round ($5 million) now", "a round (five million dollars) now."),
        ("a walk (5 km) now", "a walk (five kilometers) now."),
        ("-€4bn or £3m", "minus four billion euros or three million pounds."),
        (
            "$5–$10, £20–£35, €5-€10",
            "five to ten dollars, twenty to thirty-five pounds, five to ten euros.",
        ),
        ("$5–10 or $5–$10 million", "five to ten dollars or five to ten million dollars."),
        ("$1.5bn–$2bn", "one point five billion to two billion dollars."),
        ("£2.50–£3.50", "two pounds fifty to three pounds fifty."),
        ("$1–€2 or $5 – $10", "one dollar to two euros or five to ten dollars."),
        ("-$5–$10", "minus five to ten dollars."),
        ("5%–10% on 5 km–10 km", "five to ten percent on five to ten kilometers."),
        ("$5 million–$10 million", "five million to ten million dollars."),
        (
            "$5-a-day, $3bn-a-year, $5m+",
            "five dollars a day, three billion dollars a year, five million dollars plus.",
        ),
        (
            "-5–10 °C, -10–-5 °C",
            "minus five to ten degrees Celsius, minus ten to minus five degrees Celsius.",
        ),
        ("the 1990s–2000s", "the nineteen nineties to two thousands."),
        (
            "½–1 cup, 1½–2 cups, ¼-½ cup",
            "one half to one cup, one and a half to two cups, one quarter to one half cup.",
        ),
        ("1-1/2 cups", "one and a half cups."),
        (
            "10:30–11:00 and 9:00-10:30",
            "ten thirty to eleven o'clock and nine o'clock to ten thirty.",
        ),
        ("(10:30 – 11:00)", "(Ten thirty to eleven o'clock)."),
        ("9am–5pm, 9–10 am", "nine a m to five p m, nine to ten a m."),
        ("9 a.m.–5 p.m. daily", "nine a m to five p m daily."),
        ("€1.234,56 paid", "one thousand two hundred and thirty-four euros fifty-six paid."),
        (
            "€1.234.567 paid",
            (
                "one million two hundred and thirty-four thousand five hundred and sixty-seven "
                "euros paid."
            ),
        ),
        (
            "₹1,23,456",
            "one hundred and twenty-three thousand four hundred and fifty-six Indian rupees.",
        ),
        ("€12,50 or €1.234", "twelve euros fifty or one point two three four euros."),
        (
            "version 1.234.567",
            "version one dot two hundred and thirty-four dot five hundred and sixty-seven.",
        ),
        (
            "3bn people, 3 bn trees, 3–5bn",
            "three billion people, three billion trees, three to five billion.",
        ),
        (
            "3m tall, 3 m tall, a $5-million deal",
            "three meters tall, three meters tall, a five million dollar deal.",
        ),
        ("World War II, World War I ended", "World War two, World War one ended."),
        (
            "World War II's end, a World War II-era car",
            "World War two's end, a World War two-era car.",
        ),
        ("Chapter IV, Part II, Vol. III, Act V", "Chapter four, Part two, volume three, Act five."),
        ("World Wars I and II, Mark II, Mark I", "World Wars one and two, Mark two, Mark I."),
        ("Chapters IV–VI, Parts I and V", "Chapters four to six, Parts one and five."),
        ("Part I of it, the part I like", "Part one of it, the part I like."),
        ("In Part II and I went", "in Part two and I went."),
        ("state of the art. I went", "state of the art. I went."),
        ("Vitamin C, Type C and Part C", "Vitamin C, Type C and Part C."),
        ("CO2, H2O, CO₂ and H₂SO₄", "C O two, H two O, C O two and H two S O four."),
        ("CO2-neutral, COP28, MP3, No2", "C O two-neutral, COP28, MP3, No2."),
        ("Chapter 1, May 5", "Chapter one, May fifth."),
        ("Room 12, May 5", "Room twelve, May fifth."),
        ("No. 1, May 5", "number one, May fifth."),
        ("It was 5. May is next", "it was five. May is next."),
    ],
    "de": [
        (
            "am Do., dem 17.12.26, vom 14.–18.06.27, p. P.",
            "Am Donnerstag, dem siebzehnten Dezember zweitausendsechsundzwanzig, "
            "vom vierzehnten bis achtzehnten Juni zweitausendsiebenundzwanzig, pro Person.",
        ),
        (
            "890,- € zzgl., Bj. 1908, 3-Zi.-Whg. in",
            "Achthundertneunzig Euro zuzüglich, Baujahr neunzehnhundertacht, Dreizimmerwohnung in.",
        ),
        (
            "38,5 Std./Woche, 2.850 € brutto/Monat zzgl. MwSt",
            (
                "Achtunddreißig Komma fünf Stunden pro Woche, zweitausendachthundertfünfzig Euro "
                "brutto pro Monat zuzüglich Mehrwertsteuer."
            ),
        ),
        (
            "Fr. Dr. Maier, Fr. 12.5., Mo 9–12 Uhr",
            "Frau Doktor Maier, Freitag zwölften Mai, Montag neun bis zwölf Uhr.",
        ),
        (
            "Form (Ø 28 cm), Ø 3,5",
            "Form (Durchmesser achtundzwanzig Zentimeter), durchschnittlich drei Komma fünf.",
        ),
        (
            "im (2.–3. Lehrjahr), 8.00–12.30, um 9.30",
            (
                "Im (zweiten bis dritten Lehrjahr), acht Uhr bis zwölf Uhr dreißig, um neun Uhr "
                "dreißig."
            ),
        ),
        (
            "Mo - Fr 9 - 17 Uhr, 10 - 12 Personen",
            "Montag bis Freitag neun bis siebzehn Uhr, zehn bis zwölf Personen.",
        ),
        (
            "3x täglich, 24/7-Support, ½-Takt",
            "Drei mal täglich, vierundzwanzig sieben Support, ½-Takt.",
        ),
        ("in der Hauptstr. 12 dort", "in der Hauptstraße zwölf dort."),
        ("0,01 € und 0,21 €", "ein Cent und einundzwanzig Cent."),
        (
            "Tel. 030/123 45, i. A. Max, 0,45 €",
            (
                "Telefon null drei null, eins zwei drei, vier fünf, im Auftrag Max, "
                "fünfundvierzig Cent."
            ),
        ),
        ("Heinrich VIII. heiratete.", "Heinrich der Achte heiratete."),
        (
            "unter Elisabeth II., das Grab Ludwigs XIV.",
            "unter Elisabeth der Zweiten, das Grab Ludwigs des Vierzehnten.",
        ),
        ("mit Papst Johannes Paul II. Er kam.", "mit Papst Johannes Paul dem Zweiten. Er kam."),
        (
            "2,5 Mrd. €, 1 Mio. €, 5 Tsd. Autos",
            "zwei Komma fünf Milliarden Euro, eine Million Euro, fünf Tausend Autos.",
        ),
        (
            "Mo–Fr, 2:1, 4,5/5 Sterne",
            "Montag bis Freitag, zwei zu eins, vier Komma fünf von fünf Sterne.",
        ),
        (
            "1 Tasse, 1 Löffel, 1 große Zwiebel, in Kapitel 1 steht",
            "eine Tasse, ein Löffel, eine große Zwiebel, in Kapitel eins steht.",
        ),
        (
            "½ l, ½ Std., 2½ Stunden, 1 h",
            "ein halber Liter, eine halbe Stunde, zweieinhalb Stunden, eine Stunde.",
        ),
        (
            "am 5.3.2000 und am 29.2. um neun",
            "am fünften März zweitausend und am neunundzwanzigsten Februar um neun.",
        ),
        (
            "am 24.11., Mo.–Fr. 9–12 Uhr",
            "am vierundzwanzigsten November, Montag bis Freitag neun bis zwölf Uhr.",
        ),
        ("die A GmbH & Co. KG, Hausnr. 5", "die A GmbH & Co KG, Hausnummer fünf."),
        (
            "12 €/Std., 2 EL Öl, 30 Min. Ruhe",
            "zwölf Euro pro Stunde, zwei Esslöffel Öl, dreißig Minuten Ruhe.",
        ),
        (
            "5,3 l/100 km, Jan.–März",
            "fünf Komma drei Liter pro einhundert Kilometer, Januar bis März.",
        ),
        ("-$5 Millionen und -5 €", "minus fünf Millionen Dollar und minus fünf Euro."),
        ("$1 Million", "eine Million Dollar."),
        ("€5–€10, 5 €–10 €, 1–2 €", "fünf bis zehn Euro, fünf bis zehn Euro, ein bis zwei Euro."),
        ("der €5-Schein", "der fünf Euro Schein."),
        ("10:30–11:00 Uhr", "zehn Uhr dreißig bis elf Uhr."),
        ("10.30–11.00 Uhr", "zehn Uhr dreißig bis elf Uhr."),
        ("10:30 – 11:00 Uhr", "zehn Uhr dreißig bis elf Uhr."),
        ("1,234.56 €", "eintausendzweihundertvierunddreißig Euro sechsundfünfzig."),
        ("Kapitel IV, Teil I", "Kapitel vier, Teil eins."),
        ("CO2-Ausstoß", "C O zwei-Ausstoß."),
        ("½–1 Liter", "ein halb bis ein Liter."),
    ],
    "fr": [
        (
            "Travaux du bât. B, avant le 10/3, 12 k€",
            "Travaux du bâtiment B, avant le dix mars, douze mille euros.",
        ),
        (
            "3 c. à s. de sucre (th. 6), 6 pers., 2 fois/jour, lun. 5 mai",
            (
                "Trois cuillères à soupe de sucre (thermostat six), six personnes, deux fois par "
                "jour, lundi cinq mai."
            ),
        ),
        ("pour 2x plus", "pour deux fois plus."),
        (
            "Fermé du 24/12 au 2/01, lundi - vendredi",
            "Fermé du vingt-quatre décembre au deux janvier, lundi à vendredi.",
        ),
        ("« Quoi ?! » dit-il, 0,01 €", "Quoi? dit-il, un centime."),
        (
            "« Vraiment ? » dit-il. Oui ! Le prix : 5 € ; c’est peu",
            "Vraiment? dit-il. Oui! Le prix: cinq euros; c’est peu.",
        ),
        ("Le pain, et le vin. Le roi", "Le pain, et le vin. Le roi."),
        (
            "Le château (XIXe siècle), noté 4/5",
            "Le château (dix-neuvième siècle), noté quatre sur cinq.",
        ),
        (
            "3 M€, 1,5 Md€, 10 k€",
            "trois millions d’euros, un virgule cinq milliard d’euros, dix mille euros.",
        ),
        ("1 tasse, 1 verre, 5 Go, ½ l", "une tasse, un verre, cinq gigaoctets, un demi litre."),
        (
            "au XIXe siècle, le Ier siècle, la Ire partie",
            "au dix-neuvième siècle, le premier siècle, la première partie.",
        ),
        ("Louis XIV, Henri IV, Élisabeth II", "Louis quatorze, Henri quatre, Élisabeth deux."),
        ("Tél. : 01 23", "Téléphone: zéro un, vingt-trois."),
        ("François Ier, n° 5, lun–ven", "François premier, numéro cinq, lundi à vendredi."),
        ("-5 € et -$5 millions", "moins cinq euros et moins cinq millions de dollars."),
        ("$5–$10, 10h30–11h00", "cinq à dix dollars, dix heures trente à onze heures."),
        ("chapitre IV", "chapitre quatre."),
    ],
    "es": [
        (
            "c/ patatas, C/ Mayor, <12 años, IVA incl. Reservas: 91 555 01 99",
            "Con patatas, calle Mayor, menos de doce años, IVA incluido. Reservas: nueve uno, "
            "cinco cinco cinco, cero uno, nueve nueve.",
        ),
        (
            "Tel. 900 55 01 99, D. Juan y Ross D. Martin, Sta. Ana",
            (
                "Teléfono nueve cero cero, cinco cinco, cero uno, nueve nueve, don Juan y Ross D "
                "Martin, Santa Ana."
            ),
        ),
        ("Tfno. 5, 2x1 y 3x", "Teléfono cinco, dos por uno y tres veces."),
        ("Felipe VI, Alfonso XIII, Isabel II.", "Felipe sexto, Alfonso trece, Isabel segunda."),
        ("1 cebolla, 1 vaso, el 1 de mayo, 1 h", "una cebolla, un vaso, el uno de mayo, una hora."),
        ("a las 18:00 h, 1.er piso", "a las dieciocho horas, primer piso."),
        ("n.º 7, 1,5 M€, 3:1", "número siete, uno coma cinco millones de euros, tres a uno."),
        ("-$1 millón, capítulo IV", "menos un millón de dólares, capítulo cuatro."),
    ],
    "pt-BR": [("R$ 5–R$ 10", "cinco a dez reais.")],
    "it": [
        (
            "lun.–ven. 8.00–12.30 / 14.00–18.30, sab. 9.00–12.00",
            (
                "Dal lunedì al venerdì otto a dodici e trenta, quattordici a diciotto e trenta, "
                "sabato nove a dodici."
            ),
        ),
        (
            "Prezzo (IVA incl.) € 40, alle 9.45, dal 1° gennaio",
            "Prezzo (IVA inclusa) quaranta euro, alle nove e quarantacinque, dal primo gennaio.",
        ),
        (
            "n° 5, 3 mln €, 2 mld di euro",
            "numero cinque, tre milioni di euro, due miliardi di euro.",
        ),
        ("capitolo IV, -$5 milioni", "capitolo quattro, meno cinque milioni di dollari."),
    ],
    "pt": [
        (
            "de 04/01 a 29/01, 30 h/sem., (11) 5555-0199",
            "De quatro de janeiro a vinte e nove de janeiro, trinta horas por semana, um um, "
            "cinco cinco cinco cinco, zero um nove nove.",
        ),
        ("2x mais rápido, 3x", "Duas vezes mais rápido, três vezes."),
        ("João VI, R$ 3 mi", "João sexto, três milhões de reais."),
        ("parte II, 10:30–11:00", "parte dois, dez e trinta a onze horas."),
    ],
    "nl": [
        (
            "om 14.15 u. is het druk, i.v.m. regen, t/m vrijdag, ma. 5 mei",
            (
                "Om veertien uur vijftien is het druk, in verband met regen, tot en met vrijdag, "
                "maandag vijf mei."
            ),
        ),
        ("Willem III regeert.", "Willem de derde regeert."),
        ("hoofdstuk III, €5–€10", "hoofdstuk drie, vijf tot tien euro."),
    ],
    "sv": [
        (
            "450 kr/år, senast 15/2, fr.o.m. 18.00, 070-555 01 99",
            "Fyrahundrafemtio kronor per år, senast femtonde februari, från och med arton, "
            "noll sju noll, fem fem fem, noll ett, nio nio.",
        ),
        ("Karl XVI Gustaf", "Karl den sextonde Gustaf."),
        ("kapitel V, $5 miljoner", "kapitel fem, fem miljoner dollar."),
    ],
    "nb": [
        (
            "tirs. 9. mars i Storgt. 4, 1 250,- kr",
            "Tirsdag niende mars i Storgate fire, ett tusen to hundre og femti kroner.",
        ),
        ("del IX, -$5 millioner", "del ni, minus fem millioner dollar."),
    ],
    "ru": [
        (
            "пн.–чт. с 9:00, пт. до 16:45, корп. 2, каб. 14 (2 эт.).",
            (
                "С понедельника по четверг с девяти, пятница до шестнадцати сорока пяти, "
                "корпус два, кабинет четырнадцать (два этаж)."
            ),
        ),
        (
            "Тел.: +7 (495) 555-01-99",
            "Телефон: плюс семь, четыре девять пять, пять пять пять, ноль один, девять девять.",
        ),
        ("в 2x быстрее, 5x", "в два раза быстрее, пять раз."),
        ("сказал Г. Малкин", "сказал Г Малкин."),
        (
            "$1 млн, 2 млн рублей, 2,5 млрд ₽",
            ("один миллион долларов США, два миллиона рублей, два запятая пять миллиарда рублей."),
        ),
        ("Пн–Пт", "с понедельника по пятницу."),
        (
            "в XX веке, конец XIX века, II мировая война",
            "в двадцатом веке, конец девятнадцатого века, вторая мировая война.",
        ),
        ("Пётр I, при Екатерине II", "Пётр Первый, при Екатерине Второй."),
        (
            "5-й этаж, 1990-е годы, в 90-х, 5-го мая, 2-я часть, глава IV",
            (
                "пятый этаж, тысяча девятьсот девяностые годы, в девяностых, пятого мая, вторая "
                "часть, глава четыре."
            ),
        ),
        ("-$5 млн", "минус пять миллионов долларов США."),
        ("10:30–11:00", "с десяти тридцати до одиннадцати."),
    ],
    "pl": [
        (
            "pon.–pt., sob. 5, maks. 5 szt.",
            "Od poniedziałku do piątku, sobota pięć, maksymalnie pięć sztuk.",
        ),
        ("Jest OK. Koszt ok. 50 zł", "Jest OK. Koszt około pięćdziesięciu złotych."),
        (
            "w XX wieku, koniec XIX wieku, XXI wiek",
            "w dwudziestym wieku, koniec dziewiętnastego wieku, dwudziesty pierwszy wiek.",
        ),
        (
            "Jan Paweł II, Jana Pawła II, Elżbieta II",
            "Jan Paweł drugi, Jana Pawła drugiego, Elżbieta druga.",
        ),
        ("-5 zł", "minus pięć złotych."),
    ],
    "da": [
        (
            "d. 15. marts, +50 kr. ift. 2026",
            "Den femtende marts, plus halvtreds kroner i forhold til totusinde og seksogtyve.",
        ),
        ("Del II som I kan se", "del to som I kan se."),
    ],
    "hu": [
        (
            "2027. március 9-én a Fő u. 12. sz. alatt",
            "Kétezer-huszonhét március kilencedikén a Fő utca tizenkettő szám alatt.",
        ),
        ("a XX. század végén", "a huszadik század végén."),
        ("½ liter, 1½ óra, ¾", "fél liter, másfél óra, háromnegyed."),
    ],
    "bg": [("през XX век", "през двадесети век.")],
    "uk": [
        (
            "буд. 5, кв. 12, 250 грн/міс.",
            "Будинок п'ять, квартира дванадцять, двісті п'ятдесят гривень за місяць.",
        ),
        (
            "у XX столітті, початок XIII століття",
            "у двадцятому столітті, початок тринадцятого століття.",
        ),
    ],
    "hi": [("-$5", "माइनस 5 यूएस डॉलर.")],
    "ar": [("10:30–11:00", "العاشرة والنصف إلى الحادية عشرة.")],
    "cs": [
        (
            "v sobotu 13. 2. 2027 od 19.30 hod. v Brně",
            "V sobotu třináctého února dva tisíce dvacet sedm od devatenácti třiceti v Brně.",
        ),
    ],
    "ro": [
        (
            "str. Unirii nr. 12, et. 2, ap. 5",
            "Strada Unirii numărul doisprezece, etajul doi, apartamentul cinci.",
        ),
    ],
    "ca": [
        ("a les 18.30 h, c/ Major", "A les divuit trenta, carrer Major."),
    ],
    "id": [
        (
            "Jl. Merdeka, pk. 18.30, telp. 021-555-0199",
            "Jalan Merdeka, pukul delapan belas lewat tiga puluh menit, telepon nol dua satu, "
            "lima lima lima, nol satu sembilan sembilan.",
        ),
    ],
}
PAIRS = [(language, *pair) for language, pairs in SAID.items() for pair in pairs]


@pytest.mark.parametrize(
    ("language", "written", "said"),
    [
        (
            "sv",
            "Vi bor i Göteborg. 2024 flyttar vi.",
            "Vi bor i Göteborg. Tvåtusentjugofyra flyttar vi.",
        ),
        (
            "en",
            "Open 9-5, at 180C. Seat 14C, Room 101C",
            "Open nine to five, at one hundred and eighty degrees Celsius. Seat 14C, Room 101C.",
        ),
        ("nl", "Het moet zo. 2 eieren.", "Het moet zo. Twee eieren."),
        (
            "fr",
            "La mer. 10 personnes. Une BD de Tintin, 500 hab. Il est",
            "La mer. Dix personnes. Une BD de Tintin, cinq cents habitants. Il est.",
        ),
        (
            "pt",
            "Precisa ter. 3 ovos. Tirei 08/10, 1° em Lisboa",
            "Precisa ter. Três ovos. Tirei oito de dez, um grau em Lisboa.",
        ),
        ("nb", "Min søn. 5 år.", "Min søn. Fem år."),
        ("ru", "Ср. также главу 5.", "Ср также главу пять."),
        (
            "pl",
            "śr. temperatura, 1990 r. Mieszka",
            "Śr temperatura, tysiąc dziewięćset dziewięćdziesiątego roku. Mieszka.",
        ),
        ("es", "En c/ Alcalá, la opción D. Marca", "En calle Alcalá, la opción D Marca."),
        (
            "en",
            "On Monday 1/2 cup. If 2x is 10, solve 2x for x",
            "On Monday one half cup. If 2x is ten, solve 2x for x.",
        ),
        (
            "de",
            "Montag 1/2 Stunde, ab 3.50 Euro, Version 10.12.25",
            (
                "Montag eine halbe Stunde, ab drei Euro fünfzig, Version zehn Punkt zwölf "
                "Punkt fünfundzwanzig."
            ),
        ),
        (
            "de",
            "Backzeit: 10 - 12 Minuten. Er heißt Max. 5 Pers. Wir",
            "Backzeit: zehn bis zwölf Minuten. Er heißt Max fünf Personen. Wir.",
        ),
        (
            "en",
            "Sizes 36 38 40 42 100, on the SAT, 1400 points",
            (
                "Sizes thirty-six thirty-eight forty forty-two one hundred, on the SAT, fourteen "
                "hundred points."
            ),
        ),
        (
            "en",
            "x = 5 - 7, is 5 - 8? $10 - $3 = $7, -5 - 3 = -8",
            (
                "X = five minus seven, is five, eight? Ten dollars, three dollars equals seven "
                "dollars, minus five minus three equals minus eight."
            ),
        ),
        (
            "en",
            "I did it (yes!) Anna came. 500-400 BC",
            "I did it (yes!) Anna came. Five hundred to four hundred BC.",
        ),
    ],
)
def test_words_that_look_like_abbreviations_and_figures_stay_what_they_are(language, written, said):
    assert " ".join(token.spoken for token in tokenize_text(written, language)) == said


@each_of(("language", "written", "said"), PAIRS)
def test_amounts_ranges_numerals_and_formulas_are_said_in_words(language, written, said):
    assert (
        " ".join(token.spoken for token in tokenize_text(written, language))
        == said[:1].upper() + said[1:]
    )


@each_of(("language", "written"), [pair[:2] for pair in PAIRS])
def test_the_captions_show_them_as_they_are_written(language, written):
    assert (
        join_words(token.written for token in tokenize_text(written, language)).replace(
            "\u00a0", " "
        )
        == written
    )


OFTEN = {"ar", "de", "en", "fr", "hi", "ru"}


@pytest.mark.parametrize(
    "language",
    sampled(
        [
            pytest.param(each, marks=() if each in OFTEN else pytest.mark.slow)
            for each in sorted(LANGUAGES)
        ],
        3,
    ),
)
def test_each_of_them_is_one_word_that_is_shown_and_spoken_in_every_language(language):
    text = " ".join(written for _, written, _ in PAIRS)
    result = tokenize_text(text, language)
    assert all(token.written.strip() and token.spoken.strip() for token in result)
    assert re.sub(r"\s", "", "".join(token.written for token in result)) == re.sub(r"\s", "", text)


@pytest.mark.parametrize(
    ("language", "text", "ends"),
    [
        ("en", "Take Vitamin C. 20 mg are enough.", ["C.", "enough."]),
        ("en", "This is Plan B. It works.", ["B.", "works."]),
        (
            "en",
            "Hepatitis B. Vaccines help, and we moved to B. 20 people came.",
            ["B.", "B.", "came."],
        ),
        ("en", "It was hot. 20 km remained.", ["hot.", "remained."]),
        ("en", "It sells in the U.S. The firm is in the U.S. Army.", ["U.S.", "Army."]),
        (
            "en",
            "George W. Bush, J. R. R. Tolkien K. 550 by W. A. Mozart, a group (E. Sottsass).",
            ["Sottsass)."],
        ),
        ("en", "See Act V. It ends.", ["V.", "ends."]),
        (
            "en",
            "At 9 a.m. EST we start. It ends at 5 p.m. The end.",
            ["start.", "5\u00a0p.m.", "end."],
        ),
        (
            "de",
            "Nach 30 Min. Die Ruhe. Am 24.11. Das Fest. Am 3.12. Beginn.",
            ["30\u00a0Min.", "Ruhe.", "24.11.", "Fest.", "Beginn."],
        ),
        (
            "de",
            "Unter Heinrich VIII. Die Reform. Er traf Elisabeth II. von England.",
            ["VIII.", "Reform.", "England."],
        ),
        (
            "de",
            "Vitamin C. 20 mg reichen. Plan B. Es geht. H. Müller.",
            ["C.", "reichen.", "B.", "geht.", "Müller."],
        ),
        (
            "fr",
            "La vitamine C. 20 mg suffisent. Plan B. Elle vient.",
            ["C.", "suffisent.", "B.", "vient."],
        ),
        ("ru", "Это витамин C. 20 мг хватит. А. С. Пушкин.", ["C.", "хватит.", "Пушкин."]),
    ],
)
def test_a_letter_that_names_one_of_several_ends_its_sentence_and_an_initial_does_not(
    language, text, ends
):
    assert [token.written for token in tokenize_text(text, language) if token.ends] == ends


ADA = Presenter("Ada")
FILMS = {
    "en": (
        "Profit was -$5 million after World War II. We sell at $5–$10, use ½–1 cup and open "
        "10:30–11:00. It holds CO2 and Vitamin C. 20 mg are enough, says Chapter IV, May 5. An "
        "SQL-based tool costs $5 more than SQL's."
    ),
    "de": (
        "Der Gewinn war -$5 Millionen. Es kostet 5 €–10 € um 10:30–11:00 Uhr. Die SQL-Abfrage "
        "nach CO2-Ausstoß steht in Kapitel IV."
    ),
}


@pytest.mark.parametrize("language", sampled(sorted(FILMS), 2))
def test_captions_and_transcript_keep_the_written_form_and_every_word_its_time(language, tmp_path):
    names = (Pronunciation("SQL", "sequel"),)
    brief = brief_of(
        language=language,
        title="Tests",
        topic="Tests",
        metadata_md=FILMS[language],
        avatar=ADA,
        lexicon=names,
    )
    step.write_step(brief, tmp_path, ignore)
    narration.record_narration(brief, tmp_path, ignore)
    captions.write_captions(tmp_path)
    transcript.write_transcript(brief, tmp_path)
    script, timeline = (
        load(Script, tmp_path / "script.json"),
        load(Timeline, tmp_path / "timeline.json"),
    )
    assert "sequel-" in " ".join(word for scene in script.scenes for word in scene.spoken)
    for scene, timing in zip(script.scenes, timeline.scenes, strict=True):
        assert len(scene.words) == len(scene.spoken) == len(timing.words)
        assert all(word.start < word.end for word in timing.words)
        assert all(one.end <= other.start + 1e-9 for one, other in itertools.pairwise(timing.words))
    shown = " ".join(
        parse.normalise_text(cue.text) for cue in parse.read_cues(tmp_path / "captions.vtt")
    )
    # where a scene begins
    read = re.sub(r"\n+\[[\d:]+\]\nAda: ", " ", (tmp_path / "transcript.txt").read_text())
    for text in (shown, read):
        assert FILMS[language] in text.replace("\u00a0", " ")


def test_a_lexicons_word_stays_what_it_is_beside_each_of_them():
    text = "SQL costs $5–$10 in Chapter IV, CO2 in SQL."
    result = tokenize_text(text, "en")
    entries = (
        Pronunciation("SQL", "sequel"),
        Pronunciation("CO2", "see oh two"),
        Pronunciation("Chapter IV", "chapter iv four"),
    )
    said = lexicon.replace_words(
        [token.written for token in result], [token.spoken for token in result], entries, "en"
    )
    assert (
        " ".join(said)
        == "Sequel costs five to ten dollars in chapter iv four, see oh two in sequel."
    )
