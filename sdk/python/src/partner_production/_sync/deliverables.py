"""Deliverables: their list, and downloads that are checked."""

# Written by sdk/generate.py; do not edit. Change its namesake in _async.

from pathlib import Path

import httpx

from partner_production import errors, files
from partner_production._sync.transport import Transport
from partner_production.calls import Call, path
from partner_production.models import Deliverable, DeliverableList
from partner_production.waits import sleep

Found = list[Deliverable]
Saved = list[Path]
_BLOCK = 1024 * 1024  # bytes


class Deliverables:
    """The files of productions."""

    def __init__(self, transport: Transport):
        self._transport = transport

    def list(self, production_id: str) -> Found:
        """Return every file of a production, with addresses that are valid for an hour; none before they exist."""
        return (self.page(production_id))["data"]

    def page(self, production_id: str) -> DeliverableList:
        """Return the files of a production and the texts beside them (``descriptions``)."""
        return self._transport.send(
            Call("GET", path("/v1/productions/{id}/deliverables", id=production_id)), DeliverableList
        )

    def download(self, deliverable: Deliverable, target: str | Path) -> Path:
        """Save a file and return its path: it is there only when its size and SHA-256 are those that the API says.

        HashMismatch: they are not. Forbidden with the code ``LINK_EXPIRED``: list the deliverables again.
        """
        target, call, tries = Path(target), Call("GET", deliverable["deliverableId"]), 0
        while True:
            tries += 1
            try:
                return self._save(deliverable, target)
            except httpx.TransportError as error:
                pause = self._transport.retries.after_error(error, call, tries)
                if pause is None:
                    raise errors.ConnectionFailed(f"download of {target.name}: {error or type(error).__name__}") from error
            except errors.ApiError as failure:
                pause = self._transport.retries.after_answer(failure, call, tries)
                if pause is None:
                    raise
            sleep(pause)

    def download_all(self, production_id: str, folder: str | Path) -> Saved:
        """Save every file of a production into ``folder`` and return the paths, such as ``Video-Watch.mp4``."""
        entries = self.list(production_id)
        found = []
        for number, name in enumerate(files.names(entries)):
            try:
                found.append(self.download(entries[number], Path(folder, name)))
            except errors.Forbidden:  # an hour has passed meanwhile
                fresh = {each["deliverableId"]: each for each in self.list(production_id)}
                found.append(self.download(fresh[entries[number]["deliverableId"]], Path(folder, name)))
        return found

    def _save(self, deliverable: Deliverable, target: Path) -> Path:
        with self._transport.streaming(deliverable["sasUrl"]) as response:
            with files.replacing(target, deliverable) as partial:
                for piece in response.iter_bytes(_BLOCK):
                    partial.write(piece)
        return target
