"""The tools that agents have: each a name, a description, the arguments it takes,
and calls of the API.
"""

import time

import requests

from svc.base import states
from svc.base.errors import CommandError
from svc.cli.agents.briefing_tools import BRIEFING_TOOLS
from svc.cli.agents.operations import Schema, Words
from svc.cli.agents.tool import (
    ACCOUNT,
    ONCE,
    PRODUCTION,
    Answer,
    Tool,
    check_identifier,
    find_account,
    make_idempotency_header,
    make_option_arguments,
    make_text_schema,
    omit_nulls,
    operation_tool,
    to_api_fields,
)
from svc.cli.demo.client import Client

_WAIT_SECONDS = 20  # of a request; less than the client's timeout
_LONGEST_WAIT = 50  # of a call of a tool, which many programs give up after a minute
_MOST_ACCOUNTS = 10  # of a month, and of ceilings, in one answer
_LARGEST_TRANSCRIPT = 1024 * 1024  # bytes


def list_permitted(client: Client) -> list[Tool]:
    """Return the tools that the key of ``client`` may use. CommandError: the key is refused."""
    scopes = client.get("/v1/partners/verify")["scopes"]
    return [each for each in TOOLS if each.scope is None or scopes is None or each.scope in scopes]


def find_tool(name: str) -> Tool:
    """Return a tool. CommandError: there is none."""
    for each in TOOLS:
        if each.name == name:
            return each
    raise CommandError(
        f"There is no tool {name!r}; there are {', '.join(each.name for each in TOOLS)}."
    )


def _show_accounts(client: Client, arguments: Answer) -> Answer:
    query = {name: arguments[name] for name in ("limit", "cursor") if name in arguments}
    page = client.get("/v1/accounts", **({"limit": 20} | query))
    codes: dict[str, str] = {}
    if any(each["languageIds"] for account in page["data"] for each in account["avatars"]):
        codes = {each["languageId"]: each["code"] for each in client.list_all("/v1/languages")}
    for avatar in (each for account in page["data"] for each in account["avatars"]):
        language_ids = avatar.pop("languageIds")
        avatar["languages"] = language_ids and [codes.get(each, each) for each in language_ids]
    return {"accounts": page["data"], "nextCursor": page["nextCursor"]}


def _list_languages(client: Client, arguments: Answer) -> Answer:
    search = arguments.get("search", "").lower()
    names = {each["code"]: each["name"] for each in client.list_all("/v1/languages")}
    return {
        "languages": {
            code: name for code, name in names.items() if search in f"{code} {name}".lower()
        }
    }


def _show_usage(client: Client, arguments: Answer) -> Answer:
    usage = client.get("/v1/partner/usage", months=arguments.get("months", 1))
    months = [
        {**month, "byAccount": _select_accounts(month["byAccount"], arguments)}
        for month in usage["months"]
    ]
    return {**usage, "months": months, "ceilings": _select_accounts(usage["ceilings"], arguments)}


def _select_accounts(entries: list[Answer], arguments: Answer) -> list[Answer]:
    """Return the entries of one account, or of all accounts those that spend most."""
    if "accountId" in arguments:
        return [
            each
            for each in entries
            if each["accountId"] == check_identifier(arguments["accountId"])
        ]
    return sorted(entries, key=_spend, reverse=True)[:_MOST_ACCOUNTS]


def _spend(entry: Answer) -> float:
    spent: float = entry["spend"] if "spend" in entry else entry["monthlySpend"]["used"]
    return spent


def _trigger(client: Client, arguments: Answer) -> Answer:
    account, brief = _complete_brief(client, arguments)
    return client.post(
        f"/v1/accounts/{account}/productions", brief, make_idempotency_header(arguments)
    )


def _estimate(client: Client, arguments: Answer) -> Answer:
    account, brief = _complete_brief(client, arguments)
    return client.post(f"/v1/accounts/{account}/productions/estimate", brief)


def _complete_brief(client: Client, arguments: Answer) -> tuple[str, Answer]:
    """Return the account and the brief of a production.

    CommandError: a code or an account that there is not.
    """
    fields = to_api_fields(arguments)
    account, language = find_account(client, arguments), arguments.get("language", "en")
    brief = {"language": language, "country": "US"} | {
        name: value for name, value in fields.items() if name not in _BESIDE_THE_BRIEF
    }
    if "avatarId" not in brief:
        brief["avatarId"] = _find_avatar(client, account, language)
    return account, brief


_BESIDE_THE_BRIEF = ("accountId", "Idempotency-Key")


def _find_avatar(client: Client, account: str, code: str) -> str:
    """Return the first avatar of an account that speaks a language.

    CommandError: there is none, or no such language.
    """
    language = _find_language(client, code)
    for each in client.get(f"/v1/accounts/{account}")["avatars"]:
        if each["languageIds"] is None or language in each["languageIds"]:
            return str(each["avatarId"])
    raise CommandError(
        "The account has no avatar that speaks this language; list_accounts shows its avatars."
    )


def _find_language(client: Client, code: str) -> str:
    """Return the identifier of a language. CommandError: there is none with this code."""
    for each in client.list_all("/v1/languages"):
        if each["code"].lower() == code.lower():
            return str(each["languageId"])
    raise CommandError(f"There is no language {code!r}; list_languages shows the codes.")


def _follow(client: Client, arguments: Answer) -> Answer:
    production, after = (
        check_identifier(arguments["productionId"]),
        arguments.get("afterSequence", 0),
    )
    ends_at = time.monotonic() + arguments.get("waitSeconds", 0)
    client.extend_patience(arguments.get("waitSeconds", 0))
    cursor = client.get("/v1/events", cursor="latest", limit=1)["nextCursor"]
    while True:
        current = client.get(f"/v1/productions/{production}")
        events = client.get(f"/v1/productions/{production}/events", afterSequence=after, limit=100)[
            "data"
        ]
        if events or current["status"] in states.TERMINAL_STATES or time.monotonic() >= ends_at:
            return {"production": current, "events": events}
        cursor = _wait_for_event(client, production, cursor, ends_at)


def _wait_for_event(client: Client, production: str, cursor: str, ends_at: float) -> str:
    """Wait until a production has an event, or the time is over;
    return the next cursor of the feed.
    """
    while (seconds := ends_at - time.monotonic()) > 0:
        feed = client.get(
            "/v1/events", cursor=cursor, limit=100, waitSeconds=min(_WAIT_SECONDS, round(seconds))
        )
        cursor = feed["nextCursor"]
        if any(event["productionId"] == production for event in feed["data"]):
            break
        time.sleep(max(0.0, min(feed["pollAfterSeconds"], ends_at - time.monotonic())))
    return cursor


def _list(client: Client, arguments: Answer) -> Answer:
    query = {"limit": 20} | to_api_fields(arguments)
    query.pop("accountId", None)
    page = client.get(f"/v1/accounts/{find_account(client, arguments)}/productions", **query)
    return {
        "productions": [omit_nulls(each, _SHORT) for each in page["data"]],
        "nextCursor": page["nextCursor"],
    }


# What a list says of a production, as all fields of a hundred are more than a model reads; follow
# has them.
_SHORT = (
    "productionId",
    "accountId",
    "status",
    "title",
    "externalId",
    "groupId",
    "holdReason",
    "progressPercent",
    "errorCode",
    "errorMessage",
    "createdAt",
)


def _show_deliverables(client: Client, arguments: Answer) -> Answer:
    answer = client.get(
        f"/v1/productions/{check_identifier(arguments['productionId'])}/deliverables"
    )
    return {"deliverables": answer["data"], "descriptions": answer["descriptions"]}


def _read_transcript(client: Client, arguments: Answer) -> Answer:
    for each in _show_deliverables(client, arguments)["deliverables"]:
        if (each["type"], each["format"]) == ("Transcript", "txt"):
            return {"language": each["language"], "transcript": _read_content(each["sasUrl"])}
    raise CommandError(
        "There is no transcript yet: it is there from the status AwaitingApproval on. follow "
        "shows the status."
    )


def _read_content(url: str) -> str:
    """Return a text file at a download address, which needs no key.

    CommandError: it cannot be had.
    """
    try:
        with requests.get(url, timeout=_WAIT_SECONDS, stream=True) as response:
            response.raise_for_status()
            return response.raw.read(_LARGEST_TRANSCRIPT, decode_content=True).decode(
                "utf-8", "replace"
            )
    except requests.RequestException as failed:
        raise CommandError(
            f"The transcript could not be downloaded: {type(failed).__name__}. Try again."
        ) from failed


_BRIEF: dict[str, Words | Schema] = {
    "topic": "What the video is about.",
    "notes": (
        "What it says, in Markdown: headings become scenes, list items become points, prose "
        "becomes narration."
    ),
    **ACCOUNT,
    "language": (
        "BCP 47 code of the language of the notes and the narration, such as en (default) or pt-BR."
    ),
    "languages": (
        "Further languages: a production for each, with one groupId. See the tool translation.",
        "A BCP 47 code.",
    ),
    "captionLanguages": (
        "Languages into which the operator's model translates the captions, if there is one.",
        "A BCP 47 code.",
    ),
    "country": "ISO 3166 code of the country it is made for, such as US (default).",
    "avatarId": "A presenter of the account; by default the first that speaks the language.",
    "projectType": "A project type of the account, by its slug; by default the account's default.",
    "subject": "The subject, where the project type asks for one.",
    "externalId": "Your own reference, such as an order number.",
    "review": "script: the production waits until its script is approved; none: it does not.",
    **make_option_arguments(theme="dark or light; by default as the account has it."),
    "translation": (
        "Who translates into languages: people, whom each production awaits, or the "
        "operator's model."
    ),
}

_PRODUCTION_FIELDS = {
    "productionId": "The production.",
    "status": "Its state.",
    "warnings": "What its brief lacks or what is not sure.",
}
_NEXT = {"nextCursor": "For the following ones; null: there are none."}

TOOLS = (
    operation_tool(
        "list_accounts",
        "List the accounts that the key may use, each with its avatars (presenters), project "
        "types and places.",
        {
            "limit": "Default 20.",
            "cursor": "nextCursor of an earlier answer, for the following accounts.",
        },
        call=_show_accounts,
        returns={"accounts": "The accounts.", **_NEXT},
    ),
    operation_tool(
        "list_languages",
        "List the codes of the languages that narration can speak.",
        {
            "search": make_text_schema(
                "Only those whose code or English name contains this.", maxLength=40
            )
        },
        call=_list_languages,
        returns={"languages": "Names by code."},
    ),
    operation_tool(
        "get_usage",
        "Return productions, seconds and spend by month, and in ceilings what is used and left of "
        "budgets, of productions at once and of the productions of the day; without accountId "
        f"of the {_MOST_ACCOUNTS} accounts that spend most.",
        {
            "months": "Default 1, the current one.",
            "accountId": make_text_schema("Only of this account.", format="uuid"),
        },
        name="usage",
        call=_show_usage,
        returns={
            "months": "Newest first.",
            "ceilings": "By account and customer.",
            "limits": "Of the tier.",
        },
    ),
    operation_tool(
        "trigger_production",
        "Trigger a production: a video with narration, captions, transcript, audio description "
        "and certificate, made from a topic and notes. It costs money on live accounts. It "
        "answers at once with a productionId; call follow until it is Published. A production of "
        "a live account waits as AwaitingApproval until the operator releases it.",
        {**_BRIEF, **ONCE},
        name="trigger",
        required=("topic",),
        call=_trigger,
        is_public=True,
        returns=_PRODUCTION_FIELDS,
    ),
    operation_tool(
        "estimate_production",
        "Estimate a production without triggering it: cost, duration, warnings, and every "
        "gate that would refuse it now.",
        _BRIEF,
        name="estimate",
        required=("topic",),
        call=_estimate,
        is_reading=True,
        returns={
            "isAccepted": "Whether a trigger would be accepted.",
            "refusals": "Why not.",
            "estimatedCost": "The cost.",
        },
    ),
    operation_tool(
        "get_production",
        "Return a production as it is now, with its events after afterSequence. With waitSeconds "
        "it waits for the next event. Published, Failed and Cancelled are final.",
        {
            **PRODUCTION,
            "afterSequence": {
                "type": "integer",
                "minimum": 0,
                "description": "The last sequenceNumber you have; default 0.",
            },
            "waitSeconds": {
                "type": "integer",
                "minimum": 0,
                "maximum": _LONGEST_WAIT,
                "description": "Default 0.",
            },
        },
        name="follow",
        call=_follow,
        returns={"production": "The production as it is now.", "events": "Its new events."},
    ),
    operation_tool(
        "list_productions",
        "List productions of an account, newest first, each in short; follow has all of one.",
        {
            **ACCOUNT,
            "status": "Only those in these states.",
            "externalId": "Only those with this reference of yours.",
            "groupId": "Only those that are the same in several languages.",
            "words": "Only those whose title has words that begin with these.",
            "limit": "Default 20.",
            "cursor": "nextCursor of an earlier answer, for the following productions.",
        },
        call=_list,
        returns={"productions": "The productions.", **_NEXT},
    ),
    operation_tool(
        "list_deliverables",
        "List the files of a production with download addresses (sasUrl, valid for one hour, no "
        "key needed), sizes and SHA-256, and the texts for posts beside the videos. Empty before "
        "they exist.",
        PRODUCTION,
        name="deliverables",
        call=_show_deliverables,
        returns={"deliverables": "The files.", "descriptions": "Texts for posts."},
    ),
    operation_tool(
        "list_deliverables",
        "Return what is said in a production, as text.",
        PRODUCTION,
        name="transcript",
        call=_read_transcript,
        returns={"language": "BCP 47.", "transcript": "What is said."},
    ),
    operation_tool(
        "create_portal_link",
        "Make a link to a read-only page of an account for its customers: its productions and the "
        "files of published ones. Whoever has the address sees the page until expiresAt.",
        {**ACCOUNT, "expiresInMinutes": "Default 60."},
        name="portal_link",
        is_public=True,
        returns={"url": "The address of the page.", "expiresAt": "When it ends."},
    ),
    operation_tool(
        "cancel_production",
        "Cancel a production that is not published yet. It cannot be undone.",
        PRODUCTION,
        name="cancel",
        is_destructive=True,
        returns=_PRODUCTION_FIELDS,
    ),
    *BRIEFING_TOOLS,
)
