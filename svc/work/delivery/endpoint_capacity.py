"""How many requests an endpoint takes at once, learned from its answers.

By Little's law an endpoint that is sent r deliveries a second and answers after t seconds has r × t
of them in flight, so a limit that is the same for all starves whoever is slow and healthy. As TCP
does (Vegas: L. Brakmo, L. Peterson, 1995), the limit of an endpoint is raised while it is used and
answers take no longer than they do when few are in flight: at first by one with each answer, which
doubles it in the time of an answer, and later, where it was too high once, by one in that time.

It is halved if an answer takes much longer, so that an endpoint that works at one request after
another does not get as many as would all time out, and if an endpoint says that it is busy. If half
as many take as long, the endpoint has become slower by itself. Any other failure lowers it by one:
it has causes of its own, and where most requests succeed they decide.
"""

from collections import OrderedDict
from dataclasses import dataclass

FEW = 4  # that an endpoint is sent even if it fails
_REMEMBERED = 4096  # endpoints, the latest ones
_MUCH_LONGER = 1.5  # times as long as alone
# How many seconds an answer may take because of the others: a third of the deadline.
_HARMLESS = 5.0
_AS_LONG = 0.75
_SMALL = 16  # so far the limit grows threefold in the time of an answer
_WEIGHT = 0.5  # of the latest answer in the mean


@dataclass(slots=True)
class _Learned:
    endpoint_url: str
    limit: float
    careful_from: float  # above this limit it grows by one in the time of an answer
    alone: float  # seconds that an answer takes with few in flight, mean
    lowered: float = float("-inf")  # when, by the clock of the requests
    longer: float | None = None  # seconds of the answer because of which the limit was lowered last
    before: float = 0.0  # the limit before that


class EndpointCapacity:
    """The learned limits of endpoints, by subscription; not thread-safe.

    ``most``: no limit becomes higher.
    """

    def __init__(self, most: int):
        self._most = most
        self._learned: OrderedDict[str, _Learned] = OrderedDict()

    def find_limit(self, subscription_id: str, otherwise: int) -> int:
        """Return how many requests an endpoint takes at once;
        ``otherwise``: if nothing is known.
        """
        learned = self._learned.get(subscription_id)
        return otherwise if learned is None else int(learned.limit)

    def has_learned(self, subscription_id: str) -> bool:
        return subscription_id in self._learned

    def forget_other_endpoint(self, subscription_id: str, endpoint_url: str) -> None:
        """Forget what was learned about another endpoint that the subscription had before."""
        learned = self._learned.get(subscription_id)
        if learned is not None and learned.endpoint_url != endpoint_url:
            del self._learned[subscription_id]

    def record_success(
        self,
        subscription_id: str,
        endpoint_url: str,
        crowd: int,
        began: float,
        now: float,
        start: int,
    ) -> None:
        """Learn from a 2xx answer at ``now`` to a request of ``began``, in seconds.

        ``crowd``: how many were in flight to the endpoint when it began, with itself; ``start``:
        the limit that the endpoint has had so far, if nothing is known yet.
        """
        took = now - began
        learned = self._learned.setdefault(
            subscription_id, _Learned(endpoint_url, start, self._most, took)
        )
        self._learned.move_to_end(subscription_id)
        if len(self._learned) > _REMEMBERED:
            self._learned.popitem(last=False)
        is_longer = took > max(_HARMLESS, _MUCH_LONGER * learned.alone)
        if crowd == 1:
            learned.alone = took if is_longer else learned.alone + _WEIGHT * (took - learned.alone)
        elif is_longer:
            if began >= learned.lowered and crowd <= max(1, learned.limit):
                self._lower_limit(learned, took, crowd, now)
            return
        if 2 * crowd >= learned.limit:  # otherwise it does not need as many
            _raise(learned, self._most)

    def record_failure(self, subscription_id: str, began: float, now: float, is_busy: bool) -> None:
        """Learn from a failed request.

        ``is_busy``: whether the endpoint says that it gets too many.
        """
        learned = self._learned.get(subscription_id)
        if learned is None:
            return
        if not is_busy:
            learned.limit = max(FEW, learned.limit - 1)
        elif began >= learned.lowered:  # once for all requests that were in flight together
            learned.limit = learned.careful_from = max(FEW, learned.limit / 2)
            learned.lowered, learned.longer = now, None

    def _lower_limit(self, learned: _Learned, took: float, crowd: int, now: float) -> None:
        # it was not because of the others
        if learned.longer is not None and took > _AS_LONG * learned.longer:
            learned.alone, learned.longer = took, None
            learned.limit = max(learned.limit, learned.before)
        else:
            learned.before, learned.longer, learned.lowered = learned.limit, took, now
            learned.limit = learned.careful_from = max(1, crowd // 2)


def _raise(learned: _Learned, most: int) -> None:
    is_careful = learned.limit >= learned.careful_from
    step = 1 / learned.limit if is_careful else 2 if learned.limit < _SMALL else 1
    learned.limit = min(most, learned.limit + step)
