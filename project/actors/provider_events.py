"""The actor that looks at what the mail provider told."""

from uuid import UUID

from django.utils import timezone

from project.queue import actor
from project.services.digests.provider_events import process


@actor(queue_name="maintenance")
def note_provider_event(event_id: str, dispatch: int) -> None:
    """Conclude from one event."""
    process(UUID(event_id), dispatch, now=timezone.now())
