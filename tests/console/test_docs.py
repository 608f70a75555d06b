"""The documentation page: ours alone, under a strict policy."""

import re
from pathlib import Path

STATIC = Path(__file__).parents[2] / "svc" / "public" / "static"


def test_the_page_lets_nothing_in_from_elsewhere(app):
    answer = app.test_client().get("/docs")
    page, policy = answer.get_data(as_text=True), answer.headers["Content-Security-Policy"]
    assert answer.status_code == 200
    assert not re.search(r"https?://|//\w", page)
    assert policy.startswith("default-src 'none'; script-src 'self';")
    assert "http" not in policy and "'unsafe-eval'" not in policy
    assert 'load-fonts="false"' in page


def test_all_that_the_page_names_is_there(app):
    client = app.test_client()
    page = client.get("/docs").get_data(as_text=True)
    named = re.findall(r'(?:href|src|spec-url)="([^"]+)"', page)
    assert "/openapi.json" in named and len(named) >= 5
    for path in named:
        assert client.get(path, buffered=True).status_code == 200, path


def test_rapidoc_stands_beside_its_licence():
    assert "MIT License" in (STATIC / "rapidoc" / "LICENSE.txt").read_text()
    assert (STATIC / "rapidoc" / "rapidoc-min.js.LICENSE.txt").is_file()
