"""An amount after what it is of, which is all that a scene says, is shown and not its heading."""

import pytest

from svc.media.script.from_brief import write_script
from svc.media.slides import framings


@pytest.mark.parametrize(
    ("language", "heading", "text"),
    [
        ("fr", "L'argent", "Collecte : 96 340 €"),
        ("fr", "Le budget", "Reste à payer : 1 200 €."),
        ("en", "The money", "Raised: £96,340"),
        ("de", "Das Geld", "Gesammelt: 96.340 €"),
        ("es", "El dinero", "Recaudado: 96.340 €"),
        ("it", "I soldi", "Raccolti: 96.340 €"),
        ("sv", "Pengarna", "Insamlat: 96 340 kr"),
    ],
)
def test_a_labelled_amount_stands_under_its_heading(make_brief, language, heading, text):
    notes = f"# {heading}\n\n{text}"
    brief = make_brief(title="Xy", topic="Xy", language=language, metadata_md=notes)
    (scene,) = write_script(brief).scenes[1:-1]
    assert scene.key_phrase.replace("\u00a0", " ") == text.rstrip(".")
    shown = [framing.text.replace("\u00a0", " ") for framing in framings.list_framings(scene)]
    assert any(text.rstrip(".")[-6:] in each for each in shown), shown


def test_a_list_and_a_telephone_number_after_a_label_are_no_phrase(make_brief):
    for text in ("Present: A. Khan, B. Lee", "Phone: 0161 496 0733"):
        brief = make_brief(title="Xy", topic="Xy", metadata_md=f"# The club\n\n{text}")
        assert all(scene.key_phrase != text for scene in write_script(brief).scenes)
