"""Endpoints for monitoring: liveness, readiness, and metrics in Prometheus' format."""

import hmac

from flask import Blueprint, Response, request
from prometheus_client import CollectorRegistry
from prometheus_client.exposition import choose_encoder

from svc.api.context import now, service
from svc.api.envelope import make_json_response
from svc.api.prometheus import Families
from svc.base import client_addresses
from svc.base.errors import NotFound, Unauthorized

bp = Blueprint("monitoring", __name__)

# The headers that show that the request comes from another machine.
_FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Via")


@bp.get("/healthz")
def healthz() -> Response:
    """Answer 200 while this process is alive."""
    return make_json_response({"status": "ok"}, Cache_Control="no-store")


@bp.get("/readyz")
def readyz() -> Response:
    """Answer 200 if the service is ready for requests, or 503 with the problem of each part."""
    problems = service().probe.describe_problems(now())
    body = {"status": "unready" if problems else "ready", "problems": problems}
    return make_json_response(body, 503 if problems else 200, Cache_Control="no-store")


@bp.get("/metrics")
def metrics() -> Response:
    """Answer with the metrics if the request has SVC_METRICS_TOKEN or, without that setting,
    comes from this machine.
    """
    _admit()
    registry = CollectorRegistry(auto_describe=False)
    registry.register(Families(now()))
    encode, content_type = choose_encoder(request.headers.get("Accept", ""))
    return Response(
        encode(registry), content_type=content_type, headers={"Cache-Control": "no-store"}
    )


def _admit() -> None:
    token = service().settings.metrics_token
    if token:
        sent = request.headers.get("Authorization", "").removeprefix("Bearer ").encode()
        if not hmac.compare_digest(sent, token.encode()):
            raise Unauthorized("Send SVC_METRICS_TOKEN as Authorization: Bearer ….")
    elif not _is_here():
        raise NotFound()


def _is_here() -> bool:
    if any(name in request.headers for name in _FORWARDED):
        return False
    if not request.remote_addr:  # a Unix socket has no address
        return True
    address = client_addresses.parse(request.remote_addr)
    return address is not None and address.is_loopback
