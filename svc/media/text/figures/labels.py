"""Letters that name one of several, such as Vitamin C or Plan B:
a full stop after them ends the sentence.
"""

from svc.media.text.numerals import OPENERS, PAUSES, base_language

_NAMES = (  # words before such a letter, of all languages
    "plan vitamin hepatitis group type grade class section part figure option appendix annex "
    "exhibit schedule category team side block zone gate terminal hall building scenario version "
    "variant formula tier level gen generation model question answer column step phase influenza "
    "gruppe typ klasse abschnitt teil anhang anlage kategorie seite tor halle gebäude variante "
    "stufe frage vitamine groupe partie annexe catégorie équipe bloc porte bâtiment scénario "
    "hépatite vitamina grupo tipo clase sección parte opción anexo categoría equipo bloque puerta "
    "edificio escenario versión pregunta piano gruppo classe sezione opzione allegato categoria "
    "squadra blocco versione epatite plano seção secção opção equipe cenário versão hepatite groep "
    "sectie deel optie bijlage categorie blok versie grupp klass alternativ witamina witaminy "
    "grupa klasa część wariant план витамин витамина группа группы тип класс раздел часть вариант "
    "блок خطة الخطة فيتامين مجموعة المجموعة قسم القسم فئة الفئة نوع النوع بند البند "
    "طرح گروه ویتامین بخش گزینه פלאן תוכנית ויטמין קבוצה סעיף "
    "योजना विटामिन समूह वर्ग प्लान ग्रुप विकल्प खंड گروپ وٹامن پلان"
)
_NAMED = frozenset(_NAMES.split())
_CATALOGUES = frozenset("KD")  # of Mozart's and of Schubert's works: K. 550
_STARTS = {  # words that begin a sentence, and are no surname after an initial
    "en": (
        "The This That These Those It It's It’s That's That’s There Here They We He She And But If "
        "When While Then Now For From With At On What Why Not All Each Some Most Many Its Our "
        "Their His Her "
        "After Before By During Under Later Both No Two Three"
    ),
    "de": (
        "Das Die Es Er Sie Wir Ihr Ich Ein Eine Dies Dieser Diese Dieses Und Aber Dann Wenn Als "
        "Im Hier Dort Nun Wie Was Mit"
    ),
    "fr": (
        "Les Un Une Il Elle Ils Elles Nous Vous On Ce Cette Ces C’est C'est Et Mais Dans Pour Avec"
    ),
    "es": "Los Las Un Una Es Y Pero En Con Para Esto Este Esta Son",
    "it": "Gli Un Una È Ma E In Con Per Questo Questa Sono",
    "pt": "O Os As Um Uma É Mas E Em Com Para Este Esta Isto São",
    "nl": "Het Een Dit Dat Deze Die Hij Zij Ze We Wij Maar En Met",
}


def names_letter(word: str) -> bool:
    """Return whether a letter after ``word`` names one of several: ``opción``."""
    return word.lower().strip(OPENERS) in _NAMED


def ends_sentence(letter: str, before: str, after: str, language: str) -> bool:
    """Return whether the full stop after a capital ``letter`` ends a sentence,
    so that it is no initial of a name.
    """
    following = after.lstrip(OPENERS)[:1]
    if is_sentence_start(after, language):
        return True
    named = names_letter(before)
    if following.isdigit() or (following and following in "$€£¥"):
        return named or (before[:1].islower() and letter not in _CATALOGUES)
    return named and following.isalpha()


def may_be_surname(word: str, language: str) -> bool:
    """Return whether ``word`` after a letter with a full stop may be a name;
    False in a language without known starts.
    """
    return (
        word[:1].isupper()
        and base_language(language) in _STARTS
        and not is_sentence_start(word, language)
    )


def is_sentence_start(word: str, language: str) -> bool:
    """Return whether ``word`` begins a sentence, and is not a name."""
    return word.strip(f"{OPENERS}{PAUSES}.") in _STARTS.get(base_language(language), "").split()
