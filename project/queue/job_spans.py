"""Middleware by which what a job asks of the servers belongs to one trace. Needs the extra ``otel``."""

from threading import local
from typing import Any

from dramatiq import Broker, MessageProxy
from dramatiq.middleware import Middleware
from opentelemetry import context, trace
from opentelemetry.trace import SpanKind, StatusCode


class JobSpans(Middleware):
    """One span for each delivery of a message, named after its actor."""

    def __init__(self) -> None:
        self._tracer = trace.get_tracer(__name__)
        self._thread = local()

    def before_process_message(self, broker: Broker, message: MessageProxy) -> None:
        """Begin."""
        names = {
            "messaging.message.id": message.message_id,
            "messaging.destination.name": message.queue_name,
        }
        span = self._tracer.start_span(message.actor_name, kind=SpanKind.CONSUMER, attributes=names)
        self._thread.span = span
        self._thread.token = context.attach(trace.set_span_in_context(span))

    def after_process_message(
        self,
        broker: Broker,
        message: MessageProxy,
        *,
        result: Any = None,
        exception: BaseException | None = None,
    ) -> None:
        """End; an error is named by its type, since its text may name people."""
        if exception:
            self._thread.span.set_status(StatusCode.ERROR, type(exception).__name__)
        context.detach(self._thread.token)
        self._thread.span.end()

    def after_skip_message(self, broker: Broker, message: MessageProxy) -> None:
        """End."""
        self.after_process_message(broker, message)
