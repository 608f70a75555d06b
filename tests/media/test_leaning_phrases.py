"""A key phrase leans on nothing that is not shown, and lacks nothing that it hangs on; where the
first sentence of a scene is too long, the whole short one after it is shown.

Each text begins with a sentence from which no clause can be shown, so that it is the sentence after
it that is judged.
"""

from dataclasses import replace

import pytest
from support.tables import each_of

from svc.media.languages import Grammar, read_words
from svc.media.pictures import meaning
from svc.media.script import key_phrases
from svc.media.script.from_brief import write_script
from svc.media.text.grammar.leaning import leans_on_before
from svc.media.text.tokens import tokenize_text

# of one scene, without a clause that could stand for it
LONG = {
    "en": "The swimming baths will stay open if the town pays for a new boiler, a flat roof and a "
    "tiled floor",
    "de": "Das Hallenbad bleibt nur geöffnet, wenn die Stadt einen Kessel, ein Dach und einen "
    "Boden aus Kork bezahlt",
    "fr": "La piscine restera ouverte si la ville paie une chaudière, un toit, un sol et des "
    "fenêtres neuves",
    "es": "La piscina seguirá abierta si el ayuntamiento paga una caldera, un techo, un suelo y "
    "ventanas",
    "it": "La piscina resterà aperta se il comune paga una caldaia, un tetto, un pavimento e le "
    "finestre",
    "pt": "A piscina continuará aberta se a câmara pagar uma caldeira, um telhado, um chão e "
    "janelas novas",
}
STANDING = [  # whole, short, and about what they name
    ("en", "If you can drive, bring your own car"),
    ("en", "Season tickets remain valid until the end of April"),
    ("en", "Nobody needs to bring money for lunch"),
    ("en", "Visitors leave their coats at the door"),
    ("en", "The pool opens this year at seven"),
    ("en", "A solar module costs 90 % less than it did fifteen years ago"),
    ("de", "Die Parkuhren werden abgebaut"),
    ("de", "Rufen Sie uns an, falls Fieber oder Schmerzen auftreten"),
    ("de", "Es gibt keine Umkleiden für Kinder"),
    ("fr", "Les bacs sortis après six heures ne seront pas vidés"),
    ("fr", "Il ne faut surtout pas venir à jeun"),
    ("es", "La escalera tiene 187 peldaños y no hay ascensor"),
    ("es", "Se aceptan los carnés de otras ciudades"),
    ("es", "Las prendas usadas pueden donarse en conserjería"),
    ("it", "Chi non rinnova entro febbraio perde il posto"),
    ("it", "Dopo le otto bisogna suonare il campanello"),
    ("pt", "As candidaturas entregues fora do prazo já não são aceites"),
    ("pt", "Em caso de chuva forte, a levada é encerrada"),
]
LEANING = [  # on what is not shown: a noun, a place, a subject that was left out
    ("en", "If you do, call us at least a week ahead"),
    ("en", "If you can't, ask a neighbour for help"),
    ("de", "Wenn das der Fall ist, rufen Sie uns an"),
    ("fr", "Si c'est le cas, appelez le secrétariat"),
    ("es", "Si no puede, llame a la secretaría"),
    ("it", "Se non puoi, chiama la segreteria"),
    ("pt", "Se não puder, telefone para a secretaria"),
    ("en", "The old pump was louder than it"),
    ("en", "They were opened by the mayor in 1911"),
    ("en", "Registered guide dogs are exempt"),
    ("en", "The library stays open in the meantime"),
    ("de", "Die Schüler essen unterdessen im Rathaus"),
    ("fr", "Le marché se tient entre-temps sur le quai"),
    ("es", "El muro se apuntalará entretanto"),
    ("it", "Il mercato si tiene nel frattempo sul molo"),
    ("pt", "O muro será escorado entretanto"),
    ("en", "Outside these hours the doors are locked"),
    ("en", "In 1903 he moved to a house by the sea"),
    ("en", "As long as they sign, children may swim alone"),
    ("en", "Members can leave bicycles there overnight"),
    ("en", "Please do not block their holes with cement"),
    ("de", "Diese warten im Treppenhaus auf die Feuerwehr"),
    ("de", "Für kleine Kinder ist sie nicht geeignet"),
    ("de", "Im Keller hat es nichts zu suchen"),
    ("de", "Dort fehlt es seit Jahren an Personal"),
    ("fr", "En dehors de ces horaires, la porte est fermée"),
    ("fr", "Elle ne desservira plus la gare du nord"),
    ("fr", "Les apiculteurs les nourrissent au sucre"),
    ("fr", "Les chiens n'y sont pas admis le soir"),
    ("es", "Se restauró en 2017 con fondos de la región"),
    ("es", "Los vecinos ya no los usan en invierno"),
    ("es", "Murió en 1957 sin dejar alumnos"),
    ("es", "Allí estudiaban once niños y niñas"),
    ("it", "Questa regola vale anche per gli ospiti"),
    ("it", "Morì nel 1957 senza lasciare allievi"),
    ("it", "Lì c'è molto più spazio per tutti"),
    ("pt", "A partir desse momento a porta fica fechada"),
    ("pt", "Nunca cobrou uma consulta a quem era pobre"),
    ("pt", "O guarda consegue recuperá-los no mesmo dia"),
]
CUT = [  # too long to be shown whole; what looks like a clause of them hangs on the rest
    ("de", "Wer das Gebäude verlassen hat, begibt sich zum Sammelplatz hinter dem Parkhaus und "
     "meldet sich bei der Leiterin"),
    ("de", "Wird die Rechnung nicht bezahlt, stellen die Stadtwerke nach zwei Wochen den Strom und "
     "das Wasser im Haus ab"),
    ("fr", "Tant que la carte est active, une somme de cinquante euros au plus reste chaque mois à "
     "la charge du client"),
    ("es", "Siempre que la puerta está abierta, los perros de los vecinos entran al jardín y comen "
     "las flores de la abuela"),
    ("it", "Finché la sbarra è abbassata, i ciclisti e i pedoni devono aspettare dietro la linea "
     "bianca della carreggiata"),
    ("pt", "Sempre que o portão está fechado, os moradores devem tocar à campainha da porteira que "
     "mora no primeiro andar"),
    ("en", "As long as the gate is closed, cyclists and walkers have to wait behind the white line "
     "that crosses the road"),
    ("es", "Solo se puede subir al faro, que todavía está en funcionamiento, los sábados por la "
     "mañana y en grupos"),
    ("en", '"Nobody told us," said one tenant of the block in Salford last week, "and we never '
     'thought to ask anyone at all."'),
]  # fmt: skip
PLACES = [  # addresses and telephones
    ("en", "Tickets are sold at 14 Harbour Road"),
    ("de", "Karten gibt es in der Lindengasse 14"),
    ("fr", "Les billets sont vendus 12, rue Voltaire"),
    ("es", "Las entradas se venden en la calle Mayor, 7"),
    ("es", "Las entradas se piden en el 981 555 014"),
    ("it", "I biglietti si comprano in piazza Duomo, n. 4"),
    ("pt", "Os bilhetes estão à venda na Rua Augusta, 150"),
    ("pt", "Os bilhetes pedem-se pelo 707 200 300"),
]
STREETS_THAT_ARE_NO_ADDRESS = [
    ("es", "La calle del Molino estará cortada del 3 al 7 de junio"),
    ("pt", "A rua do Moinho estará cortada de 3 a 7 de junho"),
    ("es", "La ciudad gastó 981 000 000 de euros en puentes"),
]


@pytest.fixture
def shown(make_brief, monkeypatch):
    """Return the key phrases of a text; its pictures, which take longer, are not chosen."""
    monkeypatch.setattr(meaning, "choose_picture", lambda *_: "")
    monkeypatch.setattr(meaning, "is_sombre", lambda *_: False)
    return lambda text, language: [
        scene.key_phrase
        for scene in write_script(
            make_brief(title="T", topic="T", metadata_md=text, language=language)
        ).scenes[1:-1]
    ]


@each_of("language, sentence", STANDING)
def test_a_whole_short_sentence_stands_for_a_long_one(shown, language, sentence):
    assert not leans_on_before(sentence, language)
    phrases = shown(f"{LONG[language]}. {sentence}.", language)
    assert [phrase.replace("\u00a0", " ") for phrase in phrases if phrase] == [sentence]


@each_of("language, sentence", LEANING)
def test_a_sentence_that_leans_on_what_is_not_shown_is_no_phrase(shown, language, sentence):
    assert leans_on_before(sentence, language)
    assert set(shown(f"{LONG[language]}. {sentence}.", language)) == {""}


@each_of("language, sentence", CUT)
def test_no_clause_is_shown_without_what_it_hangs_on(shown, language, sentence):
    assert set(shown(f"{sentence}.", language)) == {""}


@each_of("language, sentence", PLACES)
def test_no_address_of_a_house_and_no_telephone_is_a_phrase(shown, language, sentence):
    assert set(shown(f"{sentence}.", language)) == {""}


@each_of("language, sentence", STREETS_THAT_ARE_NO_ADDRESS)
def test_a_street_with_a_date_and_a_large_sum_are_no_address(shown, language, sentence):
    assert [each.replace("\u00a0", " ") for each in shown(f"{sentence}.", language)] == [sentence]


def test_a_sentence_leans_on_the_scene_before_its_own_too(shown):
    """The second sentence has a scene to itself, so that nothing stands before it there."""
    long = LONG["es"] + ", que costarán casi novecientos mil euros según el último presupuesto"
    leaning = "Se restauró en 2017 con fondos de la Fundación Iberdrola y de varios mecenas"
    assert len(shown(f"{long}. {leaning}.", "es")) == 2
    assert set(shown(f"{long}. {leaning}.", "es")) == {""}


def test_the_rest_of_a_sentence_from_the_scene_before_is_no_phrase(make_brief):
    """The torn rest begins with a name, and so with a capital."""
    *others, last = tokenize_text("The members thank the firm of Lee and", "en")
    rest = [tokenize_text("Harker built the tower.", "en")]
    torn, whole = ([*others, replace(last, ends=ends)] for ends in (False, True))
    assert key_phrases.choose_key_phrase(rest, "", make_brief(), torn) == ""
    assert key_phrases.choose_key_phrase(rest, "", make_brief(), whole) == "Harker built the tower"


@each_of(
    "language, text",
    [
        ("pt", "O barco exposto no pátio, que transportou pipas de vinho pelo Douro até 1964, é um "
         "dos três únicos que sobreviveram e navegava sem motor, apenas com uma vela quadrada e um "
         "remo de doze metros."),
        ("en", "The boat moored in the yard behind the old warehouse by the bridge, which carried "
         "wine and oil from the hills down the river to the harbour until the spring of 1964, is "
         "one of the three that have survived, and sailed without an engine, with a square sail "
         "and an oar of twelve metres."),
    ],
)  # fmt: skip
def test_a_subject_torn_from_its_verb_is_no_phrase(shown, language, text):
    """The scene ends before the verb."""
    assert len(shown(text, language)) == 2
    assert set(shown(text, language)) == {""}


PAIRS = [  # two of the rules meet: what is shown
    # a given name in short, and a negation
    ("en", "The mill of Jos. Harker no longer runs.", "The mill of Jos. Harker no longer runs"),
    ("de", "Die Orgel von Joh. Gg. Reuter erklingt nicht mehr.",
     "Die Orgel von Joh. Gg. Reuter erklingt nicht mehr"),
    # a given name in short, and a list of those present
    ("en", "Present: Jos. Harker, Wm. Lee, Mrs Dunn. The treasurer reported a small loss.",
     "The treasurer reported a small loss"),
    # a quotation in halves, and a second sentence
    ("en", '"We cannot live on this," said a driver, "and we will not pretend that we can." The '
     "strike starts on Friday.", "The strike starts on Friday"),
    ("it", "«Non ci hanno avvertiti», dice un pastore, «e abbiamo perso tutto». La strada riapre a "
     "maggio.", "La strada riapre a maggio"),
    # a whole quotation, whose speaker is its subject
    ("pt", f"{LONG['pt']}. «Respondo sempre a todos, por medo», confessa um técnico de 34 anos.",
     "«Respondo sempre a todos, por medo»"),
    # a word that leans, and emphasis, which wins whole
    ("fr", "**Laissez-la reposer une heure au frais** avant de l'étaler.",
     "Laissez-la reposer une heure au frais"),
    ("de", f"{LONG['de']}. **Diese Türen öffnen nur von innen.**",
     "Diese Türen öffnen nur von innen"),
    # a list of names, and a second sentence that leans
    ("de", "Anwesend: Frau Klein, Herr Dr. Sommer, Herr Brandt. Er war dagegen.", ""),
    # a clause that hangs on another, whole
    ("fr", f"{LONG['fr']}. Tant que la carte n'est pas bloquée, le client paie.",
     "Tant que la carte n'est pas bloquée, le client paie"),
    # an address, and a sentence beside it
    ("pt", "O balcão fica na Rua Augusta, 150. Os documentos não são devolvidos.",
     "Os documentos não são devolvidos"),
    # an "only" that is about what stands beside it
    ("it", f"{LONG['it']}. Solo una famiglia su dodici è diventata vegetariana.",
     "Solo una famiglia su dodici è diventata vegetariana"),
]  # fmt: skip


@each_of("language, text, phrase", PAIRS)
def test_where_two_of_the_rules_meet_both_hold(shown, language, text, phrase):
    assert shown(text, language) == [phrase]


@each_of(
    "language, leaning, standing",
    [
        ("nl", "Zet hem niet voor zes uur buiten", "Glas hoort niet in de grijze bak"),
        (
            "nl",
            "Zolang het helder is, is dat niet erg",
            "De schommel wordt dit jaar niet vervangen",
        ),
        ("nl", "In dat geval betaalt de huurder", "Deze week is de brug dicht"),
        ("sv", "Den ska inte användas efter en olycka", "Den nya färjan går åtta gånger om dagen"),
        ("sv", "I så fall betalar hyresgästen", "De flesta biljetter blir inte dyrare"),
        ("da", "De skal også betale for mad", "De nye busser kører hvert kvarter"),
        ("nb", "Den må ikke vaskes i maskin", "Denne uken er broen stengt"),
        ("pl", "Nigdy nie myj go w zmywarce", "Zebranie nie przyjęło projektu placu zabaw"),
        ("pl", "To dotyczy także sobót", "Kto ma psa, musi go prowadzić na smyczy"),
        ("cs", "V tom případě se nic neplatí", "Tento týden je most uzavřen"),
        ("sk", "Ich deti tam chodili do školy", "Most je tento týždeň zatvorený"),
        ("uk", "У цьому разі кошти не повертають", "Цього тижня міст зачинено"),
        ("uk", "Він не промокає", "Рюкзак не промокає"),
        ("ru", "Она не поднимается на мост", "Этой зимой мост закрыт"),
        ("hr", "Ona vrijedi i za djecu", "Ovaj tjedan most je zatvoren"),
        ("sr", "Она важи и за децу", "Ове године мост је затворен"),
        ("fi", "Se ei koske lapsia", "Silta on suljettu"),
        ("tr", "Bu çocuklar için geçerli değil", "Bu hafta köprü kapalı"),
        ("ar", "لا تستخدموا المصاعد خلال هذه الفترة", "لن ترتفع الأسعار هذا العام"),
        ("hi", "वे मुफ़्त हैं", "किराया नहीं बढ़ेगा"),
        ("ja", "その場合は返金しません", "この夏、橋は通れません"),
        ("zh", "它不含塑料", "这周大桥关闭"),
        ("ko", "이 경우 환불하지 않습니다", "요금은 오르지 않습니다"),
    ],
)
def test_further_languages_know_what_leans(language, leaning, standing):
    assert leans_on_before(leaning, language)
    assert not leans_on_before(standing, language)


@each_of(
    "language, address, none",
    [
        ("nl", "Wij zitten nu aan de Dorpsstraat 12", "De Dorpsstraat is dicht van 3 tot 7 juni"),
        ("sv", "Vi har flyttat till Storgatan 14", "Storgatan stängs den 3 maj"),
        ("da", "Vi bor på Nørregade 3", "Nørregade er lukket fra 3. til 7. maj"),
        ("pl", "Biuro jest przy ul. Długiej 5", "Ulica Długa będzie zamknięta od 3 do 7 maja"),
        ("cs", "Sídlíme v ulici Dlouhá 12", "Ulice Dlouhá bude zavřená od 3. května"),
        ("uk", "Ми працюємо на вул. Садова, 5", "Вулицю Садову перекриють із 5 до 9 травня"),
        ("ru", "Мы переехали на улицу Ленина, 5", "Улица Ленина закрыта с 5 по 7 мая"),
        ("ca", "Som al carrer Major, 7", "El carrer Major es talla del 3 al 7 de juny"),
        ("el", "Είμαστε στην οδό Ερμού 12", "Η οδός Ερμού κλείνει από 3 έως 7 Μαΐου"),
        ("ar", "عنواننا شارع النيل، 15", "يغلق شارع الطاحونة من 3 إلى 7 يونيو"),
        ("ja", "新しい住所は本町2丁目3番地です", "3月12日に本町で断水します"),
        ("zh", "新地址是中山路25号", "中山路和解放路将停水"),
        ("ko", "새 주소는 세종대로 110입니다", "회의는 3월 5일입니다"),
    ],
)
def test_the_address_of_a_house_is_known_in_further_languages(language, address, none):
    house = read_words(language, Grammar).house
    assert house.search(address) and not house.search(none)
