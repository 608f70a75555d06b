"""The filters of lists that a person saved under a name.

They are that person's own, and nobody else sees them.
"""

from typing import TypedDict

from svc.base.errors import InvalidRequest, NotFound
from svc.base.text.display import to_one_line
from svc.store.database import db
from svc.store.expressions import SQL, fn
from svc.store.models.people import SavedFilter
from svc.store.queries import Prepared, slot, slots

MOST = 20  # of a user, for each list
LONGEST_NAME = 60  # characters
LONGEST_QUERY = 2000  # characters: each filter of a list has at most 200

_IS_OF_LIST = (SavedFilter.user_id == slot("user_id")) & (SavedFilter.list == slot("list"))


class Saved(TypedDict):
    """Filters of a list. ``query``: as in the list's address."""

    name: str
    query: str


_OF_LIST = Prepared(
    SavedFilter.select(SavedFilter.name, SavedFilter.query)
    .where(_IS_OF_LIST)
    .order_by(fn.lower(SavedFilter.name), SavedFilter.name),
    Saved,
)
_NUMBER = Prepared(SavedFilter.select(fn.count(SQL("1"))).where(_IS_OF_LIST))
_IS_ONE = _IS_OF_LIST & (SavedFilter.name == slot("name"))
_CHANGE = Prepared(SavedFilter.update(query=slot("query")).where(_IS_ONE))
_ADD = Prepared(
    SavedFilter.insert(slots("user_id", "list", "name", "query"), created_at=slot("now"))
)
_REMOVE = Prepared(SavedFilter.delete().where(_IS_ONE))


def list_saved(user_id: str, list_name: str) -> list[Saved]:
    """Return what a user saved for a list, by name."""
    return _OF_LIST.rows(user_id=user_id, list=list_name)


def save(user_id: str, list_name: str, name: str, query: str, now: int) -> str:
    """Save filters by a name, in place of those that had it; return the name.

    InvalidRequest: there is no name or no filter, one is too long, or the user has MOST for this
    list.
    """
    name = to_one_line(name.strip(), "")
    if not name:
        raise _name_error("Give the filters a name.")
    if len(name) > LONGEST_NAME:
        raise _name_error(
            f"A name has at most {LONGEST_NAME} characters; this one has {len(name)}: {name[:200]}"
        )
    if not query:
        raise _name_error(
            "The list has no filters now that could be saved. Filter or sort it first."
        )
    if len(query) > LONGEST_QUERY:
        raise _name_error("These filters are too long to be saved.")
    filters = {"user_id": user_id, "list": list_name, "name": name, "query": query}
    with db.transaction():
        if _CHANGE.execute(**filters) == 0:
            if _NUMBER.value(user_id=user_id, list=list_name) >= MOST:
                raise _name_error(
                    f"A list has at most {MOST} saved filters. Remove one, then save these."
                )
            _ADD.execute(**filters, now=now)
    return name


def remove(user_id: str, list_name: str, name: str) -> None:
    """Remove saved filters of a user. NotFound: the user has none by this name."""
    with db.transaction():
        if _REMOVE.execute(user_id=user_id, list=list_name, name=to_one_line(name, "")) == 0:
            raise NotFound("These saved filters are no longer there.")


def _name_error(message: str) -> InvalidRequest:
    return InvalidRequest(message, fields={"name": [message]})
