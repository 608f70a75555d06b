"""The database: connections and transactions, tables as models, claims,
and the wake-up after a commit.
"""

import sys

# peewee loads psycopg if it is installed, which costs a service on SQLite 14 MB and a tenth of a
# second.
if "psycopg" not in sys.modules:
    sys.modules["psycopg"] = None  # type: ignore[assignment] # an import of it fails
    import peewee  # noqa: F401

    del sys.modules["psycopg"]
