"""Actors that do what the rules of projects say about issues that nobody touches."""

from django.conf import settings
from django.utils import timezone

from project.actors.notifications import fan_out_event
from project.actors.periodic import outcome, periodic
from project.actors.wakes import send_wakes
from project.services.notifications.idle_issues import Moved, archive_idle, close_idle


@periodic(queue_name="maintenance")
def archive_idle_issues() -> str:
    """Archive issues that are done with and that nobody touched for long."""
    return _told(archive_idle(now=timezone.now(), limits=settings.LIMITS))


@periodic(queue_name="maintenance")
def close_idle_issues() -> str:
    """Close open issues that nobody touched for long."""
    return _told(close_idle(now=timezone.now(), limits=settings.LIMITS))


def _told(moved: Moved) -> str:
    send_wakes(fan_out_event, moved.wakes)
    return outcome(moved, failed=bool(moved.failed))
