"""What the media engine is told about a production: its brief, from the rows."""

import json
import shutil
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from svc.base import clock
from svc.domain import assets, reference
from svc.media.programme import Avatar, Brief, Rendition, Upload
from svc.platforms import PLATFORMS, Platform
from svc.store import database

_APPEARANCE = frozenset(each.name for each in fields(Avatar)) - {"name", "portrait", "moving"}  # the others are columns


def brief(production_id: str) -> Brief:
    """The media engine's brief of a production. LookupError: none of its platforms is known here."""
    row = database.one(
        "SELECT p.*, a.name AS account_name, a.accent, a.second_colour, a.theme, a.caption_style, a.logo, "
        "v.name AS avatar_name, v.appearance, v.portrait, v.moving, t.look FROM productions p "
        "JOIN accounts a ON a.id = p.account_id JOIN avatars v ON v.id = p.avatar_id "
        "LEFT JOIN project_types t ON t.account_id = p.account_id AND t.slug = p.project_type WHERE p.id = ?",
        (production_id,),
    )
    pictures = assets.for_account(row["account_id"])
    files = {each["id"]: each["file"] for each in pictures}
    looks = appearance(json.loads(row["appearance"]))
    return Brief(
        production_id=row["id"],
        title=row["title"],
        topic=row["topic"],
        language=reference.languages()[row["language_id"]]["code"],
        country=reference.countries()[row["country_id"]]["code"],
        metadata_md=row["metadata_md"] or "",
        avatar=Avatar(
            name=row["avatar_name"], portrait=files.get(row["portrait"], ""), moving=bool(row["moving"]), **looks
        ),
        renditions=_renditions(production_id),
        account_name=row["account_name"],
        project_type=row["project_type"],
        triggered_at=clock.text(row["created_at"]),
        accent=row["accent"],
        second_colour=row["second_colour"],
        look=row["look"] or Brief.look,
        theme=row["theme"],
        caption_style=row["caption_style"],
        logo=files.get(row["logo"], ""),
        uploads=tuple(Upload(*each) for each in {each["name"]: each["file"] for each in pictures}.items()),
    )


def appearance(stored: dict[str, Any]) -> dict[str, Any]:
    """Of what is stored of an avatar's voice and face, the fields that the media engine knows."""
    return {name: value for name, value in stored.items() if name in _APPEARANCE}


def place(brief: Brief, kept: Path, folder: Path) -> None:
    """Put the pictures of ``brief`` into the production's folder; one that is gone from ``kept`` is left out."""
    wanted = {brief.logo, brief.avatar.portrait, *(upload.file for upload in brief.uploads)} - {""}
    for file in wanted:
        if not (folder / file).exists() and (kept / file).is_file():
            partial = folder / f"{file}.part"
            shutil.copyfile(kept / file, partial)
            partial.replace(folder / file)


def _renditions(production_id: str) -> tuple[Rendition, ...]:
    """One rendition for each picture format; platforms of the same format share it, as the strictest of them asks."""
    names = [
        each["platform"]
        for each in database.rows(
            "SELECT platform FROM publications WHERE production_id = ? ORDER BY platform", (production_id,)
        )
    ]
    shapes: dict[tuple[str, int, int, int], list[Platform]] = {}
    for platform in (PLATFORMS[name] for name in names if name in PLATFORMS):
        asked = platform.profile
        shapes.setdefault((platform.rendition, asked.width, asked.height, asked.frame_rate), []).append(platform)
    if not shapes:
        raise LookupError("The account is connected to no platform that this server can publish to.")
    return tuple(rendition_for(*shape, platforms) for shape, platforms in shapes.items())


def rendition_for(name: str, width: int, height: int, frame_rate: int, platforms: Sequence[Platform]) -> Rendition:
    """What suits all ``platforms`` of one format: the quietest, the shortest, and clear of what any of them covers."""
    asked = [platform.profile for platform in platforms]
    covered = [profile.safe for profile in asked if profile.safe is not None]
    return Rendition(
        name, width, height, frame_rate, tuple(platform.name for platform in platforms),
        safe=tuple(map(max, *covered, (0.0,) * 4)) if covered else None,
        loudness=min(profile.loudness for profile in asked), longest=min(profile.longest for profile in asked),
    )  # fmt: skip
