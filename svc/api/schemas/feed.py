"""Schemas of the feed of events: its query and its envelope."""

from collections.abc import Mapping
from typing import Any

from marshmallow import Schema

from svc.api.schemas.common import make_list_envelope
from svc.api.schemas.fields import Cursor, Instant, Whole, count, text
from svc.api.schemas.productions import Event
from svc.base.errors import InvalidRequest
from svc.domain.webhooks import events


class FeedCursor(Cursor):
    """A position in the feed, or the word ``latest``."""

    def _deserialize(
        self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any
    ) -> Any:
        if value == events.LATEST:
            return value
        try:
            return super()._deserialize(value, attr, data, **kwargs)[0]
        except InvalidRequest:
            message = (
                f"cursor must be {events.LATEST}, or the unchanged nextCursor of an earlier page."
            )
            raise InvalidRequest(message, fields={"cursor": [message]}) from None


class FeedQuery(Schema):
    limit = Whole(
        1,
        100,
        load_default=20,
        metadata={"description": "The maximum number of events in one answer."},
    )
    cursor = FeedCursor(
        load_default=None,
        metadata={
            "description": (
                "`nextCursor` of an earlier answer; `latest`: after the newest event. Default: "
                "the oldest."
            ),
            "pattern": "^[A-Za-z0-9_-]+$",
        },
    )
    since = Instant(
        data_key="from",
        load_default=None,
        metadata={"description": "Without `cursor`: events from this moment on."},
    )
    wait_seconds = Whole(
        0,
        events.LONGEST_WAIT,
        data_key="waitSeconds",
        load_default=0,
        metadata={"description": "How long to wait for an event if there is none."},
    )


EventFeed = make_list_envelope(
    Event,
    "EventFeed",
    nextCursor=text(
        description="What to send as `cursor` for the following events; always present.",
        example="MTc5NTI1",
    ),
    pollAfterSeconds=count(description="Seconds until the next call; 0: immediately.", example=0),
)
