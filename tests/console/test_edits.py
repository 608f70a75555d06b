"""Two people edit the same thing: nobody saves over a change of somebody else unseen,
and both texts are shown.
"""

import re
from html import unescape
from html.parser import HTMLParser

import pytest
from support.cast import body, text

from svc.base.errors import EditConflict
from svc.domain import edits
from svc.domain.partners import admin as partner_admin


class Forms(HTMLParser):
    """The forms of a page by their action: names and values, as a browser would send them."""

    def __init__(self, page: str):
        super().__init__()
        self.forms: dict[str, list[tuple[str, str]]] = {}
        self._into, self._area, self._select = None, None, None
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        given = {name: value if value is not None else "" for name, value in attributes}
        if tag == "form":
            self._into = []
            self.forms.setdefault(given.get("action", ""), self._into)  # the first of that action
        elif self._into is None:
            return
        elif tag == "input" and given.get("name") and given.get("type") not in ("file", "submit"):
            if given.get("type") not in ("checkbox", "radio") or "checked" in given:
                self._into.append((given["name"], given.get("value", "on")))
        elif tag == "textarea":
            self._area = [given["name"], ""]
        elif tag == "select":
            self._select = [given["name"], "multiple" in given, []]
        elif tag == "option" and self._select:
            self._select[2].append((given.get("value", ""), "selected" in given))

    def handle_data(self, data):
        if self._area:
            self._area[1] += data

    def handle_endtag(self, tag):
        if tag == "form":
            self._into = None
        elif tag == "textarea" and self._area:
            self._into.append((self._area[0], self._area[1].removeprefix("\n")))
            self._area = None
        elif tag == "select" and self._select and self._into is not None:
            name, is_multiple, options = self._select
            chosen = [value for value, is_chosen in options if is_chosen]
            self._into.extend(
                (name, value)
                for value in (
                    chosen or ([] if is_multiple else [value for value, _ in options[:1]])
                )
            )
            self._select = None


def filled(page: str, action: str) -> dict[str, list[str]]:
    """What a browser would send of a form, without the tokens."""
    sent: dict[str, list[str]] = {}
    for name, value in Forms(page).forms[action]:
        if name not in ("csrf_token", "once"):
            sent.setdefault(name, []).append(value)
    return sent


@pytest.fixture
def things(partner, operator, owner):
    """The address of each page with a form that edits, the form's action,
    and a field with two other values for it.
    """
    account = partner.account
    row = partner_admin.find(partner_admin.ACCOUNT, account)
    customer, mine = row["customer_id"], partner.seeded["partnerId"]
    types = ["production.published"]
    url = "https://93.184.215.14/hooks"
    hook = body(partner.post("/v1/webhooks", json={"endpointUrl": url, "eventTypes": types}))[
        "subscriptionId"
    ]
    brief = partner.brief(topic="A day in the city")
    given = {**brief, "account": account, "name": "City guide"}
    template = owner.post("/console/templates/new", given).location
    here = f"/console/accounts/{account}"
    avatar = f"/console/avatars/{partner.seeded['avatarId']}"
    return {
        "account": (here, here, "name", "Channel one", "Channel two", operator),
        "project type": (here, f"{here}/project-types", "name", "One", "Two", operator),
        "lexicon": (here, f"{here}/lexicon", "lexicon", "SQL = sequel", "API = A P I", operator),
        "partner": (
            f"/console/partners/{mine}",
            f"/console/partners/{mine}",
            "name",
            "Acme one",
            "Acme two",
            operator,
        ),
        "customer": (
            *[f"/console/partners/customers/{customer}"] * 2,
            "name",
            "Client one",
            "Client two",
            operator,
        ),
        "avatar": (avatar, avatar, "role", "Chief economist", "Host", operator),
        "webhook": (
            *[f"/console/webhooks/{hook}/edit"] * 2,
            "endpointUrl",
            f"{url}/1",
            f"{url}/2",
            owner,
        ),
        "template": (
            *[f"{template}/edit"] * 2,
            "metadataMD",
            "The sea rises.",
            "The wind blows.",
            owner,
        ),
    }


KINDS = (
    "account",
    "project type",
    "lexicon",
    "partner",
    "customer",
    "avatar",
    "webhook",
    "template",
)


@pytest.mark.parametrize("kind", KINDS)
def test_the_second_save_is_refused_shows_both_texts_and_can_be_meant(things, kind):
    address, action, field, theirs, mine, editor = things[kind]
    opened = filled(text(editor.get(address)), action)
    assert opened["version"][0]
    assert editor.post(action, {**opened, field: theirs}).status_code == 303
    refused = editor.post(action, {**opened, field: mine})
    page = text(refused)
    shown = [
        unescape(each)
        for each in re.findall(
            r'<pre class="wrap" tabindex="0" dir="auto"[^>]*>([^<]*)</pre>', page
        )
    ]
    assert (refused.status_code, shown) == (409, [theirs, mine])
    again = filled(page, action)
    assert again[field] == [mine] and again["version"] != opened["version"]
    assert filled(text(editor.get(address)), action)[field] == [theirs]
    assert editor.post(action, again).status_code == 303
    assert filled(text(editor.get(address)), action)[field] == [mine]


@pytest.mark.parametrize("kind", ["account", "partner", "customer", "avatar", "template"])
def test_who_changed_another_field_loses_nothing_and_is_not_asked(things, kind):
    address, action, field, theirs, _, editor = things[kind]
    other, value = {
        "account": ("music", "calm"),
        "partner": ("portal_origins", "https://example.com"),
        "customer": ("monthly_ceiling", "12.50"),
        "avatar": ("words_per_minute", "150"),
        "template": ("topic", "A night in the city"),
    }[kind]
    opened = filled(text(editor.get(address)), action)
    assert editor.post(action, {**opened, field: theirs}).status_code == 303
    assert editor.post(action, {**opened, other: value}).status_code == 303
    now = filled(text(editor.get(address)), action)
    assert (now[field], now[other]) == ([theirs], [value])


@pytest.mark.parametrize(
    ("kind", "field", "wrong"),
    [
        ("account", "monthly_ceiling", "much"),
        ("partner", "portal_origins", "nowhere"),
        ("customer", "monthly_ceiling", "much"),
        ("avatar", "pitch", "high"),
        ("webhook", "endpointUrl", "nowhere"),
        ("template", "topic", ""),
        ("lexicon", "lexicon", "SQL"),
        ("project type", "price", "much"),
    ],
)
def test_the_version_stays_after_an_error(things, kind, field, wrong):
    address, action, changed, theirs, mine, editor = things[kind]
    opened = filled(text(editor.get(address)), action)
    assert editor.post(action, {**opened, changed: theirs}).status_code == 303
    refused = editor.post(action, {**opened, changed: mine, field: wrong})
    assert refused.status_code in (400, 409, 422)
    if refused.status_code != 409:
        assert filled(text(refused), action)["version"] == opened["version"]


def test_what_both_changed_alike_is_no_conflict_and_a_form_without_a_version_replaces():
    seen = edits.compute_version({"name": "A", "flag": "on"})
    assert edits.merge_fields(seen, {"name": "B", "flag": "on"}, {"name": "B", "flag": "off"}) == {
        "name": "B",
        "flag": "off",
    }
    assert edits.merge_fields("", {"name": "B"}, {"name": "C"}) == {"name": "C"}
    with pytest.raises(EditConflict) as clash:
        edits.merge_fields(seen, {"name": "B", "flag": "off"}, {"name": "C", "flag": "on"})
    assert (clash.value.stored, clash.value.merged) == ({"name": "B"}, {"name": "C", "flag": "off"})


@pytest.mark.parametrize(
    ("shown", "sent"),
    [(5, "5"), (None, ""), ("a\nb", "a\r\nb"), (["x"], ["x"]), ({"n": None}, {"n": ""})],
)
def test_a_value_that_a_browser_sends_back_is_the_one_that_was_shown(shown, sent):
    assert edits.compute_version({"it": shown}) == edits.compute_version({"it": sent})
