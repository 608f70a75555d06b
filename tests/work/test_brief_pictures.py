"""Pictures for briefs: checked and written again in a confined process,
shown by their name, and removed.
"""

import io

import pytest
from PIL import Image
from support import plain_sql
from support.cast import body
from support.sampling import sampled

from svc.base.errors import CommandError, InvalidRequest, NotFound
from svc.base.text import picture_names
from svc.domain.audit.audit import Actor
from svc.domain.partners import admin, pictures
from svc.media.errors import InvalidUpload
from svc.media.pictures import upload
from svc.work import brief_builder
from tests.media import small_clips

US = Actor(None, "the tests")
_DRAWING = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 100">{}</svg>'
_DISC = '<circle cx="50" cy="50" r="40" fill="#c02020"/>'


def photo(side: int = 300, form: str = "PNG", mode: str = "RGB") -> bytes:
    made = io.BytesIO()
    Image.new(mode, (side, side + 40), (51, 102, 153, 255)[: len(mode)]).save(made, form)
    return made.getvalue()


def strip(width: int, height: int) -> bytes:
    made = io.BytesIO()
    Image.new("RGB", (width, height), "red").save(made, "PNG")
    return made.getvalue()


@pytest.fixture
def previews(app):
    return app.extensions["svc"].previews


def opened(content: bytes) -> Image.Image:
    return Image.open(io.BytesIO(content))


@pytest.mark.parametrize(
    ("form", "mode", "kept"),
    sampled([("PNG", "RGB", "JPEG"), ("JPEG", "RGB", "JPEG"), ("WEBP", "RGB", "JPEG")], 3),
)
def test_a_picture_is_written_again_without_anything_but_pixels(previews, form, mode, kept):
    checked = opened(previews.reencode("picture", photo(form=form, mode=mode)))
    assert (checked.format, checked.size) == (kept, (300, 340)) and not checked.info.get("comment")


def test_a_large_picture_is_made_smaller_and_a_transparent_one_stays_so(previews):
    assert max(opened(previews.reencode("picture", photo(3000))).size) == 2048
    clear = io.BytesIO()
    Image.new("RGBA", (100, 100), (10, 20, 30, 100)).save(clear, "PNG")
    checked = opened(previews.reencode("picture", clear.getvalue()))
    assert checked.format == "PNG" and checked.convert("RGBA").getpixel((50, 50))[3] == 100


@pytest.mark.parametrize(
    "head",
    sampled(["", "\ufeff", '<?xml version="1.0" encoding="UTF-8"?>\n<!-- a drawing -->\n'], 3),
)
def test_a_drawing_becomes_pixels_in_its_own_proportions(previews, head):
    checked = opened(previews.reencode("picture", (head + _DRAWING.format(_DISC)).encode()))
    assert checked.format == "PNG" and checked.size == (2048, 512)
    assert checked.convert("RGBA").getpixel((256, 256)) == (192, 32, 32, 255)


_BOMB = "".join(f'<!ENTITY {chr(98 + each)} "{f"&{chr(97 + each)};" * 10}">' for each in range(9))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (photo()[:-200], "damaged"),
        (photo(20), "64 to"),
        (
            (
                b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100000 10"><rect '
                b'width="100000" height="10"/></svg>'
            ),
            "a line",
        ),
        (
            (
                b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 100000"><rect '
                b'width="10" height="100000"/></svg>'
            ),
            "a line",
        ),
        (strip(9000, 64), "the other has 15, and needs 32"),
        (_DRAWING.format("<text>Hi</text>").encode(), "outlines"),
        (_DRAWING.format('<image href="http://127.0.0.1/a.png"/>').encode(), "elsewhere"),
        (_DRAWING.format('<image xlink:href="/etc/hostname"/>').encode(), "elsewhere"),
        (_DRAWING.format("").encode(), "shows nothing"),
        (_DRAWING.format("<rect").encode(), "not a drawing"),
        (_DRAWING.format(_DISC).encode("utf-16"), "not a readable picture"),
        (_DRAWING.format("<!--" + "x" * 2_200_000 + "-->" + _DISC).encode(), "at most"),
    ],
)
def test_what_cannot_be_shown_whole_is_refused_with_the_reason(tmp_path, content, reason):
    (tmp_path / "sent").write_bytes(content)
    with pytest.raises(InvalidUpload) as refused:
        upload.convert_picture(tmp_path / "sent", tmp_path / "kept")
    assert reason in str(refused.value) and not (tmp_path / "kept").exists()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "Choose a picture file"),
        (b"GIF89a" + bytes(50), "not a readable picture"),
        (
            (
                "<!DOCTYPE svg [<!ENTITY a "
                f'"aaaaaaaaaa">{_BOMB}]>{_DRAWING.format("<desc>&j;</desc>")}'
            ).encode(),
            "",
        ),
        (bytes(9 * 1024 * 1024), "8 MiB"),
    ],
)
def test_a_refusal_names_the_field_and_leaves_nothing(previews, content, reason):
    with pytest.raises(InvalidRequest) as refused:
        previews.reencode("picture", content)
    assert reason in refused.value.message and "picture" in refused.value.fields
    assert list(previews.assets.glob("*")) == []


def test_a_brief_shows_it_by_its_name_and_leaves_it_out_once_it_is_removed(
    partner, previews, clock
):
    checked = previews.reencode("picture", photo())
    pictures.add(US, partner.account, "boat.png", checked, previews.assets, clock())
    notes = "## The harbour\n\n![The boat](boat.png)"
    made = body(partner.trigger(metadataMD=notes))
    assert made["warnings"] == []
    [chosen] = brief_builder.build_brief(made["productionId"]).uploads
    assert chosen.name == "boat.png" and (previews.assets / chosen.file).read_bytes() == checked
    pictures.remove(US, partner.account, "boat.png", clock())
    assert [each["code"] for each in body(partner.trigger(metadataMD=notes))["warnings"]] == [
        "PICTURE_NOT_FOUND"
    ]
    with pytest.raises(NotFound):
        pictures.remove(US, partner.account, "boat.png", clock())
    listed = plain_sql.rows("SELECT action FROM audit WHERE action = 'account.picture'")
    assert len(listed) == 2


@pytest.mark.parametrize("name", ["The quay.png", "Übung 1.png", "港.png"])
def test_a_brief_shows_it_as_the_command_and_the_console_write_it(partner, previews, clock, name):
    pictures.add(
        US, partner.account, name, previews.reencode("picture", photo()), previews.assets, clock()
    )
    notes = f"## The harbour\n\nHere it is.\n\n{picture_names.write_image(name)}"
    assert body(partner.trigger(metadataMD=notes))["warnings"] == []


@pytest.mark.parametrize("name", ["Logo of the fair.png", "LOGO 2.png", "logotype.png"])
def test_a_picture_whose_name_only_looks_like_a_logos_is_listed_and_removed(
    partner, previews, clock, name
):
    pictures.add(US, partner.account, name, photo(form="JPEG"), previews.assets, clock())
    assert [each["name"] for each in pictures.list_pictures(partner.account)] == [name]
    pictures.remove(US, partner.account, name, clock())
    assert pictures.list_pictures(partner.account) == []


@pytest.fixture
def clip(tmp_path) -> bytes:
    return small_clips.write(tmp_path / "boat.mov", 1.0, kind="mov").read_bytes()


@pytest.mark.parametrize(
    ("kind", "codecs"),
    sampled(
        [
            ("mp4", ("libx264", "aac")),
            ("mov", ("mpeg4", "aac")),
            ("webm", ("libvpx-vp9", "libopus")),
        ],
        3,
    ),
)
def test_a_clip_is_told_by_its_first_bytes_and_written_again(previews, tmp_path, kind, codecs):
    sent = small_clips.write(tmp_path / "sent", 1.0, kind=kind, codecs=codecs).read_bytes()
    checked = previews.reencode(pictures.detect_kind(sent), sent, "picture")
    assert (
        pictures.detect_kind(checked) == "clip" and b"private" in sent and b"private" not in checked
    )


@pytest.mark.parametrize(
    "content",
    [
        b"",
        photo(),
        photo(form="JPEG"),
        photo(form="WEBP"),
        _DRAWING.format(_DISC).encode(),
        b"GIF89a",
        b"\0\0\0\x1cftypheic\0\0\0\0mif1heic",
        b"\0\0\0\x1cftypavif\0\0\0\0avifmif1",
    ],
)
def test_anything_else_is_read_as_a_picture(content):
    assert pictures.detect_kind(content) == "picture"


def test_a_picture_that_no_file_of_ours_is_names_the_form(previews):
    with pytest.raises(InvalidRequest, match=r"Choose a JPEG, PNG or WebP file") as refused:
        previews.reencode("picture", b"\0\0\0\x1cftypheic\0\0\0\0mif1heic")
    assert "picture" in refused.value.fields
    with pytest.raises(InvalidRequest, match="not a readable clip|damaged") as refused:
        previews.reencode("clip", b"\0\0\0\x18ftypisom" + bytes(99), "picture")
    assert list(refused.value.fields) == ["picture"]


def test_a_clip_and_a_picture_of_one_name_replace_each_other_and_are_counted(
    partner, previews, clock, clip
):
    def stored() -> int:
        return sum(row[0] for row in plain_sql.rows("SELECT bytes FROM partner_storage"))

    before, checked = stored(), previews.reencode("clip", clip)
    for content, ending in (
        (photo(form="JPEG"), "jpg"),
        (checked, "mp4"),
        (photo(form="JPEG"), "jpg"),
        (checked, "mp4"),
    ):
        pictures.add(US, partner.account, "boat", content, previews.assets, clock())
        [kept] = pictures.list_pictures(partner.account)
        assert kept["file"].endswith(f".{ending}") and stored() - before == kept[
            "size_bytes"
        ] == len(content)
    assert kept["media_type"] == "video/mp4"
    made = body(partner.trigger(metadataMD="![The boat](boat)"))
    [chosen] = brief_builder.build_brief(made["productionId"]).uploads
    assert made["warnings"] == [] and chosen.file == kept["file"]
    pictures.remove(US, partner.account, "boat", clock())
    assert stored() == before


def test_a_clip_is_neither_a_logo_nor_a_portrait(partner, previews, clock, clip):
    for kind in ("logo", "portrait"):
        with pytest.raises(InvalidRequest, match="Choose a JPEG, PNG or WebP file"):
            previews.reencode(kind, clip)
    with pytest.raises(CommandError, match="not a PNG, JPEG or WebP picture"):
        admin.set_logo(
            US, partner.account, previews.reencode("clip", clip), previews.assets, clock()
        )


@pytest.mark.parametrize(
    "name", ["", "../boat.png", "a/b.png", "x" * 101, "logo 1", "portrait 2", "<b>", "a\nb"]
)
def test_a_name_that_could_not_be_written_in_a_brief_is_refused(partner, previews, clock, name):
    with pytest.raises(InvalidRequest, match=r"boat\.png"):
        pictures.add(US, partner.account, name, photo(), previews.assets, clock())
    assert pictures.list_pictures(partner.account) == []


def test_the_pictures_of_another_account_are_not_shown(partner, stranger, previews, clock):
    pictures.add(US, stranger.account, "boat.png", photo(), previews.assets, clock())
    assert pictures.list_pictures(partner.account) == []
    made = body(partner.trigger(metadataMD="![The boat](boat.png)"))
    assert brief_builder.build_brief(made["productionId"]).uploads == ()
