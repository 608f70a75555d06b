"""``python app.py account``: accounts, their ceilings, release, project types and places."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from svc.base import clock, looks, settings
from svc.base.errors import CommandError
from svc.base.text import picture_names
from svc.cli import command_support
from svc.cli.command_support import (
    Done,
    command,
    get_terminal_user,
    list_given_options,
    to_plain_row,
)
from svc.cli.records.filters import require_named
from svc.domain.paging import Page
from svc.domain.partners import admin as partner_admin
from svc.domain.partners import brand_files, pictures
from svc.domain.partners import search as partner_search
from svc.domain.partners.brand_files import (
    BrandFiles,
    brand_fonts,
    intro_clips,
    music_tracks,
    outro_clips,
)
from svc.domain.people import users
from svc.work.avatar_previews import AvatarPreviews
from svc.work.publishing.publisher import PLATFORM_NAMES

account = command_support.group("account", "Accounts: ceilings, release, project types, places.")
_COLUMNS = (
    "id", "partner_id", "customer_id", "name", "status", "environment", "auto_release",
    "monthly_ceiling", "concurrency_ceiling", "default_project_type", "accent", "second_colour",
    "theme", "caption_style", "full_text", "script_review", "music", "logo_style", "lower_third",
    "created_at",
)  # fmt: skip
_TYPE_COLUMNS = ("slug", "name", "title_template", "price", "look")


@command(account, "list")
@click.option("--partner", "partner_id", help="Show only this partner's accounts.")
@click.option("--customer", "customer_id", help="Show only this customer's accounts.")
@click.option(
    "--status",
    type=click.Choice(partner_admin.ACCOUNT_STATUSES),
    help="Show only accounts in this state.",
)
@click.option(
    "--environment", type=click.Choice(("live", "sandbox")), help="Show only accounts of this kind."
)
@click.option("--search", help="Part of the name, or an ID.")
@click.option(
    "--limit",
    type=click.IntRange(1, 10_000),
    default=100,
    show_default=True,
    help="How many to list at most.",
)
def list_(limit, partner_id, customer_id, **filters):
    """List accounts, newest first."""
    require_named(partner_id, customer_id)
    rows = partner_search.list_page(
        "account", Page(limit), partner_id=partner_id, customer_id=customer_id, **filters
    )["data"]
    return [
        to_plain_row(
            row,
            "id",
            "name",
            "status",
            "environment",
            "partner_name",
            "customer_name",
            "created_at",
        )
        for row in rows
    ]


@command(account, "show")
@click.argument("account_id")
def show(account_id):
    """Show one account with its project types and places."""
    row = partner_admin.find(partner_admin.ACCOUNT, account_id)
    return {
        **to_plain_row(row, *_COLUMNS),
        "projectTypes": [
            to_plain_row(type_, *_TYPE_COLUMNS)
            for type_ in partner_admin.list_project_types(account_id)
        ],
        "fontLicence": font["licence"] if (font := brand_fonts.find(account_id)) else None,
        "trackLicence": track["licence"] if (track := music_tracks.find(account_id)) else None,
        "introLicence": intro["licence"] if (intro := intro_clips.find(account_id)) else None,
        "outroLicence": outro["licence"] if (outro := outro_clips.find(account_id)) else None,
        "platforms": [row["platform"] for row in partner_admin.list_platforms(account_id)],
    }


@command(account, "add")
@click.argument("name")
@click.option(
    "--customer", "customer_id", required=True, help="The customer that owns the account."
)
@click.option(
    "--sandbox-of",
    "email",
    help="The e-mail address of the user of the partner, or of the operator, whose sandbox it is.",
)
@click.option(
    "--platform",
    "platforms",
    multiple=True,
    type=click.Choice(PLATFORM_NAMES),
    help="A place of this server to publish to; repeatable; all of them by default.",
)
def add(name, customer_id, email, platforms):
    """Add a live account, or with --sandbox-of a sandbox account."""
    creator = None
    if email:
        row = users.find(email)
        if row is None:
            raise CommandError(
                f"No user has the e-mail address {email}; `python app.py user list` lists "
                "all users."
            )
        creator = row["id"]
    account_id = partner_admin.add_account(
        get_terminal_user().actor,
        customer_id,
        {"name": name},
        platforms or PLATFORM_NAMES,
        clock.now(),
        creator,
    )
    return Done(f"added the account {account_id}", {"id": account_id})


@command(account, "set", formerly="change")
@click.argument("account_id")
@click.option("--name", help="Its new name.")
@click.option(
    "--status",
    type=click.Choice(partner_admin.ACCOUNT_STATUSES),
    help="Only one that is Active or Pilot may produce.",
)
@click.option(
    "--auto-release",
    type=click.Choice(("on", "off")),
    help="Publish without an operator's release.",
)
@click.option("--monthly-ceiling", help="An amount such as 1250.50, or `none`.")
@click.option("--concurrency-ceiling", help="The number of concurrent productions, or `none`.")
@click.option("--default-project-type", help="The slug of one of its project types.")
@click.option("--accent", help="The brand's colour, such as #3d7eff.")
@click.option("--second-colour", help="The brand's second colour; empty to use the accent.")
@click.option("--theme", type=click.Choice(looks.THEMES), help="The ground of its videos.")
@click.option(
    "--caption-style",
    type=click.Choice(partner_admin.CAPTION_STYLES),
    help="Captions in the video highlight the spoken word, or do not.",
)
@click.option(
    "--music",
    type=click.Choice(partner_admin.MUSIC),
    help="A quiet bed under the speech; `look`: as it wants.",
)
@click.option(
    "--logo-style",
    type=click.Choice(partner_admin.LOGO_STYLES),
    help="The logo as it is, or translucent.",
)
@click.option(
    "--lower-third",
    type=click.Choice(("on", "off")),
    help="Show name and role of the presenter for some seconds.",
)
@click.option(
    "--full-text",
    type=click.Choice(("on", "off")),
    help="Show prose whole, not as a key phrase with a picture.",
)
@click.option(
    "--script-review",
    type=click.Choice(("on", "off")),
    help="Hold productions until their script is approved, unless their brief says otherwise.",
)
def change(account_id, **options):
    """Change the given settings and keep the others."""
    account = partner_admin.change(
        get_terminal_user().actor,
        partner_admin.ACCOUNT,
        account_id,
        list_given_options(**options),
        clock.now(),
    )
    return to_plain_row(account, *_COLUMNS)


@command(account, "set-project-type", formerly="project-type")
@click.argument("account_id")
@click.argument("slug")
@click.option("--name", required=True, help="What people call it.")
@click.option(
    "--title-template",
    default="{topic}",
    show_default=True,
    help="May contain {topic} and {subject}.",
)
@click.option("--price", required=True, help="The estimated cost of one production, such as 0.50.")
@click.option(
    "--look",
    type=click.Choice(looks.LOOK_NAMES),
    default=looks.DEFAULT_LOOK,
    show_default=True,
    help="How the videos look.",
)
def project_type(account_id, **options):
    """Add a project type, or change the one with this slug."""
    partner_admin.set_project_type(
        get_terminal_user().actor, account_id, list_given_options(**options), clock.now()
    )
    return [
        to_plain_row(type_, *_TYPE_COLUMNS)
        for type_ in partner_admin.list_project_types(account_id)
    ]


@command(account, "remove-project-type", removes="the project type")
@click.argument("account_id")
@click.argument("slug")
def remove_project_type(account_id, slug):
    """Remove a project type; the default one cannot be removed."""
    partner_admin.remove_project_type(get_terminal_user().actor, account_id, slug, clock.now())
    return Done(f"removed {slug}", {"removed": slug})


@command(account, "set-logo", formerly="logo", files=True)
@click.argument("account_id")
@click.argument(
    "picture", type=click.Path(path_type=Path, exists=True, dir_okay=False), required=False
)
@click.option("--none", "none", is_flag=True, help="Show the account's name instead.")
def logo(account_id, picture, none):
    """Show a logo (JPEG, PNG or WebP) in the account's videos."""
    if none == (picture is not None):
        raise CommandError("Name a picture file, or use --none to show the account's name.")
    previews = AvatarPreviews(settings.read())
    content = None if none else previews.reencode("logo", picture.read_bytes())
    partner_admin.set_logo(
        get_terminal_user().actor, account_id, content, previews.assets, clock.now()
    )
    return Done("the name is shown" if none else "the logo is shown", {"logo": not none})


def _takes_brand_file(licence: str, none: str) -> Callable[[Any], Any]:
    """Give a command an account, a file of its brand, and options with these help texts."""

    def add(function: Any) -> Any:
        function = click.option("--none", "none", is_flag=True, help=none)(function)
        function = click.option("--licence", default="", help=licence)(function)
        kind = click.Path(path_type=Path, exists=True, dir_okay=False)
        function = click.argument("file", type=kind, required=False)(function)
        return click.argument("account_id")(function)

    return add


@command(account, "set-brand-font", files=True)
@_takes_brand_file(
    licence="What the font is used under, such as: SIL Open Font License 1.1.",
    none="Use the fonts of the look.",
)
def font(account_id, file, licence, none):
    """Set an account's videos in a font (TTF or OTF)."""
    advice = "Name a font file, or use --none to use the fonts of the look."
    _set_brand_file(brand_fonts, "font", account_id, file, licence, none, advice)
    return Done("the look's fonts are used" if none else "the font is used", {"font": not none})


@command(account, "set-music-track", files=True)
@_takes_brand_file(
    licence="What the track is used under, such as: CC BY 4.0, Ada Lovelace.",
    none="Use the music that `account set --music` chooses.",
)
def track(account_id, file, licence, none):
    """Lay a music track (MP3, AAC, WAV, FLAC or OGG) under the speech of an account's videos."""
    advice = "Name a music file, or use --none to use the music that `account set --music` chooses."
    _set_brand_file(music_tracks, "track", account_id, file, licence, none, advice)
    return Done("the chosen music is used" if none else "the track is used", {"track": not none})


@command(account, "add-picture", files=True)
@click.argument("account_id")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--name", default="", help="What briefs call it.  [default: the file's name]")
def add_picture(account_id, file, name):
    """Let the briefs of an account show a picture (PNG, JPEG, WebP or SVG) or a clip (MP4, MOV or
    WebM) by its name.
    """
    previews, picture_name, content = (
        AvatarPreviews(settings.read()),
        name or file.name,
        file.read_bytes(),
    )
    reencoded = previews.reencode(pictures.detect_kind(content), content, "picture")
    pictures.add(
        get_terminal_user().actor, account_id, picture_name, reencoded, previews.assets, clock.now()
    )
    return Done(
        f"briefs show it with {picture_names.write_image(picture_name)}", {"name": picture_name}
    )


@command(account, "remove-picture", removes="the picture")
@click.argument("account_id")
@click.argument("name")
def remove_picture(account_id, name):
    """Remove a picture of an account; briefs that name it leave it out."""
    pictures.remove(get_terminal_user().actor, account_id, name, clock.now())
    return Done("the picture is removed", {"name": name})


@command(account, "pictures")
@click.argument("account_id")
def list_pictures(account_id):
    """List the pictures that the briefs of an account may show."""
    partner_admin.find(partner_admin.ACCOUNT, account_id)
    return [
        to_plain_row(each, "name", "media_type", "size_bytes", "created_at")
        for each in pictures.list_pictures(account_id)
    ]


_CLIP_WANTED = "Name a clip (MP4, MOV or WebM), or use --none to do without."


@command(account, "set-intro", files=True)
@_takes_brand_file(
    licence="What the clip is used under, such as: made by the customer's own team.",
    none="Begin with the title.",
)
def intro(account_id, file, licence, none):
    """Show a clip (MP4, MOV or WebM, 1 to 15 seconds) before the title of an account's videos."""
    _set_brand_file(intro_clips, "clip", account_id, file, licence, none, _CLIP_WANTED)
    return Done(
        "the videos begin with their title" if none else "the intro is used", {"intro": not none}
    )


@command(account, "set-outro", files=True)
@_takes_brand_file(
    licence="What the clip is used under, such as: made by the customer's own team.",
    none="End with the closing card.",
)
def outro(account_id, file, licence, none):
    """Show a clip (MP4, MOV or WebM, 1 to 15 seconds) after the close of an account's videos."""
    _set_brand_file(outro_clips, "clip", account_id, file, licence, none, _CLIP_WANTED)
    return Done(
        "the videos end with their closing card" if none else "the outro is used",
        {"outro": not none},
    )


def _set_brand_file(
    files: BrandFiles,
    kind: str,
    account_id: str,
    file: Path | None,
    licence: str,
    none: bool,
    usage: str,
) -> None:
    """Set or remove a file of an account's brand.

    ``kind``: of the check. ``usage``: what to say if neither is asked for.
    """
    if none == (file is not None):
        raise CommandError(usage)
    previews = AvatarPreviews(settings.read())
    if file is None:
        files.remove(get_terminal_user().actor, account_id, previews.assets, clock.now())
    else:
        brand_files.check_licence(licence)
        content = previews.reencode(kind, file.read_bytes())
        files.replace(
            get_terminal_user().actor, account_id, content, licence, previews.assets, clock.now()
        )


@command(account, "add-platform", formerly="connect")
@click.argument("account_id")
@click.argument("platform", type=click.Choice(PLATFORM_NAMES))
def connect(account_id, platform):
    """Publish the account's future productions to a place of this server."""
    partner_admin.connect(
        get_terminal_user().actor, account_id, platform, PLATFORM_NAMES, clock.now()
    )
    return Done(f"connected to {platform}", {"connected": platform})


@command(account, "remove-platform", formerly="disconnect")
@click.argument("account_id")
@click.argument("platform")
def disconnect(account_id, platform):
    """Stop publishing to a place of this server."""
    partner_admin.disconnect(get_terminal_user().actor, account_id, platform, clock.now())
    return Done(f"no longer connected to {platform}", {"disconnected": platform})
