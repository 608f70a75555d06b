"""axe-core finds nothing to complain of on any page of the console, light and dark,
with everything on it opened.
"""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from support.ways import something_known, ways

from svc.domain.people import users

pytestmark = pytest.mark.browser

PINS = Path(__file__).parents[2] / ".ci" / "package.json"
PATIENCE = 120  # seconds for npm
NO_PAGES = {  # files, and parts of pages that are seen within them
    "home.now",
    "productions_pages.live",
    "productions_pages.look",
    "productions_pages.show_tries",
    "connection_pages.show_tries",
    "productions_pages.file",
    "productions_pages.thumbnail",
    "productions_pages.warning_picture",
    "translation_pages.file",
    "people.accent_css",
    "people.logo_file",
    "deliveries_pages.live",
    "avatar_pages.picture",
    "account_pages.logo",
    "own_pages.picture",
    "audit_pages.export",
    "template_pages.example",
    "batch_pages.live",
    "bulk.all_files",
    "bulk.export",
    "own_pages.export_audit_log",
    "usage_pages.export",
    "avatar_pages.sample_file",
    "avatar_pages.voice",
    "script_pages.preview",
}
OPEN = "document.querySelectorAll('details').forEach(each => { each.open = true; })"
LOOK = "() => axe.run(document, { resultTypes: ['violations'] })"


@pytest.fixture(scope="module")
def axe(tmp_path_factory) -> str:
    """The program of axe-core, from npm, in the version that is pinned."""
    if shutil.which("npm") is None:
        pytest.skip("there is no npm")
    folder = tmp_path_factory.mktemp("axe")
    version = json.loads(PINS.read_text())["dependencies"]["axe-core"]
    command = [
        "npm",
        "install",
        "--no-save",
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
        f"axe-core@{version}",
    ]
    subprocess.run(command, cwd=folder, check=True, timeout=PATIENCE, capture_output=True)
    return (folder / "node_modules" / "axe-core" / "axe.min.js").read_text("utf-8")


def complaints(page, axe: str) -> list[str]:
    page.evaluate(OPEN)
    page.evaluate(axe)
    found = page.evaluate(LOOK)["violations"]
    return [
        f"{each['id']}: {node['target']} {node['failureSummary']}"
        for each in found
        for node in each["nodes"]
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("role", ["operator", "owner", "member", None])
def test_no_page_has_a_violation(site, visit, axe, scheme, role):
    owner, member = site.somebody("owner"), site.somebody("member")
    known = something_known(site.app, site.partner, owner, member, site.clock)
    known["token"] = users.invite(
        users.make_viewer(users.get(owner)).actor, "member", known["partner_id"], site.clock()
    )
    person = {"operator": site.somebody("operator"), "owner": owner, "member": member, None: None}[
        role
    ]
    page = visit(user_id=person, color_scheme=scheme, bypass_csp=True)
    found, seen = {}, 0
    for method, path, endpoint, _ in ways(site.app, known):
        if (
            method != "GET"
            or endpoint in NO_PAGES
            or (role is None) != endpoint.startswith("people.")
        ):
            continue
        answered = page.goto(path)
        if answered.status == 403 and seen:
            continue  # the same page of refusal
        seen += 1
        if wrong := complaints(page, axe):
            found[endpoint] = wrong
    assert seen >= (2 if role is None else 9)
    assert found == {}


def test_what_is_shown_after_a_form_has_no_violation_either(site, visit, axe):
    """A key that is shown once, a link that is, and a form that comes back with what was wrong."""
    page = visit("owner", bypass_csp=True)
    page.goto("/console/settings/keys")
    page.get_by_label("Name").fill("laptop")
    page.get_by_role("button", name="Create key").click()
    page.locator("#fresh-key").wait_for()
    assert complaints(page, axe) == []
    page.goto("/console/settings/people")
    page.get_by_label("E-mail address").fill("grace@example.com")
    page.get_by_role("button", name="Create link").click()
    page.locator(".secret").wait_for()
    assert complaints(page, axe) == []
    page.goto("/console/profile")
    for label in ("Present password", "New password", "The new password again"):
        page.get_by_label(label, exact=True).fill("not the password")
    page.get_by_role("button", name="Change the password").click()
    page.locator(".error").first.wait_for()
    assert complaints(page, axe) == []
