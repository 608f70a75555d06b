"""The lanes of deliveries.

Each has its own senders, so that failing endpoints do not occupy those of working ones.
"""

from svc.store.expressions import table_of_constants

FIRST = 0  # first attempts at endpoints that answer
RETRIES = 1  # they are due at fixed times
# The lane of first attempts at failing or slow endpoints, of redeliveries, and of replays of missed
# deliveries.
SLOW = 2
REPLAYS = 3  # first attempts of replayed deliveries: new ones go first

ALL = (RETRIES, FIRST, SLOW, REPLAYS)  # in the order in which they are served
LANES = table_of_constants("lanes", "lane", ALL)  # those of ALL as a table, for WITH
