"""The number that a text goes to, a PIN or a postcode is shown as no large figure: it counts
nothing."""

from types import SimpleNamespace

from support.tables import each_of

from svc.media.script.from_brief import write_script
from svc.media.slides import key_figures
from svc.media.text.tokens import tokenize_text

CODES = [
    ("en", "Text 60042 to give five pounds."),
    ("en", "Text GIVE to 60042 and give."),
    ("en", "Quote reference 448210 when you call."),
    ("en", "Your PIN is 4821 for the door."),
    ("en", "The postcode is 10115 in Berlin."),
    ("en", "Dial 116117 at night."),
    ("en", "Your PIN is 4821 today."),
    ("nl", "De postcode is 1012 AB."),
    ("en", "Quote ticket 48210 then."),
    ("en", "Ask for item 483920 in the shop."),
    ("de", "SMS mit dem Kennwort HILFE an 81190 senden."),
    ("de", "Wählen Sie die 116117 in der Nacht."),
    ("de", "Die Postleitzahl ist 10115."),
    ("de", "Aktenzeichen 20417 bitte angeben."),
    ("fr", "Envoyez DON au 92112 pour donner."),
    ("fr", "Le code 48213 ouvre la porte."),
    ("fr", "Composez le 3919 la nuit."),
    ("es", "Envía AYUDA al 28014 para donar."),
    ("es", "Marca el 90210 por la noche."),
    ("es", "La referencia 483920 está agotada."),
    ("it", "Il codice 48213 apre la porta."),
    ("pt", "O código 48213 abre a porta."),
    ("nl", "Sms HELP naar 4333 om te geven."),
    ("sv", "Skicka GE till 72900 för att ge."),
    ("da", "Send GIV til 12450 og giv."),
    ("nb", "Send GI til 21600 og gi."),
    ("fi", "Lähetä viesti APU numeroon 16588."),
    ("pl", "Wyślij SMS o treści POMOC na 72052."),
    ("cs", "Pošlete DMS na číslo 87777."),
    ("hu", "Hívja a 13600 számot."),
    ("ro", "Trimite SMS la 88440 pentru a dona."),
    ("ru", "Отправьте СМС на номер 7715."),
    ("uk", "Код 48213 відчиняє двері."),
    ("el", "Στείλτε SMS στο 54160 για δωρεά."),
    ("tr", "YARDIM yazıp 4182 numarasına gönderin."),
    ("ar", "الرمز هو 48213 للباب."),
    ("he", "הקוד הוא 48213 לדלת."),
    ("de", "Besuchen Sie uns in 10115 Berlin."),
    ("de", "Wir sind in der Seestraße 4, 8008 Zürich."),
    ("fr", "Notre bureau est à 75011 Paris."),
    ("es", "Estamos en la calle Mayor, 28013 Madrid."),
    ("tr", "1042 No'lu kararla alındı."),
    ("tr", "1042 numaralı karar alındı."),
    ("en", "If the power fails, call 159."),
    ("en", "The last bus leaves at 0730."),
    ("es", "En caso de emergencias 112."),
    ("it", "Emergenze: 118 o 112."),
    ("fr", "Urgences : 115 ou 112."),
    ("pl", "Dzwoń pod 112."),
]
READING_TIMES = [
    ("en", "4 min read."),
    ("en", "Reading time: 14 minutes."),
    ("de", "Lesezeit: 4 Min."),
    ("fr", "12 min de lecture."),
    ("es", "12 min de lectura."),
    ("it", "Lettura: 12 min."),
    ("nl", "Leestijd: 12 min."),
    ("sv", "Lästid: 12 min."),
]
CALLED = [
    ("en", "If the power fails, call 159.", "one five nine"),
    ("es", "Llame al 118 o 112.", "uno uno ocho o uno uno dos"),
    ("es", "En caso de emergencias 112.", "uno uno dos"),
    ("it", "Chiamate il 118 o il 112.", "uno uno otto o il uno uno due"),
    # French and Polish say these as a whole.
    ("fr", "Appelez le 115 ou le 112.", "le cent quinze ou le cent douze"),
    ("pt", "Emergências 112.", "um um dois"),
    ("de", "Im Notfall 112 wählen.", "eins eins zwei"),
    ("pl", "Dzwoń pod 112.", "pod sto dwanaście"),
    ("de", "Wir sind in 10115 Berlin.", "eins null eins eins fünf Berlin"),
    ("fr", "Nous sommes à 75011 Paris.", "sept cinq zéro un un Paris"),
]
COUNTED = [
    ("en", "We call 159 people.", "one hundred and fifty-nine"),
    ("es", "Llamamos a 112 vecinos.", "ciento doce"),
    ("de", "Es kamen 10115 Besucher.", "zehntausendeinhundertfünfzehn"),
    ("it", "La polizia ha 112 agenti.", "centododici"),
]
AMOUNTS = [
    ("en", "Text us: the town has 60042 people.", "60042\u00a0people"),
    ("en", "We sold 60042 books.", "60042\u00a0books"),
    ("en", "Call us: we gave £60042 away.", "£60042"),
    ("en", "They send 4,821 by post.", "4,821"),
    ("en", "The code has 4821 lines.", "4821\u00a0lines"),
    ("en", "The code review took 450 minutes.", "450\u00a0minutes"),
    ("en", "The reference library holds 4821 books.", "4821\u00a0books"),
    ("de", "Der Code hat 4821 Zeilen.", "4821\u00a0Zeilen"),
    ("fr", "Le code pénal a 450 articles.", "450\u00a0articles"),
    ("es", "El código tiene 4821 líneas.", "4821\u00a0líneas"),
    ("en", "Police: 340 arrests in a week.", "340\u00a0arrests"),
    ("de", "Feuerwehr: 112 Einsätze im Jahr.", "112\u00a0Einsätze"),
    ("de", "Wir senden 4821 Hefte.", "4821\u00a0Hefte"),
    ("de", "Im Jahr kamen 10115 Besucher.", "10115\u00a0Besucher"),
    ("en", "It takes 12 min on foot.", "12\u00a0min"),
    ("fr", "On compte 48213 habitants.", "48213\u00a0habitants"),
]


def find(language: str, text: str) -> str:
    tokens = tokenize_text(text, language)
    ends = frozenset(at for at, token in enumerate(tokens) if token.ends)
    scene = SimpleNamespace(words=tuple(token.written for token in tokens), sentence_ends=ends)
    return key_figures.find_figure(scene, range(len(tokens)))


@each_of(("language", "text"), CODES)
def test_a_code_is_no_figure(language, text):
    assert find(language, text) == ""


@each_of(("language", "text"), READING_TIMES)
def test_the_minutes_that_a_text_takes_to_read_are_no_figure(language, text):
    assert find(language, text) == ""


@each_of(("language", "text", "said"), CALLED)
def test_the_digits_of_a_number_to_call_and_of_a_postcode_are_said(language, text, said):
    assert said in " ".join(token.spoken for token in tokenize_text(text, language))


@each_of(("language", "text", "said"), COUNTED)
def test_a_number_that_counts_something_is_said_as_one(language, text, said):
    assert said in " ".join(token.spoken for token in tokenize_text(text, language))


@each_of(("language", "text", "figure"), AMOUNTS)
def test_an_amount_beside_a_word_of_codes_is_one(language, text, figure):
    assert find(language, text) == figure


def test_a_code_in_bold_at_the_beginning_has_no_card(make_brief):
    for text, layout in (
        ("**60042** is the number to text if you want to give five pounds.", "prose"),
        ("**60042** people came to the show.", "number"),
    ):
        script = write_script(make_brief(title="News", topic="News", metadata_md=text))
        assert script.scenes[1].layout == layout
