"""What stands beside a clause and says nothing of it keeps no clause from being a key phrase: a
concession, a cause, a relative clause, what follows a colon. What does say something of it does.
"""

import pytest
from support.tables import each_of

from svc.media.pictures import meaning
from svc.media.script.from_brief import write_script

# no clause of it can stand for it
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
CLAUSES = [  # a sentence, and the clause of it that is shown; empty: none
    # a concession
    ("en", "Nobody may climb the scaffold without a harness, even if the task takes no more than a "
     "few minutes on a calm day", "Nobody may climb the scaffold without a harness"),
    ("fr", "Ne mangez plus rien après minuit, même si l'intervention n'est prévue que l'après-midi "
     "du lendemain ou plus tard", "Ne mangez plus rien après minuit"),
    ("es", "Queda prohibido subir al andamio sin arnés, aunque se trate de una tarea de muy pocos "
     "minutos y sin viento", "Queda prohibido subir al andamio sin arnés"),
    # a condition is none
    ("es", "Queda prohibido subir al andamio sin arnés, salvo que se trate de una tarea de muy "
     "pocos minutos y sin viento", ""),
    # a cause and a purpose
    ("fr", "Faute de wagons en nombre suffisant, le train de nuit ne circulera pas du 12 au 27 "
     "novembre entre Briançon et Paris", "le train de nuit ne circulera pas du 12 au 27 novembre "
     "entre Briançon et Paris"),
    ("it", "Per consentire il trasloco degli archivi, che erano conservati in un altro palazzo, "
     "l'ufficio resterà chiuso da lunedì a mercoledì",
     "l'ufficio resterà chiuso da lunedì a mercoledì"),
    # whom or when it is for is none
    ("it", "Per i soci della biblioteca e per i loro figli, il corso di lettura resterà gratuito "
     "anche nei prossimi dieci anni", ""),
    # a colon after what is denied, and after what leads to the rest
    ("it", "Con la versione 9.0 non è più necessario convertire le fatture: il programma le genera "
     "direttamente e poi le invia", "Con la versione 9.0 non è più necessario convertire le "
     "fatture"),
    ("en", "Members should not forget one thing about the gate: the key that opens it has to be "
     "returned to the office by noon", ""),
    # a clause after a preposition without a comma, and a noun with a clause of its own
    ("en", "From Monday 7 April your rent will rise by 2.7 per cent, which for most flats means "
     "about eleven pounds a month", "From Monday 7 April your rent will rise by 2.7 per cent"),
    ("en", "In the house that was sold by the town in spring, which has nine rooms on three "
     "floors, a school opens in autumn", ""),
    ("en", "By the time the shop is open to members in the morning, the first of them wait at its "
     "doors if it has not rained", ""),
    # a "not" and an "only" of a clause that hangs on another
    ("it", "Il consiglio approva il restauro dell'organo, che però non inizierà finché non sia "
     "stata raccolta almeno la metà dei soldi",
     "Il consiglio approva il restauro dell'organo"),
    ("de", "Im Winterschlaf sinkt die Temperatur des Igels auf 5 °C, wobei das Herz nur noch "
     "zehnmal in der Minute schlägt", "Im Winterschlaf sinkt die Temperatur des Igels auf 5 °C"),
]  # fmt: skip
SUBJECTS = [  # whole sentences that name their subject, or give an order
    ("es", "Se ofrece alojamiento, pero no se tramitan permisos"),
    ("es", "Siempre nos acompaña una furgoneta con comida"),
    ("pt", "Não se aceitam candidaturas de quem tenha multas"),
    ("de", "Telefonieren Sie erst draußen"),
]
LEANING = [
    ("en", "Walkers have done so since 1974"),
    ("en", "Visitors may enjoy doing so every day"),
    ("en", "Then everyone else should change the order"),
    ("en", "Tenants pay more than all others"),
    ("de", "Die Wanderer haben es schon getan"),
    ("de", "Gäste dürfen das tun"),
    ("de", "Die Tür darf niemand sonst öffnen"),
    ("fr", "Les visiteurs peuvent le faire à midi"),
    ("fr", "Les voisins l'ont déjà fait"),
    ("fr", "La mairie écrira aux autres"),
    ("es", "Los vecinos lo han hecho este año"),
    ("es", "El club paga todo lo demás"),
    ("es", "El pago queda en espera si falta"),
    ("it", "Se manca, il documento resta in bozza"),
    ("it", "Il documento resta in bozza se manca"),
    ("it", "Nessun altro può aprire la porta"),
    ("pt", "Os vizinhos podem fazê-lo à noite"),
    ("pt", "O documento fica em rascunho se faltar"),
    ("pt", "O clube paga o resto"),
]
LISTS = [  # of those present, with titles in the plural
    ("en", "Present: Cllrs. Dunn, Okafor, Reeve (chair) and Mr. T. Lacey; apologies from Cllr. "
     "Singh. The swings will be replaced.", "The swings will be replaced"),
    ("en", "Present: Drs. Dunn and Lee. The swings will be replaced.",
     "The swings will be replaced"),
    ("de", "Anwesend: die Stadträtinnen Brandt und Klein; entschuldigt sind Hrn. Ewald und Timm. "
     "Die Kastanie bleibt stehen.", "Die Kastanie bleibt stehen"),
    ("fr", "Étaient présentes Mmes Roussel et Faure. La chaudière sera remplacée.",
     "La chaudière sera remplacée"),
    ("es", "Asisten los Sres. Ruiz y Soto y las Sras. Gil y Lima. La plaza se cierra el lunes.",
     "La plaza se cierra el lunes"),
    ("pt", "Estiveram presentes os Srs. Matos e Vaz e as Dras. Lima e Reis. A praça fica fechada.",
     "A praça fica fechada"),
]  # fmt: skip
MET = [  # two of the rules meet
    # a list of those present, and a long sentence after it
    ("pt", "Estiveram presentes os Srs. Matos e Vaz. Foi deliberado que as obras não comecem antes "
     "da Páscoa, a menos que o muro ameace cair.", "Foi deliberado que as obras não comecem antes "
     "da Páscoa, a menos que o muro ameace cair"),
    # a list of those present, and a sentence that leans
    ("en", "Present: Cllrs. Dunn and Lee. The others have done so.", ""),
    # emphasis, and a word that leans
    ("es", f"{LONG['es']}. Los de carbón no se lavan: **hay que sustituirlos cada seis meses**, o "
     "antes si se cocina a diario.", "hay que sustituirlos cada seis meses"),
    # emphasis, and a "not" in a reason; in front of it; of another condition
    ("pt", "Informam-se os encarregados de educação de que a visita, inicialmente marcada para dia "
     "9, passou para **quinta-feira, 16 de maio**, por não haver autocarro.",
     "quinta-feira, 16 de maio"),
    ("pt", "Informam-se os encarregados de educação de que a visita marcada para dia 9 não passará "
     "para **quinta-feira, 16 de maio**, mesmo que chova muito.", ""),
    ("it", "Dal 15 novembre il limite di prelievo scende da 1.000 a 600 euro, a meno che lei non "
     "chieda di mantenere quello attuale, in filiale oppure **entro il 31 ottobre dall'app**.",
     "entro il 31 ottobre dall'app"),
    # emphasis, and a short sentence around it
    ("de", "Salz kommt **erst ganz zum Schluss** hinein, weil sonst nichts weich wird.",
     "Salz kommt erst ganz zum Schluss hinein, weil sonst nichts weich wird"),
    # emphasis from comma to comma whose verb is not known; up to a semicolon; a condition
    ("pt", f"{LONG['pt']}. Ninguém ficou sem almoço: **houve atraso, por o fornecedor ter trocado "
     "a morada**, e às 13h40 estavam todos servidos.",
     "houve atraso, por o fornecedor ter trocado a morada"),
    ("de", f"{LONG['de']}. **Eine Dicke von 15 cm reicht nur bei klarem Eis**; trübes trägt kaum "
     "die Hälfte.", "Eine Dicke von 15\u00a0cm reicht nur bei klarem Eis"),
    ("de", f"{LONG['de']}. **Wenn es am Samstag sehr stark regnet**, gibt es kein Konzert.", ""),
    # emphasis, and a colon
    ("en", "In the whole of the park and on all of the meadows by the river and the lake it is "
     "forbidden: **open fires on grass**.", ""),
    # a quotation, and a space in front of its mark
    ("fr", "« Nous n'avons plus que trois wagons. » La gare ferme lundi.",
     "«\u00a0Nous n'avons plus que trois wagons\u00a0»"),
]  # fmt: skip


@pytest.fixture
def shown(make_brief, monkeypatch):
    """Return the key phrases of a text; its pictures, which take longer, are not chosen."""
    monkeypatch.setattr(meaning, "choose_picture", lambda *_: "")
    monkeypatch.setattr(meaning, "is_sombre", lambda *_: False)

    def choose(text, language):
        brief = make_brief(title="T", topic="T", metadata_md=text, language=language)
        phrases = {scene.key_phrase for scene in write_script(brief).scenes[1:-1]}
        return {phrase for phrase in phrases if phrase}

    return choose


@each_of("language, sentence, phrase", CLAUSES)
def test_a_clause_is_shown_without_what_leaves_it_as_it_is(shown, language, sentence, phrase):
    phrases = {each.replace("\u00a0", " ") for each in shown(f"{sentence}.", language)}
    assert phrases == ({phrase} if phrase else set())


@each_of("language, sentence", SUBJECTS)
def test_a_sentence_with_its_subject_after_the_verb_stands(shown, language, sentence):
    assert shown(f"{LONG[language]}. {sentence}.", language) == {sentence}


def test_an_order_beside_a_telephone_number_is_a_phrase(shown):
    text = "Telefonieren Sie erst draußen; die Störungsstelle ist unter 0800 5550199 erreichbar."
    assert shown(text, "de") == {"Telefonieren Sie erst draußen"}


@each_of("language, sentence", LEANING)
def test_what_was_done_and_who_else_lean_on_before(shown, language, sentence):
    assert shown(f"{LONG[language]}. {sentence}.", language) == set()


@each_of("language, text, phrase", LISTS)
def test_titles_in_the_plural_list_who_was_present(shown, language, text, phrase):
    assert shown(text, language) == {phrase}


@each_of("language, text, phrase", MET)
def test_where_two_of_these_rules_meet_both_hold(shown, language, text, phrase):
    assert shown(text, language) == ({phrase} if phrase else set())
