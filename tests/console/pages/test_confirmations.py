"""What cannot be undone, or stops others, names its consequence and can be left by Cancel."""

import re

import pytest
from support.cast import text

from svc.domain.partners import admin
from svc.domain.people import users


def panel(page: str, label: str) -> str:
    """Return the confirmation behind the button with this label."""
    return re.search(
        rf'<details class="confirm" name="confirm"[^>]*>\s*<summary[^>]*>{label}.*?</details>',
        page,
        re.DOTALL,
    )[0]


@pytest.mark.parametrize(
    ("path", "label", "consequence"),
    [
        ("/console/maintenance", "Begin maintenance", "Every API request is answered with 503"),
        ("/console/settings/people?partner={partnerId}", "Disable", "they can no longer sign in"),
        (
            "/console/accounts/{liveAccountId}",
            "Disconnect",
            "New productions are no longer published on Watch.",
        ),
    ],
)
def test_a_dangerous_button_names_its_consequence(
    operator, member, partner, path, label, consequence
):
    shown = panel(text(operator.get(path.format(**partner.seeded))), label)
    assert consequence in shown and "data-cancel" in shown and 'method="post"' in shown


def test_a_wrong_number_of_seconds_leaves_the_panel_open(operator):
    refused = text(operator.post("/console/maintenance", {"on": "on", "seconds": "soon"}))
    assert " open>" in panel(refused, "Begin maintenance").partition("<summary")[0]


def test_a_partner_is_closed_only_when_that_is_confirmed(operator, partner):
    path, given = (
        f"/console/partners/{partner.seeded['partnerId']}",
        {"name": "Demo", "status": "Closed", "tier": "Enterprise"},
    )

    def status() -> str:
        return admin.find(admin.PARTNER, partner.seeded["partnerId"])["status"]

    asked = operator.post(path, given)
    assert (asked.status_code, status()) == (400, "Active")
    assert "Tick the box below to confirm" in text(asked) and 'name="sure"' in text(asked)
    assert operator.post(path, {**given, "sure": "on"}).status_code == 303 and status() == "Closed"
    # it is closed already
    assert operator.post(path, {**given, "name": "Still closed"}).status_code == 303


def test_a_person_is_disabled_by_the_panel(operator, member, partner):
    given = {"disabled": "on", "partner": partner.seeded["partnerId"]}
    assert (
        operator.post(f"/console/settings/people/{member.user_id}/disable", given).status_code
        == 303
    )
    assert users.get(member.user_id)["disabled_at"] is not None
