"""Operators' pages of avatars: voice, pace, languages, looks, an uploaded portrait,
and a spoken preview.
"""

from typing import Any

from flask import flash, make_response, redirect, render_template, request, send_file

from svc.base import limits, voices
from svc.base.errors import NotFound, ServiceError, ServiceUnavailable
from svc.console import access, avatar_pictures, forms, query_args
from svc.console.page_blueprint import make_section
from svc.domain import form_fields, locales
from svc.domain.partners import admin as partner_admin
from svc.domain.partners import avatars
from svc.domain.partners import search as partner_search

pages = make_section("avatar_pages", "/avatars", rule="operator")
_LOOKS = (
    "name",
    "role",
    "voice",
    "speaker",
    "pitch",
    "words_per_minute",
    "skin",
    "hair",
    "clothes",
    "hair_style",
    *avatars.APPEARANCE_CHOICES,
)
_SAMPLE_SECONDS = 20.0  # for which a request waits, in one of the few threads that may wait
_AGAIN_SECONDS = 5
SENTENCE = "Hello. This is how I look and sound. I can speak of anything that you brief me on."


@pages.get("")
def index():
    return _index()


@pages.post("")
@access.keep_form
def add():
    fields = forms.read_fields("name", "customer")
    try:
        forms.check_sent()
        avatar_id = avatars.add(
            access.viewer().actor, fields["customer"], {"name": fields["name"]}, None, access.now()
        )
    except ServiceError as refused:
        return _index(refused, fields), refused.status
    flash(f"{fields['name']} is added. Choose its voice and look.", "good")
    return redirect(_page_url(avatar_id), 303)


@pages.get("/<avatar_id>")
def show(avatar_id: str):
    return _show(avatar_id)


@pages.post("/<avatar_id>")
@access.keep_form
def change(avatar_id: str):
    return forms.submit_edit(
        {**forms.read_sent_fields(*_LOOKS), "languages": sorted(request.form.getlist("languages"))},
        lambda: _load_form_values(avatars.get(avatar_id)),
        lambda fields: _change(avatar_id, dict(fields)),
        "Saved.",
        _page_url(avatar_id),
        lambda error, fields: _show(avatar_id, error, fields),
    )


def _change(avatar_id: str, fields: dict[str, Any]) -> None:
    languages = fields.pop("languages") or None
    has_others = access.service().settings.has_other_voices
    avatars.change(access.viewer().actor, avatar_id, fields, access.now(), languages, has_others)


def _load_form_values(avatar: dict[str, Any]) -> dict[str, Any]:
    """Return an avatar as its form shows it."""
    return {
        **avatars.DEFAULTS,
        **avatar["looks"],
        "name": avatar["name"],
        "languages": sorted(avatar["languages"] or ()),
    }


@pages.post("/<avatar_id>/portrait")
@access.allow_form_size(limits.FORM_WITH_A_FILE)
def upload(avatar_id: str):
    avatars.get(avatar_id)
    sent = request.files.get("portrait")

    def keep():
        previews = access.service().previews
        checked = previews.reencode("portrait", sent.read() if sent else b"")
        avatars.set_portrait(
            access.viewer().actor, avatar_id, checked, previews.assets, access.now()
        )

    return forms.submit(
        keep, "The portrait is saved.", _page_url(avatar_id), lambda error: _show(avatar_id, error)
    )


@pages.post("/<avatar_id>/portrait/remove")
def remove_portrait(avatar_id: str):
    return forms.press(
        lambda: avatars.set_portrait(
            access.viewer().actor, avatar_id, None, access.service().previews.assets, access.now()
        ),
        "The drawn face is shown instead of a portrait.",
        _page_url(avatar_id),
    )


@pages.post("/<avatar_id>/remove")
def remove(avatar_id: str):
    avatar = avatars.get(avatar_id)
    try:
        avatars.remove(access.viewer().actor, avatar_id, access.now())
    except ServiceError as refused:
        flash(refused.message, "bad")
        return redirect(_page_url(avatar_id), 303)
    flash(f"{avatar['name']} is removed.", "good")
    return redirect(access.link("avatar_pages.index"), 303)


@pages.get("/<avatar_id>/picture")
def picture(avatar_id: str):
    return avatar_pictures.make_picture_response(avatars.get(avatar_id))


@pages.post("/<avatar_id>/sample")
def sample(avatar_id: str):
    avatar = avatars.get(avatar_id)
    fields = forms.read_fields("language", "text")
    filled = {name: value for name, value in fields.items() if value}
    try:
        known = tuple(locales.list_offered_languages())
        read = form_fields.read(
            {"language": form_fields.choice(*known), "text": form_fields.words(300)}, filled
        )
        words, owner = read.get("text", SENTENCE), access.name_thread_owner()
        sample_file = access.service().previews.render_sample(
            avatar, read["language"], words, owner, _SAMPLE_SECONDS
        )
        if sample_file is None:
            message = (
                "The sample is being made. Create it again in a few seconds: it is shown then."
            )
            raise ServiceUnavailable(message, retry_after=_AGAIN_SECONDS)
    except ServiceError as refused:
        return _show(avatar_id, refused), refused.status, forms.retry_after(refused)
    if request.headers.get("HX-Request"):
        return make_response(
            render_template("avatar_sample.html", avatar=avatar, sample=sample_file.name)
        )
    return _show(avatar_id, sample=sample_file.name)


@pages.get("/voices/<name>")
def voice(name: str):
    """Return what a trained voice sounds like.

    There are as many sounds as voices, and each is made once.
    """
    if name not in voices.VOICES:
        raise NotFound("There is no such voice.")
    sound = access.service().previews.render_voice_sample(
        voices.VOICES[name], access.name_thread_owner(), _SAMPLE_SECONDS
    )
    if sound is None:
        raise ServiceUnavailable(
            "The voice is being made. Try again in a few seconds.", retry_after=_AGAIN_SECONDS
        )
    return send_file(sound.absolute(), mimetype="audio/wav", conditional=True)


@pages.get("/samples/<name>")
def sample_file(name: str):
    path = access.service().previews.find_sample(name)
    if path is None:
        raise NotFound("This sample has expired. Create it again.")
    return send_file(path.absolute(), mimetype="video/mp4", conditional=True)


def _speakers() -> list[dict]:
    """Return the trained voices with the names of their languages."""
    names = {language["code"]: language["name"] for language in locales.list_languages().values()}
    return [
        {
            "name": each.name,
            "title": voices.TITLES[each.model],
            "lower": each.lower,
            "languages": [names.get(code, code) for code in each.languages],
        }
        for each in voices.VOICES.values()
    ]


def _page_url(avatar_id: str) -> str:
    return access.link("avatar_pages.show", avatar_id=avatar_id)


def _index(error: ServiceError | None = None, fields: dict | None = None) -> str:
    search = request.args.get("search") or None
    listed = partner_search.list_page("avatar", query_args.read_page(50), search=search)
    return render_template(
        "avatars.html",
        title="Avatars",
        usual_pace=avatars.DEFAULTS["words_per_minute"],
        listed=[avatars.parse_row(row) for row in listed["data"]],
        older=forms.make_older_page_url("avatar_pages.index", listed),
        customers=partner_search.list_rows("customer"),
        filtered=bool(search),
        languages=locales.list_languages(),
        error=error,
        given=fields or {},
        speakers=_speakers(),
    )


def _show(
    avatar_id: str,
    error: ServiceError | None = None,
    fields: dict | None = None,
    sample: str | None = None,
) -> str:
    avatar = avatars.get(avatar_id)
    customer = partner_admin.find(partner_admin.CUSTOMER, avatar["customer_id"])
    partner = partner_admin.find(partner_admin.PARTNER, avatar["partner_id"])
    stored = _load_form_values(avatar)
    return render_template(
        "avatar.html",
        title=avatar["name"],
        avatar=avatar,
        customer=customer,
        partner=partner,
        error=error,
        shown=fields or stored,
        version=forms.find_version(stored, error if fields else None),
        sample=sample,
        languages=locales.list_offered_languages(),
        voices=avatars.VOICES,
        speakers=_speakers(),
        has_other_voices=access.service().settings.has_other_voices,
        usual=avatars.DEFAULTS,
        hair_styles=avatars.HAIR_STYLES,
        choices=avatars.APPEARANCE_CHOICES,
        sentence=SENTENCE,
        crumbs=[("Avatars", "/console/avatars"), (avatar["name"], None)],
    )
