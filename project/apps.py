"""The one Django app of the project."""

import sys
from pathlib import Path

from django.apps import AppConfig
from django.conf import settings

from project.telemetry.traces import send_traces


class ProjectConfig(AppConfig):
    """Models, actors, views and commands live under one app label."""

    name = "project"
    label = "project"
    verbose_name = "Singlepost"

    def ready(self) -> None:
        """Begin to trace, where that is wanted."""
        if settings.TRACES_URL and not _is_command():
            send_traces(settings.TRACES_URL)


def _is_command() -> bool:
    """Whether this is a command for people or probes, whose end must not wait for a collector that is away.

    Workers are none of them: `rundramatiq` turns into dramatiq's own program.
    """
    return Path(sys.argv[0]).name in {"manage.py", "django-admin"}
