"""The tools of agents for what comes before a video is made:
scripts under review, templates, batches.
"""

from svc.cli.agents.tool import (
    ACCOUNT,
    ONCE,
    PRODUCTION,
    Answer,
    Tool,
    account_of,
    idempotency_header,
    identifier,
    option_arguments,
    text,
    without_nulls,
)
from svc.cli.demo.client import Client
from svc.domain.access import scopes
from svc.domain.briefing import batches, script_review, template_values
from svc.domain.productions.briefs import OPTIONS

_BRIEF_FIELDS = {  # of the brief of a template, by the names of the arguments
    "notes": "metadataMD",
    "projectType": "projectTypeSlug",
    "subject": "subjectOverride",
    "language": "language",
    "country": "country",
    "languages": "languages",
    "captionLanguages": "captionLanguages",
    "review": "review",
    **{each.name: each.name for each in OPTIONS.values()},
    "translation": "translation",
}
_ITEMS = 50  # of a batch, in one answer
_CURSOR = {"cursor": text("nextCursor of an earlier answer.")}
_NEXT = {"nextCursor": "For the following ones; null: there are none."}
_BATCH = {"batchId": text("The batch, as trigger_table or list_batches gave it.", format="uuid")}
_TEMPLATE = {
    "templateId": text("The template, as list_templates gave it.", format="uuid"),
    **ACCOUNT,
}
# a list of pairs, as some clients refuse an object whose names are free; such an object is taken,
# too
_VALUES = {
    "values": {
        "description": "A value for each variable; a number as text, such as 12.5.",
        "type": ["array", "object"],
        "maxItems": template_values.MOST_VARIABLES,
        "items": {
            "type": "object",
            "required": ["name", "value"],
            "properties": {
                "name": text("The variable."),
                "value": {"type": ["string", "number"], "description": "Its value."},
            },
        },
    },
    "language": text("A BCP 47 code in place of the template's language."),
    "country": text("An ISO 3166 code in place of the template's country."),
    "avatarId": text("An avatar in place of the template's.", format="uuid"),
    "externalId": text("Your own reference, such as an order number.", maxLength=200),
}
_VARIABLE = {
    "type": "object",
    "additionalProperties": False,
    "required": ["name"],
    "properties": {
        "name": text("As it stands between {{ and }}.", maxLength=40),
        "type": text("By default text; markdown only in notes.", enum=list(template_values.TYPES)),
        "required": {
            "type": "boolean",
            "description": "Whether a value is needed where there is no default; default true.",
        },
        "default": text("The value where none is given.", minLength=0),
        "choices": {
            "type": "array",
            "items": text("A value of the type choice."),
            "description": "Of the type choice.",
        },
        "example": text("For people."),
        "description": text("For people."),
    },
}
_VERSION = {
    "version": {
        "type": "integer",
        "minimum": 1,
        "description": "The version of the script that you read.",
    }
}
_SCENE = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "sceneId": {
            "type": "integer",
            "minimum": 1,
            "description": "A scene of the script; left out: a new one.",
        },
        "heading": text(
            "Its heading; empty: none.", minLength=0, maxLength=script_review.LONGEST_HEADING
        ),
        "narration": text(
            "What is said, besides heading and points.",
            minLength=0,
            maxLength=script_review.LONGEST_NARRATION,
        ),
        "points": {
            "type": "array",
            "maxItems": script_review.MOST_POINTS,
            "items": text("A list item."),
        },
        "keyPhrase": text("Words of the narration to show large; empty: all of it.", minLength=0),
        "picture": text("What its illustration shows, in a word or two; empty: none.", minLength=0),
    },
}

_SEGMENT = {
    "type": "object",
    "additionalProperties": False,
    "required": ["segmentId", "target"],
    "properties": {
        "segmentId": text("The segment, as translation gave it.", maxLength=100),
        "target": text("Its translation.", maxLength=8192),
    },
}


def _script(client: Client, arguments: Answer) -> Answer:
    return client.get(_address(arguments))


def _change_script(client: Client, arguments: Answer) -> Answer:
    return client.put(
        _address(arguments), {"version": arguments["version"], "scenes": arguments["scenes"]}
    )


def _approve_script(client: Client, arguments: Answer) -> Answer:
    return client.post(f"{_address(arguments)}/approve", {"version": arguments["version"]})


def _reject_script(client: Client, arguments: Answer) -> Answer:
    return client.post(
        f"{_address(arguments)}/reject",
        {"version": arguments["version"], "reason": arguments.get("reason")},
    )


def _reopen_script(client: Client, arguments: Answer) -> Answer:
    return client.post(f"{_address(arguments)}/reopen", {})


def _address(arguments: Answer) -> str:
    return f"/v1/productions/{identifier(arguments['productionId'])}/script"


def _templates(client: Client, arguments: Answer) -> Answer:
    query = {"cursor": arguments["cursor"]} if "cursor" in arguments else {}
    found = client.get(f"/v1/accounts/{account_of(client, arguments)}/templates", limit=20, **query)
    shown = [_short(each) for each in found["data"]]
    return {"templates": shown, "nextCursor": found["nextCursor"]}


def _short(template: Answer) -> Answer:
    """Return what a list says of a template, whose notes alone may have thousands of characters."""
    variables = [each["name"] for each in template["variables"]]
    shown = {name: template[name] for name in ("templateId", "name", "updatedAt")}
    return {**shown, "topic": template["brief"]["topic"], "variables": variables}


def _template(client: Client, arguments: Answer) -> Answer:
    found = client.get(_address_of_template(client, arguments))
    variables = [without_nulls(each) for each in found["variables"]]
    return {**found, "brief": without_nulls(found["brief"]), "variables": variables}


def _delete_template(client: Client, arguments: Answer) -> Answer:
    client.delete(_address_of_template(client, arguments))
    return {"templateId": arguments["templateId"]}


def _create_template(client: Client, arguments: Answer) -> Answer:
    names = ("topic", "avatarId", *_BRIEF_FIELDS)
    brief = {_BRIEF_FIELDS.get(name, name): arguments[name] for name in names if name in arguments}
    brief = {"language": "en", "country": "US"} | brief
    body = {"name": arguments["name"], "brief": brief, "variables": arguments.get("variables", [])}
    address = f"/v1/accounts/{account_of(client, arguments)}/templates"
    return client.post(address, body, idempotency_header(arguments))


def _preview_template(client: Client, arguments: Answer) -> Answer:
    body = _filling(arguments) | {"withScript": arguments.get("withScript", False)}
    return client.post(f"{_address_of_template(client, arguments)}/preview", body)


def _trigger_template(client: Client, arguments: Answer) -> Answer:
    address = f"{_address_of_template(client, arguments)}/productions"
    return client.post(address, _filling(arguments), idempotency_header(arguments))


def _filling(arguments: Answer) -> Answer:
    """Return what fills a template: values, as pairs or as an object,
    and fields in place of the template's.
    """
    values = arguments.get("values", [])
    if isinstance(values, list):
        values = {each["name"]: each["value"] for each in values}
    places = ("language", "country", "avatarId", "externalId")
    return {"values": values} | {name: arguments[name] for name in places if name in arguments}


def _trigger_table(client: Client, arguments: Answer) -> Answer:
    body = {"csv": arguments["csv"], "mode": arguments.get("mode", batches.EACH)}
    return client.post(
        f"{_address_of_template(client, arguments)}/batches", body, idempotency_header(arguments)
    )


def _address_of_template(client: Client, arguments: Answer) -> str:
    template = identifier(arguments["templateId"])
    return f"/v1/accounts/{account_of(client, arguments)}/templates/{template}"


def _batches(client: Client, arguments: Answer) -> Answer:
    query = {"cursor": arguments["cursor"]} if "cursor" in arguments else {}
    found = client.get(f"/v1/accounts/{account_of(client, arguments)}/batches", limit=20, **query)
    shown = [without_nulls(each) for each in found["data"]]
    return {"batches": shown, "nextCursor": found["nextCursor"]}


def _batch(client: Client, arguments: Answer) -> Answer:
    batch, query = (
        identifier(arguments["batchId"]),
        {"cursor": arguments["cursor"]} if "cursor" in arguments else {},
    )
    items = client.get(f"/v1/batches/{batch}/items", limit=_ITEMS, **query)
    listed = [without_nulls(each) for each in items["data"]]
    return {
        "batch": client.get(f"/v1/batches/{batch}"),
        "items": listed,
        "nextCursor": items["nextCursor"],
    }


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


_SCRIPT_FIELDS = {
    "version": "Of the script, to send with what changes it.",
    "scenes": "Its scenes, in their order.",
}
_BATCH_FIELDS = {
    "batchId": "The batch.",
    "status": "Open or Finished.",
    "counts": "Its briefs by state.",
}

BRIEFING_TOOLS = (
    Tool(
        "script",
        "Return the script of a production that was triggered with review: script, scene by "
        "scene. Until it is approved, the production is held as Producing with holdReason "
        "ScriptReview.",
        scopes.READ,
        dict(PRODUCTION),
        ("productionId",),
        _script,
        returns=_SCRIPT_FIELDS,
    ),
    Tool(
        "change_script",
        "Change a script under review. Send all scenes in their order: one with a sceneId keeps "
        "what is left out of it, one without is new, one that is not sent is removed.",
        scopes.TRIGGER,
        {
            **PRODUCTION,
            **_VERSION,
            "scenes": {
                "type": "array",
                "minItems": 1,
                "items": _SCENE,
                "description": "All scenes.",
            },
        },
        ("productionId", "version", "scenes"),
        _change_script,
        is_reading=False,
        is_destructive=True,
        returns=_SCRIPT_FIELDS,
    ),
    Tool(
        "approve_script",
        (
            "Let a production go on with its script, which cannot be changed after that. Ask the "
            "person whom you work for first."
        ),
        scopes.TRIGGER,
        {**PRODUCTION, **_VERSION},
        ("productionId", "version"),
        _approve_script,
        is_reading=False,
        is_public=True,
    ),
    Tool(
        "reject_script",
        "End a production whose script is under review: it fails with the reason, and is not "
        "made. Ask the person whom you work for first.",
        scopes.TRIGGER,
        {**PRODUCTION, **_VERSION, "reason": text("Why.", maxLength=500)},
        ("productionId", "version"),
        _reject_script,
        is_reading=False,
        is_destructive=True,
    ),
    Tool(
        "reopen_script",
        "Correct a production that is AwaitingApproval: its script can be changed and approved "
        "again, and what changed is rendered anew.",
        scopes.TRIGGER,
        dict(PRODUCTION),
        ("productionId",),
        _reopen_script,
        is_reading=False,
        is_destructive=True,
    ),
    Tool(
        "list_templates",
        "List the templates of an account, each in short: briefs with {{variables}}.",
        scopes.READ,
        {**ACCOUNT, **_CURSOR},
        (),
        _templates,
        returns={"templates": "The templates.", **_NEXT},
    ),
    Tool(
        "template",
        "Return a template with its notes and all that its variables say.",
        scopes.READ,
        dict(_TEMPLATE),
        ("templateId",),
        _template,
        returns={"brief": "With {{variables}}.", "variables": "What they take."},
    ),
    Tool(
        "create_template",
        (
            "Add a template: a brief with {{variables}} in topic, notes and subject, each "
            "declared in variables."
        ),
        scopes.TRIGGER,
        {
            **ACCOUNT,
            "name": text("Of the template, for people.", maxLength=200),
            "topic": text("What the video is about, such as: A day in {{city}}.", maxLength=1000),
            "notes": text("What it says, in Markdown, with variables.", maxLength=8192),
            "avatarId": text("A presenter of the account, as list_accounts has it.", format="uuid"),
            "variables": {
                "type": "array",
                "maxItems": template_values.MOST_VARIABLES,
                "items": _VARIABLE,
                "description": "Every variable that topic, notes and subject name.",
            },
            "language": text("BCP 47 code of the notes, such as en (default)."),
            "country": text("ISO 3166 code, such as US (default)."),
            "languages": {
                "type": "array",
                "items": text("A BCP 47 code."),
                "description": "Further languages.",
            },
            "captionLanguages": {
                "type": "array",
                "items": text("A BCP 47 code."),
                "description": "Of translated captions.",
            },
            "projectType": text("A project type of the account, by its slug."),
            "subject": text("The subject, with variables, where the project type asks for one."),
            "review": text(
                "script: productions wait until their script is approved.", enum=["script", "none"]
            ),
            **option_arguments(look="What the videos look like.", theme="dark or light."),
            "translation": text(
                "Who translates into languages: people or the operator's model.",
                enum=["people", "model"],
            ),
            **ONCE,
        },
        ("name", "topic", "avatarId"),
        _create_template,
        is_reading=False,
        returns={"templateId": "The template."},
    ),
    Tool(
        "delete_template",
        "Delete a template. Productions that were made with it stay.",
        scopes.TRIGGER,
        dict(_TEMPLATE),
        ("templateId",),
        _delete_template,
        is_reading=False,
        is_destructive=True,
        returns={"templateId": "The template that was there."},
    ),
    Tool(
        "preview_template",
        "Fill a template with values without triggering it: the brief, its estimate with every "
        "refusal and, withScript, its script.",
        scopes.READ,
        {
            **_TEMPLATE,
            **_VALUES,
            "withScript": {
                "type": "boolean",
                "description": "Whether to write the script, too: a second or two.",
            },
        },
        ("templateId",),
        _preview_template,
        returns={
            "brief": "The filled brief.",
            "estimate": "Its estimate.",
            "script": "Scenes; null: not asked for.",
        },
    ),
    Tool(
        "trigger_template",
        "Trigger a production from a template with values for its variables.",
        scopes.TRIGGER,
        {**_TEMPLATE, **_VALUES, **ONCE},
        ("templateId", "values"),
        _trigger_template,
        is_reading=False,
        is_public=True,
        returns={"productionId": "The production.", "status": "Its state."},
    ),
    Tool(
        "trigger_table",
        "Trigger a batch: a template once for each row of a CSV table, at most "
        f"{batches.MOST_ITEMS:,}. The first line names the columns: variables of the template, or "
        "language (a code, such as de), languages (codes with spaces between), country, avatarId, "
        "externalId. If rows do not fit, all of them are named and nothing is triggered.",
        scopes.TRIGGER,
        {
            **_TEMPLATE,
            "csv": text("The table."),
            "mode": text(
                "each (default): row by row; atomic: all of them or none.",
                enum=[batches.EACH, batches.ATOMIC],
            ),
            **ONCE,
        },
        ("templateId", "csv"),
        _trigger_table,
        is_reading=False,
        is_public=True,
        returns=_BATCH_FIELDS,
    ),
    Tool(
        "list_batches",
        "List the batches of an account, newest first.",
        scopes.READ,
        {**ACCOUNT, **_CURSOR},
        (),
        _batches,
        returns={"batches": "The batches.", **_NEXT},
    ),
    Tool(
        "batch",
        (
            "Return a batch with its briefs by state, and its items: their productions, or why "
            "they were refused."
        ),
        scopes.READ,
        {**_BATCH, **_CURSOR},
        ("batchId",),
        _batch,
        returns={"batch": "The batch.", "items": "Its items.", **_NEXT},
    ),
    Tool(
        "cancel_batch",
        "Cancel what has not ended of a batch. resume_batch triggers it again, as new productions.",
        scopes.CANCEL,
        dict(_BATCH),
        ("batchId",),
        _cancel_batch,
        is_reading=False,
        is_destructive=True,
        returns=_BATCH_FIELDS,
    ),
    Tool(
        "resume_batch",
        "Trigger the productions again that the cancellation of their batch cancelled, each as a "
        "new one in its place, with its script as it was edited and approved. What was rejected "
        "or cancelled by itself stays so.",
        scopes.TRIGGER,
        dict(_BATCH),
        ("batchId",),
        _resume_batch,
        is_reading=False,
        is_public=True,
        returns=_BATCH_FIELDS,
    ),
    Tool(
        "translation",
        "Return the texts of a brief that are to be translated, in segments. Until they are, the "
        "production is held as Queued with holdReason Translation.",
        scopes.READ,
        dict(PRODUCTION),
        ("productionId",),
        _translation,
        returns={
            "segments": "What is to be translated.",
            "status": "Whether it is awaited.",
            "targetLanguage": "BCP 47.",
        },
    ),
    Tool(
        "translate",
        (
            "Send the translation of a brief, all segments at once; its production then begins. "
            "Keep the markup within a segment."
        ),
        scopes.TRIGGER,
        {
            **PRODUCTION,
            "segments": {"type": "array", "minItems": 1, "items": _SEGMENT, "description": "All."},
        },
        ("productionId", "segments"),
        _translate,
        is_reading=False,
        returns={"productionId": "The production."},
    ),
)
