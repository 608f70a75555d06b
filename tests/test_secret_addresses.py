"""Addresses that are secrets themselves: each route is held against the one list of them,
and each log against the list.
"""

import ast
import io
import logging
import re
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from click.testing import CliRunner
from gunicorn.config import Config

from svc.application import assemble
from svc.base import logs, secret_addresses, traces
from svc.base.secret_addresses import IN_PATH, IN_QUERY, REPLACEMENT
from svc.cli import commands
from svc.serving.gunicorn_logs import Logger

ROOT = Path(__file__).parents[1]
TOKEN = "dG9rZW4tb2Ytc29tZWJvZHk"
SECRETS = [
    f"/console/welcome/{TOKEN}",
    f"/portal/{TOKEN}",
    f"/portal/{TOKEN}?cursor=x",
    f"/files/0190b6a5-7c1e-7d3a-9f7e-3c5b8a1d2e4f?expires=1795253400&signature={TOKEN}",
    f"/console/connections/signed-in?state={TOKEN}&code={TOKEN}",
    f"/console/sign-in?next=%2Fconsole%2Fconnections%2Fsigned-in%3Fcode%3D{TOKEN}",
    f"/console/sign-in/code?next=%2Fportal%2F{TOKEN}",
]
HARMLESS = [
    "/console/productions/?search=x",
    "/watch/0190b6a5-7c1e-7d3a-9f7e-3c5b8a1d2e4f?audio=described",
    "/v1/events?cursor=x",
    "/files/0190b6a5-7c1e-7d3a-9f7e-3c5b8a1d2e4f",
]
# Parts of a path that name something, and open nothing: a key, a session, or that it is public
# decides.
NAMES = {
    "account_id", "action", "activation_id", "alert_id", "avatar_id", "batch_id", "connection_id",
    "connector", "customer_id", "deliverable_id", "delivery_id", "filename", "invitation_id",
    "key_id", "language", "name", "number", "partner_id", "platform", "play_id", "post_id",
    "production_id", "rest", "rule_id", "scene", "session_id", "slug", "subscription_id",
    "template_id", "user_id",
}  # fmt: skip
# Parameters of a query: those of filters and pages, and those that are secret, with the path that
# takes them.
FILTERS = {
    "search", "status", "environment", "partner", "topic", "account", "country", "actor", "kind",
    "subject", "name", "audio", "cursor", "error", "tier", "version", "q",
}  # fmt: skip
SECRET_PARAMETERS = {
    "signature": "/files/<deliverable_id>",
    "expires": "/files/<deliverable_id>",
    "code": "/console/connections/signed-in",
    "state": "/console/connections/signed-in",
    "next": "/console/sign-in",
}


def test_each_part_of_each_route_is_a_name_or_a_secret_of_the_list(app):
    secret = set()
    for rule in app.url_map.iter_rules():
        for argument in rule.arguments - NAMES:
            before = rule.rule.partition(f"<{argument}>")[0]
            assert before in IN_PATH, (
                f"{rule}: is {argument} a secret? Then svc/base/secret_addresses.py lacks {before}"
            )
            secret.add(before)
    assert secret == set(IN_PATH)  # and the list names nothing that is gone


def test_each_parameter_of_a_query_is_a_filter_or_a_secret_of_the_list(app):
    asked = {name for path in (ROOT / "svc").rglob("*.py") for name in parameters(path)}
    assert asked - FILTERS == set(SECRET_PARAMETERS)
    assert all(path.startswith(IN_QUERY) for path in SECRET_PARAMETERS.values())
    assert set(SECRET_PARAMETERS.values()) <= {rule.rule for rule in app.url_map.iter_rules()}


def parameters(path: Path) -> set[str]:
    """The names that a module reads from ``request.args``, as ``get("name")`` or ``["name"]``."""
    text = path.read_text("utf-8")
    if "request.args" not in text:
        return set()
    found = set()
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Attribute(attr="args"), attr="get"),
                args=[ast.Constant(value=str(name)), *_],
            ):
                found.add(name)
            case ast.Subscript(
                value=ast.Attribute(attr="args"), slice=ast.Constant(value=str(name))
            ):
                found.add(name)
    return found


@pytest.mark.parametrize("address", SECRETS)
def test_what_is_secret_is_left_out_of_an_address_alone_and_in_a_sentence(address):
    for text in (address, f"GET https://media.example{address} HTTP/1.1", f'"{address}", and more'):
        shown = secret_addresses.redact(text)
        assert TOKEN not in shown and REPLACEMENT in shown
    assert secret_addresses.redact(f'"{address}", and more').endswith('", and more')


@pytest.mark.parametrize("address", HARMLESS)
def test_other_addresses_stay_whole(address):
    assert secret_addresses.redact(address) == address


@pytest.mark.parametrize("log_format", ["human", "json"])
def test_no_line_of_the_log_has_a_secret_address(monkeypatch, log_format):
    there, root = io.StringIO(), logging.getLogger()
    monkeypatch.setattr("sys.stderr", there)
    before = root.handlers[:], root.level
    logs.install(log_format)
    try:
        for address in SECRETS:
            logging.getLogger("svc.test").info("refused %s", address)
            try:
                raise ValueError(f"cannot follow {address}")
            except ValueError:
                logging.getLogger("svc.test").exception("it failed")
    finally:
        root.handlers[:], _ = before
        root.setLevel(before[1])
    assert TOKEN not in there.getvalue() and there.getvalue().count(REPLACEMENT) >= 2 * len(SECRETS)


@pytest.mark.parametrize("address", SECRETS)
def test_gunicorns_access_log_has_none_whatever_its_format(address):
    path, _, query = address.partition("?")
    environ = {
        "REQUEST_METHOD": "GET",
        "RAW_URI": address,
        "SERVER_PROTOCOL": "HTTP/1.1",
        "PATH_INFO": path,
        "QUERY_STRING": query,
        "HTTP_REFERER": f"https://a.example{address}",
        "REMOTE_ADDR": "192.0.2.1",
        "HTTP_X_API_KEY": f"svc_live_abcd{TOKEN}",
    }
    headers = [("REFERER", environ["HTTP_REFERER"]), ("HX-CURRENT-URL", environ["HTTP_REFERER"])]
    answer = SimpleNamespace(
        status="303 See Other", sent=0, headers=[("Location", f"https://a.example{address}")]
    )
    request = SimpleNamespace(headers=headers)
    atoms = Logger(Config()).atoms(answer, request, environ, timedelta(0))
    assert [name for name, value in atoms.items() if TOKEN in str(value)] == []
    assert (atoms["s"], atoms["h"], atoms["m"]) == ("303", "192.0.2.1", "GET")


@pytest.mark.parametrize("address", SECRETS)
def test_no_span_has_one(app, monkeypatch, address):
    said = []
    monkeypatch.setattr(traces, "begin_span", lambda headers: "span")
    monkeypatch.setattr(
        traces, "end_span", lambda *words, **attributes: said.append((words, attributes))
    )
    monkeypatch.setattr(traces, "IS_ENABLED", True)
    traced = assemble()
    traced.extensions, traced.config = app.extensions, app.config
    traced.test_client().get(address)
    assert said and TOKEN not in str(said)


@pytest.mark.parametrize("address", SECRETS)
def test_no_page_that_has_one_as_its_address_tells_it_as_a_referrer_or_shows_it_when_it_refuses(
    app, address
):
    answer = app.test_client().get(address)
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    if answer.status_code >= 400:
        assert TOKEN not in answer.text


def printed(*words: str) -> str:
    done = CliRunner().invoke(commands.main, ["deploy", *words])
    assert done.exit_code == 0
    return done.output


@pytest.mark.parametrize("address", [*SECRETS, *HARMLESS])
def test_nginx_logs_addresses_and_referrers_without_secrets(address):
    text = printed("nginx")
    written = re.findall(r"access_log .+", text)
    assert len(written) == text.count("server_name ") and set(written) == {
        "access_log /var/log/nginx/access.log without_secrets;"
    }
    [log_format] = re.findall(r"log_format without_secrets (.+?);", text, re.DOTALL)
    assert not re.search(
        r"\$(request|request_uri|args|query_string|http_referer|uri)\b", log_format
    )
    for variable, source in (("logged_address", "request_uri"), ("logged_referer", "http_referer")):
        [body] = re.findall(rf"map \${source} \${variable} {{(.+?)\n}}", text, re.DOTALL)
        rules = re.findall(r'"~(.+)" "\$shown(.+)";', body)
        assert f"default ${source};" in body and f"${variable}" in log_format
        full = address if source == "request_uri" else f"https://a.example{address}"
        matches = [(re.search(rule.replace("(?<", "(?P<"), full), ending) for rule, ending in rules]
        shown = next((match["shown"] + ending for match, ending in matches if match), full)
        assert shown == secret_addresses.redact(full)


@pytest.mark.parametrize("address", SECRETS)
def test_nginx_logs_no_errors_of_secret_addresses_with_their_address(address):
    path = address.partition("?")[0]
    blocks = re.findall(r"location ~ (\S+) {(.+?)\n    }", printed("nginx"), re.DOTALL)
    first = next(body for pattern, body in blocks if re.search(pattern, path))
    assert "error_log /dev/null;" in first and "proxy_pass" in first
    assert re.search(r"location /_media/ {\s+internal;\s+error_log /dev/null;", printed("nginx"))


@pytest.mark.parametrize("address", [*SECRETS, *HARMLESS])
def test_caddy_logs_addresses_and_referrers_without_secrets(address):
    text = printed("caddy")
    fields = dict(re.findall(r"(\S+) regexp `(.+?)` `\$\{1\}\$\{2\}\(secret\)`", text))
    assert {"request>uri", "request>headers>Referer", "resp_headers>Location"} <= fields.keys()
    assert "request>headers>X-Api-Key delete" in text
    for pattern in fields.values():
        shown = re.sub(
            pattern, lambda match: (match[1] or "") + (match[2] or "") + REPLACEMENT, address
        )
        assert shown == secret_addresses.redact(address)


def test_ingress_nginx_logs_no_request_for_one():
    made = [each for each in yaml.safe_load_all(printed("kubernetes")) if each["kind"] == "Ingress"]
    log = "nginx.ingress.kubernetes.io/enable-access-log"
    [unlogged] = [each for each in made if log in each["metadata"]["annotations"]]
    assert unlogged["metadata"]["annotations"][log] == "false"
    paths = [each["path"] for each in unlogged["spec"]["rules"][0]["http"]["paths"]]
    assert sorted(paths) == sorted(path.rstrip("/") for path in (*IN_PATH, *IN_QUERY))
    assert all(
        each["pathType"] == "Prefix" for each in unlogged["spec"]["rules"][0]["http"]["paths"]
    )


@pytest.mark.parametrize("kind", ["systemd", "docker", "compose", "kubernetes"])
def test_no_other_file_turns_on_a_log_that_nobody_redacts(kind):
    assert not re.search(r"access-?log(?!.*false)|accesslog", printed(kind))


def test_the_history_of_requests_keeps_paths_without_queries(app, partner):
    partner.get(f"/v1/productions?code={TOKEN}")
    partner.get(f"/portal/{TOKEN}")
    app.extensions["svc"].recorder.flush()
    assert TOKEN not in partner.get("/v1/partner/requests").text
