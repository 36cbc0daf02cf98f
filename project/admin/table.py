"""How tables are shown: so that a million rows do not matter, and nothing is lost by a click."""

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from django.contrib import admin
from django.core.paginator import Paginator
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils.functional import cached_property

from project.models import MOMENT

if TYPE_CHECKING:
    ModelAdmin = admin.ModelAdmin[Model]
    RowPaginator = Paginator[Model]
else:
    ModelAdmin, RowPaginator = admin.ModelAdmin, Paginator

COUNTED = 10_000


def moment(column: str) -> Callable[[Model], str]:
    """Make a column of a list that shows a time as operators read it elsewhere."""

    @admin.display(description=column.replace("_", " "), ordering=column)
    def shown(row: Model) -> str:
        value = getattr(row, column)
        return f"{value:{MOMENT}}" if value else "-"

    return shown


class BoundedPaginator(RowPaginator):
    """Counts no further than `COUNTED` rows; the pages beyond are reached by narrowing the list."""

    @cached_property
    def count(self) -> int:
        """How many rows there are, at most `COUNTED`."""
        rows = cast("QuerySet[Model]", self.object_list)
        return rows[:COUNTED].count()


class Table(ModelAdmin):
    """A list without unbounded counts. Rows cannot be deleted: others hang on them, lines to mail first."""

    paginator = BoundedPaginator
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    list_per_page = 50

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Nobody may."""
        return False
