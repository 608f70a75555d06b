"""Deliverables: their list, and downloads that are checked."""

from pathlib import Path
from typing import Unpack

from partner_production import errors, files
from partner_production._async.transport import LOST, AsyncTransport, lost
from partner_production.calls import Call, path
from partner_production.models import Deliverable, DeliverableList
from partner_production.options import AsyncRequestOptions
from partner_production.responses import Response
from partner_production.waits import async_next_piece, async_unless

Found = list[Deliverable]
Saved = list[Path]
_RANGE_NOT_SATISFIABLE = 416


class Deliverables:
    """The files of productions."""

    def __init__(self, transport: AsyncTransport):
        self._transport = transport

    async def list(self, production_id: str, **options: Unpack[AsyncRequestOptions]) -> Found:
        """Return every file of a production, with addresses that are valid for an hour;
        none before they exist.
        """
        return (await self.page(production_id, **options))["data"]

    async def page(
        self, production_id: str, **options: Unpack[AsyncRequestOptions]
    ) -> DeliverableList:
        """Return the files of a production and the texts beside them (``descriptions``)."""
        return await self._transport.send(
            Call("GET", path("/v1/productions/{id}/deliverables", id=production_id), **options),
            DeliverableList,
        )

    async def download(
        self, deliverable: Deliverable, target: str | Path, **options: Unpack[AsyncRequestOptions]
    ) -> Path:
        """Save a file and return its path: it is there only when its size and SHA-256 are those
        that the API says.

        A download that breaks off goes on from where it was.

        HashMismatch: they are not. Forbidden with the code ``LINK_EXPIRED``: list the deliverables
        again.
        """
        target, call = Path(target), Call("GET", deliverable["deliverableId"], **options)
        name, tries, furthest = f"download of {target.name}", 0, 0
        with files.replacing(target, deliverable) as partial:
            while True:
                tries, began = tries + 1, partial.size
                try:
                    await self._receive(deliverable, partial, call)
                    break
                except LOST as error:
                    if partial.size >= deliverable["sizeBytes"]:
                        break  # only the end of the answer was lost
                    tries, furthest = (
                        (1, partial.size) if partial.size > furthest else (tries, furthest)
                    )
                    pause = self._transport.retries.after_error(error, call, tries)
                    if pause is None:
                        raise lost(name, error) from error
                    await self._transport.pause(call, name, pause, error)
                except errors.ApiError as failure:
                    if failure.status == _RANGE_NOT_SATISFIABLE and began:
                        partial.restart()
                        continue
                    pause = self._transport.retries.after_answer(failure, call, tries)
                    if pause is None:
                        raise
                    await self._transport.pause(call, name, pause, failure)
        return target

    async def download_all(
        self, production_id: str, folder: str | Path, **options: Unpack[AsyncRequestOptions]
    ) -> Saved:
        """Save every file of a production into ``folder`` and return the paths,
        such as ``Video-Watch.mp4``.
        """
        entries = await self.list(production_id, **options)
        found = []
        for entry, name in zip(entries, files.names(entries)):
            try:
                found.append(await self.download(entry, Path(folder, name), **options))
            except errors.Forbidden:  # an hour has passed meanwhile
                fresh = {
                    each["deliverableId"]: each
                    for each in await self.list(production_id, **options)
                }
                if entry["deliverableId"] not in fresh:
                    raise
                found.append(
                    await self.download(
                        fresh[entry["deliverableId"]], Path(folder, name), **options
                    )
                )
        return found

    async def _receive(self, deliverable: Deliverable, partial: files.Partial, call: Call) -> None:
        """Ask for what is missing of a file, and write it.

        ApiError, HashMismatch, CallCancelled, one of LOST.
        """
        async with self._transport.streaming(
            deliverable["sasUrl"], call, partial.headers()
        ) as answer:
            if not partial.goes_on(answer.status_code, answer.headers):
                partial.restart()
            # as they arrive: what is gathered first is lost with the connection
            pieces = answer.aiter_bytes()
            while (
                piece := await async_unless(call.cancel, lambda: async_next_piece(pieces))
            ) is not None:
                partial.write(piece)
        if call.on_response is not None:
            call.on_response(Response(answer.status_code, dict(answer.headers)))
