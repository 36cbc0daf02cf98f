"""What of a span leaves this process. Needs the extra ``otel``."""

from collections.abc import Sequence

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.trace import Status

# Everything else may name people: addresses of requests hold search terms and tokens, peers are their clients.
_TELLABLE = (
    "db.",
    "messaging.",
    "http.method",
    "http.request.method",
    "http.route",
    "http.status_code",
    "http.response.status_code",
)


class DiscreetExporter(SpanExporter):
    """Passes spans on to another exporter: without the attributes that may name people, and of errors the type."""

    def __init__(self, exporter: SpanExporter) -> None:
        self._exporter = exporter

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Send what may be told of these spans."""
        return self._exporter.export([_discreet(span) for span in spans])

    def shutdown(self) -> None:
        """End the other exporter."""
        self._exporter.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Have the other exporter send what it holds."""
        return self._exporter.force_flush(timeout_millis)


def _discreet(span: ReadableSpan) -> ReadableSpan:
    """Copy a span, without its events: they are errors with the text of the database."""
    return ReadableSpan(
        name=span.name,
        context=span.context,
        parent=span.parent,
        resource=span.resource,
        attributes={
            key: value for key, value in (span.attributes or {}).items() if key.startswith(_TELLABLE)
        },
        links=span.links,
        kind=span.kind,
        status=Status(span.status.status_code, _type(span.status.description)),
        start_time=span.start_time,
        end_time=span.end_time,
        instrumentation_scope=span.instrumentation_scope,
    )


def _type(description: str | None) -> str | None:
    """The type of an error out of ``Type: text``."""
    word = (description or "").partition(":")[0]
    return word if word.isidentifier() else None
