"""What the media engine is told of a production: its look, its brand,
and the pictures that were uploaded.
"""

import ast
import inspect
import io
from dataclasses import fields
from types import SimpleNamespace

import pytest
from PIL import Image
from support import plain_sql
from support.cast import body

from svc.base.errors import CommandError, InvalidRequest
from svc.domain.audit.audit import Actor
from svc.domain.lifecycle import briefs
from svc.domain.partners import accounts, assets, avatars
from svc.domain.partners import admin as partner_admin
from svc.domain.partners.brand_files import brand_fonts, intro_clips, music_tracks, outro_clips
from svc.media.brand_kit import NO_KIT
from svc.media.model import VideoBrief
from svc.media.music import mixing, moods
from svc.media.music.moods import MOODS, NONE, OF_LOOK
from svc.media.script import from_brief, revision
from svc.platforms import Profile
from svc.store.database import db
from svc.store.models.partners import Account, Avatar
from svc.store.queries import Prepared, slot
from svc.work import brief_builder
from tests.support.documents import require_names


def png(colour="red") -> bytes:
    Image.new("RGB", (8, 8), colour).save(into := io.BytesIO(), "PNG")
    return into.getvalue()


@pytest.fixture
def kept(tmp_path):
    return tmp_path / "assets"


@pytest.fixture
def upload(partner, clock, kept):
    """Keep a picture for the sandbox account, or for its customer; its id."""

    def keep(name: str, content: bytes, account: bool = True) -> str:
        row = plain_sql.row("SELECT * FROM accounts WHERE id = ?", (partner.account,))
        with db.transaction():
            return assets.store_picture(
                kept, row["customer_id"], row["id"] if account else None, name, content, clock()
            )

    return keep


# The attributes of a VideoBrief of which the script of a preview does not depend.
NOT_IN_PREVIEWS = {
    "accent", "brand", "caption_languages", "caption_style", "edits", "logo", "look", "music",
    "second_colour", "theme",
}  # fmt: skip


def list_set(function) -> set[str]:
    """The attributes of the VideoBrief that a function makes."""
    [call] = [
        node
        for node in ast.walk(ast.parse(inspect.getsource(function)))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "VideoBrief"
    ]
    return {keyword.arg for keyword in call.keywords}


def test_a_preview_has_the_scenes_of_uploaded_pictures_that_the_production_has(
    app, partner, upload, clock
):
    notes = "## The harbour\n\nBoats wait.\n\n![A red boat at the quay](boat.png)\n\nThey leave."
    upload("boat.png", png())
    production = body(partner.trigger(topic="Boats", metadataMD=notes))["productionId"]
    row = plain_sql.row("SELECT * FROM productions WHERE id = ?", (production,))
    brief, account = briefs.rebuild_brief(row, None), accounts.load_account(partner.account)
    previewed = app.extensions["svc"].previews._build_untriggered_brief(account, brief, clock())
    scenes, before = (
        revision.outline_script(from_brief.write_script(each))
        for each in (brief_builder.build_brief(production), previewed)
    )
    assert [each["visual"]["kind"] for each in scenes] == ["image"] and before == scenes


def test_both_ways_to_a_brief_set_each_attribute():
    present = list_set(brief_builder._build_present_brief)
    attributes = {field.name for field in fields(VideoBrief)}
    require_names("_build_present_brief in svc/work/brief_builder.py", present, attributes)
    require_names(
        "build_untriggered_brief in svc/work/brief_builder.py, or NOT_IN_PREVIEWS in its test",
        list_set(brief_builder.build_untriggered_brief) | NOT_IN_PREVIEWS,
        attributes,
    )


def brief_of(partner, **changes):
    return brief_builder.build_brief(body(partner.trigger(**changes))["productionId"])


@pytest.mark.parametrize("slug, look", [("explainer", "scenes"), ("short", "short")])
def test_a_project_type_has_its_look(partner, slug, look):
    assert brief_of(partner, projectTypeSlug=slug).look == look


@pytest.mark.sqlite("reads sqlite_master")
def test_every_bed_that_an_account_may_have_is_one_of_the_engines(partner):
    table = plain_sql.row("SELECT sql FROM sqlite_master WHERE name = 'accounts'")["sql"]
    assert all(f"'{name}'" in table for name in partner_admin.MUSIC)
    assert (OF_LOOK, NONE, *MOODS) == partner_admin.MUSIC


def _bed_of(brief, name):
    """Return the variant of a bed that the production of ``brief`` has; None: no music."""
    return moods.vary_mood(MOODS[name], moods.choose_variant(brief.production_id)) if name else None


@pytest.mark.parametrize(
    "slug, bed", [("explainer", "bright"), ("short", "bright"), ("news-brief", None)]
)
def test_videos_of_a_new_account_have_the_bed_of_their_look_and_keep_it(
    partner, tmp_path, slug, bed
):
    first = brief_of(partner, projectTypeSlug=slug, subjectOverride="Tides")
    # as a retry, a worker and a correction read it
    again = brief_builder.build_brief(first.production_id)
    assert first.music == again.music == OF_LOOK
    beds = [
        each
        for brief in (first, again)
        for each in (mixing.store_choice(brief, tmp_path), mixing.read_choice(tmp_path))
    ]
    assert beds == [_bed_of(first, bed)] * 4


def test_a_brief_that_names_its_look_has_the_bed_of_that_look(partner, tmp_path):
    product = brief_of(partner, projectTypeSlug="short", look="product")
    assert mixing.store_choice(product, tmp_path) == _bed_of(product, "focused")
    assert (
        mixing.store_choice(brief_of(partner, projectTypeSlug="short", look="news"), tmp_path)
        is None
    )


def test_the_brand_of_the_account_reaches_the_engine(partner, upload):
    logo = upload("logo", png())
    with db.transaction():
        Prepared(
            Account.update(
                second_colour="#ff0000",
                theme="light",
                caption_style="plain",
                logo=slot("logo"),
                full_text=1,
                music="calm",
                logo_style="watermark",
                lower_third=1,
            )
        ).execute(logo=logo)
    brief = brief_of(partner)
    assert (brief.second_colour, brief.theme, brief.caption_style) == ("#ff0000", "light", "plain")
    assert (brief.full_text, brief.music) == (True, "calm")
    assert (brief.logo, brief.brand.logo_style, brief.brand.lower_third) == (
        f"{logo}.png",
        "watermark",
        True,
    )


def test_the_role_of_an_avatar_reaches_the_engine(partner):
    avatars.change(Actor("t", "t"), partner.seeded["avatarId"], {"role": " Chief  economist "}, 1)
    assert brief_of(partner).avatar.role == "Chief economist"
    avatars.change(Actor("t", "t"), partner.seeded["avatarId"], {"role": ""}, 1)
    assert brief_of(partner).avatar.role == ""
    for role in ("x" * 61, "Chief‮"):
        with pytest.raises(InvalidRequest, match="role: Give 0 to 60 characters"):
            avatars.change(Actor("t", "t"), partner.seeded["avatarId"], {"role": role}, 1)


def test_a_portrait_of_the_customers_stands_for_the_drawn_face(partner, upload):
    portrait = upload("ada", png(), account=False)
    with db.transaction():
        Prepared(Avatar.update(portrait=slot("portrait"), moving=0)).execute(portrait=portrait)
    avatar = brief_of(partner).avatar
    assert (avatar.portrait, avatar.moving) == (f"{portrait}.png", False)


def test_an_accounts_picture_stands_for_its_customers_of_the_same_name(partner, upload):
    upload("boat.png", png(), account=False)
    other, own = upload("sea.png", png(), account=False), upload("boat.png", png("blue"))
    assert {each.name: each.file for each in brief_of(partner).uploads} == {
        "boat.png": f"{own}.png",
        "sea.png": f"{other}.png",
    }


def test_platforms_of_one_format_share_what_the_strictest_of_them_asks():
    def platform(name, **asked):
        return SimpleNamespace(name=name, profile=Profile(1080, 1920, **asked))

    shared = brief_builder.make_rendition(
        "portrait",
        1080,
        1920,
        30,
        [
            platform("Loud", longest=180, safe=(0.1, 0.0, 0.0, 0.3)),
            platform("Quiet", loudness=-16.0, safe=(0.0, 0.2, 0.1, 0.1)),
            platform("Any"),
        ],
    )
    assert (shared.loudness, shared.longest, shared.safe) == (-16.0, 180, (0.1, 0.2, 0.1, 0.3))
    assert shared.platforms == ("Loud", "Quiet", "Any")


def test_uploads_are_put_into_the_productions_folder(partner, upload, kept, tmp_path):
    upload("boat.png", png())
    gone = upload("gone.png", png())
    (kept / f"{gone}.png").unlink()
    brief, folder = brief_of(partner), tmp_path / "work"
    folder.mkdir()
    brief_builder.copy_uploads(brief, kept, folder)
    assert [each.read_bytes() for each in folder.iterdir()] == [png()]


def test_the_font_of_an_account_goes_with_its_productions_and_no_others(
    partner, stranger, clock, kept, tmp_path
):
    brand_fonts.replace(Actor(None, "olga"), partner.account, b"OTTO", "OFL 1.1", kept, clock())
    brief, folder = brief_of(partner), tmp_path / "work"
    folder.mkdir()
    brief_builder.copy_uploads(brief, kept, folder)
    assert (folder / brief.brand.font).read_bytes() == b"OTTO"
    assert brief_of(stranger).brand.font == ""


def test_the_music_of_an_account_goes_with_its_productions_and_a_removed_one_with_none(
    partner, stranger, clock, kept, tmp_path
):
    music_tracks.replace(Actor(None, "olga"), partner.account, b"tune", "CC BY 4.0", kept, clock())
    brief, folder = brief_of(partner), tmp_path / "work"
    folder.mkdir()
    music_tracks.remove(Actor(None, "olga"), partner.account, kept, clock())
    brief_builder.copy_uploads(brief, kept, folder)
    assert (brief.brand.track_licence, list(folder.iterdir())) == ("CC BY 4.0", [])
    music_tracks.replace(Actor(None, "olga"), partner.account, b"tune", "CC0", kept, clock.tick())
    brief = brief_builder.build_brief(brief.production_id)  # as a retry of a step reads it
    brief_builder.copy_uploads(brief, kept, folder)
    assert (
        folder / brief.brand.track
    ).read_bytes() == b"tune" and brief.brand.track_licence == "CC0"
    assert brief_of(stranger).brand == NO_KIT


def test_intro_and_outro_of_an_account_go_with_its_productions_and_no_others(
    partner, stranger, clock, kept, tmp_path
):
    intro_clips.replace(Actor(None, "olga"), partner.account, b"first", "Order 4711", kept, clock())
    outro_clips.replace(Actor(None, "olga"), partner.account, b"last", "CC0", kept, clock.tick())
    brief, folder = brief_of(partner), tmp_path / "work"
    folder.mkdir()
    brief_builder.copy_uploads(brief, kept, folder)
    assert ((folder / brief.brand.intro).read_bytes(), brief.brand.intro_licence) == (
        b"first",
        "Order 4711",
    )
    assert ((folder / brief.brand.outro).read_bytes(), brief.brand.outro_licence) == (
        b"last",
        "CC0",
    )
    assert brief_of(stranger).brand == NO_KIT


def test_a_strangers_pictures_are_not_shown(partner, stranger, upload):
    upload("boat.png", png())
    assert brief_of(stranger).uploads == ()


def test_a_picture_replaces_the_one_of_its_name(upload):
    upload("logo", png())
    second = upload("logo", png("blue"))
    assert [each["id"] for each in plain_sql.rows("SELECT id FROM assets")] == [second]


@pytest.mark.parametrize(
    "name, content, said",
    [
        ("../x", png(), "valid picture name"),
        ("", png(), "valid picture name"),
        ("a" * 101, png(), "valid picture name"),
        ("a\n", png(), "valid picture name"),
        ("x", b"<svg/>", "not a PNG"),
        ("x", b"", "not a PNG"),
        ("x", png() + bytes(11_000_000), "the limit"),
    ],
)
def test_what_is_no_picture_is_refused(upload, name, content, said):
    with pytest.raises(CommandError, match=said):
        upload(name, content)
    assert plain_sql.rows("SELECT id FROM assets") == []
