"""The reference for programs that read: short, first in the overview, true,
and each of its calls works.
"""

import json
import os
import re
import shlex
import subprocess

import pytest
from support.cast import body
from support.scripts import scene, write_script

from svc.api.document import errors
from svc.base import deliverable_kinds
from svc.domain import tiers
from svc.domain.lifecycle import sandbox
from svc.domain.lifecycle.briefs import OPTIONS
from svc.domain.webhooks import event_types
from tests.support.documents import read, read_error_table, require_names, shell
from tests.support.own_server import served

NAME = "docs/reference.md"
PAGE = read(NAME)
CALLS = re.findall(r"^curl (?:[^'\n]|'[^']*')*", shell(NAME), re.MULTILINE)
LARGEST = 40_000  # bytes


@pytest.fixture
def names(partner, clock) -> dict[str, str]:
    """What the page says that its names are."""
    path = f"/v1/accounts/{partner.account}"
    reviewed = body(partner.trigger(review="script"))["productionId"]
    write_script(clock, scene(1), scene(2, "A lion waits."))
    template = {
        "name": "Guide",
        "brief": partner.brief(topic="{{city}}"),
        "variables": [{"name": "city"}, {"name": "price", "type": "number", "required": False}],
    }
    hook = {"endpointUrl": "https://93.184.215.14/hooks", "eventTypes": ["production.queued"]}
    return {
        "KEY": partner.key,
        "ACCOUNT": partner.account,
        "AVATAR_ID": partner.seeded["avatarId"],
        "PRODUCTION": body(partner.trigger())["productionId"],
        "REVIEWED": reviewed,
        "TEMPLATE": body(partner.post(f"{path}/templates", json=template))["templateId"],
        "BATCH": body(partner.post(f"{path}/batches", json={"items": [partner.brief()]}))[
            "batchId"
        ],
        "WEBHOOK": body(partner.post("/v1/webhooks", json=hook))["subscriptionId"],
    }


@pytest.mark.slow  # a process for each call
def test_every_call_works_as_it_stands(app, names, monkeypatch):
    """By curl itself, against a server, in the order of the page."""
    assert len(CALLS) >= 30
    traced = 'curl() { command curl -sS --noproxy "*" -o /dev/null -w "%{http_code} " "$@"; }'
    public = [(0, 0, 0, "", ("93.184.215.14", 443))]
    with served(app) as port, monkeypatch.context() as patched:
        patched.setattr("svc.adapters.addresses.socket.getaddrinfo", lambda *_, **__: public)
        environment = os.environ | names | {"BASE": f"http://127.0.0.1:{port}"}
        run = subprocess.run(
            ["sh", "-c", "\n".join([traced, *CALLS])],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
    answers = run.stdout.split()
    assert len(answers) == len(CALLS), run.stderr
    wrong = [
        (status, call) for status, call in zip(answers, CALLS, strict=True) if status[0] != "2"
    ]
    assert wrong == []


def test_it_is_short_and_the_overview_leads_to_it_first(app):
    served_page = app.test_client().get(f"/{NAME}")
    assert served_page.status_code == 200 and len(served_page.get_data()) <= LARGEST
    overview = app.test_client().get("/llms.txt").text
    assert re.findall(r"\]\(\S+?/(docs/\w+\.md)\)", overview)[0] == NAME


def test_the_fields_of_a_brief_are_those_of_the_document(app):
    table = PAGE.partition("| field of a brief |")[2].partition("\n\n")[0]
    document = json.loads(app.extensions["document"]())
    named = set(
        re.findall(r"`(\w+)`", "".join(line.split("|")[1] for line in table.splitlines()[2:]))
    )
    named |= set(re.findall(r"or `(\w+)`, `(\w+)`", table)[0])
    fields = document["components"]["schemas"]["Brief"]["properties"]
    require_names(f"{NAME}, the table of a brief's fields", named, fields)


def test_every_word_of_an_option_is_there():
    rows = PAGE.partition("| field of a brief |")[2].partition("\n\n")[0].splitlines()
    for option in OPTIONS.values():
        [row] = [row for row in rows if f"`{option.name}`" in row.split("|")[1]] or [""]
        named = {*re.findall(r"`([^`]+)`", row)} & {*option.words}
        require_names(f"{NAME}, the row of `{option.name}`", named, option.words)


def test_every_error_is_there_with_its_status():
    statuses = {code: error.status for code, error in errors.list_codes().items()}
    require_names(f"{NAME}, the table of errors", read_error_table(), statuses)
    assert read_error_table() == statuses


def test_every_scenario_is_there():
    table = PAGE.partition("| key | what happens |")[2]
    rows = [line.split("|")[1] for line in table.splitlines()[2:] if line.startswith("|")]
    named = re.findall(r"`(\w+)`", "".join(rows))
    require_names(f"{NAME}, the table of sandbox scenarios", named, sandbox._FIELDS)


def test_the_limits_of_the_tiers_are_those_of_the_code():
    for name, limits in tiers.TIERS.items():
        shown = " | ".join("unlimited" if each is None else f"{each:,}" for each in limits)
        row = f"| {name} | {shown} |"
        assert row in PAGE.splitlines(), f"{NAME}, the table of rate tiers, should have: {row}"


def test_every_type_of_deliverable_is_there():
    named = [each for each in deliverable_kinds.TYPES if f"`{each}`" in PAGE]
    require_names(f"{NAME}, the types of deliverables", named, deliverable_kinds.TYPES)


def test_every_event_type_is_there():
    named = set(re.findall(r"`([a-z_]+(?:\.[a-z_]+)+)`", PAGE))
    existing = {*event_types.NAMES} - {event_types.PING}
    named = {
        name for name in named if name in existing or name.startswith(("production.", "batch."))
    }
    require_names(f"{NAME}, the event types", named, existing)


def test_its_calls_name_nothing_that_the_page_does_not_explain():
    used = {
        name
        for call in CALLS
        for word in shlex.split(call)
        for name in re.findall(r"\$(\w+)", word)
    }
    introduced = PAGE.partition("\n## ")[0]
    assert {name for name in used if f"`${name}`" not in introduced} == set()
