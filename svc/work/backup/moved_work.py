"""The work folders of unfinished productions, on their way from a data directory to a bucket."""

import logging
from pathlib import Path

from svc.base import outage
from svc.base.errors import FileStoreUnavailable
from svc.base.protocols import Files
from svc.store.backup.named_files import Part
from svc.store.copying.layout import StepFiles
from svc.work.backup import bucket_files
from svc.work.files.work_archives import WorkArchives
from svc.work.step_process import lost_work

log = logging.getLogger("svc.copy")


class WorkToSend:
    """The work of the productions in ``unfinished`` of which only this machine has the newest
    state.

    ``unfinished``: what svc.domain.productions.steps.of_unfinished returns.
    """

    def __init__(
        self, unfinished: dict[str, list[str | None]], work_archives: WorkArchives, work_dir: Path
    ):
        self._work_archives, self._work_dir = work_archives, work_dir
        self.productions = {name: files for name, files in unfinished.items() if files[-1] is None}
        self.sent = self.there = 0

    def send(self, files: Files) -> list[StepFiles]:
        """Send each work folder as one archive; return what the rows of the steps say then.

        A folder that is lost, or that no machine takes, is left out: its steps are run again. The
        errors are those of bucket_files.send.
        """
        said = []
        for production_id, before in self.productions.items():
            last = len(before) - 1
            described = self._send(files, production_id, last)
            said += [StepFiles(None, production_id, position) for position in range(last)]
            said.append(StepFiles(described, production_id, last))
        return said

    def _send(self, files: Files, production_id: str, position: int) -> str | None:
        if not lost_work.has_all_files(self._work_dir / production_id):
            return None
        try:
            with self._work_archives.packed(production_id, position) as (archive, path):
                part = Part(archive.size_bytes, archive.sha256)
                sent, there = bucket_files.send(
                    files, {archive.name: path}, {archive.name: part}, {}
                )
                self.sent, self.there = self.sent + sent, self.there + there
                return archive.described()
        except FileStoreUnavailable:
            raise
        except (OSError, ValueError) as error:
            if outage.recognise(error) is not None:
                raise
            log.warning(
                "the work of the production %s is left out, and made again: %s",
                production_id,
                error,
            )
            return None
