"""Traces, for a collector that speaks OpenTelemetry's protocol over HTTP."""

from project.telemetry.extras import extra

_PATIENCE = 2  # seconds for a batch: what waits for it is the end of a process


def send_traces(url: str) -> None:
    """Trace requests, jobs, statements and commands to Redis, without values, and send that to a collector.

    Raises:
        ImproperlyConfigured: if the extra is not installed.
    """
    with extra("otel", "OTEL_EXPORTER_OTLP_ENDPOINT"):
        from opentelemetry import trace  # noqa: PLC0415
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415
        from opentelemetry.instrumentation.django import DjangoInstrumentor  # noqa: PLC0415
        from opentelemetry.instrumentation.psycopg import PsycopgInstrumentor  # noqa: PLC0415
        from opentelemetry.instrumentation.redis import RedisInstrumentor  # noqa: PLC0415
        from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415

        from project.telemetry.spans import DiscreetExporter  # noqa: PLC0415
    exporter = DiscreetExporter(OTLPSpanExporter(f"{url}/v1/traces", timeout=_PATIENCE))
    provider = TracerProvider(resource=Resource.create({"service.name": "singlepost"}))
    provider.add_span_processor(BatchSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    for instrumentor in (DjangoInstrumentor(), PsycopgInstrumentor(), RedisInstrumentor()):
        instrumentor.instrument()
