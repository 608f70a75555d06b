"""OpenTelemetry spans, if its standard variables enable them;
otherwise nothing is imported or sent.
"""

import importlib.util
import os
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

from svc.base.errors import SettingsError

IS_ENABLED = os.environ.get("OTEL_SDK_DISABLED", "").lower() != "true" and any(
    os.environ.get(name)
    for name in ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
)
_THERE = (
    all(importlib.util.find_spec(name) for name in ("opentelemetry", "google.protobuf"))
    if IS_ENABLED
    else False
)
if _THERE:
    from opentelemetry import trace
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.propagate import extract
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

_NOTHING = nullcontext()


class Headers(Protocol):
    """The headers of a request, found by names in any case."""

    def get(self, key: str, /) -> str | None:
        """Return the value of a header; None if it was not sent."""
        ...


_tracer: "trace.Tracer | None" = None


def start() -> None:
    """Start to send spans, if they are enabled.

    Call it after any fork. SettingsError: the library is not installed.
    """
    global _tracer
    if not IS_ENABLED:
        return
    if not _THERE:
        raise SettingsError(
            "OTEL_EXPORTER_OTLP_ENDPOINT is set but OpenTelemetry is not installed: "
            "pip install opentelemetry-sdk opentelemetry-exporter-otlp-proto-http, or unset it."
        )
    name = os.environ.get("OTEL_SERVICE_NAME", "partner-production-api")
    provider = TracerProvider(resource=Resource.create({"service.name": name}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    _tracer = provider.get_tracer("svc")


def span(name: str, **attributes: str | None) -> AbstractContextManager[object]:
    """Return a context manager that records a span: ``with span("step narration", production=…):``.

    Attributes that are None are left out.
    """
    if _tracer is None:
        return _NOTHING
    context: AbstractContextManager[object] = _tracer.start_as_current_span(
        name, attributes=_name_attributes(attributes)
    )
    return context


def begin_span(headers: Headers) -> "trace.Span | None":
    """Begin the span of a request in the trace of its ``traceparent`` header;
    None if spans are not enabled.
    """
    if _tracer is None:
        return None
    request_span: trace.Span = _tracer.start_span(
        "request", context=extract(headers), kind=trace.SpanKind.SERVER
    )
    return request_span


def end_span(begun: "trace.Span", name: str, failed: bool, **attributes: str | int | None) -> None:
    """End the span of a request and set its name, which is not known before."""
    begun.update_name(name)
    begun.set_attributes(_name_attributes(attributes))
    if failed:
        begun.set_status(trace.StatusCode.ERROR)
    begun.end()


def _name_attributes(attributes: Mapping[str, str | int | None]) -> dict[str, str | int]:
    attributes_by_name = {
        name.replace("__", "."): value for name, value in attributes.items() if value is not None
    }
    return {
        name if "." in name else f"svc.{name}": value for name, value in attributes_by_name.items()
    }
