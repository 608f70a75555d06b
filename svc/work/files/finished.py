"""The files of a completed production: moved from its work folder, which is untrusted,
to the store.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from svc.adapters.storage import Storage
from svc.base.errors import FileStoreUnavailable
from svc.base.protocols import Stored
from svc.base.text import display
from svc.domain.lifecycle.deliverables import FinishedFile, make_file_name, store_descriptions
from svc.domain.productions import detail as production_detail
from svc.domain.productions.gate_warnings import QualityWarning
from svc.media import deliverables
from svc.media.model import DeliverableFile, VideoBrief
from svc.work import brief_builder

_LONGEST_VOICES = 500  # characters of their names


class FinishedFiles:
    """Stores the files of one production. Nothing that it stores counts before a row names it."""

    def __init__(
        self, storage: Storage, folder: Path, production_id: str, heard: Callable[[float], None]
    ):
        """``heard``: called now and then during long transfers, always with 1.0, as the step is
        done; it renews the lease, and raises an exception to stop the transfer.
        """
        self._storage = storage
        self._folder = folder
        self._production_id = production_id
        self._progress_callback = heard

    def store(
        self, number: int | None, warnings: Sequence[QualityWarning] = ()
    ) -> list[FinishedFile]:
        """Copy the finished files to the store. Repeating it does no harm.

        ``number``: the number of deliverables in a sandbox scenario, reached by repeating the
        transcript; None: no scenario. ``warnings``: whose pictures are stored beside them.
        """
        try:
            return self._store(number, warnings)
        except FileStoreUnavailable:
            self._renew_lease()  # the caller waits and tries again, and keeps its lease
            raise

    def _renew_lease(self) -> None:
        """Renew the lease of the step."""
        self._progress_callback(1.0)

    def _store(self, number: int | None, warnings: Sequence[QualityWarning]) -> list[FinishedFile]:
        # The brief is not the one in the folder, which steps can write.
        brief = brief_builder.build_brief(self._production_id)
        posters = [f"poster-{rendition.name}.jpg" for rendition in brief.renditions]
        for name in (*posters, "findings.json"):  # shown, but not deliverables
            if (self._folder / name).exists():
                self._keep(name, fixed=True)
        for name in dict.fromkeys(warning.picture for warning in warnings if warning.picture):
            self._keep(name, fixed=True)
        self._keep_thumbnail(brief)
        listed = deliverables.list_deliverables(brief, self._folder)
        uses, stored = Counter(file.path for file in listed), dict[str, Stored]()
        for file in listed:
            if file.path not in stored:
                platform = file.platform if uses[file.path] == 1 else None
                sent_as = make_file_name(brief.title, file.type, platform, file.format)
                stored[file.path] = self._keep(file.path, sent_as=sent_as)
        texts = deliverables.read_descriptions(brief, self._folder)
        store_descriptions(self._production_id, texts)
        files = [_finished(file, stored[file.path]) for file in listed]
        transcript = next(file for file in files if file.type == "Transcript")
        return files + [transcript] * max(0, (number or 0) - len(files))

    def _keep_thumbnail(self, brief: VideoBrief) -> None:
        """Store the thumbnail of the widest rendition: lists show one for each production."""
        widest = max(brief.renditions, key=lambda each: each.width / each.height)
        name = deliverables.name_thumbnail_file(widest)
        if (self._folder / name).exists():
            self._keep(name, stored_as=production_detail.THUMBNAIL, fixed=True)

    def _keep(
        self, name: str, sent_as: str = "", fixed: bool = False, stored_as: str = ""
    ) -> Stored:
        """Copy a file of the folder to the store.

        ``sent_as`` and ``fixed``: see :meth:`svc.base.protocols.Files.put`. ``stored_as``: its
        name in the store; "": as in the folder.
        """
        place = f"{self._production_id}/{stored_as or name}"
        return self._storage.keep(
            self._folder / name, place, sent_as=sent_as, fixed=fixed, alive=self._renew_lease
        )


def _finished(file: DeliverableFile, stored: Stored) -> FinishedFile:
    return FinishedFile(
        file.type,
        file.platform,
        file.format,
        stored.file,
        stored.size_bytes,
        stored.sha256,
        file.duration,
        file.language,
        _voices(file.voice),
    )


def _voices(names: str) -> str | None:
    """Return the names of the voices, which the step's process wrote, for a page;
    None: there are none.
    """
    return display.shorten(display.to_one_line(names, ""), _LONGEST_VOICES) or None
