"""The admin: what operators look at, and what they order. Django imports this package to register it."""

from django.contrib import admin
from django_dramatiq.models import Task

from project.admin import audit, digests, events, lines, people, places, suppressions

# Nothing writes it: its rows would be messages as Redis had them some time ago.
admin.site.unregister(Task)

__all__ = ["audit", "digests", "events", "lines", "people", "places", "suppressions"]
