"""Builds the media engine's brief of a production from its rows."""

import json
import shutil
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple

from svc.base import atomic_file, clock, ids
from svc.domain import locales
from svc.domain.lifecycle import briefs, script_review, settled_briefs
from svc.domain.lifecycle.briefs import Brief
from svc.domain.partners import assets, lexicon
from svc.domain.productions import publications
from svc.domain.publishing import connections
from svc.domain.tables.partners import Account, Asset
from svc.domain.tables.productions import BriefedProduction
from svc.media import records
from svc.media.brand_kit import BrandKit
from svc.media.model import Presenter, Pronunciation, Rendition, SceneEdit, Upload, VideoBrief
from svc.platforms import PLATFORMS, PROFILES, Platform, Profile

# What accounts, avatars and places say of a production: of the rest, edits come later, and nothing
# else changes.
_SETTLED = (
    "avatar",
    "renditions",
    "account_name",
    "accent",
    "second_colour",
    "look",
    "theme",
    "caption_style",
    "full_text",
    "music",
    "logo",
    "uploads",
    "lexicon",
    "brand",
    "caption_languages",
)
# The fields of an avatar's appearance; the others are columns.
_APPEARANCE = frozenset(field.name for field in fields(Presenter)) - {"name", "portrait", "moving"}


class Taker(NamedTuple):
    """A platform of this server or a place of the account's own, with the rendition it takes."""

    name: str
    rendition: str
    profile: Profile


def settle_brief(production_id: str) -> VideoBrief:
    """Return a production's brief, whose settings stay as they are now.

    LookupError: see :func:`build_brief`.
    """
    present = _build_present_brief(production_id)
    settings = settled_briefs.find_settings(production_id)
    if settings is None:
        settings = settled_briefs.settle_settings(
            production_id, records.serialise_fields(present, _SETTLED)
        )
    settled: VideoBrief = records.with_fields(present, settings)
    return settled


def build_brief(production_id: str) -> VideoBrief:
    """Return the media engine's brief of a production, with the settings of its first step if it
    was run.

    LookupError: this server supports none of its platforms.
    """
    present = _build_present_brief(production_id)
    settings = settled_briefs.find_settings(production_id)
    return present if settings is None else records.with_fields(present, settings)


def _build_present_brief(production_id: str) -> VideoBrief:
    row = briefs.load_production(production_id)
    pictures = assets.list_pictures_of_account(row["account_id"])
    files = {picture["id"]: picture["file"] for picture in pictures}
    looks = read_appearance(json.loads(row["appearance"]))
    portrait = files.get(row["portrait"] or "", "")
    return VideoBrief(
        production_id=row["id"],
        title=row["title"],
        topic=row["topic"],
        language=locales.list_languages()[row["language_id"]]["code"],
        country=locales.list_countries()[row["country_id"]]["code"],
        metadata_md=row["metadata_md"] or "",
        avatar=Presenter(
            name=row["avatar_name"], portrait=portrait, moving=bool(row["moving"]), **looks
        ),
        renditions=_list_renditions(production_id),
        account_name=row["account_name"],
        project_type=row["project_type"],
        triggered_at=clock.format_time(row["created_at"]),
        accent=row["accent"],
        second_colour=row["second_colour"],
        look=row["video_look"] or VideoBrief.look,
        theme=row["video_theme"],
        caption_style=row["caption_style"],
        full_text=bool(row["full_text"]),
        music=row["music"],
        logo=files.get(row["logo"] or "", ""),
        uploads=_list_uploads(pictures),
        lexicon=_list_pronunciations(row["account_id"]),
        brand=_build_kit(row),
        caption_languages=_list_caption_languages(row),
        edits=tuple(make_scene_edit(scene) for scene in script_review.find_edits(production_id)),
    )


def build_untriggered_brief(
    account: Account, brief: Brief, avatar: Presenter, now: int
) -> VideoBrief:
    """Return what the script's step needs of a brief that is not triggered.

    ``now``: when it would be.
    """
    checked = briefs.find_account(brief, account["id"])
    return VideoBrief(
        production_id=ids.NIL,
        title=briefs.make_title(checked, brief),
        topic=brief.topic,
        language=locales.list_languages()[brief.language_id]["code"],
        country=locales.list_countries()[brief.country_id]["code"],
        metadata_md=brief.metadata_md or "",
        avatar=avatar,
        renditions=(Rendition("landscape", 1920, 1080),),
        account_name=account["name"],
        project_type=checked["project_type"],
        triggered_at=clock.format_time(now),
        full_text=bool(account["full_text"]),
        uploads=_list_uploads(assets.list_pictures_of_account(account["id"])),
        lexicon=_list_pronunciations(account["id"]),
    )


def _list_uploads(pictures: Sequence[Asset]) -> tuple[Upload, ...]:
    """Return pictures by the names that briefs use, of which the last one has a name."""
    files = {picture["name"]: picture["file"] for picture in pictures}
    return tuple(Upload(*item) for item in files.items())


def _list_pronunciations(account_id: str) -> tuple[Pronunciation, ...]:
    return tuple(
        Pronunciation(entry.written, entry.spoken) for entry in lexicon.list_entries(account_id)
    )


def _list_caption_languages(row: BriefedProduction) -> tuple[str, ...]:
    """Return the codes of the languages into which captions are translated,
    without the one that is spoken.
    """
    language_ids = json.loads(row["caption_languages"] or "[]")
    return tuple(
        locales.list_languages()[each]["code"]
        for each in language_ids
        if each != row["language_id"]
    )


def make_scene_edit(scene: dict[str, Any]) -> SceneEdit:
    """Return a reviewed scene as the media engine takes it."""
    return SceneEdit(
        **{name: value for name, value in scene.items() if name != "visual"}
        | {"points": tuple(scene["points"])}
    )


def _build_kit(row: BriefedProduction) -> BrandKit:
    """Return the brand kit of the account of a production."""
    return BrandKit(
        font=row["font"] or "",
        track=row["track"] or "",
        track_licence=row["track_licence"] or "",
        intro=row["intro"] or "",
        intro_licence=row["intro_licence"] or "",
        outro=row["outro"] or "",
        outro_licence=row["outro_licence"] or "",
        logo_style=row["logo_style"],
        lower_third=bool(row["lower_third"]),
    )


def read_appearance(stored: dict[str, Any]) -> dict[str, Any]:
    """Return those fields of an avatar's stored voice and face that the media engine knows."""
    return {name: value for name, value in stored.items() if name in _APPEARANCE}


def copy_uploads(brief: VideoBrief, uploads: Path, folder: Path) -> None:
    """Copy the files that ``brief`` names from ``uploads`` to the production's folder;
    missing ones are skipped.
    """
    for file in list_uploads(brief):
        if not (folder / file).exists() and (uploads / file).is_file():
            with atomic_file.replace(folder / file) as partial:
                shutil.copyfile(uploads / file, partial)


def list_uploads(brief: VideoBrief) -> set[str]:
    """Return the names of the uploaded files that ``brief`` names."""
    brand = {
        brief.logo,
        brief.avatar.portrait,
        brief.brand.font,
        brief.brand.track,
        brief.brand.intro,
        brief.brand.outro,
    }
    return {*brand, *(upload.file for upload in brief.uploads)} - {""}


def _list_renditions(production_id: str) -> tuple[Rendition, ...]:
    """Return one rendition for each picture format, which meets the strictest limits
    of its platforms.
    """
    places = connections.find_shapes(production_id)
    shapes: dict[tuple[str, int, int, int], list[Taker]] = {}
    for name in publications.list_platforms(production_id):
        if name in places:
            taker = Taker(name, places[name], PROFILES[places[name]])
        elif name in PLATFORMS:
            taker = Taker(name, PLATFORMS[name].rendition, PLATFORMS[name].profile)
        else:
            continue
        profile = taker.profile
        shapes.setdefault(
            (taker.rendition, profile.width, profile.height, profile.frame_rate), []
        ).append(taker)
    if not shapes:
        raise LookupError(
            "The account is not connected to any place that this server can publish to."
        )
    return tuple(make_rendition(*shape, platforms) for shape, platforms in shapes.items())


def make_rendition(
    name: str, width: int, height: int, frame_rate: int, platforms: Sequence[Platform | Taker]
) -> Rendition:
    """Return a rendition for all ``platforms`` of one format: lowest loudness and lengths,
    union of the covered areas.
    """
    profiles = [platform.profile for platform in platforms]
    covered = [profile.safe for profile in profiles if profile.safe is not None]
    return Rendition(
        name,
        width,
        height,
        frame_rate,
        tuple(platform.name for platform in platforms),
        safe=tuple(map(max, *covered, (0.0,) * 4)) if covered else None,
        loudness=min(profile.loudness for profile in profiles),
        longest=min(profile.longest for profile in profiles),
        longest_description=min(profile.longest_description for profile in profiles),
        chapter_list=all(profile.chapter_list for profile in profiles),
    )
