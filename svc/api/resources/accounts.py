"""``/v1/partner/accounts`` and ``/v1/accounts``: the accounts that a key may access;
languages and countries.
"""

from typing import Any

from flask import Response, g

from svc.api.answer_docs import document_answers
from svc.api.context import now, service
from svc.api.envelope import make_etag_response, make_json_response, make_secret_response
from svc.api.guard import require_scope
from svc.api.parsing import Blueprint
from svc.api.schemas.accounts import (
    Account,
    AccountList,
    CountryList,
    LanguageList,
    NewPortalLink,
    PortalLink,
)
from svc.api.schemas.common import PageQuery, WholeOrPageQuery
from svc.api.schemas.lexicon import Lexicon, NewLexicon
from svc.base import clock
from svc.domain import locales, scopes
from svc.domain.audit.audit import Actor
from svc.domain.partners import accounts, lexicon
from svc.domain.tables import partners as tables
from svc.domain.watch import portal

_NOT_FOUND = "`NOT_FOUND`: no such account for this key."
bp = Blueprint(
    "accounts",
    __name__,
    description="The accounts that a key may access, and the values that a brief may use.",
)


@bp.route("/v1/partner/accounts", methods=["GET"], endpoint="list_partner_accounts")
@bp.route("/v1/accounts", methods=["GET"], endpoint="list_accounts")
@require_scope(scopes.ACCOUNTS, query=True)
@bp.arguments(PageQuery, location="query")
@document_answers(200, AccountList, "The accounts, newest first.")
def list_accounts(query: dict[str, Any]) -> Response:
    """List the accounts that the key may access"""
    return make_json_response(accounts.list_page(g.caller, query["page"]))


@bp.route("/v1/partner/accounts/<account_id>", methods=["GET"], endpoint="get_partner_account")
@bp.route("/v1/accounts/<account_id>", methods=["GET"], endpoint="get_account")
@require_scope(scopes.ACCOUNTS, resource=accounts.find)
@document_answers(200, Account, "The account.", etag=True, e404=_NOT_FOUND)
def get_account(account: tables.Account) -> Response:
    """Get one account"""
    return make_etag_response(accounts.represent(account))


@bp.route("/v1/accounts/<account_id>/lexicon", methods=["GET"])
@require_scope(scopes.ACCOUNTS, resource=accounts.find)
@document_answers(
    200, Lexicon, "The lexicon, empty if it was never set.", etag=True, e404=_NOT_FOUND
)
def get_lexicon(account: tables.Account) -> Response:
    """Get the pronunciation lexicon of an account"""
    return make_etag_response(lexicon.represent(account["id"]))


@bp.route("/v1/accounts/<account_id>/lexicon", methods=["PUT"])
@require_scope(scopes.TRIGGER, resource=accounts.find)
@bp.arguments(NewLexicon)
@document_answers(
    200,
    Lexicon,
    "The lexicon as it now is.",
    e404=_NOT_FOUND,
    e400=(
        "An entry is too long, has no letter or digit, fewer spoken words than written ones, or a "
        "lone equals sign to speak."
    ),
    e422="`LEXICON_ENTRY_REPEATED`: two entries are for the same word.",
)
def replace_lexicon(account: tables.Account, body: dict[str, Any]) -> Response:
    """Replace the pronunciation lexicon of an account

    Its entries apply to whole words of productions whose script is not written yet. Captions keep
    the written form.
    """
    entries = [lexicon.Entry(**entry) for entry in body["entries"]]
    lexicon.replace(Actor(None, f"API key {g.caller.key_prefix}…"), account["id"], entries, now())
    return make_json_response(lexicon.represent(account["id"]))


@bp.route("/v1/accounts/<account_id>/portal-links", methods=["POST"])
@require_scope(scopes.READ, resource=accounts.find)
@bp.arguments(NewPortalLink, required=False)
@document_answers(
    201, PortalLink, "The link, which is not stored.", headers=("Cache-Control",), e404=_NOT_FOUND
)
def create_portal_link(account: tables.Account, body: dict[str, Any]) -> Response:
    """Create a link to the portal of an account

    A page that you link or embed for your own customers: the account's productions, their progress
    and, if the key has the permission `deliverables:read`, the files of published ones. It is
    read-only. The link ends at `expiresAt`, with its key, and with the account. Only origins that
    the operator has entered for you may embed the page.
    """
    token, ends = portal.create_link(
        g.caller, account["id"], body["expiresInMinutes"], now(), service().ring
    )
    return make_secret_response(
        {
            "url": f"{service().settings.base_url}/portal/{token}",
            "expiresAt": clock.format_time(ends),
        },
        201,
    )


@bp.route("/v1/languages", methods=["GET"])
@require_scope(query=True)
@bp.arguments(WholeOrPageQuery, location="query")
@document_answers(200, LanguageList, "The languages of the narration, sorted by name.")
def list_languages(query: dict[str, Any]) -> Response:
    """List the languages that a brief may use

    Returns all of them, unless `limit` or `cursor` requests a page.
    """
    return make_json_response(locales.list_page(locales.list_offered_languages(), query["page"]))


@bp.route("/v1/countries", methods=["GET"])
@require_scope(query=True)
@bp.arguments(WholeOrPageQuery, location="query")
@document_answers(200, CountryList, "The countries of ISO 3166-1, sorted by name.")
def list_countries(query: dict[str, Any]) -> Response:
    """List the countries that a brief may use

    Returns all of them, unless `limit` or `cursor` requests a page.
    """
    return make_json_response(locales.list_page(locales.list_countries(), query["page"]))
