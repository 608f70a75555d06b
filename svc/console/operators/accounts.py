"""Operators' pages of accounts: status, ceilings, release, project types and places."""

from typing import Any

from flask import render_template, request, send_file

from svc.base import limits
from svc.base.errors import NotFound, ServiceError
from svc.console import access, forms, query_args, sorting
from svc.console.page_blueprint import make_section
from svc.domain import form_fields
from svc.domain.partners import admin as partner_admin
from svc.domain.partners import assets, brand_files, lexicon, pictures
from svc.domain.partners import search as partner_search
from svc.domain.partners.brand_files import (
    BrandFiles,
    brand_fonts,
    intro_clips,
    music_tracks,
    outro_clips,
)
from svc.domain.tables.partners import Account

pages = make_section("account_pages", "/accounts", rule="operator")
_FIELDS = (
    "name",
    "status",
    "auto_release?",
    "monthly_ceiling",
    "concurrency_ceiling",
    "accent",
    "second_colour",
    "theme",
    "caption_style",
    "full_text?",
    "script_review?",
    "music",
    "logo_style",
    "lower_third?",
    "default_project_type",
)
_TYPE_FIELDS = ("slug", "name", "title_template", "price", "look")
# Bytes of a form with the largest lexicon: up to four bytes a character, each sent as %XX, the
# signs around them, the token.
_LEXICON = (
    lexicon.MOST_ENTRIES * (12 * (lexicon.LONGEST_WRITTEN + lexicon.LONGEST_SPOKEN) + 16) + 4096
)


@pages.get("")
def index():
    shown_partner = query_args.selected_partner(or_nobody=True)
    args = {name: request.args.get(name) or None for name in ("search", "status", "environment")}
    listed = partner_search.list_page(
        "account",
        sorting.read_page(sorting.BY_NAME, 50),
        search=args["search"],
        status=args["status"],
        environment=args["environment"],
        partner_id=shown_partner.partner_id,
    )
    return render_template(
        "accounts.html",
        title="Accounts",
        listed=listed["data"],
        **query_args.pager_links(listed),
        statuses=partner_admin.ACCOUNT_STATUSES,
        filtered=any(args.values()) or bool(shown_partner.typed),
        shown_partner=shown_partner,
    )


@pages.get("/<account_id>")
def show(account_id: str):
    return _show(account_id)


@pages.post("/<account_id>")
@access.keep_form
def change(account_id: str):
    return forms.submit_edit(
        forms.read_sent_fields(*_FIELDS),
        lambda: _settings(partner_admin.find(partner_admin.ACCOUNT, account_id)),
        lambda fields: partner_admin.change(
            access.viewer().actor, partner_admin.ACCOUNT, account_id, fields, access.now()
        ),
        "Saved.",
        _page_url(account_id),
        lambda error, fields: _show(account_id, error, fields, "account"),
    )


@pages.post("/<account_id>/project-types")
@access.keep_form
def set_project_type(account_id: str):
    fields = forms.read_sent_fields(*_TYPE_FIELDS)
    return forms.submit_edit(
        fields,
        lambda: _project_types(account_id).get(fields.get("slug", ""), {}),
        lambda merged: partner_admin.set_project_type(
            access.viewer().actor, account_id, merged, access.now()
        ),
        "The project type is saved.",
        _page_url(account_id),
        lambda error, merged: _show(account_id, error, merged, "type"),
    )


@pages.post("/<account_id>/project-types/<slug>/remove")
def remove_project_type(account_id: str, slug: str):
    return forms.press(
        lambda: partner_admin.remove_project_type(
            access.viewer().actor, account_id, slug, access.now()
        ),
        "The project type is removed.",
        _page_url(account_id),
    )


@pages.post("/<account_id>/platforms/<platform>")
def set_platform(account_id: str, platform: str):
    actor, at = access.viewer().actor, access.now()
    if request.form.get("connected") == "on":
        known = access.service().platforms
        return forms.press(
            lambda: partner_admin.connect(actor, account_id, platform, known, at),
            f"Connected to {platform}.",
            _page_url(account_id),
        )
    return forms.press(
        lambda: partner_admin.disconnect(actor, account_id, platform, at),
        f"No longer connected to {platform}.",
        _page_url(account_id),
    )


@pages.post("/<account_id>/lexicon")
@access.allow_form_size(_LEXICON)
@access.keep_form
def change_lexicon(account_id: str):
    return forms.submit_edit(
        forms.read_fields("lexicon"),
        lambda: {"lexicon": lexicon.as_lines(lexicon.list_entries(account_id))},
        lambda fields: lexicon.replace(
            access.viewer().actor, account_id, lexicon.from_lines(fields["lexicon"]), access.now()
        ),
        "The pronunciations are saved.",
        _page_url(account_id),
        lambda error, fields: _show(account_id, error, fields, "lexicon"),
    )


@pages.post("/<account_id>/logo")
@access.allow_form_size(limits.FORM_WITH_A_FILE)
def upload_logo(account_id: str):
    partner_admin.find(partner_admin.ACCOUNT, account_id)
    sent, previews = request.files.get("logo"), access.service().previews

    def keep():
        checked = previews.reencode("logo", sent.read() if sent else b"")
        partner_admin.set_logo(
            access.viewer().actor, account_id, checked, previews.assets, access.now()
        )

    return forms.submit(
        keep,
        "The logo is saved.",
        _page_url(account_id),
        lambda error: _show(account_id, error, form="logo"),
    )


@pages.post("/<account_id>/logo/remove")
def remove_logo(account_id: str):
    return forms.press(
        lambda: partner_admin.set_logo(
            access.viewer().actor, account_id, None, access.service().previews.assets, access.now()
        ),
        "The account's name is shown instead of a logo.",
        _page_url(account_id),
    )


@pages.get("/<account_id>/logo")
def logo(account_id: str):
    file = assets.find_logo_file(account_id)
    path = access.service().previews.fetch_asset(file) if file else None
    if path is None or not path.is_file():
        raise NotFound()
    return send_file(path.absolute(), conditional=True)


@pages.post("/<account_id>/pictures")
@access.allow_form_size(limits.FORM_WITH_A_CLIP)
def upload_picture(account_id: str):
    partner_admin.find(partner_admin.ACCOUNT, account_id)
    sent = request.files.get("picture")
    previews = access.service().previews
    fields = forms.read_fields("name")
    name = fields["name"].strip() or (sent.filename if sent else "") or ""

    def keep():
        content = sent.read() if sent else b""
        checked = previews.reencode(pictures.detect_kind(content), content, "picture")
        pictures.add(
            access.viewer().actor, account_id, name, checked, previews.assets, access.now()
        )

    return forms.submit(
        keep,
        "The picture is saved.",
        _page_url(account_id),
        lambda error: _show(account_id, error, fields, "picture"),
    )


@pages.post("/<account_id>/pictures/remove")
def remove_picture(account_id: str):
    name = forms.read_fields("name")["name"]
    return forms.press(
        lambda: pictures.remove(access.viewer().actor, account_id, name, access.now()),
        "The picture is removed.",
        _page_url(account_id),
    )


@pages.post("/<account_id>/font")
@access.allow_form_size(limits.FORM_WITH_A_FILE)
def upload_font(account_id: str):
    return _keep_upload(account_id, "font", brand_fonts, "The font is saved.")


@pages.post("/<account_id>/font/remove")
def remove_font(account_id: str):
    return _remove(account_id, brand_fonts, "The fonts of the look are used.")


@pages.post("/<account_id>/track")
@access.allow_form_size(limits.FORM_WITH_A_TRACK)
def upload_track(account_id: str):
    return _keep_upload(account_id, "track", music_tracks, "The music is saved.")


@pages.post("/<account_id>/track/remove")
def remove_track(account_id: str):
    return _remove(account_id, music_tracks, "The music of the settings is used.")


@pages.post("/<account_id>/intro")
@access.allow_form_size(limits.FORM_WITH_A_CLIP)
def upload_intro(account_id: str):
    return _keep_upload(account_id, "intro", intro_clips, "The intro is saved.", "clip")


@pages.post("/<account_id>/intro/remove")
def remove_intro(account_id: str):
    return _remove(account_id, intro_clips, "The videos begin with their title.")


@pages.post("/<account_id>/outro")
@access.allow_form_size(limits.FORM_WITH_A_CLIP)
def upload_outro(account_id: str):
    return _keep_upload(account_id, "outro", outro_clips, "The outro is saved.", "clip")


@pages.post("/<account_id>/outro/remove")
def remove_outro(account_id: str):
    return _remove(account_id, outro_clips, "The videos end with their closing card.")


def _keep_upload(account_id: str, field: str, files: BrandFiles, said: str, kind: str = ""):
    """Keep the file of the form's ``field`` with its licence.

    ``kind``: of the check; empty: that of the field's name.
    """
    partner_admin.find(partner_admin.ACCOUNT, account_id)
    sent = request.files.get(field)
    previews = access.service().previews
    fields = forms.read_fields("licence")

    def keep():
        brand_files.check_licence(fields["licence"])
        checked = previews.reencode(kind or field, sent.read() if sent else b"", field)
        files.replace(
            access.viewer().actor,
            account_id,
            checked,
            fields["licence"],
            previews.assets,
            access.now(),
        )

    return forms.submit(
        keep,
        said,
        _page_url(account_id),
        lambda error: _show(account_id, error, fields, form=field),
    )


def _remove(account_id: str, files: BrandFiles, said: str):
    folder = access.service().previews.assets
    return forms.press(
        lambda: files.remove(access.viewer().actor, account_id, folder, access.now()),
        said,
        _page_url(account_id),
    )


def _settings(account: Account) -> dict[str, Any]:
    """Return the settings of an account as their form shows them."""
    row = forms.take_fields(account, *_FIELDS)
    return {**row, "monthly_ceiling": form_fields.format_amount(account["monthly_ceiling"])}


def _project_types(account_id: str) -> dict[str, dict[str, Any]]:
    """Return the project types of an account by slug, as their forms show them."""
    project_types = partner_admin.list_project_types(account_id)
    return {
        each["slug"]: {
            **forms.take_fields(each, *_TYPE_FIELDS),
            "price": form_fields.format_amount(each["price"]),
        }
        for each in project_types
    }


def _page_url(account_id: str) -> str:
    return access.link("account_pages.show", account_id=account_id)


def _versions(
    account_id: str, account: Account, error: ServiceError | None, form: str
) -> dict[str, str]:
    """Return the version that each form of the page carries: those of project types by slug.

    ``form``: that of the error.
    """
    shown = {
        "account": _settings(account),
        "lexicon": {"lexicon": lexicon.as_lines(lexicon.list_entries(account_id))},
    }
    versions = {
        name: forms.find_version(values, error if form == name else None)
        for name, values in shown.items()
    }
    typed = request.form.get("slug")
    for slug, values in _project_types(account_id).items():
        versions[f"type {slug}"] = forms.find_version(
            values, error if form == "type" and slug == typed else None
        )
    return versions


def _show(
    account_id: str, error: ServiceError | None = None, fields: dict | None = None, form: str = ""
) -> str:
    row = partner_admin.find(partner_admin.ACCOUNT, account_id)
    partner = partner_admin.find(partner_admin.PARTNER, row["partner_id"])
    customer = partner_admin.find(partner_admin.CUSTOMER, row["customer_id"])
    connected = {each["platform"]: each for each in partner_admin.list_platforms(account_id)}
    return render_template(
        "account.html",
        title=row["name"],
        account=row,
        partner=partner,
        customer=customer,
        error=error,
        given=fields or {},
        form=form,
        versions=_versions(account_id, row, error, form),
        stored=_settings(row),
        types=partner_admin.list_project_types(account_id),
        statuses=partner_admin.ACCOUNT_STATUSES,
        connected=connected,
        music=partner_admin.MUSIC,
        font=brand_fonts.find(account_id),
        track=music_tracks.find(account_id),
        clips={"intro": intro_clips.find(account_id), "outro": outro_clips.find(account_id)},
        pictures=pictures.list_pictures(account_id),
        has_own_logo=assets.find_logo_file(account_id) is not None,
        lexicon=lexicon.as_lines(lexicon.list_entries(account_id)),
        platforms=sorted({*access.service().platforms, *connected}),
        spent=partner_admin.sum_month_spent(account_id, access.now()),
        crumbs=[
            ("Partners", "/console/partners"),
            (partner["name"], f"/console/partners/{partner['id']}"),
            (customer["name"], f"/console/partners/customers/{customer['id']}"),
            (row["name"], None),
        ],
    )
