"""The engine for PostgreSQL 15 and later, which any number of machines share."""
