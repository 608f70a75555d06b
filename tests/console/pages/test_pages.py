"""Every page of the console answers, for each role, with nothing there and with something; and to strangers with nothing."""

import pytest
from cast import body

EMPTY = ("/console/", "/console/now", "/console/productions/", "/console/webhooks/", "/console/requests/", "/console/usage/")


def paths(partner, busy) -> list[str]:
    hook = busy["subscription"]
    delivery = body(partner.get(f"/v1/webhooks/{hook}/deliveries"))["data"][0]["deliveryId"]
    return [
        f"/console/productions/{busy['done']}", f"/console/productions/{busy['running']}",
        f"/console/productions/{busy['running']}/live?seen=Producing-", f"/console/webhooks/{hook}",
        f"/console/webhooks/{hook}/deliveries/{delivery}", f"/console/webhooks/{hook}/deliveries/{delivery}/live",
        "/console/requests/1",
    ]  # fmt: skip


@pytest.mark.parametrize("path", EMPTY)
@pytest.mark.parametrize("role", ["operator", "owner", "member"])
def test_a_page_of_an_empty_service(request, role, path):
    assert request.getfixturevalue(role).get(path).status_code == 200


def test_pages_of_a_busy_partner(operator, owner, member, partner, busy):
    for path in (*EMPTY, *paths(partner, busy)):
        for somebody in (operator, owner, member):
            assert somebody.get(path).status_code == 200, path
