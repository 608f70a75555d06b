"""Names that strain a layout: a hundred characters without a place to break at, and Arabic."""

from svc.store.database import db
from tests.support import plain_sql

UNBROKEN = "Wortzusammensetzungen" * 4 + "Wortzusammensetz"
ARABIC = (
    "كيف يعمل المد والجزر، ولماذا يرتفع الخبز: دليل قصير لمن يريد أن يفهم العالم من حوله كل يوم"
)
_NAMES = ("partners", "customers", "avatars", "api_keys", "activation_keys", "templates", "users")


def give() -> None:
    """Rename all that has a name: the first is unbroken, the second is Arabic, and so on."""
    with db.transaction():
        for table in (*_NAMES, "accounts"):
            _rename(table, "name")
        for column in ("title", "topic"):
            _rename("productions", column)
        _rename("subscriptions", "endpoint_url", f"https://{UNBROKEN[:60]}.example/{UNBROKEN}")
        plain_sql.execute("UPDATE users SET email = ? || email", (UNBROKEN[:60],))


def _rename(table: str, column: str, first: str = UNBROKEN) -> None:
    ids = [row[0] for row in plain_sql.rows(f"SELECT id FROM {table} ORDER BY id")]
    values = [
        ((first, ARABIC)[place % 2 if first is UNBROKEN else 0], each)
        for place, each in enumerate(ids)
    ]
    plain_sql.execute_many(f"UPDATE {table} SET {column} = ? WHERE id = ?", values)
