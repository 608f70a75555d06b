"""The translation of a brief in the console: read what is to be translated,
type it or upload the file with it.
"""

from flask import Response, render_template, request

from svc.base.errors import EditConflict, InvalidRequest, ServiceError
from svc.console import access, forms
from svc.console.page_blueprint import make_section
from svc.domain.briefing import reviewers
from svc.domain.lifecycle.lifecycle import AWAITED
from svc.domain.productions import detail as production_detail
from svc.domain.translation import segments, translations, xliff

pages = make_section("translation_pages", "/productions/<production_id>/translation")

_LARGEST = 2 * 2**20  # bytes of a form with a file


@pages.get("")
def show(production_id: str):
    return _page(production_id)


@pages.get("/file")
def file(production_id: str) -> Response:
    """Send the XLIFF file, for translators' programs."""
    shown = _load_translation(production_id)
    name = f"{shown['sourceLanguage']}-{shown['targetLanguage']}-{production_id[:8]}.xlf"
    headers = {"Content-Disposition": f"attachment; filename={name}"}
    return Response(
        shown["xliff"], content_type="application/xliff+xml; charset=utf-8", headers=headers
    )


@pages.post("")
@access.allow_form_size(_LARGEST)
@access.keep_form
def receive(production_id: str):
    targets = {
        name[2:]: value.replace("\r\n", "\n")
        for name, value in request.form.items()
        if name.startswith("t-")
    }
    if "draft" in request.form:
        return forms.submit(
            lambda: reviewers.save_draft(
                access.viewer(), production_id, targets, _read_version(), access.now()
            ),
            (
                "The draft is saved. The production waits until the translation is whole and you "
                "start it."
            ),
            access.link("translation_pages.show", production_id=production_id),
            lambda refused: _page(production_id, refused, targets),
        )
    return forms.submit(
        lambda: _send(production_id, targets),
        "Translation saved. The production begins.",
        access.link("productions_pages.show", production_id=production_id),
        lambda refused: _page(production_id, refused, targets),
    )


def _send(production_id: str, typed: dict[str, str]) -> None:
    targets = typed
    if "version" in request.form:  # not with a file
        translations.require_draft_version(
            translations.find(_find_production(production_id)["id"]), typed, _read_version()
        )
    if uploaded := request.files.get("file"):
        stored = translations.find(_find_production(production_id)["id"])
        targets = translations.read_file(stored, _text(uploaded.read()))
    prices = access.service().prices
    reviewers.translate(access.viewer(), production_id, targets, access.now(), prices)


def _read_version() -> int:
    """Return the version of the draft that the form was filled in with."""
    text = request.form.get("version", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


def _text(raw: bytes) -> str:
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = ""
    if not 0 < len(text) <= xliff.LONGEST:
        message = f"Choose an XLIFF file in UTF-8 of at most {xliff.LONGEST:,} characters."
        raise InvalidRequest(message, fields={"xliff": [message]})
    return text


def _find_production(production_id: str) -> production_detail.ProductionDetail:
    return production_detail.find(access.viewer().partner_id, production_id)


def _load_translation(production_id: str) -> dict:
    return translations.represent(translations.find(_find_production(production_id)["id"]))


def _page(
    production_id: str, refused: ServiceError | None = None, targets: dict[str, str] | None = None
) -> str:
    production = _find_production(production_id)
    stored = translations.find(production["id"])
    shown = translations.represent(stored)
    draft = translations.read_draft(stored)
    version = stored["draft_version"]
    if refused and not isinstance(refused, EditConflict) and "version" in request.form:
        version = _read_version()
    return render_template(
        "translation.html",
        title="Translation",
        production=production,
        translation=shown,
        given=targets or draft,
        refused=refused,
        version=version,
        languages=translations.find_language_names(stored),
        longest=segments.LONGEST_TARGET,
        done=sum(each["segmentId"] in draft for each in shown["segments"]),
        labels={each["segmentId"]: each["source"] for each in shown["segments"]},
        wrong=(refused.fields or {}) if refused else {},
        may_change=shown["status"] == AWAITED and access.viewer().may_change,
    )
