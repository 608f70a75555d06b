"""The doctor's checks of the files, in the data directory or the bucket:
whether they and the rows that name them agree.
"""

from collections.abc import Iterator

from svc.adapters.storage import open_store
from svc.base import clock
from svc.base.errors import SettingsError
from svc.base.settings import Settings
from svc.base.text.counted import count
from svc.domain import file_removal
from svc.store.backup import named_files
from svc.store.database import Connection
from svc.work.doctor.findings import OK, PROBLEM, WARNING, Finding, quote
from svc.work.files import comparison
from svc.work.files.comparison import Differences

_NEWEST = 20  # rows of each kind whose files in the bucket are compared; with --deep all are
_NEWEST_HERE = 20_000  # rows of each kind whose files on this machine are compared
_MEND = "python app.py production mend-files"


def examine(settings: Settings, connection: Connection, deep: bool, now: int) -> Iterator[Finding]:
    """Compare rows and files both ways. ``deep``: every row, and here also the content; with a
    bucket, also look for files that no row names."""
    try:
        files = open_store(settings)
        problem = files.find_problem()
    except SettingsError as error:
        problem = str(error)
    if problem:
        mend = (
            "env | grep --extended-regexp '^(AWS|AZURE|GOOGLE)_'  # the credentials, region and "
            "endpoint that are used"
        )
        yield Finding("files", PROBLEM, f"{problem.rstrip('.')}.", mend)
        return
    newest = None if deep else _NEWEST if files.is_remote else _NEWEST_HERE
    content = deep and not files.is_remote
    differences = comparison.compare(
        settings, files, connection, newest, deep or not files.is_remote, content
    )
    yield from _differences(str(files), differences)
    if differences.altered:
        which = named_files.describe_file(differences.altered[0])
        text = (
            f"{count(len(differences.altered), 'file has', 'files have')} another content than the "
            f"database says, such as {which}."
        )
        mend = (
            f"tar --extract --file BACKUP --directory {quote(settings.data_dir)} "
            f"{differences.altered[0]}  # a sound one, if any"
        )
        yield Finding("content", WARNING, text, mend)
    elif content:
        yield Finding(
            "content",
            OK,
            f"The {count(differences.compared, 'file has', 'files have')} the content that the "
            "database says.",
        )
    number, since = file_removal.count_overdue_by(connection, now)
    if number:
        text = (
            f"The files of {count(number, 'removal')} since {clock.format_time(since or 0)} are "
            "still there, though their rows are removed."
        )
        yield Finding(
            "removals",
            WARNING,
            text,
            f"{_MEND} --yes  # or start the server: it removes them every 10 minutes",
        )


def _differences(place: str, differences: Differences) -> Iterator[Finding]:
    missing = [*differences.lost, *differences.uploads.values()]
    if missing:
        which = named_files.describe_file(missing[0])
        text = (
            f"{len(missing)} of {count(differences.compared, 'file')} "
            f"{'is' if len(missing) == 1 else 'are'} missing from {place} or of another size, such "
            f"as {which}."
        )
        mend = (
            f"{_MEND} --yes  # forgets them. First restore those that a backup has: "
            "docs/operations.md"
        )
        yield Finding("files", WARNING, text, mend)
    if differences.unknown:
        text = (
            f"No row names the files of {count(len(differences.unknown), 'production')} in "
            f"{place}, such as {differences.unknown[0]}."
        )
        yield Finding("files", WARNING, text, f"{_MEND} --yes  # removes them")
    if not missing and not differences.unknown:
        compared = count(differences.compared, "file that was", "files that were")
        text = f"{place} has the {compared} compared."
        yield Finding("files", OK, text)
