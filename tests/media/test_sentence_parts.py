"""Where what is said in a prose scene is parted."""

from support.tables import each_of

from svc.media.model import Scene
from svc.media.slides import sentence_parts


@each_of(
    "text",
    [
        "On est désolés. | La moitié du retard vient de nous "
        "| (on a changé la vis du pied après les tests de chute), "
        "| l'autre moitié du fournisseur de câbles.",
        "Een geldig legitimatiebewijs (paspoort, ID-kaart of rijbewijs) "
        "| + de afhaalcode uit de e-mail.",
        "y le recordamos que el recargo | por presentar fuera de plazo sin requerimiento previo "
        "| es del 1 % más otro 1 % por cada mes completo de retraso.",
    ],
)
def test_parts_end_with_whole_sentences_and_whole_brackets(text):
    words = text.replace(" |", "").split()
    ends = [at for at, word in enumerate(words) if word.endswith(".")]
    said = tuple(words)
    scene = Scene("prose", "", (), said, said, "", tuple(ends))
    parts = sentence_parts.split_words(scene)
    assert [" ".join(words[at] for at in part) for part in parts] == text.split(" | ")
