"""The operations of the document: operationId, parameters, responses with examples,
links, code samples.
"""

import re
from collections.abc import Callable
from typing import Any

from flask import Flask
from werkzeug.routing import Rule

from svc.api.answer_docs import Answers
from svc.api.document import errors, examples, files, headers, links
from svc.api.guard import CONDITIONAL
from svc.base.samples import LANGUAGES, read_sample

_UNDERSCORE = re.compile(r"_([a-z])")
# By operationId: the name of its code samples.
_SAMPLES = {"trigger_production": "trigger", "create_webhook": "verify"}
_ARGUMENT = re.compile(r"<(?:[a-z_]+:)?([a-z_]+)>")
_TWINS = {  # operationId: that of the same resource at its first path, and this path
    "list_partner_accounts": ("list_accounts", "`GET /v1/accounts`"),
    "get_partner_account": ("get_account", "`GET /v1/accounts/{accountId}`"),
    "get_production_of_account": ("get_production", "`GET /v1/productions/{productionId}`"),
    "list_deliverables_of_account": (
        "list_deliverables",
        "`GET /v1/productions/{productionId}/deliverables`",
    ),
}


Written = tuple[Rule, str, Any, dict[int, Any]]


def list_documented(app: Flask, register_schema: Callable[..., Any]) -> list[Written]:
    """Return all documented operations as (rule, method, view, schemas of its successes by status).

    ``register_schema``: registers a schema class as a component; all are registered before the
    document is exported.
    """
    operations = []
    for rule in app.url_map.iter_rules():
        view: Any = app.view_functions[rule.endpoint]
        if hasattr(view, "answers"):
            successes = {
                status: schema and register_schema(schema)
                for status, (schema, _) in view.answers.successes.items()
            }
            [method] = (rule.methods or set()) - {"HEAD", "OPTIONS"}
            operations.append((rule, method.lower(), view, successes))
    return operations


def complete_operations(document: dict[str, Any], operations: list[Written]) -> None:
    """Complete the operations of ``document`` in place, with the path parameters
    of the specification.
    """
    paths = document["paths"]
    for rule, method, view, successes in operations:
        operation = paths[_ARGUMENT.sub(r"{\1}", rule.rule)][method]
        operation["operationId"] = rule.endpoint.rpartition(".")[2]
        _finish(operation, method, view, successes, document["components"]["schemas"])
    files.complete_download(paths["/files/{deliverable_id}"]["get"])
    document["paths"] = {
        _camel(path): _add_path_parameters(path, item) for path, item in sorted(paths.items())
    }


def _finish(
    operation: dict[str, Any],
    method: str,
    view: Any,
    schemas_by_status: dict[int, Any],
    schemas: dict[str, Any],
) -> None:
    parameters = [
        *operation.get("parameters", ()),
        *(
            {"$ref": f"#/components/parameters/{name}"}
            for name in ("X-Correlation-Id", "X-API-Version")
        ),
    ]
    if 304 in schemas_by_status:
        parameters.append({"$ref": "#/components/parameters/If-None-Match"})
    operation["parameters"] = [_finish_parameter(parameter) for parameter in parameters]
    refusals = errors.describe_responses(
        view.answers, view.scope, "requestBody" in operation, method.upper() in CONDITIONAL
    )
    successes = {
        str(status): _describe_success(status, view.answers, schema, schemas)
        for status, schema in schemas_by_status.items()
    }
    operation["responses"] = dict(sorted((successes | refusals).items()))
    operation["description"] = _write_description(operation, view.scope)
    if operation["operationId"] in _TWINS:
        operation["summary"] += ", by its other path"
        operation["x-aliasOf"] = _TWINS[operation["operationId"]][0]
    if "requestBody" in operation:
        content = operation["requestBody"]["content"]["application/json"]
        content["examples"] = examples.make_named_example(content["schema"], schemas)
    links.add_links(operation)
    _add_samples(operation)


def _add_samples(operation: dict[str, Any]) -> None:
    stem = _SAMPLES.get(operation["operationId"])
    if stem:
        operation["x-codeSamples"] = [
            {"lang": lang, "label": label, "source": read_sample(f"{stem}{suffix}")}
            for suffix, (lang, label) in LANGUAGES.items()
        ]


def _finish_parameter(parameter: dict[str, Any]) -> dict[str, Any]:
    schema = parameter.get("schema", {})
    if "example" in schema:
        parameter["example"] = schema.pop("example")
    # None stands for a missing parameter; a query cannot contain null
    if isinstance(schema.get("type"), list):
        schema["type"] = schema["type"][0]
        schema.pop("default", None)
        if "enum" in schema:
            schema["enum"] = [value for value in schema["enum"] if value is not None]
    return parameter


def _write_description(operation: dict[str, Any], scope: str | None) -> str:
    permission = (
        f"Needs the permission `{scope}`." if scope else "Needs a valid key and no permission."
    )
    other_path = _TWINS.get(operation["operationId"])
    return "\n\n".join(
        filter(
            None,
            (
                operation.get("description"),
                other_path and f"The same as {other_path[1]}.",
                permission,
            ),
        )
    )


def _describe_success(
    status: int, answers: Answers, schema: dict[str, Any] | None, schemas: dict[str, Any]
) -> dict[str, Any]:
    names = dict.fromkeys(
        [*headers.IN_EVERY_ANSWER, *headers.RATE, "Cache-Control", *answers.headers]
    )
    response: dict[str, Any] = {
        "description": answers.successes[status][1],
        "headers": headers.list_references(names),
    }
    if schema is not None:
        response["content"] = {
            "application/json": {
                "schema": schema,
                "examples": examples.make_named_example(schema, schemas),
            }
        }
    return response


def _add_path_parameters(path: str, item: dict[str, Any]) -> dict[str, Any]:
    names = re.findall(r"{([a-z_]+)}", path)
    item.pop("parameters", None)
    for operation in item.values():
        operation.setdefault("parameters", [])[:0] = [
            {"$ref": f"#/components/parameters/{_camel(name)}"} for name in names
        ]
    return item


def _camel(text: str) -> str:
    return _UNDERSCORE.sub(lambda match: match.group(1).upper(), text)
