"""The version of the program and the dated versions of its API, defined only here."""

# Its second number is that of the newest migration, so that it rises with the schema: who reads it
# knows which of two releases is newer. The third one counts releases with the same schema.
VERSION = "1.93.0"
# Newest first; docs/api-changelog.md says what came with each.
API_VERSIONS = ("2026-11-23", "2026-11-22", "2026-11-21")
API_VERSION_HEADER = "X-API-Version"
