"""The API reference: pages of our own from the document, without script, under a strict policy."""

import json
import re

import pytest


@pytest.fixture
def document(app) -> dict:
    return json.loads(app.test_client().get("/openapi.json").data)


def pages(app, document) -> dict[str, str]:
    client = app.test_client()
    paths = ["/docs", *(f"/docs/{tag['name']}" for tag in document["tags"])]
    return {path: client.get(path).get_data(as_text=True) for path in paths}


def test_the_page_lets_nothing_in_from_elsewhere(app):
    for path in ("/docs", "/docs/productions"):
        answer = app.test_client().get(path)
        page, policy = answer.get_data(as_text=True), answer.headers["Content-Security-Policy"]
        assert answer.status_code == 200
        assert "<script" not in page and not re.search(r'(?:href|src)="(?:https?:)?//', page)
        assert policy.startswith("default-src 'none'; style-src 'self';")
        assert "http" not in policy and "unsafe" not in policy


def test_all_that_the_page_names_is_there(app, document):
    client, shown = app.test_client(), pages(app, document)
    for path, page in shown.items():
        for target in set(re.findall(r'href="([^"]+)"', page)):
            place, _, anchor = target.partition("#")
            if re.match(r"[a-z]+:", place):
                continue
            assert (
                place in shown
                or place == ""
                or client.get(place, buffered=True).status_code in (200, 303)
            ), target
            if anchor:
                assert f'id="{anchor}"' in (shown.get(place) or page), f"{path}: {target}"


def test_every_operation_and_event_is_on_one_page_and_an_alias_beside_the_path_that_it_repeats(
    app, document
):
    shown = "".join(page for path, page in pages(app, document).items() if path != "/docs")
    operations = [
        (path, each) for path, item in document["paths"].items() for each in item.values()
    ]
    operations += [(name, item["post"]) for name, item in document["webhooks"].items()]
    aliases = [each for _, each in operations if "x-aliasOf" in each]
    assert len(aliases) == 4
    for path, each in operations:
        assert shown.count(f'<h2 id="{each["operationId"]}">') == (0 if each in aliases else 1)
        assert path in shown
    assert {each["x-aliasOf"] for each in aliases} <= {
        each["operationId"] for _, each in operations
    }


def test_a_page_says_what_the_document_says_of_a_body_and_of_refusals(app, document):
    page = app.test_client().get("/docs/productions").get_data(as_text=True)
    section = page.partition('id="trigger_production"')[2].partition("</section>")[0]
    for name in document["components"]["schemas"]["Brief"]["properties"]:
        assert f'<code class="name">{name}</code>' in section
    assert "1 to 500 characters" in section and "How tides work" in section
    assert "--header &#34;Idempotency-Key: $(uuidgen)&#34;" in section
    for code in ("INVALID_REQUEST", "CONCURRENCY_LIMIT_REACHED", "RATE_LIMIT_EXCEEDED"):
        assert code in section


def test_a_body_without_fields_is_neither_announced_nor_sent(app, document):
    shown = "".join(page for path, page in pages(app, document).items() if path != "/docs")
    assert not re.search(r'<ul class="properties">\s*</ul>', shown)
    for path in (
        "/v1/partners/keys/rotate",
        "/v1/webhooks/[^/]+/pause",
        "/v1/batches/[^/]+/resume",
    ):
        [call] = re.findall(rf"curl \S*{path}[^<]*(?:<(?!/pre)[^<]*)*", shown)
        assert "--request POST" in call and "--data" not in call


def test_a_page_comes_with_an_etag_and_an_unknown_one_is_not_found(app):
    client = app.test_client()
    first = client.get("/docs/webhooks")
    assert (
        client.get("/docs/webhooks", headers={"If-None-Match": first.headers["ETag"]}).status_code
        == 304
    )
    assert client.get("/docs/nothing").status_code == 404
    # the other documents keep their paths
    assert client.get("/docs/api.md").mimetype == "text/markdown"


def hits(app, words: str) -> list[str]:
    page = app.test_client().get("/docs/search", query_string={"q": words}).get_data(as_text=True)
    return re.findall(r'<li><a href="/docs([^"]+)">', page.partition("<main")[2])


def test_the_reference_is_searched_by_operation_field_error_code_and_event_type(app):
    assert "/productions#" in hits(app, "trigger production")[0]
    assert any(place.startswith("/events#") for place in hits(app, "production.script.ready"))
    for words in ("keyPhrase", "SUBSCRIPTION_NOT_ACTIVE", "signingSecret", "Idempotency-Key"):
        assert hits(app, words), words
    assert hits(app, "WEBHOOKS endpointurl") == hits(app, "endpointurl  webhooks") != []


def test_each_place_that_is_found_is_there(app, document):
    shown = pages(app, document)
    for word in ("production", "webhook", "key", "version"):
        for place in hits(app, word):
            path, _, anchor = f"/docs{place}".partition("#")
            assert f'id="{anchor}"' in shown[path], place


@pytest.mark.parametrize("words", ["", " ", "<script>", "nowhere-to-be-found", "x" * 5000, "%zz"])
def test_a_search_that_finds_nothing_says_so(app, words):
    answer = app.test_client().get("/docs/search", query_string={"q": words})
    page = answer.get_data(as_text=True)
    assert answer.status_code == 200 and "<script" not in page and "Search for an operation" in page
    assert "script-src" not in answer.headers["Content-Security-Policy"]


def test_no_group_of_operations_has_the_address_of_the_search(document):
    assert not {"search", "changelog"} & {tag["name"] for tag in document["tags"]}
