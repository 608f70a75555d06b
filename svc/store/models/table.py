"""What all models have in common: they describe tables and write queries,
which svc.store.queries runs.
"""

from typing import TYPE_CHECKING

import peewee


class Table(peewee.Model):
    """A table of ``schema.sql``, which alone has its checks, triggers and indexes.

    A model is bound to no database: a query of it is run by :class:`svc.store.queries.Prepared`.
    """

    class Meta:
        database = None
        legacy_table_names = False

    if TYPE_CHECKING:  # the stubs give this query the type of the model

        @classmethod
        def delete(cls) -> peewee.ModelDelete: ...
