"""The tuned encoder: what is learnt is added to the first encoder, which stays as it is."""

import numpy as np
import pytest

from svc.media.meaning import encoder, tuned_encoder

TEXTS = ["The ship enters the harbour.", "Our prices rise in January.", ""]


def test_vectors_are_others_than_those_of_the_first_encoder() -> None:
    """They have length 1, and near texts stay near."""
    before = encoder.encode_texts(TEXTS)
    tuned = tuned_encoder.encode_texts(TEXTS)
    assert tuned.shape == (3, tuned_encoder.SIZE)
    assert np.linalg.norm(tuned, axis=1) == pytest.approx([1, 1, 1], abs=1e-5)
    assert not np.allclose(tuned, before, atol=0.05)
    assert encoder.encode_texts(TEXTS) == pytest.approx(before)
    english, german, other = tuned_encoder.encode_texts(
        [TEXTS[0], "Das Schiff läuft in den Hafen ein.", TEXTS[1]]
    )
    assert english @ german > english @ other + 0.2


def test_without_what_was_learnt_it_is_the_first_encoder() -> None:
    weights = tuned_encoder.list_weights(encoder.load_network())
    same = tuned_encoder.build_network(tuned_encoder.pack_added(weights))
    assert encoder.encode_with(same, TEXTS) == pytest.approx(encoder.encode_texts(TEXTS), abs=1e-6)


def test_what_is_added_to_a_weight_is_stored_to_a_hundredth_of_the_largest() -> None:
    first = tuned_encoder.list_weights(encoder.load_network())
    drawn = np.random.default_rng(5)
    weights = {name: each + drawn.normal(0, 0.01, each.shape) for name, each in first.items()}
    built = tuned_encoder.list_weights(
        tuned_encoder.build_network(tuned_encoder.pack_added(weights))
    )
    for name, weight in weights.items():
        largest = np.abs(weight - first[name]).max()
        assert np.abs(built[name] - weight).max() <= 0.01 * largest + 1e-7, name
    # and the first encoder's own are what they were
    assert all(
        np.array_equal(each, first[name])
        for name, each in tuned_encoder.list_weights(encoder.load_network()).items()
    )


def test_both_networks_share_the_vectors_of_tokens() -> None:
    """They are nearly all of the memory."""
    assert tuned_encoder._network().table is encoder.load_network().table
