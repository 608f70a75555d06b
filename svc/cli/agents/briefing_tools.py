"""The tools of agents for what comes before a video is made: scripts under review, templates, batches."""

import uuid

from svc.cli.agents.tool import ACCOUNT, PRODUCTION, Answer, Tool, account_of, identifier, text
from svc.cli.demo.client import Client
from svc.domain.access import scopes
from svc.domain.briefing import batches, script_review

_ITEMS = 50  # of a batch, in one answer
_BATCH = {"batchId": text("The batch, as trigger_table gave it.", format="uuid")}
_TEMPLATE = {"templateId": text("The template, as list_templates gave it.", format="uuid"), **ACCOUNT}
_ONCE = {"idempotencyKey": text("One for each intention: with the same one nothing is triggered twice.")}
_VERSION = {"version": {"type": "integer", "minimum": 1, "description": "The version of the script that you read."}}
_SCENE = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "sceneId": {"type": "integer", "minimum": 1, "description": "A scene of the script; left out: a new one."},
        "heading": text("Its heading.", maxLength=script_review.LONGEST_HEADING),
        "narration": text("What is said, besides heading and points.", maxLength=script_review.LONGEST_NARRATION),
        "points": {"type": "array", "maxItems": script_review.MOST_POINTS, "items": text("A list item.")},
        "keyPhrase": text("Words of the narration to show large."),
        "picture": text("What its illustration shows, in a word or two."),
    },
}

_SEGMENT = {
    "type": "object",
    "additionalProperties": False,
    "required": ["segmentId", "target"],
    "properties": {
        "segmentId": text("The segment, as translation gave it.", minLength=1, maxLength=100),
        "target": text("Its translation.", minLength=1, maxLength=8192),
    },
}


def _script(client: Client, arguments: Answer) -> Answer:
    return client.get(_address(arguments))


def _change_script(client: Client, arguments: Answer) -> Answer:
    return client.put(_address(arguments), {"version": arguments["version"], "scenes": arguments["scenes"]})


def _approve_script(client: Client, arguments: Answer) -> Answer:
    return client.post(f"{_address(arguments)}/approve", {"version": arguments["version"]})


def _reject_script(client: Client, arguments: Answer) -> Answer:
    return client.post(f"{_address(arguments)}/reject", {"version": arguments["version"], "reason": arguments.get("reason")})


def _reopen_script(client: Client, arguments: Answer) -> Answer:
    return client.post(f"{_address(arguments)}/reopen", {})


def _address(arguments: Answer) -> str:
    return f"/v1/productions/{identifier(arguments['productionId'])}/script"


def _templates(client: Client, arguments: Answer) -> Answer:
    return {"templates": list(client.every(f"/v1/accounts/{account_of(client, arguments)}/templates"))}


def _trigger_template(client: Client, arguments: Answer) -> Answer:
    return client.post(f"{_template(client, arguments)}/productions", {"values": arguments["values"]}, _once(arguments))


def _trigger_table(client: Client, arguments: Answer) -> Answer:
    body = {"csv": arguments["csv"], "mode": arguments.get("mode", batches.EACH)}
    return client.post(f"{_template(client, arguments)}/batches", body, _once(arguments))


def _template(client: Client, arguments: Answer) -> str:
    template = identifier(arguments["templateId"])
    return f"/v1/accounts/{account_of(client, arguments)}/templates/{template}"


def _once(arguments: Answer) -> dict[str, str]:
    return {"Idempotency-Key": arguments.get("idempotencyKey") or str(uuid.uuid4())}


def _batch(client: Client, arguments: Answer) -> Answer:
    batch, query = identifier(arguments["batchId"]), {"cursor": arguments["cursor"]} if "cursor" in arguments else {}
    items = client.get(f"/v1/batches/{batch}/items", limit=_ITEMS, **query)
    return {"batch": client.get(f"/v1/batches/{batch}"), "items": items["data"], "nextCursor": items["nextCursor"]}


def _translation(client: Client, arguments: Answer) -> Answer:
    found = client.get(_translation_of(arguments))
    return {name: value for name, value in found.items() if name != "xliff"}


def _translate(client: Client, arguments: Answer) -> Answer:
    client.put(_translation_of(arguments), {"segments": arguments["segments"]})
    return client.get(f"/v1/productions/{identifier(arguments['productionId'])}")


def _translation_of(arguments: Answer) -> str:
    return f"/v1/productions/{identifier(arguments['productionId'])}/translation"


def _resume_batch(client: Client, arguments: Answer) -> Answer:
    return client.post(f"/v1/batches/{identifier(arguments['batchId'])}/resume", {})


def _cancel_batch(client: Client, arguments: Answer) -> Answer:
    return client.post(f"/v1/batches/{identifier(arguments['batchId'])}/cancel", {})


BRIEFING_TOOLS = (
    Tool(
        "script",
        "Return the script of a production that was triggered with review: script, scene by scene. Until it is approved, the "
        "production is held as Producing with holdReason ScriptReview.",
        scopes.READ, dict(PRODUCTION), ("productionId",), _script,
    ),
    Tool(
        "change_script",
        "Change a script under review. Send all scenes in their order: one with a sceneId keeps what is left out of it, one "
        "without is new, one that is not sent is removed.",
        scopes.TRIGGER,
        {**PRODUCTION, **_VERSION, "scenes": {"type": "array", "minItems": 1, "items": _SCENE, "description": "All scenes."}},
        ("productionId", "version", "scenes"), _change_script, is_reading=False,
    ),
    Tool(
        "approve_script",
        "Let a production go on with its script, which cannot be changed after that. Ask the person whom you work for first.",
        scopes.TRIGGER, {**PRODUCTION, **_VERSION}, ("productionId", "version"), _approve_script, is_reading=False,
    ),
    Tool(
        "reject_script",
        "End a production whose script is under review: it fails with the reason, and is not made. Ask the person whom you "
        "work for first.",
        scopes.TRIGGER,
        {**PRODUCTION, **_VERSION, "reason": text("Why.", minLength=1, maxLength=500)},
        ("productionId", "version"), _reject_script, is_reading=False,
    ),
    Tool(
        "reopen_script",
        "Correct a production that is AwaitingApproval: its script can be changed and approved again, and what changed is "
        "rendered anew.",
        scopes.TRIGGER, dict(PRODUCTION), ("productionId",), _reopen_script, is_reading=False,
    ),
    Tool(
        "list_templates", "List the templates of an account: briefs with {{variables}}.",
        scopes.READ, dict(ACCOUNT), (), _templates,
    ),
    Tool(
        "trigger_template",
        "Trigger a production from a template with values for its variables.",
        scopes.TRIGGER,
        {
            **_TEMPLATE,
            "values": {
                "type": "object", "additionalProperties": {"type": "string"},
                "description": "Values by the name of the variable.",
            },
            **_ONCE,
        },
        ("templateId", "values"), _trigger_template, is_reading=False,
    ),
    Tool(
        "trigger_table",
        f"Trigger a batch: a template once for each row of a CSV table, at most {batches.MOST_ITEMS:,}. The first line names "
        "the columns, which are variables of the template or languageId, countryId, avatarId, externalId.",
        scopes.TRIGGER,
        {
            **_TEMPLATE,
            "csv": text("The table.", minLength=1),
            "mode": text("each (default): row by row; atomic: all of them or none.", enum=[batches.EACH, batches.ATOMIC]),
            **_ONCE,
        },
        ("templateId", "csv"), _trigger_table, is_reading=False,
    ),
    Tool(
        "batch", "Return a batch with its briefs by state, and its items: their productions, or why they were refused.",
        scopes.READ, {**_BATCH, "cursor": text("nextCursor of an earlier answer.")}, ("batchId",), _batch,
    ),
    Tool(
        "cancel_batch", "Cancel what has not ended of a batch. It cannot be undone.",
        scopes.CANCEL, dict(_BATCH), ("batchId",), _cancel_batch, is_reading=False,
    ),
    Tool(
        "resume_batch",
        "Trigger the productions again that the cancellation of their batch cancelled, each as a new one in its place, with "
        "its script as it was edited and approved. What was rejected or cancelled by itself stays so.",
        scopes.TRIGGER, dict(_BATCH), ("batchId",), _resume_batch, is_reading=False,
    ),
    Tool(
        "translation",
        "Return the texts of a brief that are to be translated, in segments. Until they are, the production is held as Queued "
        "with holdReason Translation.",
        scopes.READ, dict(PRODUCTION), ("productionId",), _translation,
    ),
    Tool(
        "translate",
        "Send the translation of a brief, all segments at once; its production then begins. Keep the markup within a segment.",
        scopes.TRIGGER, {**PRODUCTION, "segments": {"type": "array", "minItems": 1, "items": _SEGMENT, "description": "All."}},
        ("productionId", "segments"), _translate, is_reading=False,
    ),
)  # fmt: skip
