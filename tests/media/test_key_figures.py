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
    ],
)
def test_a_number_of_a_house_or_within_a_word_is_not_shown(
    language: str, text: str, figure: str
) -> None:
    assert _figure_of(text, language) == figure
