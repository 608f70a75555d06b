"""What the linters and the TypeScript generator that others use say of the document: nothing."""

import json

import pytest

pytestmark = pytest.mark.contract


def test_redocly_has_no_error_and_no_warning(npm, openapi, tmp_path):
    config = tmp_path / "redocly.yaml"
    config.write_text("extends: [recommended]\n")
    run = npm("redocly", "lint", str(openapi), "--config", str(config), "--format", "json")
    found = json.loads(run.stdout)
    assert found["totals"]["errors"] == found["totals"]["warnings"] == 0, run.stdout
    assert run.returncode == 0, run.stderr


def test_spectral_has_nothing_to_say(npm, openapi, tmp_path):
    rules = tmp_path / "spectral.yaml"
    rules.write_text("extends: [spectral:oas]\n")
    run = npm(
        "spectral",
        "lint",
        str(openapi),
        "--ruleset",
        str(rules),
        "--format",
        "json",
        "--fail-severity",
        "hint",
        "--quiet",
    )
    assert run.returncode == 0 and json.loads(run.stdout.strip() or "[]") == [], (
        run.stdout + run.stderr
    )


def test_generated_types_are_accepted_by_typescript(npm, openapi, tmp_path):
    types = tmp_path / "types.ts"
    made = npm("openapi-typescript", str(openapi), "--output", str(types))
    assert made.returncode == 0, made.stdout + made.stderr
    use = tmp_path / "use.ts"
    use.write_text(
        'import type { components, operations } from "./types";\n'
        'type Brief = operations["trigger_production"]["requestBody"]["content"]'
        '["application/json"];\n'
        'export const brief: Brief = { topic: "t", languageId: "l", countryId: "c", avatarId: '
        '"a" };\n'
        'export const wait = (each: components["schemas"]["Production"]): number | null => '
        "each.pollAfterSeconds;\n"
    )
    checked = npm("tsc", "--noEmit", "--strict", str(use))
    assert checked.returncode == 0, checked.stdout
