"""The second encoder: where it is available, and that it encodes whatever it is given."""

import unicodedata
from pathlib import Path

import numpy as np
import pytest

from svc.media.meaning import second_encoder

pytestmark = pytest.mark.both_encoders


@pytest.fixture(autouse=True)
def _ask_anew():
    yield
    second_encoder.is_available.cache_clear()


def test_a_sentence_is_nearer_to_its_translation_than_to_another_sentence() -> None:
    english, german, other = second_encoder.encode_texts(
        [
            "The ship enters the harbour.",
            "Das Schiff läuft in den Hafen ein.",
            "Our prices rise in January.",
        ]
    )
    assert english @ german > english @ other + 0.05


def test_vectors_have_length_one_and_do_not_depend_on_their_neighbours() -> None:
    together = second_encoder.encode_texts(["The ship enters the harbour.", "¿Cuándo sale?"])
    alone = second_encoder.encode_texts(["¿Cuándo sale?"])
    assert together.shape == (2, second_encoder.SIZE)
    assert np.linalg.norm(together, axis=1) == pytest.approx([1, 1], abs=1e-5)
    assert together[1] == pytest.approx(alone[0], abs=1e-5)
    assert second_encoder.encode_texts([]).shape == (0, second_encoder.SIZE)


def test_any_text_has_a_vector() -> None:
    """The engine is written in C: no text may end the process."""
    texts = ["", " ", "\x00a", "\ud800", "😀" * 2_000, "漢" * 2_000, "ก" * 2_000, "a" * 100_000]
    vectors = second_encoder.encode_texts(texts)
    assert np.isfinite(vectors).all() and vectors.shape == (len(texts), second_encoder.SIZE)
    one, other = map(second_encoder.normalise_text, ("word " * 200 + end for end in ("alpha", "o")))
    assert one == other


def test_no_character_outgrows_the_buffer_of_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """It holds four characters for each byte of a text, which is normalised there once more."""
    given: list[str] = []

    class Model:
        def query(self, texts: list[str]) -> np.ndarray:
            given.extend(texts)
            return np.zeros((len(texts), second_encoder.SIZE))

    monkeypatch.setattr(second_encoder, "_engine", Model)
    every = (chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000)
    signs = [sign for sign in every if not unicodedata.is_normalized("NFKC", sign)]  # others stay
    second_encoder.encode_texts([sign * 100 for sign in ("\ufdfa", "\ufdfb", "㌀")] + signs)
    assert all(len(unicodedata.normalize("NFKC", text)) <= 4 * len(text.encode()) for text in given)
    assert all(len(text) <= 1_000 for text in given)


def test_the_longest_expansions_have_a_vector() -> None:
    vectors = second_encoder.encode_texts(["\ufdfa" * 1_000, "a\ufdfa" * 500, "\u3300" * 1_000])
    assert np.isfinite(vectors).all()


def test_the_number_of_threads_of_other_processes_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    for number in ("3", None):
        if number:
            monkeypatch.setenv("OMP_NUM_THREADS", number)
        else:
            monkeypatch.delenv("OMP_NUM_THREADS")
        second_encoder._engine.cache_clear()
        second_encoder.encode_texts(["A ship"])
        assert second_encoder.os.environ.get("OMP_NUM_THREADS") == number


def test_another_model_than_the_measured_one_is_not_used(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(second_encoder, "_MODEL_DIGEST", "0" * 64)
    second_encoder.is_available.cache_clear()
    assert not second_encoder.is_available()
    assert "e5-small-q4.bin is not the expected one" in caplog.text


@pytest.mark.parametrize("flags", [None, "", "flags\t\t: fpu sse2 avx fma", "flags : avx2 avx"])
def test_a_processor_without_what_the_engine_needs_does_without(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, flags: str | None
) -> None:
    listed = tmp_path / "cpuinfo"
    if flags is not None:
        listed.write_text(f"processor\t: 0\n{flags}\n")
    monkeypatch.setattr(second_encoder, "_PROCESSORS", listed)
    second_encoder.is_available.cache_clear()
    assert not second_encoder.is_available()


def test_without_the_package_there_is_no_second_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(second_encoder, "_PACKAGE", "no_such_package_anywhere")
    second_encoder.is_available.cache_clear()
    assert not second_encoder.is_available()


def test_here_it_is_available() -> None:
    """The figures of pictures are measured with it."""
    second_encoder.is_available.cache_clear()
    assert second_encoder.is_available()
