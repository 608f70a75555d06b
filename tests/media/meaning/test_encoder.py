"""The sentence encoder: what is near in meaning has near vectors,
in one language and across them.
"""

import numpy as np
import pytest

from svc.media.meaning import encoder


def test_a_sentence_is_nearer_to_its_translation_than_to_another_sentence() -> None:
    english, german, other = encoder.encode_texts(
        [
            "The ship enters the harbour.",
            "Das Schiff läuft in den Hafen ein.",
            "Our prices rise in January.",
        ]
    )

    assert english @ german > 0.7
    assert english @ other < 0.3


def test_vectors_have_length_one_and_do_not_depend_on_their_neighbours() -> None:
    together = encoder.encode_texts(["The ship enters the harbour.", "¿Cuándo sale el tren?"])
    alone = encoder.encode_texts(["¿Cuándo sale el tren?"])

    assert together.shape == (2, encoder.SIZE)
    assert np.linalg.norm(together, axis=1) == pytest.approx([1, 1], abs=1e-5)
    assert together[1] == pytest.approx(alone[0], abs=1e-5)
    assert encoder.encode_texts([]).shape == (0, encoder.SIZE)


def test_a_long_text_is_read_to_its_thousandth_character() -> None:
    one, other = encoder.encode_texts(["word " * 200 + "alpha" * 100_000, "word " * 200 + "omega"])

    assert one == pytest.approx(other, abs=1e-5)


def test_half_a_character_is_read_as_a_question_mark() -> None:
    one, other = encoder.encode_texts(["A ship\ud800", "A ship?"])

    assert one == pytest.approx(other, abs=1e-5)


@pytest.mark.parametrize(
    ("language", "known"),
    [("en", True), ("pt-BR", True), ("zh-Hant", True), ("fi", False), ("", False)],
)
def test_languages_that_the_model_was_trained_in_are_known(language: str, known: bool) -> None:
    assert encoder.knows_language(language) is known


def test_another_model_than_the_measured_one_is_not_used(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(encoder._FILES, "sp.model", "0" * 64)
    encoder._is_whole.cache_clear()
    try:
        assert not encoder.knows_language("en")
        assert "sp.model is not the expected one" in caplog.text
    finally:
        encoder._is_whole.cache_clear()
