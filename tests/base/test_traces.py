"""Spans go where OpenTelemetry's standard variables say; without them nothing is imported,
and nothing is slower.
"""

import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import requests
from support.counting import functions_called

from svc.base import traces
from svc.cli.demo.demo_server import Server

ROOT = Path(__file__).parents[2]


class Collector:
    """Receives OTLP over HTTP: the bodies that came."""

    def __init__(self):
        self.bodies: list[bytes] = []
        bodies = self.bodies

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()

    def spans(self, message) -> list:
        found = []
        for each in self.bodies:
            request = message()
            request.ParseFromString(each)
            found += [
                span
                for resource in request.resource_spans
                for scope in resource.scope_spans
                for span in scope.spans
            ]
        return found


@pytest.mark.slow
def test_unasked_it_costs_nothing_to_speak_of_and_imports_nothing():
    code = (
        "import svc.application, sys; print(any(each.startswith('opentelemetry') for each in "
        "sys.modules))"
    )
    told = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert told.stdout == "False\n"

    def nothing():
        with traces.span("step", production="p"):
            pass

    # attributes are not even looked at
    assert functions_called(nothing) == ["span", "__enter__", "__exit__"]
    assert traces.span("step", production="p") is traces.span("delivery")  # nothing is made


@pytest.mark.slow
def test_asked_for_and_not_there_it_is_said_in_a_sentence(tmp_path):
    code = (
        "import importlib.util; find = importlib.util.find_spec; "
        "importlib.util.find_spec = lambda name, *more: None if name == 'opentelemetry' else "
        "find(name, *more); import app; app.serving_app()"
    )
    environment = {
        "PATH": os.environ["PATH"],
        "OTEL_EXPORTER_OTLP_ENDPOINT": "http://x",
        "SVC_DATA_DIR": str(tmp_path / "d"),
    }
    told = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert (
        told.returncode == 3
        and "pip install opentelemetry-sdk" in told.stderr
        and "Traceback" not in told.stderr
    )


@pytest.mark.judges
def test_a_server_sends_a_span_for_each_request_and_carries_the_callers_trace_on(
    tmp_path, monkeypatch
):
    service = pytest.importorskip("opentelemetry.proto.collector.trace.v1.trace_service_pb2")
    caller = "4bf92f3577b34da6a3ce929d0e0e4736"
    with Collector() as collector:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
        with Server(tmp_path / "data", 0) as server:
            environment = {"SVC_DATA_DIR": str(tmp_path / "data"), "PATH": os.environ["PATH"]}
            made = subprocess.run(
                [sys.executable, "app.py", "seed", "--json"],
                cwd=ROOT,
                env=environment,
                capture_output=True,
                check=True,
            )
            seeded = json.loads(made.stdout)
            headers = {
                "X-API-Key": seeded["testKey"],
                "traceparent": f"00-{caller}-00f067aa0ba902b7-01",
            }
            with requests.Session() as session:
                session.trust_env = False
                assert session.get(f"{server.address}/v1/webhooks", headers=headers, timeout=60).ok
                assert session.get(f"{server.address}/nothing", timeout=60).status_code == 404
        # sent at the end
        spans = {each.name: each for each in collector.spans(service.ExportTraceServiceRequest)}
    asked = spans["GET /v1/webhooks"]
    said = {each.key: each.value.string_value or each.value.int_value for each in asked.attributes}
    assert asked.trace_id.hex() == caller
    assert (said["http.route"], said["http.response.status_code"]) == ("/v1/webhooks", 200)
    assert said["svc.partner"] == seeded["partnerId"] and len(said["svc.correlation"]) == 32
    assert "GET unknown" in spans
    assert seeded["testKey"].encode() not in b"".join(collector.bodies)
