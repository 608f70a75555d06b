"""Deliverables: their list, and downloads that are checked."""

from pathlib import Path

import httpx

from partner_production import errors, files
from partner_production._async.transport import AsyncTransport
from partner_production.calls import Call, path
from partner_production.models import Deliverable, DeliverableList
from partner_production.waits import async_sleep

Found = list[Deliverable]
Saved = list[Path]
_BLOCK = 1024 * 1024  # bytes


class Deliverables:
    """The files of productions."""

    def __init__(self, transport: AsyncTransport):
        self._transport = transport

    async def list(self, production_id: str) -> Found:
        """Return every file of a production, with addresses that are valid for an hour; none before they exist."""
        return (await self.page(production_id))["data"]

    async def page(self, production_id: str) -> DeliverableList:
        """Return the files of a production and the texts beside them (``descriptions``)."""
        return await self._transport.send(
            Call("GET", path("/v1/productions/{id}/deliverables", id=production_id)), DeliverableList
        )

    async def download(self, deliverable: Deliverable, target: str | Path) -> Path:
        """Save a file and return its path: it is there only when its size and SHA-256 are those that the API says.

        HashMismatch: they are not. Forbidden with the code ``LINK_EXPIRED``: list the deliverables again.
        """
        target, call, tries = Path(target), Call("GET", deliverable["deliverableId"]), 0
        while True:
            tries += 1
            try:
                return await self._save(deliverable, target)
            except httpx.TransportError as error:
                pause = self._transport.retries.after_error(error, call, tries)
                if pause is None:
                    raise errors.ConnectionFailed(f"download of {target.name}: {error or type(error).__name__}") from error
            except errors.ApiError as failure:
                pause = self._transport.retries.after_answer(failure, call, tries)
                if pause is None:
                    raise
            await async_sleep(pause)

    async def download_all(self, production_id: str, folder: str | Path) -> Saved:
        """Save every file of a production into ``folder`` and return the paths, such as ``Video-Watch.mp4``."""
        entries = await self.list(production_id)
        found = []
        for number, name in enumerate(files.names(entries)):
            try:
                found.append(await self.download(entries[number], Path(folder, name)))
            except errors.Forbidden:  # an hour has passed meanwhile
                fresh = {each["deliverableId"]: each for each in await self.list(production_id)}
                found.append(await self.download(fresh[entries[number]["deliverableId"]], Path(folder, name)))
        return found

    async def _save(self, deliverable: Deliverable, target: Path) -> Path:
        async with self._transport.streaming(deliverable["sasUrl"]) as response:
            with files.replacing(target, deliverable) as partial:
                async for piece in response.aiter_bytes(_BLOCK):
                    partial.write(piece)
        return target
