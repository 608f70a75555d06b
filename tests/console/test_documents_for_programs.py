"""``/llms.txt`` and the documents in Markdown: each is served,
and each of their links leads somewhere on the server.
"""

import re
from urllib.parse import urlsplit

import pytest
from support.cast import refused

from svc.public import documents
from tests.support.documents import ROOT, read

NAMES = sorted(documents._PAGES)


@pytest.fixture
def client(app):
    return app.test_client()


def links(text: str) -> list[str]:
    return re.findall(r"\]\(([^)\s]+)\)", text)


def test_the_overview_leads_to_everything_there_is_to_read(app, client):
    answer = client.get("/llms.txt")
    text, base = answer.get_data(as_text=True), app.extensions["svc"].settings.base_url
    assert (answer.status_code, answer.content_type) == (200, "text/plain; charset=utf-8")
    assert text.startswith("# Partner Production API\n\n> ")
    packages = {each for each in links(text) if each.endswith((".whl", ".tgz"))}
    assert len(packages) == 2
    assert set(links(text)) - packages == {
        f"{base}/{name}" for name in [*NAMES, "openapi.json", "docs"]
    }
    headings = ["## API", "## Clients", "## Documents", "## Optional"]
    assert [line for line in text.splitlines() if line.startswith("## ")] == headings
    for each in links(text):
        assert client.get(urlsplit(each).path, buffered=True).status_code == 200, each


@pytest.mark.parametrize("name", NAMES)
def test_a_document_is_served_with_links_that_lead_somewhere(app, client, name):
    answer = client.get(f"/{name}")
    text, base = answer.get_data(as_text=True), app.extensions["svc"].settings.base_url
    assert (answer.status_code, answer.content_type) == (200, "text/markdown; charset=utf-8")
    assert text.splitlines()[0] == read(name).splitlines()[0]
    # comments are for those who change the document
    assert "<!--" not in text and "::test_" not in text
    for each in links(text):
        if each.startswith(base):
            assert client.get(urlsplit(each).path, buffered=True).status_code == 200, each
        else:
            assert re.match(r"https://|#", each), each


def test_a_document_that_has_not_changed_is_not_sent_again(client):
    tag = client.get("/docs/api.md").headers["ETag"]
    again = client.get("/docs/api.md", headers={"If-None-Match": tag})
    assert (again.status_code, again.get_data()) == (304, b"")


@pytest.mark.parametrize(
    "path",
    [
        "/docs/operations.md",
        "/docs/..%2FREADME.md",
        "/docs/nothing.md",
        "/sdk/rust/README.md",
        "/docs/API.md",
    ],
)
def test_nothing_else_is_served(client, path):
    refused(client.get(path), 404, "NOT_FOUND")


def test_a_program_without_its_documents_says_so(client, monkeypatch, tmp_path):
    monkeypatch.setattr(documents, "ROOT", tmp_path)
    documents._read_source.cache_clear()
    refused(client.get("/docs/api.md"), 404, "NOT_FOUND")
    text = client.get("/llms.txt").get_data(as_text=True)
    assert "openapi.json" in text and ".md" not in text
    documents._read_source.cache_clear()


def test_what_is_installed_has_the_documents():
    dockerfile = (ROOT / "svc" / "deploy" / "Dockerfile").read_text("utf-8")
    bundle = (ROOT / "svc" / "cli" / "installation" / "bundle.py").read_text("utf-8")
    for folder in ("docs", "sdk"):
        assert f"COPY {folder} {folder}\n" in dockerfile
        assert f'"{folder}"' in bundle
    assert (
        re.search(r"^COPY .*\bREADME\.md\b.* \./$", dockerfile, re.MULTILINE)
        and '"README.md"' in bundle
    )
