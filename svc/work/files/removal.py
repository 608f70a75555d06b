"""Removes the files that svc.domain.file_removal has, wherever they are."""

from svc.adapters.storage import remove_production
from svc.base.protocols import Files
from svc.domain import file_removal
from svc.domain.file_removal import Removal
from svc.work.files import scenes
from svc.work.files.uploads import Uploads


class Remover:
    """Removes files, which may be gone already.

    FileStoreUnavailable: the bucket does not answer; call it again.
    """

    def __init__(self, files: Files, uploads: Uploads):
        self._files, self._uploads = files, uploads

    def __call__(self, removal: Removal) -> None:
        if removal.kind == file_removal.PRODUCTION:
            remove_production(self._files, removal.name)
        elif removal.kind == file_removal.UPLOAD:
            self._uploads.remove(removal.name, removal.sha256)
        elif self._files.is_remote:
            self._files.delete_folder(f"{scenes.FOLDER}/{removal.name}")
