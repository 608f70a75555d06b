"""What an operator keeps: read from what people type, changed whole or not at all,
and entered in the audit log.
"""

import json

import pytest
from support import plain_sql

from svc.base import ids
from svc.base.errors import Conflict, InvalidRequest, NotFound, NotYours
from svc.domain import form_fields, scopes
from svc.domain.access import key_admin, keys
from svc.domain.audit import audit
from svc.domain.audit.audit import Actor
from svc.domain.monitoring import alerts, maintenance
from svc.domain.paging import Page, decode
from svc.domain.partners import accounts, avatars, sensitivity_rules
from svc.domain.partners import admin as partner_admin
from svc.domain.people import users
from svc.store.database import db

US = Actor(None, "the tests")
PLATFORMS = ("Watch", "WatchVertical")


@pytest.fixture
def viewer(owner):
    return users.make_viewer(users.get(owner.user_id))


def latest() -> dict:
    return audit.list_page(Page(1))["data"][0]


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("12.50", 12_500_000),
        ("0", 0),
        (" 1,250.5 ", 1_250_500_000),
        ("1,000,000", 10**12),
        (".5", 500_000),
        ("0.000001", 1),
        ("1000000000", 10**15),
    ],
)
def test_money_is_read_exactly(typed, read):
    assert form_fields.read_money(typed) == read
    assert form_fields.read_money(form_fields.format_amount(read)) == read


@pytest.mark.parametrize(
    "typed",
    [
        *(
            "",
            "x",
            "-1",
            "1e999",
            "NaN",
            "Infinity",
            "0.0000001",
            "1000000000.1",
            "1" * 40,
            "1.2.3",
        ),
        *("12,50", "1,2345", ",500", "1,,000", "1_000", "١٢"),
    ],
)
def test_what_is_no_money_is_refused(typed):
    with pytest.raises(ValueError, match=r"such as 12\.50"):
        form_fields.read_money(typed)


@pytest.mark.parametrize(("text", "value"), [("on", 1), ("YES", 1), ("off", 0), ("", 0)])
def test_flags_are_read(text, value):
    assert form_fields.read_flag(text) == value


@pytest.mark.parametrize("typed", ["1.5", "²", "", "-1", "9" * 30, "abc"])
def test_what_is_no_whole_number_is_refused(typed):
    with pytest.raises(ValueError, match="whole number from 0 to 10"):
        form_fields.whole_number(0, 10)(typed)


def test_every_wrong_field_is_named_at_once(partner, clock):
    given = {"status": "Gone", "tier": "Gold", "colour": "red"}
    with pytest.raises(InvalidRequest) as refused:
        partner_admin.change(US, partner_admin.PARTNER, partner.seeded["partnerId"], given, clock())
    assert set(refused.value.fields) == {"status", "tier", "colour"}
    assert audit.list_page(Page())["data"] == []


def test_a_change_is_entered_with_what_it_changed_and_nothing_else(partner, clock):
    mine = partner.seeded["partnerId"]
    partner_admin.change(
        US,
        partner_admin.PARTNER,
        mine,
        {"status": "Suspended", "tier": "Enterprise", "key_rotation": "off"},
        clock(),
    )
    entry = latest()
    assert entry["before"] == {"status": "Active", "key_rotation": 1}
    assert entry["after"] == {"status": "Suspended", "key_rotation": 0}
    assert (entry["action"], entry["subjectId"], entry["actor"]) == (
        "partner.change",
        mine,
        "the tests",
    )
    assert partner.get("/v1/partners/verify").status_code == 403


def test_a_change_that_changes_nothing_is_not_entered(partner, clock):
    partner_admin.change(
        US, partner_admin.PARTNER, partner.seeded["partnerId"], {"status": "Active"}, clock()
    )
    assert audit.list_page(Page())["data"] == []


def test_a_ceiling_that_an_operator_sets_holds_at_the_next_trigger(partner, clock):
    partner_admin.change(
        US, partner_admin.ACCOUNT, partner.account, {"monthly_ceiling": "0.10"}, clock()
    )
    assert partner.trigger().status_code == 409
    partner_admin.change(
        US, partner_admin.ACCOUNT, partner.account, {"monthly_ceiling": ""}, clock()
    )
    assert partner.trigger().status_code == 202


def test_a_default_project_type_is_one_of_the_account(partner, clock):
    with pytest.raises(NotFound, match="no project type 'opera'"):
        partner_admin.change(
            US, partner_admin.ACCOUNT, partner.account, {"default_project_type": "opera"}, clock()
        )
    partner_admin.change(
        US, partner_admin.ACCOUNT, partner.account, {"default_project_type": "short"}, clock()
    )
    assert (
        partner_admin.find(partner_admin.ACCOUNT, partner.account)["default_project_type"]
        == "short"
    )


def test_project_types_are_added_changed_and_removed(partner, clock):
    given = {"slug": "opera", "name": "Opera", "title_template": "{subject}: {topic}", "price": "2"}
    partner_admin.set_project_type(US, partner.account, given, clock())
    partner_admin.set_project_type(US, partner.account, {**given, "price": "2.5"}, clock())
    assert (latest()["before"], latest()["after"]) == ({"price": 2_000_000}, {"price": 2_500_000})
    # the template names {subject}
    assert partner.trigger(projectTypeSlug="opera").status_code == 422
    partner_admin.remove_project_type(US, partner.account, "opera", clock())
    with pytest.raises(Conflict, match="default project type"):
        partner_admin.remove_project_type(US, partner.account, "explainer", clock())


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("slug", "News Brief"),
        ("slug", "-x"),
        ("slug", "x" * 41),
        ("title_template", "{name}"),
        ("title_template", "{topic"),
        ("title_template", ""),
        ("price", "-1"),
        ("name", ""),
    ],
)
def test_a_bad_project_type_names_its_field(partner, clock, field, value):
    given = {
        "slug": "opera",
        "name": "Opera",
        "title_template": "{topic}",
        "price": "2",
        field: value,
    }
    with pytest.raises(InvalidRequest) as refused:
        partner_admin.set_project_type(US, partner.account, given, clock())
    assert list(refused.value.fields) == [field]


def test_platforms_are_connected_and_disconnected(partner, clock):
    partner_admin.disconnect(US, partner.account, "Watch", clock())
    with pytest.raises(NotFound):
        partner_admin.disconnect(US, partner.account, "Watch", clock())
    with pytest.raises(InvalidRequest, match="its places are Watch, WatchVertical"):
        partner_admin.connect(US, partner.account, "Elsewhere", PLATFORMS, clock())
    partner_admin.connect(US, partner.account, "Watch", PLATFORMS, clock())
    assert [row["platform"] for row in partner_admin.list_platforms(partner.account)] == list(
        PLATFORMS
    )


def test_a_new_partner_can_go_on_to_produce(app, clock, partner):
    made = partner_admin.add_partner(US, {"name": "Kettle"}, clock())
    customer = partner_admin.add_customer(US, made, {"name": "Tea"}, clock())
    account = partner_admin.add_account(US, customer, {"name": "Channel"}, PLATFORMS, clock())
    activation = key_admin.create_activation_key(US, made, "server", scopes.ALL, clock())
    live = partner.get("/v1/partners/verify", key=activation).get_json()["apiKey"]
    avatar = avatars.list_avatars(customer)[0]["id"]
    given = partner.brief(avatarId=avatar)
    assert (
        partner.post(f"/v1/accounts/{account}/productions", key=live, json=given).status_code == 202
    )


def test_the_first_test_key_comes_with_a_sandbox_of_its_maker(app, clock, viewer, partner):
    key_id, key = key_admin.create_test_key(viewer, "mine", [], PLATFORMS, clock())
    caller = keys.authenticate(key, clock())
    assert caller.scopes == frozenset(scopes.READ_ONLY)
    [reached] = accounts.list_page(caller, Page())["data"]
    assert (reached["environment"], len(reached["avatars"])) == ("sandbox", 3)
    key_admin.create_test_key(viewer, "another", ["productions:trigger"], PLATFORMS, clock())
    assert len(accounts.list_page(caller, Page())["data"]) == 1
    assert key not in str([tuple(row) for row in plain_sql.rows("SELECT * FROM api_keys")])


def test_a_key_names_scopes_that_exist(app, clock, viewer):
    with pytest.raises(InvalidRequest) as refused:
        key_admin.create_test_key(viewer, "mine", ["everything"], PLATFORMS, clock())
    assert list(refused.value.fields) == ["scopes"]


def test_operators_have_no_sandbox(app, clock, operator):
    with pytest.raises(NotYours):
        key_admin.create_test_key(
            users.make_viewer(users.get(operator.user_id)), "mine", [], PLATFORMS, clock()
        )


def test_an_activation_key_reaches_only_live_accounts_of_its_partner(clock, partner, stranger):
    mine = partner.seeded["partnerId"]
    for wrong in (stranger.seeded["liveAccountId"], partner.seeded["sandboxAccountId"]):
        with pytest.raises(InvalidRequest, match="is not a live account of this partner"):
            key_admin.create_activation_key(US, mine, "server", [], clock(), [wrong])
    made = key_admin.create_activation_key(
        US, mine, "server", [], clock(), [partner.seeded["liveAccountId"]]
    )
    key_admin.withdraw_activation(
        US, key_admin.list_activation_keys(mine, clock())[0]["id"], clock()
    )
    assert partner.get("/v1/partners/verify", key=made).status_code == 401


def test_a_key_is_rotated_by_its_maker_and_revoked_by_any_owner(clock, viewer, somebody, partner):
    key_id, key = key_admin.create_test_key(viewer, "mine", [], PLATFORMS, clock())
    colleague = users.make_viewer(users.get(somebody("owner", partner.seeded["partnerId"]).user_id))
    with pytest.raises(NotYours, match="only that user can rotate it"):
        key_admin.rotate(colleague, key_id, clock())
    made = key_admin.rotate(viewer, key_id, clock())
    assert partner.get("/v1/partners/verify", key=key).status_code == 200  # the time of grace
    assert partner.get("/v1/partners/verify", key=made["apiKey"]).status_code == 200
    key_admin.revoke(colleague, key_id, clock())
    assert partner.get("/v1/partners/verify", key=key).status_code == 401
    with pytest.raises(Conflict, match="revoked already"):
        key_admin.revoke(colleague, key_id, clock())
    with pytest.raises(Conflict, match="revoked already"):
        key_admin.rotate(viewer, key_id, clock())


def test_rotation_is_refused_where_the_operator_has_switched_it_off(clock, viewer, partner):
    key_id, _ = key_admin.create_test_key(viewer, "mine", [], PLATFORMS, clock())
    partner_admin.change(
        US, partner_admin.PARTNER, partner.seeded["partnerId"], {"key_rotation": "off"}, clock()
    )
    with pytest.raises(Exception, match="not enabled"):
        key_admin.rotate(viewer, key_id, clock())


def test_a_partner_has_a_bounded_number_of_keys(clock, viewer, monkeypatch):
    monkeypatch.setattr(key_admin, "MOST", 4)  # two of them are seeded
    for _ in range(2):
        key_admin.create_test_key(viewer, "mine", [], PLATFORMS, clock())
    with pytest.raises(Conflict, match="at most 4 keys"):
        key_admin.create_test_key(viewer, "mine", [], PLATFORMS, clock())


def test_a_rule_holds_at_the_next_trigger_and_the_box_says_so_before(partner, clock):
    rule = sensitivity_rules.add(
        US, {"phrase": "Tides", "scope": "account", "scope_id": partner.account}, clock()
    )
    assert [
        each["id"]
        for each in sensitivity_rules.find_suppressing("How  TÍDES work", partner.account)
    ] == [rule]
    assert (
        sensitivity_rules.find_suppressing("How tides work", partner.seeded["liveAccountId"]) == []
    )
    assert sensitivity_rules.find_suppressing("Tidesmen", partner.account) == []
    assert partner.trigger().status_code == 409
    sensitivity_rules.remove(US, rule, clock())
    assert partner.trigger().status_code == 202
    assert [each["action"] for each in audit.list_page(Page(), action="rule.")["data"]] == [
        "rule.remove",
        "rule.add",
    ]


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"phrase": "("}, None),
        ({"phrase": "(", "is_pattern": "on"}, "phrase"),
        ({"phrase": ".*", "is_pattern": "on"}, "phrase"),
        ({"phrase": "\u0301"}, "phrase"),
        ({"phrase": ""}, "phrase"),
        ({}, "phrase"),
        ({"phrase": "x" * 201}, "phrase"),
        ({"phrase": "x", "scope": "account", "scope_id": "nobody"}, "scope_id"),
        ({"phrase": "x", "scope": "world"}, "scope"),
        ({"phrase": "x", "scope": "country", "scope_id": ids.NIL}, "scope_id"),
        ({"phrase": "x", "scope_id": "y"}, "scope_id"),
        ({"phrase": "x", "scope": "country", "scope_id": ids.derive_id("country", "DE")}, None),
    ],
)
def test_a_bad_rule_names_its_field(app, clock, given, field):
    if field is None:
        assert sensitivity_rules.add(US, given, clock())
        return
    with pytest.raises(InvalidRequest) as refused:
        sensitivity_rules.add(US, given, clock())
    assert list(refused.value.fields) == [field]


def test_a_pattern_that_takes_for_ever_is_refused_with_the_reason(app, clock):
    with pytest.raises(InvalidRequest, match="look-ahead"):
        sensitivity_rules.add(US, {"phrase": "(?=a)b", "is_pattern": "on"}, clock())
    assert sensitivity_rules.add(US, {"phrase": r"\b(\w+\s?)+bomb\b", "is_pattern": "on"}, clock())
    assert sensitivity_rules.find_refused_patterns() == []


def test_an_earlier_pattern_is_named_by_one_alert(app, clock):
    with db.transaction():
        plain_sql.execute(
            r"INSERT INTO sensitivity_rules VALUES ('r', 'operator', NULL, '(a)\1', 1, 0)"
        )
    for _ in range(2):
        sensitivity_rules.alert_refused_patterns(clock.tick())
    (alert,) = alerts.list_page(Page())["data"]
    assert (alert["name"], alert["subject_id"]) == ("SensitivityPatternSlow", "r")
    assert r"(a)\\1" in alert["message"] and "rule remove r" in alert["message"]
    # it is matched all the same
    assert [each["id"] for each in sensitivity_rules.find_suppressing("aardvark")] == ["r"]
    alerts.close(US, alert["id"], clock())
    sensitivity_rules.alert_refused_patterns(clock.tick())
    assert len(alerts.list_page(Page())["data"]) == 1  # closed, and still true
    sensitivity_rules.remove(US, "r", clock())
    alerts.close_all(US, 2**62, clock())
    sensitivity_rules.alert_refused_patterns(clock.tick())
    assert alerts.list_page(Page())["data"] == []


def test_avatars_are_added_changed_and_removed(partner, clock):
    customer = partner_admin.find(partner_admin.ACCOUNT, partner.account)["customer_id"]
    german = ids.derive_id("language", "de")
    made = avatars.add(
        US, customer, {"name": "Otto", "voice": "m1", "pitch": "30"}, [german], clock()
    )
    avatars.change(US, made, {"words_per_minute": "140", "skin": "#AABBCC"}, clock())
    found = avatars.get(made)
    assert found["looks"] == {
        "voice": "m1",
        "pitch": 30,
        "words_per_minute": 140,
        "skin": "#aabbcc",
    }
    assert found["languages"] == [german]
    assert partner.trigger(avatarId=made).status_code == 400  # English
    avatars.change(US, made, {}, clock(), None)
    assert latest()["before"] == {"languages": ["de"]}
    assert partner.trigger(avatarId=made).status_code == 202
    with pytest.raises(Conflict, match="running production"):
        avatars.remove(US, made, clock())
    avatars.remove(US, partner.seeded["avatarId"], clock())
    with pytest.raises(NotFound):
        avatars.get(partner.seeded["avatarId"])


@pytest.mark.parametrize(
    ("field", "value"),
    [("voice", "f9"), ("pitch", "100"), ("words_per_minute", "99"), ("hair", "red"), ("name", "")],
)
def test_a_bad_avatar_names_its_field(partner, clock, field, value):
    with pytest.raises(InvalidRequest) as refused:
        avatars.change(US, partner.seeded["avatarId"], {field: value}, clock())
    assert list(refused.value.fields) == [field]


def test_alerts_are_seen_and_closed_once(app, clock):
    with db.transaction():
        for number in range(3):
            alerts.raise_alert("StepCrashed", "warning", f"number {number}", clock())
    newest = alerts.list_page(Page())["data"][0]
    alerts.acknowledge(US, newest["id"], clock.tick(1))
    alerts.close(US, newest["id"], clock.tick(1))
    alerts.close(US, newest["id"], clock.tick(1))
    assert alerts.count_open() == 2
    assert [each["action"] for each in audit.list_page(Page(), action="alert.")["data"]] == [
        "alert.close",
        "alert.see",
    ]
    assert alerts.close_all(US, newest["id"], clock()) == 2
    assert alerts.count_open() == 0
    assert (
        len(alerts.list_page(Page(), closed=True)["data"])
        == len(alerts.list_page(Page(), closed=None)["data"])
        == 3
    )
    with pytest.raises(NotFound):
        alerts.close(US, 10**9, clock())


def test_maintenance_says_when_to_come_back(app, clock, partner):
    maintenance.set_maintenance_as(US, True, clock(), 600)
    answer = partner.get("/v1/partner/accounts")
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "600")
    maintenance.set_maintenance_as(US, True, clock(), 600)
    maintenance.set_maintenance_as(US, False, clock())
    assert partner.get("/v1/partner/accounts").status_code == 200
    assert [each["action"] for each in audit.list_page(Page())["data"]] == [
        "maintenance.off",
        "maintenance.on",
    ]


def test_the_audit_log_is_filtered_and_paged(app, clock, partner):
    mine = partner.seeded["partnerId"]
    for number in range(5):
        partner_admin.change(
            US, partner_admin.PARTNER, mine, {"name": f"Name {number}"}, clock.tick(1)
        )
    sensitivity_rules.add(US, {"phrase": "x"}, clock())
    first = audit.list_page(Page(2), partner_id=mine)
    second = audit.list_page(Page(2, decode(first["nextCursor"])), partner_id=mine)
    names = [each["after"]["name"] for each in first["data"] + second["data"]]
    assert names == ["Name 4", "Name 3", "Name 2", "Name 1"]
    assert [each["action"] for each in audit.list_page(Page(), action="rule.add")["data"]] == [
        "rule.add"
    ]
    assert audit.list_page(Page(), actor_id="nobody")["data"] == []


def test_an_entry_stands_exactly_where_its_change_does(app, clock):
    with pytest.raises(ZeroDivisionError), audit.recording(US, "rule.done", "x", clock()):
        raise ZeroDivisionError
    assert audit.list_page(Page())["data"] == []


def test_languages_are_stored_as_the_api_reads_them(partner, clock):
    english = ids.derive_id("language", "en")
    avatars.change(US, partner.seeded["avatarId"], {}, clock(), [english, english])
    stored = plain_sql.row(
        "SELECT language_ids FROM avatars WHERE id = ?", (partner.seeded["avatarId"],)
    )[0]
    assert json.loads(stored) == [english]
