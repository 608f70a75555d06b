"""Reads what places count of posts, such as views and favourites, a few at a time."""

import logging

from svc.base.crypto.signing import KeyRing
from svc.domain.publishing import figures
from svc.domain.publishing.figures import Due
from svc.platforms import PublishError
from svc.platforms.connected import Counting, Posted, Tools
from svc.work.connected import posting

log = logging.getLogger("svc.counting")

AT_ONCE = 20  # publications in one turn
SECONDS = 60.0  # for all exchanges of one turn


def read_due(ring: KeyRing, tools: Tools) -> int:
    """Read the figures that are due, and return the number of publications. ``tools``: for one turn."""
    listed = figures.due(tools.clock(), AT_ONCE)
    for each in listed:
        try:
            _read(each, ring, tools)
        except PublishError as failed:
            log.info("the figures of %s on %s are read later: %s", each["production_id"], each["platform"], failed.message)
            figures.postpone(each, tools.clock())
    return len(listed)


def _read(due: Due, ring: KeyRing, tools: Tools) -> None:
    """Read the figures of a publication. PublishError: the place did not tell them."""
    connection, place = posting.opened(due["connection_id"], ring)
    read = place.figures(due["platform_post_id"], connection, tools) if isinstance(place, Counting) else None
    if read is None:
        figures.give_up(due)
    else:
        became = read.became or Posted(None)
        counted = {"views": read.views, "likes": read.likes, "shares": read.shares}
        figures.record(due, counted, tools.clock(), became.post_id, became.url)
