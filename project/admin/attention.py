"""A filter by status that begins with what somebody should look at."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db.models import Model, QuerySet
from django.http import HttpRequest


class AttentionFilter(admin.SimpleListFilter):
    """Shows the rows in one of `wanted`, which an index finds among millions, unless something else is chosen
    or searched for.
    """

    title = "status"
    parameter_name = "status"
    label = ""
    wanted: Sequence[str] = ()
    statuses: Sequence[tuple[str, str]] = ()

    def lookups(self, request: HttpRequest, model_admin: object) -> list[tuple[str, str]]:
        """Return what can be chosen instead."""
        return [*self.statuses, ("all", "All")]

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        """Call the first choice what it is."""
        first, *others = super().choices(changelist)
        yield {**first, "display": self.label}
        yield from others

    def queryset(self, request: HttpRequest, queryset: QuerySet[Model]) -> QuerySet[Model]:
        """Return the rows in the chosen status."""
        if self.value() == "all" or (self.value() is None and request.GET.get("q")):
            return queryset
        return queryset.filter(status__in=[self.value()] if self.value() else self.wanted)
