"""The lanes of deliveries: each has senders of its own, so that what fails never takes those of what works."""

FIRST = 0  # first attempts at endpoints that answer
RETRIES = 1  # they have times to keep
ASIDE = 2  # first attempts at endpoints that fail or are slow, redeliveries, and replays of what was missed
REPLAYS = 3  # first attempts of what a replay sends once more, arrived or not: whatever is new goes before it

ALL = (RETRIES, FIRST, ASIDE, REPLAYS)  # in the order in which they are served
ROWS = " UNION ALL ".join(f"SELECT {lane} AS lane" for lane in ALL)  # the same for SQL
