"""The tools of agents for what comes before a video is made:
scripts under review, templates, batches.
"""

from svc.cli.agents.operations import Schema, Words
from svc.cli.agents.tool import (
    ACCOUNT,
    ONCE,
    PRODUCTION,
    Answer,
    check_identifier,
    find_account,
    make_option_arguments,
    make_text_schema,
    omit_nulls,
    operation_tool,
    to_api_fields,
)
from svc.cli.demo.client import Client
from svc.domain.briefing import batches, template_values

_ITEMS = 50  # of a batch, in one answer
_CURSOR = {"cursor": "nextCursor of an earlier answer."}
_NEXT = {"nextCursor": "For the following ones; null: there are none."}
_BATCH = {"batchId": "The batch, as trigger_table or list_batches gave it."}
_TEMPLATE = {"templateId": "The template, as list_templates gave it.", **ACCOUNT}
# The schema of pairs: some clients refuse an object whose names are free. Such an object is taken,
# too.
_PAIRS: Schema = {
    "description": "A value for each variable; a number as text, such as 12.5.",
    "type": ["array", "object"],
    "maxItems": template_values.MOST_VARIABLES,
    "items": {
        "type": "object",
        "required": ["name", "value"],
        "properties": {
            "name": make_text_schema("The variable."),
            "value": {"type": ["string", "number"], "description": "Its value."},
        },
    },
}
_VALUES: dict[str, Words | Schema] = {
    "values": _PAIRS,
    "language": "A BCP 47 code in place of the template's language.",
    "country": "An ISO 3166 code in place of the template's country.",
    "avatarId": "An avatar in place of the template's.",
    "externalId": "Your own reference, such as an order number.",
}
_VARIABLE: dict[str, Words] = {
    "name": "As it stands between {{ and }}.",
    "type": "By default text; markdown only in notes.",
    "required": "Whether a value is needed where there is no default; default true.",
    "default": "The value where none is given.",
    "choices": ("Of the type choice.", "A value of the type choice."),
    "example": "For people.",
    "description": "For people.",
}
_VERSION = {"version": "The version of the script that you read."}
_SCENE: dict[str, Words] = {
    "sceneId": "A scene of the script; left out: a new one.",
    "heading": "Its heading; empty: none.",
    "narration": "What is said, besides heading and points.",
    "points": ("List items.", "A list item."),
    "keyPhrase": "Words of the narration to show large; empty: all of it.",
    "picture": "What its illustration shows, in a word or two; empty: none.",
}
_SEGMENT: dict[str, Words] = {
    "segmentId": "The segment, as translation gave it.",
    "target": "Its translation.",
}


def _summarise_templates(answer: Answer) -> Answer:
    """Return a list's templates without their notes, which may have thousands of characters."""
    summaries = [
        {
            **{name: template[name] for name in ("templateId", "name", "updatedAt")},
            "topic": template["brief"]["topic"],
            "variables": [each["name"] for each in template["variables"]],
        }
        for template in answer["data"]
    ]
    return {"templates": summaries, "nextCursor": answer["nextCursor"]}


def _omit_template_nulls(template: Answer) -> Answer:
    variables = [omit_nulls(each) for each in template["variables"]]
    return {**template, "brief": omit_nulls(template["brief"]), "variables": variables}


def _delete_template(client: Client, arguments: Answer) -> Answer:
    template = check_identifier(arguments["templateId"])
    client.delete(f"/v1/accounts/{find_account(client, arguments)}/templates/{template}")
    return {"templateId": arguments["templateId"]}


def _make_template(arguments: Answer) -> Answer:
    """Return the body that makes a template: its brief apart from name and variables."""
    brief = {
        name: value
        for name, value in to_api_fields(arguments).items()
        if name not in ("accountId", "Idempotency-Key", "name", "variables")
    }
    return {
        "name": arguments["name"],
        "brief": {"language": "en", "country": "US"} | brief,
        "variables": arguments.get("variables", []),
    }


def _parse_values(arguments: Answer) -> Answer:
    """Return what fills a template, with the values as an object."""
    values = arguments.get("values", [])
    if isinstance(values, list):
        values = {each["name"]: each["value"] for each in values}
    return arguments | {"values": values}


def _show_batches(answer: Answer) -> Answer:
    batches = [omit_nulls(each) for each in answer["data"]]
    return {"batches": batches, "nextCursor": answer["nextCursor"]}


def _batch(client: Client, arguments: Answer) -> Answer:
    batch, query = (
        check_identifier(arguments["batchId"]),
        {"cursor": arguments["cursor"]} if "cursor" in arguments else {},
    )
    items = client.get(f"/v1/batches/{batch}/items", limit=_ITEMS, **query)
    entries = [omit_nulls(each) for each in items["data"]]
    return {
        "batch": client.get(f"/v1/batches/{batch}"),
        "items": entries,
        "nextCursor": items["nextCursor"],
    }


def _remove_file(translation: Answer) -> Answer:
    return {name: value for name, value in translation.items() if name != "xliff"}


def _translate(client: Client, arguments: Answer) -> Answer:
    address = f"/v1/productions/{check_identifier(arguments['productionId'])}"
    client.put(f"{address}/translation", {"segments": arguments["segments"]})
    return client.get(address)


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
    operation_tool(
        "get_script",
        "Return the script of a production that was triggered with review: script, scene by "
        "scene. Until it is approved, the production is held as Producing with holdReason "
        "ScriptReview.",
        PRODUCTION,
        name="script",
        returns=_SCRIPT_FIELDS,
    ),
    operation_tool(
        "change_script",
        "Change a script under review. Send all scenes in their order: one with a sceneId keeps "
        "what is left out of it, one without is new, one that is not sent is removed.",
        {**PRODUCTION, **_VERSION, "scenes": ("All scenes.", _SCENE)},
        is_destructive=True,
        returns=_SCRIPT_FIELDS,
    ),
    operation_tool(
        "approve_script",
        "Let a production go on with its script, which cannot be changed after that. Ask the "
        "person whom you work for first.",
        {**PRODUCTION, **_VERSION},
        required=("productionId", "version"),
        is_public=True,
    ),
    operation_tool(
        "reject_script",
        "End a production whose script is under review: it fails with the reason, and is not "
        "made. Ask the person whom you work for first.",
        {**PRODUCTION, **_VERSION, "reason": "Why."},
        required=("productionId", "version"),
        is_destructive=True,
    ),
    operation_tool(
        "reopen_script",
        "Correct a production that is AwaitingApproval: its script can be changed and approved "
        "again, and what changed is rendered anew.",
        PRODUCTION,
        is_destructive=True,
    ),
    operation_tool(
        "list_templates",
        "List the templates of an account, each in short: briefs with {{variables}}.",
        {**ACCOUNT, **_CURSOR},
        show=_summarise_templates,
        returns={"templates": "The templates.", **_NEXT},
    ),
    operation_tool(
        "get_template",
        "Return a template with its notes and all that its variables say.",
        _TEMPLATE,
        name="template",
        show=_omit_template_nulls,
        returns={"brief": "With {{variables}}.", "variables": "What they take."},
    ),
    operation_tool(
        "create_template",
        "Add a template: a brief with {{variables}} in topic, notes and subject, each "
        "declared in variables.",
        {
            **ACCOUNT,
            "name": "Of the template, for people.",
            "topic": "What the video is about, such as: A day in {{city}}.",
            "notes": "What it says, in Markdown, with variables.",
            "avatarId": "A presenter of the account, as list_accounts has it.",
            "variables": ("Every variable that topic, notes and subject name.", _VARIABLE),
            "language": "BCP 47 code of the notes, such as en (default).",
            "country": "ISO 3166 code, such as US (default).",
            "languages": ("Further languages.", "A BCP 47 code."),
            "captionLanguages": ("Of translated captions.", "A BCP 47 code."),
            "projectType": "A project type of the account, by its slug.",
            "subject": "The subject, with variables, where the project type asks for one.",
            "review": "script: productions wait until their script is approved.",
            **make_option_arguments(look="What the videos look like.", theme="dark or light."),
            "translation": "Who translates into languages: people or the operator's model.",
            **ONCE,
        },
        within="brief",
        required=("name", "topic", "avatarId"),
        prepare=_make_template,
        returns={"templateId": "The template."},
    ),
    operation_tool(
        "delete_template",
        "Delete a template. Productions that were made with it stay.",
        _TEMPLATE,
        call=_delete_template,
        is_destructive=True,
        returns={"templateId": "The template that was there."},
    ),
    operation_tool(
        "preview_template",
        "Fill a template with values without triggering it: the brief, its estimate with every "
        "refusal and, withScript, its script.",
        {
            **_TEMPLATE,
            **_VALUES,
            "withScript": "Whether to write the script, too: a second or two.",
        },
        prepare=_parse_values,
        is_reading=True,
        returns={
            "brief": "The filled brief.",
            "estimate": "Its estimate.",
            "script": "Scenes; null: not asked for.",
        },
    ),
    operation_tool(
        "trigger_template",
        "Trigger a production from a template with values for its variables.",
        {**_TEMPLATE, **_VALUES, **ONCE},
        required=("templateId", "values"),
        prepare=_parse_values,
        is_public=True,
        returns={"productionId": "The production.", "status": "Its state."},
    ),
    operation_tool(
        "trigger_table",
        "Trigger a batch: a template once for each row of a CSV table, at most "
        f"{batches.MOST_ITEMS:,}. The first line names the columns: variables of the template, or "
        "language (a code, such as de), languages (codes with spaces between), country, avatarId, "
        "externalId. If rows do not fit, all of them are named and nothing is triggered.",
        {
            **_TEMPLATE,
            "csv": "The table.",
            "mode": "each (default): row by row; atomic: all of them or none.",
            **ONCE,
        },
        is_public=True,
        returns=_BATCH_FIELDS,
    ),
    operation_tool(
        "list_batches",
        "List the batches of an account, newest first.",
        {**ACCOUNT, **_CURSOR},
        show=_show_batches,
        returns={"batches": "The batches.", **_NEXT},
    ),
    operation_tool(
        "list_batch_items",
        "Return a batch with its briefs by state, and its items: their productions, or why "
        "they were refused.",
        {**_BATCH, **_CURSOR},
        name="batch",
        call=_batch,
        returns={"batch": "The batch.", "items": "Its items.", **_NEXT},
    ),
    operation_tool(
        "cancel_batch",
        "Cancel what has not ended of a batch. resume_batch triggers it again, as new productions.",
        _BATCH,
        is_destructive=True,
        returns=_BATCH_FIELDS,
    ),
    operation_tool(
        "resume_batch",
        "Trigger the productions again that the cancellation of their batch cancelled, each as a "
        "new one in its place, with its script as it was edited and approved. What was rejected "
        "or cancelled by itself stays so.",
        _BATCH,
        is_public=True,
        returns=_BATCH_FIELDS,
    ),
    operation_tool(
        "get_translation",
        "Return the texts of a brief that are to be translated, in segments. Until they are, the "
        "production is held as Queued with holdReason Translation.",
        PRODUCTION,
        name="translation",
        show=_remove_file,
        returns={
            "segments": "What is to be translated.",
            "status": "Whether it is awaited.",
            "targetLanguage": "BCP 47.",
        },
    ),
    operation_tool(
        "receive_translation",
        "Send the translation of a brief, all segments at once; its production then begins. "
        "Keep the markup within a segment.",
        {**PRODUCTION, "segments": ("All.", _SEGMENT)},
        name="translate",
        required=("productionId", "segments"),
        call=_translate,
        returns={"productionId": "The production."},
    ),
)
