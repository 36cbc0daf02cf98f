"""The one Django app of the project."""

from django.apps import AppConfig
from django.conf import settings

from project.telemetry import send_traces


class ProjectConfig(AppConfig):
    """Models, actors, views and commands live under one app label."""

    name = "project"
    label = "project"
    verbose_name = "Singlepost"

    def ready(self) -> None:
        """Begin to trace, where that is wanted."""
        if settings.TRACES_URL:
            send_traces(settings.TRACES_URL)
