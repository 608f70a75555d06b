"""The page with the deliveries of all webhooks, and the words beside the event types
to choose from.
"""

import html
import re

from support import plain_sql
from support.cast import body, text

from svc.domain.lifecycle import batch_endings
from svc.domain.webhooks import event_types
from svc.domain.webhooks import usage_thresholds as thresholds
from svc.store.database import db

URL = "https://93.184.215.14/"
PAGE = "/console/webhooks/deliveries"


def hook(partner, path: str) -> str:
    asked = {"endpointUrl": URL + path, "eventTypes": ["production.queued"]}
    return body(partner.post("/v1/webhooks", json=asked))["subscriptionId"]


def shown(browser, query: str = "") -> set[str]:
    """The endpoints in the rows of the page."""
    page = text(browser.get(PAGE + query)).replace("<wbr>", "")
    return set(re.findall(rf'data-label="Endpoint"><a href="[^"]+">{URL}(\w+)</a>', page))


def test_people_see_the_deliveries_of_all_their_webhooks_and_operators_those_of_everybody(
    owner, member, operator, partner, stranger
):
    for whose, name in ((partner, "one"), (partner, "two"), (stranger, "theirs")):
        hook(whose, name)
    partner.trigger()
    stranger.trigger()
    assert shown(owner) == shown(member) == {"one", "two"}
    assert shown(operator) == {"one", "two", "theirs"}
    assert shown(operator, f"?partner={stranger.seeded['partnerId']}") == {"theirs"}
    assert shown(owner, f"?partner={stranger.seeded['partnerId']}") == {"one", "two"}
    assert shown(operator, "?partner=nobody") == set()


def test_the_filters_of_the_address_narrow_the_list_and_stay_in_its_fields(owner, partner):
    hook(partner, "fine")
    paused = hook(partner, "paused")
    partner.trigger()
    owner.post(f"/console/webhooks/{paused}/pause")
    with db.transaction():
        plain_sql.execute("UPDATE subscriptions SET failing_since = 1 WHERE id <> ?", (paused,))
    assert (
        shown(owner, "?webhook=Paused")
        == {"paused"}
        == shown(owner, "?endpoint=PAUS&type=production.queued")
    )
    assert shown(owner, "?webhook=Failing&status=Pending") == {"fine"}
    assert shown(owner, "?type=production.failed") == set()
    page = text(owner.get(f"{PAGE}?webhook=Paused&type=production.failed&endpoint=x"))
    assert (
        '<option value="Paused" selected>' in page
        and "<option selected>production.failed</option>" in page
    )
    assert "Nothing matches" in page and 'value="x"' in page
    webhooks = text(owner.get("/console/webhooks/?status=Paused")).replace("<wbr>", "")
    assert URL + "paused" in webhooks and URL + "fine" not in webhooks
    assert URL + "fine" in text(owner.get("/console/webhooks/?status=Failing")).replace("<wbr>", "")


def test_a_production_that_is_no_id_is_said_beside_its_field(owner, busy):
    page = text(owner.get(f"{PAGE}?production=tides"))
    assert "&#39;tides&#39; is not an ID" in page and shown(owner, "?production=tides") == set()
    assert shown(owner, f"?production={busy['done']}") == {"hooks"}


def test_a_service_that_has_sent_nothing_says_so(owner):
    assert "No deliveries yet" in text(owner.get(PAGE))


def test_the_log_of_one_webhook_is_filtered_by_event_type_too(owner, busy):
    address = f"/console/webhooks/{busy['subscription']}?type=production.published"
    page = text(owner.get(address)).replace("<wbr>", "")
    types = re.findall(r'deliveries/[0-9a-f-]+">([\w.]+)</a>', page)
    assert set(types) == {"production.published"}


def test_each_event_type_is_described_where_it_is_chosen(owner, busy):
    subscription = busy["subscription"]
    offered = (*event_types.SPECIFIED_OF_PRODUCTIONS, *event_types.FURTHER)
    for path in ("/console/webhooks/new", f"/console/webhooks/{subscription}/edit"):
        page = html.unescape(text(owner.get(path)))
        for name in offered:
            box = re.search(rf'value="{name}" aria-describedby="([\w-]+)"', page)
            assert f'id="{box[1]}">{event_types.DESCRIPTIONS[name].replace("`", "")}<' in page
    page = html.unescape(text(owner.get(f"/console/webhooks/{subscription}")))
    for name in (*offered, "webhook.ping"):
        first = event_types.DESCRIPTIONS[name].partition(". ")[0].rstrip(".")
        assert f'<option value="{name}">{name}: {first}<' in page


def test_every_event_type_has_its_description():
    assert set(event_types.DESCRIPTIONS) == set(event_types.SUBSCRIBABLE) - {event_types.PING_EVENT}


def list_deliveries(partner, subscription_id: str, event_type: str) -> list[str]:
    """The ids of the deliveries of one event type."""
    rows = body(partner.get(f"/v1/webhooks/{subscription_id}/deliveries"))["data"]
    return [each["deliveryId"] for each in rows if each["eventType"] == event_type]


def test_a_row_names_its_production_by_its_title(owner, partner, busy):
    for path in (PAGE, f"/console/webhooks/{busy['subscription']}"):
        page = text(owner.get(path))
        assert re.search(r'#1 of <span dir="auto">Tides</span>', page), path
        assert f"/{busy['done']}/thumbnail.webp" in page, path


def test_what_tells_of_no_production_leads_to_none(owner, partner, clock):
    """The productionId of these events is that of a batch, or of a limit and its period."""
    asked = {"endpointUrl": URL, "eventTypes": ["batch.completed", "usage.threshold"]}
    made = body(partner.post("/v1/webhooks", json=asked))["subscriptionId"]
    asked = {"items": [partner.brief()]}
    batch = body(partner.post(f"/v1/accounts/{partner.account}/batches", json=asked))["batchId"]
    with db.transaction():
        plain_sql.execute("UPDATE productions SET status = 'Published'")
        plain_sql.execute("UPDATE accounts SET monthly_ceiling = 1")
    batch_endings.finish_ended(clock())
    thresholds.record_events(clock())
    shown_rows = text(owner.get(PAGE))
    assert "thumbnail.webp" not in shown_rows and "of batch <code>" in shown_rows
    [ended] = list_deliveries(partner, made, "batch.completed")
    page = text(owner.get(f"/console/webhooks/{made}/deliveries/{ended}"))
    assert f'/console/batches/{batch}"' in page and "/console/productions/0" not in page
    [used, *_] = list_deliveries(partner, made, "usage.threshold")
    page = text(owner.get(f"/console/webhooks/{made}/deliveries/{used}"))
    assert '/console/usage/"' in page and "<dt>Production</dt>" not in page
