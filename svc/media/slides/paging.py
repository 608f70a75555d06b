"""Rows that do not fit one picture at a legible size: even pages,
of which the one with the current row is shown.
"""

from collections.abc import Sequence
from math import ceil


def split_pages(heights: Sequence[int], height: int, gap: int) -> list[range]:
    """Return the rows of each page of ``height`` pixels: as few pages as possible, of nearly the
    same number of rows.

    ``heights``: of the rows, in pixels, with ``gap`` between two. A row that is higher than a page
    has one of its own.
    """
    filled = _fill_pages(heights, height, gap)
    most = ceil(len(heights) / max(1, len(filled)))
    even = (
        [range(first, min(len(heights), first + most)) for first in range(0, len(heights), most)]
        if heights
        else []
    )
    return even if all(sum_heights(heights, rows, gap) <= height for rows in even) else filled


def sum_heights(heights: Sequence[int], rows: range, gap: int) -> int:
    """Return the height of ``rows`` with the gaps between them."""
    return sum(heights[row] for row in rows) + gap * max(0, len(rows) - 1)


def find_current_page(of: Sequence[range], current: int) -> range:
    """Return the page with the row ``current``; the first before any row is spoken,
    and the last after all of them.
    """
    return next((rows for rows in of if current < rows.stop), of[-1] if of else range(0))


def _fill_pages(heights: Sequence[int], height: int, gap: int) -> list[range]:
    first, result = 0, []
    for row in range(1, len(heights) + 1):
        if row == len(heights) or sum_heights(heights, range(first, row + 1), gap) > height:
            result.append(range(first, row))
            first = row
    return result
