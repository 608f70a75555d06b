"""Rows that do not fit one picture at a legible size: even pages,
of which the one with the current row is shown.
"""

from collections.abc import Sequence


def split_pages(heights: Sequence[int], height: int, gap: int) -> list[range]:
    """Return the rows of each page of ``height`` pixels: as few pages as possible, of as nearly the
    same number of rows as fit, so that none is alone on one where that can be helped.

    ``heights``: of the rows, in pixels, with ``gap`` between two. A row that is higher than a page
    has one of its own.
    """
    # For so many of the first rows: their pages, how uneven these are, and where the last one
    # begins.
    best = [(0, 0, 0)]
    for stop in range(1, len(heights) + 1):
        pages = []
        for first in range(stop - 1, -1, -1):
            if first < stop - 1 and sum_heights(heights, range(first, stop), gap) > height:
                break
            before = best[first]
            pages.append((before[0] + 1, before[1] + (stop - first) ** 2, first))
        best.append(min(pages, key=lambda page: page[:2]))
    result: list[range] = []
    stop = len(heights)
    while stop:
        result.insert(0, range(best[stop][2], stop))
        stop = best[stop][2]
    return result


def sum_heights(heights: Sequence[int], rows: range, gap: int) -> int:
    """Return the height of ``rows`` with the gaps between them."""
    return sum(heights[row] for row in rows) + gap * max(0, len(rows) - 1)


def spread_heights(heights: list[int], height: int, gap: int, most: float) -> list[int]:
    """Return ``heights`` enlarged evenly to fill ``height``, each at most by its share.

    ``most``: how many times as high as necessary the lowest may become.
    """
    free = height - sum(heights) - gap * (len(heights) - 1)
    more = max(0, min(free // len(heights), round(min(heights) * (most - 1)))) if heights else 0
    return [each + more for each in heights]


def find_current_page(of: Sequence[range], current: int) -> range:
    """Return the page with the row ``current``; the first before any row is spoken,
    and the last after all of them.
    """
    return next((rows for rows in of if current < rows.stop), of[-1] if of else range(0))
