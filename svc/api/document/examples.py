"""Example bodies, assembled from the examples of their fields."""

from typing import Any

from svc.base import ids

# The values of examples that are the same on every installation.
_REAL = {
    "languageId": ids.derive_id("language", "en"),
    "countryId": ids.derive_id("country", "US"),
}
_BY_TYPE = {"integer": 1, "number": 1.5, "boolean": True, "string": "text"}


def make_example(schema: dict[str, Any], components: dict[str, Any], name: str = "") -> Any:
    """Return an example of ``schema``, a JSON schema with references to ``components``.

    ``name``: of the property.
    """
    if "$ref" in schema:
        return make_example(components[schema["$ref"].rpartition("/")[2]], components, name)
    if "examples" in schema:
        return schema["examples"][0]
    if "anyOf" in schema or "allOf" in schema:
        return make_example((schema.get("anyOf") or schema["allOf"])[0], components, name)
    type_ = schema.get("type", "object")
    type_ = type_[0] if isinstance(type_, list) else type_
    if type_ == "object":
        return {
            key: make_example(definition, components, key)
            for key, definition in schema.get("properties", {}).items()
        }
    if type_ == "array":
        return [make_example(schema["items"], components, name.removesuffix("s"))]
    if schema.get("format") == "uuid":
        return make_example_id(name)
    return schema.get("enum", [_BY_TYPE[type_]])[0]


def make_named_example(schema: dict[str, Any], components: dict[str, Any]) -> dict[str, Any]:
    """Return the ``examples`` of a body: one example, by the name that readers see."""
    return {"example": {"summary": "Example", "value": make_example(schema, components)}}


def make_example_id(name: str) -> str:
    """Return the example UUID of ``name``, the same throughout the document."""
    return _REAL.get(name) or ids.derive_id("example", name)
