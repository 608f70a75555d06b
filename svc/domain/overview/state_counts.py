"""How many productions a list has, and how many in each stage,
counted up to a limit by the query of the list itself.
"""

from dataclasses import replace

from svc.domain.lifecycle import stages
from svc.domain.productions import search as production_search
from svc.domain.productions.search import Search

MOST = 1000  # what is more is shown as "1,000+"


def count_stages(search: Search) -> dict[str, int]:
    """Return the number of productions in each stage, at most ``MOST`` + 1, regardless of the
    search's stage and words.
    """
    base = replace(search, words="", status=None, stage=None)
    return production_search.count_several(
        {stage: replace(base, stage=stage) for stage in stages.STAGES}, MOST + 1
    )


def count_productions(search: Search) -> int:
    """Return the number of productions that a list without words has, at most ``MOST`` + 1."""
    return production_search.count(search, MOST + 1)
