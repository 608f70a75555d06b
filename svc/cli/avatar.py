"""``python app.py avatar``: presenters, their voices, looks, languages and portraits."""

import shutil
from pathlib import Path
from typing import Literal

import click

from svc.base import clock, ids, languages, settings
from svc.base.errors import CommandError
from svc.cli import operating
from svc.cli.operating import Done, command, given, me, plain
from svc.domain import avatars, directory, reference
from svc.domain.paging import Page
from svc.work.studio import Studio

avatar = operating.group("avatar", "Avatars: voices, looks, languages, portraits.")
_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)


def _looks(function):
    """The options that say how an avatar sounds and looks."""
    options = (
        click.option("--voice", type=click.Choice(avatars.VOICES[1:]), help="f: higher, m: lower."),
        click.option("--pitch", help="0 to 99."),
        click.option("--words-per-minute", help=f"{avatars.SLOWEST} to {avatars.FASTEST}."),
        click.option("--skin", help="A colour such as #e8b48f."),
        click.option("--hair", help="A colour."),
        click.option("--clothes", help="A colour."),
        click.option("--hair-style", type=click.Choice(avatars.HAIR_STYLES)),
        click.option("--language", "codes", multiple=True, help="A language that it speaks, such as pt-BR; all, if none."),
    )
    for option in reversed(options):
        function = option(function)
    return function


@command(avatar, "list")
@click.option("--customer", "customer_id", help="Of this customer only.")
@click.option("--partner", "partner_id", help="Of this partner only.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=100, show_default=True)
def list_(limit, **filters):
    """List avatars, newest first."""
    found = directory.page("avatar", Page(limit), **filters)["data"]
    return [plain(row, "id", "name", "customer_id", "customer_name", "partner_name", "created_at") for row in found]


@command(avatar, "show")
@click.argument("avatar_id")
def show(avatar_id):
    """Show one avatar."""
    return _view(avatars.get(avatar_id))


@command(avatar, "add")
@click.argument("name")
@click.option("--customer", "customer_id", required=True, help="Whose accounts may choose it.")
@_looks
def add(name, customer_id, codes, **looks):
    """Add an avatar."""
    made = avatars.add(me().actor, customer_id, given(name=name, **looks), _languages(codes), clock.now())
    return Done(f"added the avatar {made}", {"id": made})


@command(avatar, "set", formerly="change")
@click.argument("avatar_id")
@click.option("--name")
@_looks
@click.option("--every-language", is_flag=True, help="It speaks all of them.")
def change(avatar_id, codes, every_language, **looks):
    """Change what is given; leave the rest."""
    chosen: list[str] | Literal[False] | None = None if every_language else _languages(codes) or False
    return _view(avatars.change(me().actor, avatar_id, given(**looks), clock.now(), chosen))


@command(avatar, "set-portrait", formerly="portrait", files=True)
@click.argument("avatar_id")
@click.argument("picture", type=_FILE, required=False)
@click.option("--none", "none", is_flag=True, help="Show the drawn face again.")
def portrait(avatar_id, picture, none):
    """Show a picture (JPEG, PNG or WebP) instead of the drawn face."""
    if none == (picture is not None):
        raise CommandError("Name a picture file, or say --none to show the drawn face again.")
    avatars.get(avatar_id)
    studio = _studio()
    checked = None if none else studio.checked("portrait", picture.read_bytes())
    avatars.set_portrait(me().actor, avatar_id, checked, studio.assets, clock.now())
    return Done("the drawn face is shown" if none else "the portrait is shown", {"portrait": not none})


@command(avatar, "sample", files=True)
@click.argument("avatar_id")
@click.option("-o", "--out", required=True, type=click.Path(path_type=Path, dir_okay=False), help="An MP4 file.")
@click.option("--language", "code", default="en", show_default=True)
@click.option("--text", default="Hello. This is how I look and sound.", show_default=True)
def sample(avatar_id, out, code, text):
    """Let it say something, as a short film."""
    [language_id] = _languages([code]) or []
    made = _studio().sample(avatars.get(avatar_id), language_id, text)
    shutil.copyfile(made, out)
    return Done(f"wrote {out}", {"file": str(out)})


@command(avatar, "remove", removes="the avatar")
@click.argument("avatar_id")
def remove(avatar_id):
    """Remove an avatar that no open production shows."""
    avatars.remove(me().actor, avatar_id, clock.now())
    return Done(f"removed {avatar_id}", {"removed": avatar_id})


def _studio() -> Studio:
    return Studio(settings.read())


def _view(found: dict) -> dict:
    known = reference.languages()
    spoken = None if found["languages"] is None else [known[each]["code"] for each in found["languages"]]
    return {**plain(found, "id", "name", "customer_id", "created_at"), "languages": spoken, "looks": found["looks"]}


def _languages(codes) -> list[str] | None:
    strange = [code for code in codes if code not in languages.LANGUAGES]
    if strange:
        raise CommandError(f"{strange[0]} is not spoken; these are: {', '.join(languages.LANGUAGES)}.")
    return [ids.named("language", code) for code in codes] or None
