"""The doctor's checks of the bucket of finished files and uploads: whether it answers, and has what the database says."""

from collections.abc import Iterator

from svc.adapters.storage import files_of
from svc.base.errors import SettingsError
from svc.base.protocols import Files
from svc.base.settings import Settings
from svc.domain.productions import deliverables
from svc.store import database
from svc.work.doctor.findings import OK, PROBLEM, WARNING, Finding
from svc.work.files import uploads

_NEWEST = 20  # files whose size is compared; with --deep all are


def examine(settings: Settings, connection: database.Connection, deep: bool) -> Iterator[Finding]:
    """Check the bucket, if the settings name one. ``deep``: compare every file and not only the newest."""
    if not settings.storage_url:
        return
    try:
        files = files_of(settings)
        problem = files.problem()
    except SettingsError as error:
        problem = str(error)
    if problem:
        mend = "env | grep --extended-regexp '^(AWS|AZURE|GOOGLE)_'  # the credentials, region and endpoint that are used"
        yield Finding("files", PROBLEM, f"{problem.rstrip('.')}.", mend)
        return
    newest = None if deep else _NEWEST
    yield _compared(files, deliverables.recorded_by(connection, newest) | uploads.recorded_by(connection, newest))


def _compared(files: Files, recorded: dict[str, int]) -> Finding:
    """Compare the sizes of files with those in the database. ``recorded``: size by name."""
    missing = [name for name, size in recorded.items() if files.size(name) != size]
    if missing:
        text = f"{len(missing)} of {len(recorded)} files are missing from {files} or have another size, such as {missing[0]}."
        return Finding("files", WARNING, text, "python app.py doctor --deep  # after restoring them from the bucket's versions")
    return Finding("files", OK, f"{files} has the {len(recorded)} files that were compared.")
