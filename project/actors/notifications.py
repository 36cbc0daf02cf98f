"""Actors of the notifications feature."""

from uuid import UUID

from django.conf import settings
from django.utils import timezone

from project.queue import actor
from project.services.notifications.fan_out import fan_out


@actor(queue_name="fan_out")
def fan_out_event(event_id: str, dispatch: int) -> None:
    """Turn one event into notifications and log rows."""
    fan_out(UUID(event_id), dispatch, now=timezone.now(), limits=settings.LIMITS)
