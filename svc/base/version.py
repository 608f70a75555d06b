"""The version of the program and the dated versions of its API, defined only here."""

VERSION = "1.0.0"
# newest first; docs/api-changelog.md says what came with each
API_VERSIONS = ("2026-11-23", "2026-11-22", "2026-11-21")
API_VERSION_HEADER = "X-API-Version"
