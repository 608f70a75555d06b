"""Settings by which either end of a connection notices within ten seconds that the other one is
gone without a word.

Without it, a machine that lost its power in the middle of a transaction would keep the lock of all
writers for hours, and one that lost its network would wait for an answer for a quarter of an hour.
"""

from typing import Any

# PostgreSQL ends the connection of a machine that is gone after 4 + 3 × 2 s.
ITS = "SET tcp_keepalives_idle = 4; SET tcp_keepalives_interval = 2; SET tcp_keepalives_count = 3"
OURS: dict[str, Any] = {
    "keepalives_idle": 4,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,  # ms
}
