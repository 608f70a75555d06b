"""The clips of a production, as the narration stored them: the account's setting may change before
a later step.
"""

import shutil
from dataclasses import dataclass
from pathlib import Path

from svc.base import atomic_file
from svc.media.brand_kit import BrandKit
from svc.media.clips.clip import Clip
from svc.media.model import load, save

INTRO, OUTRO = "intro", "outro"
_CHOICE = "clips.json"


@dataclass(frozen=True)
class _Choice:
    """The licences; None: there is no such clip."""

    intro: str | None = None
    outro: str | None = None


def store_choice(brand: BrandKit, folder: Path) -> tuple[Clip | None, Clip | None]:
    """Copy intro and outro of ``brand`` for the later steps, and return them; None: there is none,
    or it was removed since.
    """
    licences = {
        place: licence if _copy_clip(file, folder, place) else None
        for place, file, licence in (
            (INTRO, brand.intro, brand.intro_licence),
            (OUTRO, brand.outro, brand.outro_licence),
        )
    }
    save(_Choice(**licences), folder / _CHOICE)
    return read_choice(folder)


def read_choice(folder: Path) -> tuple[Clip | None, Clip | None]:
    """Return intro and outro of the production in ``folder``; None: there is none."""
    path = folder / _CHOICE
    choice = load(_Choice, path) if path.exists() else _Choice()
    licences = ((place, getattr(choice, place)) for place in (INTRO, OUTRO))
    intro, outro = (
        None if licence is None else Clip(place, folder / _name_file(place), licence)
        for place, licence in licences
    )
    return intro, outro


def _name_file(place: str) -> str:
    return f"clip-{place}.mp4"


def _copy_clip(file: str, folder: Path, place: str) -> bool:
    """Copy the upload ``file`` within the folder, or remove an earlier copy if there is none.

    Return whether there is a copy now.
    """
    target = folder / _name_file(place)
    if not file or not (folder / file).is_file():
        target.unlink(missing_ok=True)
        return False
    with atomic_file.replace(target) as partial:
        shutil.copyfile(folder / file, partial)
    return True
