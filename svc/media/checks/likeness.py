"""Comparing decoded pictures with drawn ones: structural similarity where there is something to
see, and colour everywhere.
"""

from dataclasses import dataclass

import numpy as np

from svc.media.drawing.frame_layout import Box
from svc.media.video.key_pictures import BLOCK, KeyPicture, count_pixels_in_one

# Wang et al. 2004, "Image Quality Assessment", equation 13
_C1, _C2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
_DETAIL = 20.0  # variance of luma in a block that shows something
_FEWEST = 12  # blocks with detail: fewer say nothing about a picture
_SHIFT, _TINT = 14.0, 9.0  # differences of a block's mean luma and chroma that are another colour


@dataclass(frozen=True)
class Likeness:
    """``structure``: the mean structural similarity of the blocks with detail, up to 1.0. ``odd``:
    the share of all blocks that have another brightness or colour."""

    structure: float
    odd: float


def compare_pictures(decoded: KeyPicture, drawn: KeyPicture, ignored: np.ndarray) -> Likeness:
    """Compare two key pictures of the same size.

    ``ignored``: from :func:`mask_blocks`. Raises ValueError if the sizes differ.
    """
    if decoded.luma.shape != drawn.luma.shape or decoded.chroma.shape != drawn.chroma.shape:
        raise ValueError("a picture of another size")
    shown, meant = _split_into_blocks(decoded.luma), _split_into_blocks(drawn.luma)
    mean_shown, mean_meant = shown.mean(axis=2), meant.mean(axis=2)
    var_shown, var_meant = shown.var(axis=2), meant.var(axis=2)
    covariance = (shown * meant).mean(axis=2) - mean_shown * mean_meant
    similarity = (2 * mean_shown * mean_meant + _C1) * (2 * covariance + _C2)
    similarity /= (mean_shown**2 + mean_meant**2 + _C1) * (var_shown + var_meant + _C2)
    detailed = (np.maximum(var_shown, var_meant) > _DETAIL) & ~ignored
    odd = np.abs(mean_shown - mean_meant) > _SHIFT
    odd |= (np.abs(decoded.chroma - drawn.chroma) > _TINT).any(axis=0)
    structure = float(similarity[detailed].mean()) if np.count_nonzero(detailed) >= _FEWEST else 1.0
    return Likeness(structure, float(odd[~ignored].mean()) if not ignored.all() else 0.0)


def mask_blocks(height: int, width: int, boxes: tuple[Box, ...]) -> np.ndarray:
    """Return which blocks of a picture's key picture lie in one of ``boxes`` (pixels),
    even in part: ``(rows, columns)``.
    """
    side = count_pixels_in_one(height, width) * BLOCK
    covered = np.zeros((height // side, width // side), bool)
    for left, top, right, bottom in boxes:
        covered[
            max(0, top) // side : -(-bottom // side), max(0, left) // side : -(-right // side)
        ] = True
    return covered


def _split_into_blocks(luma: np.ndarray) -> np.ndarray:
    """Return ``(rows, columns, pixels of a block)``, float."""
    rows, columns = luma.shape[0] // BLOCK, luma.shape[1] // BLOCK
    grid = luma.astype(np.float32).reshape(rows, BLOCK, columns, BLOCK)
    return grid.swapaxes(1, 2).reshape(rows, columns, BLOCK * BLOCK)
