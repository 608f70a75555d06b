"""Usage in the console: the tier's limits, charts of the last days,
and the months with their accounts.
"""

from flask import render_template

from svc.base import clock
from svc.base.errors import NotFound
from svc.console import access, charts, exports, filters, query_args, sorting
from svc.console.page_blueprint import make_section
from svc.domain.partners import admin as partner_admin
from svc.domain.tiers import TIERS
from svc.domain.usage import counters as usage_counters
from svc.domain.usage import overview as usage_overview

pages = make_section("usage_pages", "/usage")

_MONTHS = {"3": 3, "6": 6, "12": 12}
_MOST_ACCOUNTS = 50  # that are shown


@pages.get("/")
def index():
    shown_partner, moment = query_args.selected_partner(or_nobody=True), access.now()
    access.service().recorder.flush()
    if not shown_partner.name:
        return render_template(
            "usage_of_all.html",
            title="Usage",
            shown_partner=shown_partner,
            busiest=_list_busiest(moment),
        )
    partner = partner_admin.find(partner_admin.PARTNER, shown_partner.partner_id or "")
    months = query_args.read_choice("months", _MONTHS) or "3"
    report = usage_counters.report(partner["id"], partner["tier"], _MONTHS[months], moment)
    days = usage_overview.list_days(partner["id"], moment)
    limits = usage_overview.list_limits(partner["id"], partner["tier"], moment)
    names = {each["id"]: each["name"] for each in limits["accounts"]}
    accounts = sorting.sort_rows(report["months"][0]["byAccount"], _account_columns(names))[
        :_MOST_ACCOUNTS
    ]
    return render_template(
        "usage.html",
        title="Usage",
        shown_partner=shown_partner,
        partner=partner,
        report=report,
        days=days,
        limits=limits,
        names=names,
        months=months,
        choices=tuple(_MONTHS),
        charts=_charts(days),
        accounts=accounts,
    )


def _list_busiest(moment: int) -> list:
    return sorting.sort_rows(usage_overview.list_busiest(moment), _PARTNER_COLUMNS)


_PARTNER_COLUMNS = {
    "name": lambda row: row["name"].lower(),
    "tier": lambda row: list(TIERS).index(row["tier"]),
    "requests": lambda row: row["requests"],
    "refused": lambda row: row["status4xx"],
    "limited": lambda row: row["rate_limited"],
    "failed": lambda row: row["status5xx"],
    "deliveries": lambda row: row["deliveries_failed"],
}


def _account_columns(names: dict[str, str]) -> dict:
    """Return the columns by which accounts are sorted. ``names``: of accounts by their ids."""
    return {
        "name": lambda row: names.get(row["accountId"], row["accountId"]).lower(),
        "triggered": lambda row: row["productions"]["triggered"],
        "published": lambda row: row["productions"]["published"],
        "failed": lambda row: row["productions"]["failed"],
        "rendered": lambda row: row["renderedSeconds"],
        "spend": lambda row: row["spend"],
    }


@pages.get("/export.csv")
def export():
    """Send the figures of the last days of a partner as CSV."""
    shown_partner = query_args.selected_partner()
    if shown_partner.partner_id is None:
        raise NotFound("Choose a partner first; the export has the days of one partner.")
    access.service().recorder.flush()
    return exports.make_csv_response(
        "usage", _COLUMNS, usage_overview.list_days(shown_partner.partner_id, access.now())
    )


_COLUMNS = {
    "Day (UTC)": lambda day: day["day"],
    "Requests": lambda day: day["requests"],
    "Refused (4xx)": lambda day: day["status4xx"],
    "Failed (5xx)": lambda day: day["status5xx"],
    "Over the rate limit": lambda day: day["rate_limited"],
    "Productions triggered": lambda day: day["triggered"],
    "Productions published": lambda day: day["published"],
    "Productions failed": lambda day: day["failed"],
    "Productions cancelled": lambda day: day["cancelled"],
    "Deliveries succeeded": lambda day: day["deliveries_succeeded"],
    "Deliveries failed": lambda day: day["deliveries_failed"],
}


def _charts(days: list[dict]) -> list[dict]:
    """Return three charts of the same days, each with its heading, the names of the series,
    and the drawing.
    """
    return [
        _chart(
            "Requests",
            days,
            {
                "answered 2xx or 3xx": lambda each: (
                    each["requests"] - each["status4xx"] - each["status5xx"]
                ),
                "refused (4xx)": lambda each: each["status4xx"],
                "failed (5xx)": lambda each: each["status5xx"],
            },
        ),
        _chart(
            "Productions that ended",
            days,
            {
                "published": lambda each: each["published"],
                "cancelled": lambda each: each["cancelled"],
                "failed": lambda each: each["failed"],
            },
        ),
        _chart(
            "Webhook deliveries",
            days,
            {
                "succeeded": lambda each: each["deliveries_succeeded"],
                "": lambda each: 0,
                "failed": lambda each: each["deliveries_failed"],
            },
        ),
    ]


def _chart(heading: str, days: list[dict], series: dict) -> dict:
    values = {name: [take(each) for each in days] for name, take in series.items()}
    labels = [filters.short(clock.parse(each["day"] + "T00:00Z"))[:-5] for each in days]
    shown = {
        name: (place, sum(numbers), numbers)
        for place, (name, numbers) in enumerate(values.items(), 1)
        if name
    }
    return {
        "heading": heading,
        "series": shown,
        "drawn": charts.make_stacked_bars(labels, list(values.values())),
    }
