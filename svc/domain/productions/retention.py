"""Retention: removes old ended productions, or only their files, in small transactions;
file_removal has the files.
"""

import json
from collections.abc import Sequence
from typing import Any

from svc.base import ids
from svc.domain import dates_ahead, file_removal
from svc.store.database import Row, db
from svc.store.expressions import elements, fn
from svc.store.models import briefing, productions, publishing, usage, watch, webhooks
from svc.store.models.partners import Account
from svc.store.models.productions import Deliverable, Production
from svc.store.models.webhooks import Attempt, Delivery
from svc.store.queries import Prepared, slot

_BATCH = 100  # productions in one transaction
# By id: ids contain the time and are the order of the table, so that no other index is needed.
_OLD = (
    Production.select(Production.id)
    .where(
        Production.id > slot("after"),
        Production.id < slot("until"),
        Production.status.in_(("Published", "Failed", "Cancelled")),
        (Production.finished_at < slot("before")) | (Production.finished_at > slot("latest")),
    )
    .order_by(Production.id)
    .limit(slot("batch"))
)
_OLD_OF_ACCOUNT = _OLD.where(
    Production.account_id == slot("account"),
    Production.created_at > slot("created_after"),
    Production.created_at < slot("created_before"),
)
_WITH_FILES = fn.EXISTS(
    Deliverable.select(Deliverable.id).where(Deliverable.production_id == Production.id)
)
_NOTHING_TO_SEND = ~fn.EXISTS(
    Delivery.select(Delivery.id).where(
        Delivery.production_id == Production.id, Delivery.status == "Pending"
    )
)
# One that was published may be published again somewhere, which is tried for days.
_NOTHING_TO_PUBLISH = ~fn.EXISTS(
    publishing.Publication.select(publishing.Publication.platform).where(
        publishing.Publication.production_id == Production.id,
        publishing.Publication.status.in_(("Pending", "Publishing")),
    )
)


class _Pruning:
    """What is pruned, of all accounts or of one: the productions,
    and the statements that remove rows of theirs.
    """

    def __init__(self, which: Any, statements: Sequence[Prepared[Row]] = ()):
        self.of_all = Prepared(_OLD.where(which))
        self.of_account = Prepared(_OLD_OF_ACCOUNT.where(which))
        self.statements = statements


_THOSE = elements(slot("ids"))
_DEPENDENT: tuple[Any, ...] = (
    Delivery,
    webhooks.Event,
    watch.Play,
    watch.PlayDay,
    watch.PlayViewer,
    publishing.Publication,
    productions.ProductionStep,
    briefing.Script,
    productions.SettledBrief,
    briefing.Translation,
    productions.TitleWord,
    usage.LedgerEntry,
    usage.ModelCharge,
)
_PRODUCTIONS = _Pruning(
    _NOTHING_TO_SEND & _NOTHING_TO_PUBLISH,
    [
        Prepared(
            Attempt.delete().where(
                Attempt.delivery_id.in_(
                    Delivery.select(Delivery.id).where(Delivery.production_id.in_(_THOSE))
                )
            )
        ),
        *(Prepared(model.delete().where(model.production_id.in_(_THOSE))) for model in _DEPENDENT),
        Prepared(Production.delete().where(Production.id.in_(_THOSE))),
    ],
)
_FILES = _Pruning(_WITH_FILES & _NOTHING_TO_PUBLISH)
_SANDBOXES = Prepared(Account.select(Account.id).where(Account.environment == "sandbox"))


def prune_productions(before: int, now: int, sandboxes: bool = False) -> int:
    """Remove productions that ended before ``before`` (ms) with all dependent rows, and return
    their number.

    A production with pending webhook deliveries or open publications is kept until they have ended.
    """
    return _prune_all(_PRODUCTIONS, before, now, sandboxes)


def prune_files(before: int, now: int, sandboxes: bool = False) -> int:
    """Remove only the rows of files of productions that ended before ``before`` (ms),
    and return the number of productions. One with open publications keeps them until they have
    ended.
    """
    return _prune_all(_FILES, before, now, sandboxes)


def _prune_all(what: _Pruning, before: int, now: int, sandboxes: bool) -> int:
    """Prune in batches.

    ``sandboxes``: only sandbox accounts, one by one, so that live productions are not read.
    """
    latest = dates_ahead.find_latest(before, now)
    ages = {"before": before, "latest": latest}
    triggered: list[tuple[int, int]] = [(-1, before)]
    if latest != dates_ahead.NEVER:
        triggered.append((latest, dates_ahead.NEVER))
    if not sandboxes:
        return sum(
            _prune_batches(what.of_all, what.statements, now, _find_ids(*between), ages)
            for between in triggered
        )
    accounts = [row["id"] for row in _SANDBOXES.rows()]
    return sum(
        _prune_batches(
            what.of_account,
            what.statements,
            now,
            _find_ids(*between),
            {**ages, "account": account, "created_after": between[0], "created_before": between[1]},
        )
        for account in accounts
        for between in triggered
    )


def _find_ids(after: int, before: int) -> tuple[str, str]:
    """Return the identifiers between which those are that were made between two instants."""
    return (
        "" if after < 0 else ids.make_lowest_id(after),
        ids.LAST if before == dates_ahead.NEVER else ids.make_lowest_id(before),
    )


def _prune_batches(
    find: Prepared[Row],
    statements: Sequence[Prepared[Row]],
    now: int,
    between: tuple[str, str],
    which: dict[str, Any],
) -> int:
    removed, (after, until) = 0, between
    values = {"until": until, "batch": _BATCH, **which}
    if not find.rows(after=after, **values):
        return 0  # the usual case; saves a write transaction
    while True:
        with db.transaction(durable=False):
            production_ids = [row["id"] for row in find.rows(after=after, **values)]
            file_removal.forget_productions(production_ids, now)
            for statement in statements:
                statement.execute(ids=json.dumps(production_ids))
        if not production_ids:
            return removed
        removed, after = removed + len(production_ids), production_ids[-1]
