"""The tuned second encoder: scales and biases of the second encoder's model are changed in memory,
and the package's file stays as it is."""

import numpy as np
import pytest

from svc.media.meaning import second_encoder, tuned_second_encoder

pytestmark = pytest.mark.both_encoders

TEXTS = ["The ship enters the harbour.", "Our prices rise in January.", ""]
CHANGED = ("l6.q.w", "l6.q.b", "l11.oln.w")  # blocks of weights, biases, numbers


def read_model() -> np.ndarray:
    return np.fromfile(second_encoder.find_model(), np.uint8)


def draw_changes(model: np.ndarray) -> dict[str, np.ndarray]:
    """Return changes of some tensors by up to a tenth."""
    drawn, tensors = np.random.default_rng(7), tuned_second_encoder.find_tensors(model)
    return {name: drawn.uniform(-0.1, 0.1, tensors[name].view(model).shape) for name in CHANGED}


def test_vectors_are_others_than_those_of_the_second_encoder() -> None:
    """They have length 1, and near texts stay near."""
    before = second_encoder.encode_texts(TEXTS)
    tuned = tuned_second_encoder.encode_texts(TEXTS)
    assert tuned.shape == (3, tuned_second_encoder.SIZE)
    assert np.linalg.norm(tuned, axis=1) == pytest.approx([1, 1, 1], abs=1e-5)
    assert not np.allclose(tuned, before, atol=0.02)
    assert second_encoder.encode_texts(TEXTS) == pytest.approx(before)
    english, german, other = tuned_second_encoder.encode_texts(
        [TEXTS[0], "Das Schiff läuft in den Hafen ein.", TEXTS[1]]
    )
    assert english @ german > english @ other + 0.1


def test_without_what_was_learnt_it_is_the_second_encoder() -> None:
    engine = tuned_second_encoder.build_engine({})
    same = second_encoder.encode_with(engine, TEXTS)
    assert same == pytest.approx(second_encoder.encode_texts(TEXTS), abs=1e-6)


def test_each_tensor_lies_where_the_engine_reads_it() -> None:
    """One after the other, up to the end of the file: 16 of each of twelve layers, and five of the
    tokens."""
    model = read_model()
    tensors = tuned_second_encoder.find_tensors(model)
    assert len(tensors) == 12 * 16 + 5
    assert {name for name in tensors if name.startswith("l7.")} == {
        f"l7.{name}.{kind}" for name in ("q", "k", "v", "ao", "fi", "fo") for kind in "wb"
    } | {f"l7.{name}.{kind}" for name in ("aln", "oln") for kind in "wb"}
    placed = sorted(tensors.values(), key=lambda tensor: tensor.offset)
    ends = [tensor.offset + tensor.size for tensor in placed]
    assert all(0 <= after.offset - end < 64 for end, after in zip(ends, placed[1:], strict=False))
    assert model.size - ends[-1] < 64
    assert tensors["l7.fi.w"].view(model).shape == (384 * 1536 // 32,)
    assert tensors["l7.fi.b"].view(model).shape == (1536,)


def test_what_is_stored_changes_its_tensors_and_no_other_byte() -> None:
    model, before = read_model(), read_model()
    tensors, changes = tuned_second_encoder.find_tensors(model), draw_changes(model)
    tuned_second_encoder.apply_changes(model, tuned_second_encoder.pack_changes(changes))
    for name, change in changes.items():
        now, then = tensors[name].view(model), tensors[name].view(before)
        if tensors[name].has_blocks:
            assert np.array_equal(now["bits"], then["bits"]), name
            expected = then["scale"].astype(float) * (1 + change)
            assert now["scale"] == pytest.approx(expected, rel=0.002, abs=1e-6), name
        else:
            assert now == pytest.approx(then + change, abs=0.001), name
        then[...] = now
    assert np.array_equal(model, before)


def test_the_file_of_the_package_stays_as_it_is() -> None:
    before = read_model()
    changes = tuned_second_encoder.pack_changes(draw_changes(before))
    changed = second_encoder.encode_with(tuned_second_encoder.build_engine(changes), TEXTS)
    assert not np.allclose(changed, second_encoder.encode_texts(TEXTS), atol=0.001)
    assert np.array_equal(read_model(), before)


def test_any_text_has_a_vector() -> None:
    """No text may end the process, or find numbers that are none; texts are prepared as for the
    second encoder, whose test has more of them.
    """
    texts = ["", " ", "\x00a", "\ud800", "漢" * 2_000]
    vectors = tuned_second_encoder.encode_texts(texts)
    assert np.isfinite(vectors).all() and vectors.shape == (len(texts), tuned_second_encoder.SIZE)


def test_a_model_that_the_engine_cannot_read_is_refused(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="cannot read its changed model"):
        second_encoder.load_engine(np.zeros(100, np.uint8))
    capfd.readouterr()  # the engine writes to the standard error
