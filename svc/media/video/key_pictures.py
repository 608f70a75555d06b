"""The drawn picture of each scene at its end, kept small, so that the gates can compare the film
with what was meant.
"""

import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from svc.base import atomic_file
from svc.media.drawing.yuv import Picture

BLOCK = 8  # pixels of the small picture: the side of the squares that are compared
_LONG_SIDE = 480  # pixels of the small picture, about
_LARGEST = 1 << 20  # bytes of one small picture, uncompressed


@dataclass(frozen=True)
class KeyPicture:
    """A small picture: its luma ``(height, width)``, uint8,
    and the mean chroma of each block ``(2, rows, columns)``, float.
    """

    luma: np.ndarray
    chroma: np.ndarray

    @classmethod
    def from_planes(cls, luma: np.ndarray, cb: np.ndarray, cr: np.ndarray) -> "KeyPicture":
        """Reduce the planes of a 4:2:0 picture (uint8)."""
        step = count_pixels_in_one(*luma.shape)
        rows, columns = (side // step // BLOCK for side in luma.shape)
        small = _average_squares(luma[: rows * BLOCK * step, : columns * BLOCK * step], step)
        side = BLOCK * step // 2
        chroma = [
            _average_squares(plane[: rows * side, : columns * side], side) for plane in (cb, cr)
        ]
        return cls(np.rint(small).astype(np.uint8), np.stack(chroma))

    @classmethod
    def from_rgb(cls, rgb: np.ndarray) -> "KeyPicture":
        """Reduce an RGB picture of shape ``(height, width, 3)``, uint8."""
        return cls.from_planes(*Picture.from_rgb(rgb).planes())


def count_pixels_in_one(height: int, width: int) -> int:
    """Return how many pixels of a picture become one of the small picture."""
    return max(1, round(max(height, width) / _LONG_SIDE))


def name_file(rendition: str) -> str:
    """Return the name of a rendition's key pictures in the production's folder."""
    return f"key-pictures-{rendition}.zip"


def write(path: Path, pictures: Iterable[np.ndarray]) -> None:
    """Write the key pictures of all scenes, in order, from their RGB pictures without captions;
    one at a time is in memory.
    """
    with atomic_file.replace(path) as partial, zipfile.ZipFile(partial, "w") as archive:
        for scene, rgb in enumerate(pictures):
            small = KeyPicture.from_rgb(rgb)
            for part, array in (("luma", small.luma), ("chroma", small.chroma.astype(np.float32))):
                entry = zipfile.ZipInfo(f"{scene}-{part}.npy")
                entry.compress_type = zipfile.ZIP_DEFLATED
                with archive.open(entry, "w") as member:
                    np.lib.format.write_array(member, array, allow_pickle=False)


class KeyPictures:
    """Reads the file that :func:`write` wrote, one picture at a time."""

    def __init__(self, path: Path):
        """Raises OSError or ValueError if there is no such file, or it is damaged."""
        try:
            self._archive = zipfile.ZipFile(path)
        except zipfile.BadZipFile as damaged:
            raise ValueError(str(damaged)) from damaged

    def read(self, scene: int) -> KeyPicture:
        """Raises ValueError if the picture is missing or damaged."""
        return KeyPicture(
            self._read_array(f"{scene}-luma.npy"), self._read_array(f"{scene}-chroma.npy")
        )

    def close(self) -> None:
        self._archive.close()

    def _read_array(self, name: str) -> np.ndarray:
        try:
            if self._archive.getinfo(name).file_size > _LARGEST:
                raise ValueError(f"{name} is too large")
            with self._archive.open(name) as member:
                return np.lib.format.read_array(member, allow_pickle=False)
        except (KeyError, zipfile.BadZipFile) as damaged:
            raise ValueError(f"{name} is missing or damaged") from damaged


def _average_squares(plane: np.ndarray, side: int) -> np.ndarray:
    """Return the means of the squares of ``side`` pixels."""
    height, width = plane.shape
    rows = plane.reshape(height // side, side, width).sum(axis=1, dtype=np.float32)
    return rows.reshape(height // side, width // side, side).mean(axis=2) / side
