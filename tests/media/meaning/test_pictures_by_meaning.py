"""Pictures chosen by meaning: the one that stands for what a scene says, related ones beside it, or none."""

from svc.media.pictures import meaning


def test_a_scene_about_a_thing_has_its_picture_and_related_ones():
    found = meaning.several(["Wash your hands with soap before you eat."], "Hygiene", "Kitchen", "en")
    assert found[0] == "soap" == meaning.choose(["Wash your hands with soap before you eat."], "Hygiene", "Kitchen", "en")
    assert 1 < len(found) <= 4 and len(set(found)) == len(found)


def test_a_language_that_the_encoder_does_not_know_has_no_picture():
    assert meaning.choose(["Pese kätesi saippualla."], "", "", "fi") == ""
    assert meaning.several(["हाथ साबुन से धोएँ।"], "", "", "hi") == []
