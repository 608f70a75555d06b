"""What the media engine is told about a production: its brief, from the rows."""

import json
import shutil
from dataclasses import fields
from pathlib import Path

from svc.base import clock
from svc.domain import assets, reference
from svc.media.programme import Avatar, Brief, Rendition, Upload
from svc.platforms import PLATFORMS
from svc.store import database

_APPEARANCE = frozenset(each.name for each in fields(Avatar)) - {"name", "portrait", "moving"}


def brief(production_id: str) -> Brief:
    """The media engine's brief of a production. LookupError: none of its platforms is known here."""
    row = database.row(
        "SELECT p.*, a.name AS account_name, a.accent, a.second_colour, a.theme, a.caption_style, a.logo, "
        "v.name AS avatar_name, v.appearance, v.portrait, v.moving, t.look FROM productions p "
        "JOIN accounts a ON a.id = p.account_id JOIN avatars v ON v.id = p.avatar_id "
        "LEFT JOIN project_types t ON t.account_id = p.account_id AND t.slug = p.project_type WHERE p.id = ?",
        (production_id,),
    )
    pictures = assets.for_account(row["account_id"])
    files = {each["id"]: each["file"] for each in pictures}
    looks = {name: value for name, value in json.loads(row["appearance"]).items() if name in _APPEARANCE}
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


def place(brief: Brief, kept: Path, folder: Path) -> None:
    """Put the pictures of ``brief`` into the production's folder; one that is gone from ``kept`` is left out."""
    wanted = {brief.logo, brief.avatar.portrait, *(upload.file for upload in brief.uploads)} - {""}
    for file in wanted:
        if not (folder / file).exists() and (kept / file).is_file():
            partial = folder / f"{file}.part"
            shutil.copyfile(kept / file, partial)
            partial.replace(folder / file)


def _renditions(production_id: str) -> tuple[Rendition, ...]:
    """One rendition for each picture format; platforms of the same format share it."""
    names = [
        each["platform"]
        for each in database.rows(
            "SELECT platform FROM publications WHERE production_id = ? ORDER BY platform", (production_id,)
        )
    ]
    shapes: dict[tuple, list[str]] = {}
    for platform in (PLATFORMS[name] for name in names if name in PLATFORMS):
        shape = (platform.rendition, platform.width, platform.height, platform.frame_rate)
        shapes.setdefault(shape, []).append(platform.name)
    if not shapes:
        raise LookupError("The account is connected to no platform that this server can publish to.")
    return tuple(Rendition(*shape, tuple(platforms)) for shape, platforms in shapes.items())
