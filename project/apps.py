"""The one Django app of the project."""

from django.apps import AppConfig


class ProjectConfig(AppConfig):
    """Models, actors, views and commands live under one app label."""

    name = "project"
    label = "project"
    verbose_name = "Singlepost"
