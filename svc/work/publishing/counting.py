"""Reads what places count of posts, such as views and favourites, a few at a time."""

import logging

from svc.adapters.deadline import Deadline, Stop
from svc.base.crypto.signing import KeyRing
from svc.domain.publishing import figures
from svc.domain.publishing.figures import Due
from svc.platforms import PublishError
from svc.platforms.connected import PlaceWithFigures, Posted, Tools
from svc.work.publishing import posting

log = logging.getLogger("svc.counting")

MOST_AT_ONCE = 20  # publications in one turn
SECONDS_OF_ALL = 60.0  # for all exchanges of one turn
# The seconds for the exchanges of one publication, so that a place that hangs leaves time for the
# others.
SECONDS_OF_ONE = 10.0


def read_due(ring: KeyRing, tools: Tools) -> int:
    """Read the figures that are due, and return the number of publications that were read.

    ``tools``: their deadline ends this call; publications for which no time is left stay due.
    """
    listed = figures.list_due(tools.clock(), MOST_AT_ONCE)
    for number, each in enumerate(listed):
        if not _has_time(tools):
            return number
        try:
            with Deadline(SECONDS_OF_ONE) as deadline:
                _read_figures(each, ring, tools.with_deadline(deadline))
        except PublishError as failed:
            log.info(
                "the figures of %s on %s are read later: %s",
                each["production_id"],
                each["platform"],
                failed.message,
            )
            figures.postpone(each, tools.clock())
    return len(listed)


def _has_time(tools: Tools) -> bool:
    try:
        return tools.deadline.remaining_seconds() >= SECONDS_OF_ONE
    except Stop:
        return False


def _read_figures(due: Due, ring: KeyRing, tools: Tools) -> None:
    """Read the figures of a publication. PublishError: the place did not tell them."""
    connection, place = posting.open_connection(due["connection_id"], ring)
    read = (
        place.read_figures(due["platform_post_id"], connection, tools)
        if isinstance(place, PlaceWithFigures)
        else None
    )
    if read is None:
        figures.give_up(due)
    else:
        became = read.became or Posted(None)
        counted = {"views": read.views, "likes": read.likes, "shares": read.shares}
        figures.record_figures(due, counted, tools.clock(), became.post_id, became.url)
