"""Operators' pages of partners and their customers."""

from typing import Any

from flask import render_template, request

from svc.base.errors import InvalidRequest, ServiceError
from svc.console import access, forms, query_args, sorting
from svc.console.page_blueprint import make_section
from svc.domain import form_fields, tiers
from svc.domain.access import key_admin
from svc.domain.audit import audit
from svc.domain.paging import Page
from svc.domain.partners import admin as partner_admin
from svc.domain.partners import search as partner_search
from svc.domain.people import users
from svc.domain.tables.partners import Customer
from svc.domain.tiers import TIERS

pages = make_section("partner_pages", "/partners", rule="operator")
_FIELDS = ("name", "status", "tier", "key_rotation?", "self_lifecycle?", "portal_origins")
_CLOSING = (
    "Closing a partner stops its keys, its webhooks are sent nothing more, and nothing new begins "
    "for it. Tick the box below to confirm."
)
_CUSTOMER_FIELDS = ("name", "monthly_ceiling", "concurrency_ceiling")


@pages.get("")
def index():
    return _index()


@pages.post("")
@access.keep_form
def add():
    fields = forms.read_sent_fields("name", "tier", "customer", "account", "environment")
    partner_ids = []
    fields.setdefault("name", "")
    actor, platforms, at = access.viewer().actor, access.service().platforms, access.now()

    def act() -> None:
        if fields.get("environment"):
            partner_ids.append(partner_admin.add_partner_with_account(actor, fields, platforms, at))
        else:
            alone: dict[str, str] = {
                name: fields[name] for name in ("name", "tier") if name in fields
            }
            partner_ids.append(partner_admin.add_partner(actor, alone, at))

    return forms.submit(
        act,
        f"{fields['name']} is added as a partner.",
        lambda: access.link("partner_pages.show", partner_id=partner_ids[0]),
        lambda error: _index(error, fields),
    )


@pages.get("/<partner_id>")
def show(partner_id: str):
    return _show(partner_id)


@pages.post("/<partner_id>")
@access.keep_form
def change(partner_id: str):
    return forms.submit_edit(
        forms.read_sent_fields(*_FIELDS),
        lambda: forms.take_fields(partner_admin.find(partner_admin.PARTNER, partner_id), *_FIELDS),
        lambda fields: _change(partner_id, fields),
        "Saved.",
        access.link("partner_pages.show", partner_id=partner_id),
        lambda error, fields: _show(partner_id, error, fields, "partner"),
    )


def _change(partner_id: str, fields: dict) -> None:
    """Change a partner. InvalidRequest: it would be closed, and nobody has confirmed that."""
    closes = (
        fields.get("status") == "Closed"
        and partner_admin.find(partner_admin.PARTNER, partner_id)["status"] != "Closed"
    )
    if closes and request.form.get("sure") != "on":
        raise InvalidRequest(_CLOSING, fields={"status": [_CLOSING]})
    partner_admin.change(
        access.viewer().actor, partner_admin.PARTNER, partner_id, fields, access.now()
    )


@pages.post("/<partner_id>/customers")
@access.keep_form
def add_customer(partner_id: str):
    fields, customer_ids = forms.read_fields("name"), []
    return forms.submit(
        lambda: customer_ids.append(
            partner_admin.add_customer(access.viewer().actor, partner_id, fields, access.now())
        ),
        f"{fields['name']} is added as a customer.",
        lambda: access.link("partner_pages.customer", customer_id=customer_ids[0]),
        lambda error: _show(partner_id, error, fields, "customer"),
    )


@pages.get("/customers/<customer_id>")
def customer(customer_id: str):
    return _customer(customer_id)


@pages.post("/customers/<customer_id>")
@access.keep_form
def change_customer(customer_id: str):
    return forms.submit_edit(
        forms.read_sent_fields(*_CUSTOMER_FIELDS),
        lambda: _customer_settings(partner_admin.find(partner_admin.CUSTOMER, customer_id)),
        lambda fields: partner_admin.change(
            access.viewer().actor, partner_admin.CUSTOMER, customer_id, fields, access.now()
        ),
        "Saved.",
        access.link("partner_pages.customer", customer_id=customer_id),
        lambda error, fields: _customer(customer_id, error, fields),
    )


def _customer_settings(customer: Customer) -> dict[str, Any]:
    """Return the settings of a customer as their form shows them."""
    row = forms.take_fields(customer, *_CUSTOMER_FIELDS)
    return {**row, "monthly_ceiling": form_fields.format_amount(customer["monthly_ceiling"])}


@pages.post("/customers/<customer_id>/accounts")
@access.keep_form
def add_account(customer_id: str):
    fields, account_ids = forms.read_fields("name"), []
    platforms = access.service().platforms
    return forms.submit(
        lambda: account_ids.append(
            partner_admin.add_account(
                access.viewer().actor, customer_id, fields, platforms, access.now()
            )
        ),
        f"{fields['name']} is added as an account.",
        lambda: access.link("account_pages.show", account_id=account_ids[0]),
        lambda error: _customer(customer_id, error, fields, "account"),
    )


def _index(error: ServiceError | None = None, fields: dict | None = None) -> str:
    search = request.args.get("search") or None
    status, tier = request.args.get("status") or None, request.args.get("tier") or None
    page = sorting.read_page(sorting.BY_NAME, 50)
    listed = partner_search.list_page("partner", page, search=search, status=status, tier=tier)
    return render_template(
        "partners.html",
        title="Partners",
        listed=listed["data"],
        **query_args.pager_links(listed),
        error=error,
        given=fields or {},
        tiers=list(TIERS),
        limits_of_tiers=tiers.describe_all(),
        statuses=partner_admin.PARTNER_STATUSES,
        filtered=bool(search or status or tier),
    )


def _show(
    partner_id: str, error: ServiceError | None = None, fields: dict | None = None, form: str = ""
) -> str:
    row, at = partner_admin.find(partner_admin.PARTNER, partner_id), access.now()
    listed_keys, stored = key_admin.list_keys(partner_id), forms.take_fields(row, *_FIELDS)
    return render_template(
        "partner.html",
        title=row["name"],
        partner=row,
        customers=partner_search.list_rows("customer", partner_id=partner_id),
        accounts=partner_search.list_rows("account", partner_id=partner_id),
        persons=users.list_users(partner_id),
        keys_in_use=sum(
            key_admin.find_key_state(key, at) in ("Active", "Rotated") for key in listed_keys
        ),
        tiers=list(TIERS),
        limits_of_tiers=tiers.describe_all(),
        statuses=partner_admin.PARTNER_STATUSES,
        error=error,
        given=fields or {},
        form=form,
        stored=stored,
        version=forms.find_version(stored, error if form == "partner" else None),
        entries=audit.list_page(Page(5), partner_id=partner_id)["data"],
        crumbs=[("Partners", "/console/partners"), (row["name"], None)],
    )


def _customer(
    customer_id: str,
    error: ServiceError | None = None,
    fields: dict | None = None,
    form: str = "customer",
) -> str:
    row = partner_admin.find(partner_admin.CUSTOMER, customer_id)
    partner = partner_admin.find(partner_admin.PARTNER, row["partner_id"])
    stored = _customer_settings(row)
    return render_template(
        "customer.html",
        stored=stored,
        version=forms.find_version(stored, error if form == "customer" else None),
        title=row["name"],
        customer=row,
        partner=partner,
        error=error,
        given=fields or {},
        form=form,
        accounts=partner_search.list_rows("account", customer_id=customer_id),
        spent=partner_admin.sum_month_spent(customer_id, access.now()),
        avatars=partner_search.list_rows("avatar", customer_id=customer_id),
        crumbs=[
            ("Partners", "/console/partners"),
            (partner["name"], f"/console/partners/{partner['id']}"),
            (row["name"], None),
        ],
    )
