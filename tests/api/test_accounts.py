"""Accounts, languages and countries."""

from support.cast import body, refused

from svc.domain.partners import create as create_partner
from svc.store.database import db


def test_both_paths_list_the_same_accounts(partner):
    assert body(partner.get("/v1/accounts")) == body(partner.get("/v1/partner/accounts"))


def test_an_account_says_what_a_brief_may_name(partner):
    found = body(partner.get(f"/v1/partner/accounts/{partner.account}"))
    assert found == body(partner.get(f"/v1/accounts/{partner.account}"))
    assert (found["environment"], found["status"]) == ("sandbox", "Active")
    assert [each["platform"] for each in found["connectedPlatforms"]] == ["Watch", "WatchVertical"]
    assert {each["name"] for each in found["avatars"]} == {"Ada", "Kofi", "Mina"}
    assert [each["slug"] for each in found["projectTypes"] if each["requiresSubjectOverride"]] == [
        "news-brief"
    ]


def test_a_test_key_reaches_sandbox_accounts_only_and_a_live_key_live_ones(partner):
    live, sandbox = partner.seeded["liveAccountId"], partner.seeded["sandboxAccountId"]
    assert [each["accountId"] for each in body(partner.get("/v1/accounts"))["data"]] == [sandbox]
    assert [each["accountId"] for each in body(partner.live().get("/v1/accounts"))["data"]] == [
        live
    ]
    refused(partner.get(f"/v1/accounts/{live}"), 404, "NOT_FOUND")
    refused(partner.live().get(f"/v1/accounts/{sandbox}"), 404, "NOT_FOUND")


def test_a_sandbox_account_of_another_creator_is_out_of_reach(partner, clock):
    with db.transaction():
        customer = create_partner.create_customer(partner.seeded["partnerId"], "Other", clock())
        other = create_partner.create_account(
            partner.seeded["partnerId"], customer, "Other", clock(), creator="somebody"
        )
    refused(partner.get(f"/v1/accounts/{other}"), 404, "NOT_FOUND")
    assert len(body(partner.get("/v1/accounts"))["data"]) == 1


def test_a_stranger_reaches_no_account(partner, stranger):
    refused(stranger.get(f"/v1/accounts/{partner.account}"), 404, "NOT_FOUND")
    refused(stranger.get("/v1/accounts/not-a-uuid"), 404, "NOT_FOUND")


def test_pages_never_repeat_or_lose_an_account(partner, clock):
    live = partner.live()
    with db.transaction():
        customer = create_partner.create_customer(partner.seeded["partnerId"], "Many", clock())
        made = [
            create_partner.create_account(partner.seeded["partnerId"], customer, str(n), clock())
            for n in range(24)
        ]
    seen, query = [], "limit=5"
    while query:
        page = body(live.get(f"/v1/accounts?{query}"))
        seen += [each["accountId"] for each in page["data"]]
        if len(seen) == 10:  # one that is added meanwhile is newer than every page to come
            clock.tick(1)
            with db.transaction():
                create_partner.create_account(
                    partner.seeded["partnerId"], customer, "late", clock()
                )
        query = page["hasMore"] and f"limit=5&cursor={page['nextCursor']}"
    assert len(seen) == len(set(seen)) == 25
    assert set(made) < set(seen)


def test_languages_and_countries_have_fixed_identifiers(partner):
    languages = {each["code"]: each for each in body(partner.get("/v1/languages"))["data"]}
    countries = {each["code"]: each for each in body(partner.get("/v1/countries"))["data"]}
    assert languages["en"] == {
        "languageId": partner.seeded["languageId"],
        "code": "en",
        "name": "English",
    }
    assert countries["US"] == {
        "countryId": partner.seeded["countryId"],
        "code": "US",
        "name": "United States",
    }
    assert len(languages) >= 20
    assert len(countries) == 249  # ISO 3166-1
