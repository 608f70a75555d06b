"""A server of PostgreSQL for each module that asks for one."""

from support.postgres_server import postgres as postgres
