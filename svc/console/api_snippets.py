"""The API request equivalent to a form, as code to copy for the shell, Python and Node.js."""

import json
import shlex


def trigger(base_url: str, account_id: str, body: dict) -> list[tuple[str, str]]:
    """Return the request that triggers a production as pairs (language, code).

    ``body``: its values are untrusted.
    """
    url = f"{base_url}/v1/accounts/{account_id}/productions"
    return [
        ("curl", _write_curl(url, body)),
        ("Python", _write_python(url, body)),
        ("Node.js", _write_node(url, body)),
    ]


def _write_curl(url: str, body: dict) -> str:
    lines = (
        f"curl {shlex.quote(url)} \\",
        '  --header "X-API-Key: $KEY" \\',
        "  --header 'Content-Type: application/json' \\",
        '  --header "Idempotency-Key: $(uuidgen)" \\',
        f"  --data {shlex.quote(_json(body))}",
    )
    return "\n".join(lines)


def _write_python(url: str, body: dict) -> str:
    lines = (
        "import os, uuid",
        "import requests",
        "",
        "answer = requests.post(",
        f"    {_python(url)},",
        '    headers={"X-API-Key": os.environ["KEY"], "Idempotency-Key": str(uuid.uuid4())},',
        f"    json={_indent(_python_object(body), '    ')},",
        "    timeout=30,",
        ")",
        "answer.raise_for_status()",
        'print(answer.json()["productionId"])',
    )
    return "\n".join(lines)


def _write_node(url: str, body: dict) -> str:
    lines = (
        'import { randomUUID } from "node:crypto";',
        "",
        f"const answer = await fetch({json.dumps(url)}, {{",
        '  method: "POST",',
        "  headers: {",
        '    "X-API-Key": process.env.KEY,',
        '    "Content-Type": "application/json",',
        '    "Idempotency-Key": randomUUID(),',
        "  },",
        f"  body: JSON.stringify({_indent(_javascript(_json(body)), '  ')}),",
        "});",
        "console.log(answer.status, await answer.json());",
    )
    return "\n".join(lines)


def _json(body: dict) -> str:
    return json.dumps(body, indent=2, ensure_ascii=False)


def _python(value: str | list[str]) -> str:
    """Return a Python literal of strings: JSON's, with the characters escaped that a source
    file cannot contain.
    """
    return json.dumps(value, ensure_ascii=not "".join(value).isprintable())


def _python_object(body: dict) -> str:
    return "\n".join(
        ("{", *(f"    {_python(name)}: {_python(value)}," for name, value in body.items()), "}")
    )


def _javascript(written: str) -> str:
    """Return a JavaScript literal: JSON with two line separators escaped,
    which old string literals could not contain.
    """
    return written.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _indent(text: str, by: str) -> str:
    return text.replace("\n", f"\n{by}")
