"""Errors for Sentry and traces for OpenTelemetry, where somebody wants them: both are extras of the package."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from project.logs import without_values


def report_errors(dsn: str) -> None:
    """Send errors to Sentry. To be called before the apps load, since it changes the broker that they make.

    Nothing that may name people goes along: no local variables, no addresses, bodies or headers of requests, no
    rows that broke a constraint.

    Raises:
        ImproperlyConfigured: if the extra is not installed.
    """
    with _extra("sentry", "SENTRY_DSN"):
        import sentry_sdk  # noqa: PLC0415
        from sentry_sdk.integrations.django import DjangoIntegration  # noqa: PLC0415
        from sentry_sdk.integrations.dramatiq import DramatiqIntegration  # noqa: PLC0415
    sentry_sdk.init(
        dsn,
        integrations=[DjangoIntegration(), DramatiqIntegration()],
        send_default_pii=False,
        include_local_variables=False,
        max_request_body_size="never",
        max_breadcrumbs=0,
        before_send=_without_people,
    )


def send_traces(url: str) -> None:
    """Trace requests, jobs, statements and commands to Redis, without values, and send that to a collector.

    Raises:
        ImproperlyConfigured: if the extra is not installed.
    """
    with _extra("otel", "OTEL_EXPORTER_OTLP_ENDPOINT"):
        from opentelemetry import trace  # noqa: PLC0415
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415
        from opentelemetry.instrumentation.django import DjangoInstrumentor  # noqa: PLC0415
        from opentelemetry.instrumentation.psycopg import PsycopgInstrumentor  # noqa: PLC0415
        from opentelemetry.instrumentation.redis import RedisInstrumentor  # noqa: PLC0415
        from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415
    provider = TracerProvider(resource=Resource.create({"service.name": "singlepost"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(f"{url}/v1/traces")))
    trace.set_tracer_provider(provider)
    for instrumentor in (DjangoInstrumentor(), PsycopgInstrumentor(), RedisInstrumentor()):
        instrumentor.instrument()


@contextmanager
def _extra(name: str, variable: str) -> Iterator[None]:
    try:
        yield
    except ImportError as error:
        raise ImproperlyConfigured(
            f"{variable} is set, and {error.name} is not installed: pip install 'singlepost[{name}]'"
        ) from None


def _without_people(event: Any, _: Any) -> Any:
    """Cut from an event what the options above do not."""
    if request := event.get("request"):
        event["request"] = {"method": request.get("method")}
    for exception in event.get("exception", {}).get("values", []):
        exception["value"] = without_values(exception.get("value") or "")
    return event
