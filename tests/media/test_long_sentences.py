"""Of a long sentence whose clauses are too long to be shown, a beginning is that says what the
sentence says."""

from support.tables import each_of

from svc.media.script.from_brief import write_script
from svc.media.text.grammar.clauses import find_cores

SENTENCES = [
    (
        "en",
        "The county council has approved a ten-year plan to repair more than four hundred bridges"
        "| on minor roads, which engineers had described in a report published last autumn as"
        " being in a worse condition than at any time since records began.",
    ),
    (
        "de",
        "Die Werft in Norden baut die neue Fähre für die Inseln,| die im Sommer 2028 zum ersten"
        " Mal fahren soll und mit ihren Batterien fast zwei Stunden lang ohne Diesel auskommt.",
    ),
    (
        "fr",
        "Le conseil municipal a voté jeudi soir la construction d'une nouvelle école| dans le"
        " quartier de la gare, où le nombre d'enfants a presque doublé en dix ans.",
    ),
    (
        "es",
        "El ayuntamiento ha aprobado un plan para plantar doce mil árboles en las calles del"
        " centro| antes de 2030, con el que espera bajar hasta dos grados la temperatura.",
    ),
]
NONE = [  # what would say something else without the rest, or is no whole clause
    ("en", "If the tenant has not paid the rent within fourteen days of the date on which it fell"),
    ("en", "Scientists said on Tuesday that they had found no evidence of otters in the river"),
    ("en", "The firm will pay back the whole price of all tickets in May if no ship sails then"),
    ("en", "The old mill used to grind corn for six villages until the river was moved in 1911"),
    ("en", "The council has never approved a plan for the old bridges in the north, although two"),
    ("de", "Der Stadtrat hat nach einer langen Sitzung beschlossen, die Brücke nicht zu sperren"),
    (
        "fr",
        "Le maire a promis lundi soir à tous les habitants du quartier dans une lettre que rien",
    ),
    ("es", "El dueño ha dicho a los vecinos de la plaza en una carta que no venderá la casa"),
]


@each_of(("language", "sentence"), SENTENCES)
def test_a_long_sentence_has_a_beginning_that_stands_for_it(language, sentence):
    written = sentence.replace("|", "").split()
    first, end = next(iter(find_cores(written, language, 96)))
    assert " ".join(written[first : end + 1]) == sentence.partition("|")[0]


@each_of(("language", "sentence"), NONE)
def test_no_beginning_leaves_out_a_not_a_condition_or_what_is_said(language, sentence):
    written = f"{sentence} and so forth.".split()
    for first, end in find_cores(written, language, 96):
        kept = " ".join(written[first : end + 1])
        assert "never approved" in kept, kept


SHOWN = [  # what the first scene of a sentence that goes on in the next one shows: up to the sign
    (
        "en",
        "The trust that looks after the old canal has begun to replace the wooden gates of"
        " its eleven"
        " locks|, a job that will take two winters and for which the towpath will be closed to"
        " cyclists on weekdays until the end of March.",
    ),
    (
        "de",
        "Im Ortsteil Brunnau verlegt die Firma Netzwerk Süd von Mitte März bis Ende Oktober"
        " in allen"
        " Straßen Leerrohre für schnelles Internet|, wobei die Gehwege jeweils nur für zwei"
        " bis drei"
        " Tage gesperrt werden und die Einfahrten, soweit es geht, befahrbar bleiben.",
    ),
    (
        "es",
        "La biblioteca municipal de Valdeolmos prestará desde octubre bicicletas, taladros y"
        " máquinas"
        " de coser además de libros|, gracias a un acuerdo con tres talleres del barrio que"
        " repararán"
        " gratis lo que se estropee.",
    ),
    (
        "it",
        "Il mercato del giovedì si sposta da via Roma al piazzale della stazione per tutta la"
        " durata"
        " dei lavori di rifacimento della fognatura|, che cominceranno il 3 marzo e dovrebbero"
        " concludersi prima dell'estate.",
    ),
    (
        "pt",
        "Os moradores do bairro da Encosta transformaram um terreno abandonado atrás do centro de"
        " saúde numa horta comunitária|, onde cada família cultiva um talhão de vinte metros"
        " quadrados e entrega um quinto do que colhe à cantina social.",
    ),
    (
        "nl",
        "De gemeente Zwolle begint op maandag 8 maart met het vervangen van de oude ophaalbrug over"
        " het Almelose kanaal|, die al sinds 1934 dienstdoet en volgens ingenieurs het zware"
        " verkeer"
        " niet meer aankan, en leidt fietsers via een tijdelijke brug om.",
    ),
    (
        "sv",
        "Kommunen öppnar på lördag ett nytt skidspår på fem kilometer genom skogen norr om Lugnet|,"
        " där snökanoner gör det möjligt att åka från november till april även om vintern"
        " blir mild,"
        " och skidor kan hyras i den röda stugan vid parkeringen.",
    ),
    (
        "pl",
        "Miejski basen przy ulicy Wodnej zostanie ponownie otwarty 15 maja po dwuletnim"
        " remoncie|, w"
        " czasie którego wymieniono instalację grzewczą, zbudowano osobną nieckę dla małych"
        " dzieci i"
        " zainstalowano windę, z której mogą korzystać osoby na wózkach.",
    ),
    (
        "ar",
        "تسير الحافلة رقم سبعة ابتداء من يوم الأحد كل عشر دقائق بين المستشفى الجديد ومحطة القطار|،"
        " وتتوقف في طريقها عند الجامعة والسوق القديم ومركز الشباب، ويستطيع الطلاب وكبار السن ركوبها"
        " مجانا إذا أظهروا بطاقاتهم للسائق.",
    ),
    (
        "hi",
        "नगर का सार्वजनिक पुस्तकालय अगले महीने से हर दिन सुबह आठ बजे से रात दस बजे तक खुला रहेगा|,"
        " क्योंकि पिछले साल हुए सर्वेक्षण में कई छात्रों ने कहा था कि शाम छह बजे के बाद उनके"
        " पास शांति से"
        " पढ़ने की कोई जगह नहीं होती।",
    ),
    (
        "tr",
        "Ana boruda yapılacak onarım nedeniyle yarın sabah dokuzdan akşam beşe kadar Çınar ve Gül"
        " mahallelerinde su kesilecek|, belediye ise iki okulun bahçesine yerleştireceği"
        " tankerlerden"
        " isteyen herkese içme suyu dağıtacak.",
    ),
]
HEADINGS = [  # no beginning of which says what they say
    (
        "en",
        "A brown spaniel with a white chest, which answers to the name of Biscuit and is afraid of"
        " traffic, ran away from the car park behind the swimming pool on Tuesday evening and was"
        " last seen near the railway bridge by a woman who was walking home.",
    ),
    (
        "fr",
        "La directrice de la crèche a expliqué mardi soir aux parents réunis dans la salle"
        " des fêtes"
        " que les horaires d'ouverture seraient réduits d'une heure à partir de janvier, faute de"
        " personnel, mais que les tarifs baisseraient.",
    ),
    (
        "nl",
        "Als u uw fiets langer dan vier weken op het station laat staan, kan de gemeente hem"
        " weghalen"
        " en naar het depot aan de Havenweg brengen, waar u hem tegen betaling van"
        " vijfentwintig euro"
        " binnen dertien weken weer kunt ophalen.",
    ),
    (
        "sv",
        "Biblioteket i Mjölby har under våren bytt ut alla lampor, målat om läsesalen och"
        " köpt in över"
        " tusen nya barnböcker på arabiska, somaliska och finska, som kan lånas i fyra veckor"
        " av alla"
        " som har ett lånekort.",
    ),
    (
        "pl",
        "Burmistrz powiedział na zebraniu mieszkańców osiedla Zachód, że budowa przedszkola"
        " rozpocznie"
        " się najwcześniej wiosną, ponieważ miasto nie otrzymało jeszcze decyzji środowiskowej, bez"
        " której nie można ogłosić przetargu.",
    ),
    (
        "tr",
        "Halk eğitim merkezi, ekim ayında başlayacak ücretsiz ahşap oymacılığı kursuna on"
        " sekiz yaşını"
        " doldurmuş herkesi kabul ediyor, ancak kursa katılmak isteyenlerin ay sonuna kadar"
        " kimlikleriyle birlikte merkeze başvurmaları gerekiyor.",
    ),
]


def _show_first(make_brief, sentence, language):
    notes = f"## Heading\n\n{sentence}"
    brief = make_brief(title="T", topic="T", language=language, metadata_md=notes)
    return write_script(brief).scenes[1].key_phrase


@each_of(("language", "sentence"), SHOWN)
def test_a_sentence_that_goes_on_in_the_next_scene_shows_its_clause(make_brief, language, sentence):
    shown = _show_first(make_brief, sentence.replace("|", ""), language)
    assert shown.replace("\u00a0", " ") == sentence.partition("|")[0]


@each_of(("language", "sentence"), HEADINGS)
def test_a_heading_stands_for_a_sentence_without_such_a_clause(make_brief, language, sentence):
    assert _show_first(make_brief, sentence, language) == "Heading"


def test_a_date_alone_is_not_what_a_verb_says(make_brief):
    """The object may come after the day and the place."""
    sentence = (
        "La chorale Mille Voix donnera le dimanche 15 décembre dans l'église Saint-Jean un concert"
        " de chants de Noël en six langues, dont les bénéfices iront à l'association qui distribue"
        " chaque soir des repas chauds."
    )
    shown = _show_first(make_brief, sentence, "fr")
    assert shown.replace("\u00a0", " ").endswith("un concert de chants de Noël en six langues")
