"""``python app.py avatar``: presenters, their voices, looks, languages and portraits."""

import shutil
from pathlib import Path
from typing import Literal

import click

from svc.base import clock, ids, settings
from svc.base.errors import CommandError
from svc.base.text import languages
from svc.cli import command_support
from svc.cli.command_support import (
    Done,
    command,
    get_terminal_user,
    list_given_options,
    to_plain_row,
)
from svc.cli.records.filters import require_named
from svc.domain import locales
from svc.domain.paging import Page
from svc.domain.partners import avatars
from svc.domain.partners import search as partner_search
from svc.work.avatar_previews import AvatarPreviews
from svc.work.machines import further_languages

avatar = command_support.group("avatar", "Avatars: voices, looks, languages, portraits.")
_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
_MEANINGS = {
    "age": "How old it looks.",
    "beard": "Of the drawn presenter.",
    "glasses": "Their shape.",
    "outfit": "What it wears.",
    "figure": "none: its voice alone, without a presenter.",
}


def _add_look_options(function):
    """Add the options for an avatar's voice and look."""
    options = (
        click.option(
            "--voice",
            type=click.Choice(avatars.VOICES[1:]),
            help="f: a higher voice, m: a lower one.",
        ),
        click.option(
            "--speaker",
            help=(
                "A trained voice; `voice list` lists them. Or one of Piper's or the speech "
                "endpoint's."
            ),
        ),
        click.option("--pitch", help="0 to 99."),
        click.option("--words-per-minute", help=f"{avatars.SLOWEST} to {avatars.FASTEST}."),
        click.option("--skin", help="A colour such as #e8b48f."),
        click.option("--hair", help="A colour."),
        click.option("--clothes", help="A colour."),
        click.option(
            "--role", help="What the lower third says below the name; empty for the account's name."
        ),
        click.option(
            "--hair-style", type=click.Choice(avatars.HAIR_STYLES), help="Of the drawn presenter."
        ),
        *(
            click.option(f"--{name}", type=click.Choice(choices), help=_MEANINGS[name])
            for name, choices in avatars.APPEARANCE_CHOICES.items()
        ),
        click.option(
            "--language",
            "codes",
            multiple=True,
            help="A language that it speaks, such as pt-BR; repeatable; all by default.",
        ),
    )
    for option in reversed(options):
        function = option(function)
    return function


@command(avatar, "list")
@click.option("--customer", "customer_id", help="Show only this customer's avatars.")
@click.option("--partner", "partner_id", help="Show only this partner's avatars.")
@click.option(
    "--limit",
    type=click.IntRange(1, 10_000),
    default=100,
    show_default=True,
    help="How many to list at most.",
)
def list_(limit, **filters):
    """List avatars, newest first."""
    require_named(**filters)
    rows = partner_search.list_page("avatar", Page(limit), **filters)["data"]
    return [
        to_plain_row(
            row, "id", "name", "customer_id", "customer_name", "partner_name", "created_at"
        )
        for row in rows
    ]


@command(avatar, "show")
@click.argument("avatar_id")
def show(avatar_id):
    """Show one avatar."""
    return _represent_avatar(avatars.get(avatar_id))


@command(avatar, "add")
@click.argument("name")
@click.option(
    "--customer", "customer_id", required=True, help="The customer whose accounts may use it."
)
@_add_look_options
def add(name, customer_id, codes, **looks):
    """Add an avatar."""
    avatar_id = avatars.add(
        get_terminal_user().actor,
        customer_id,
        list_given_options(name=name, **looks),
        _check_languages(codes),
        clock.now(),
        _has_other_voices(),
    )
    return Done(f"added the avatar {avatar_id}", {"id": avatar_id})


@command(avatar, "set", formerly="change")
@click.argument("avatar_id")
@click.option("--name", help="Its new name.")
@_add_look_options
@click.option("--every-language", is_flag=True, help="Make it speak all languages.")
def change(avatar_id, codes, every_language, **looks):
    """Change the given settings and keep the others."""
    languages_chosen: list[str] | Literal[False] | None = (
        None if every_language else _check_languages(codes) or False
    )
    return _represent_avatar(
        avatars.change(
            get_terminal_user().actor,
            avatar_id,
            list_given_options(**looks),
            clock.now(),
            languages_chosen,
            _has_other_voices(),
        )
    )


@command(avatar, "set-portrait", formerly="portrait", files=True)
@click.argument("avatar_id")
@click.argument("picture", type=_FILE, required=False)
@click.option("--none", "none", is_flag=True, help="Show the drawn face instead.")
def portrait(avatar_id, picture, none):
    """Show a picture (JPEG, PNG or WebP) instead of the drawn face."""
    if none == (picture is not None):
        raise CommandError("Name a picture file, or use --none to show the drawn face.")
    avatars.get(avatar_id)
    previews = _open_previews()
    content = None if none else previews.reencode("portrait", picture.read_bytes())
    avatars.set_portrait(
        get_terminal_user().actor, avatar_id, content, previews.assets, clock.now()
    )
    return Done(
        "the drawn face is shown" if none else "the portrait is shown", {"portrait": not none}
    )


@command(avatar, "sample", files=True)
@click.argument("avatar_id")
@click.option(
    "-o",
    "--out",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="An MP4 file.",
)
@click.option(
    "--language", "code", default="en", show_default=True, help="Of the text, such as pt-BR."
)
@click.option(
    "--text",
    default="Hello. This is how I look and sound.",
    show_default=True,
    help="What it says.",
)
def sample(avatar_id, out, code, text):
    """Make a short video in which the avatar speaks."""
    [language_id] = _check_languages([code]) or []
    sample_file = _open_previews().render_sample(avatars.get(avatar_id), language_id, text)
    if sample_file is None:  # never, as there is no request
        raise RuntimeError("the sample was not made")
    shutil.copyfile(sample_file, out)
    return Done(f"wrote {out}", {"file": str(out)})


@command(avatar, "remove", removes="the avatar")
@click.argument("avatar_id")
def remove(avatar_id):
    """Remove an avatar; one that an open production uses cannot be removed."""
    avatars.remove(get_terminal_user().actor, avatar_id, clock.now())
    return Done(f"removed {avatar_id}", {"removed": avatar_id})


def _has_other_voices() -> bool:
    return settings.read().has_other_voices


def _open_previews() -> AvatarPreviews:
    return AvatarPreviews(settings.read())


def _represent_avatar(view: dict) -> dict:
    names_of_languages = locales.list_languages()
    language_names = (
        None
        if view["languages"] is None
        else [names_of_languages[language_id]["code"] for language_id in view["languages"]]
    )
    return {
        **to_plain_row(view, "id", "name", "customer_id", "created_at"),
        "languages": language_names,
        "looks": view["looks"],
    }


def _check_languages(codes) -> list[str] | None:
    further_languages.offer(settings.read())
    unknown = [code for code in codes if code not in languages.list_offered_languages()]
    if unknown:
        raise CommandError(
            f"{unknown[0]} is not supported; these languages are: "
            f"{', '.join(languages.list_offered_languages())}."
        )
    return [ids.derive_id("language", code) for code in codes] or None
