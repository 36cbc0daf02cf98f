"""What hangs on what: the foreign keys between tables, read from Django's models.

Nothing here names a table, so a new model is taken into account by being there.
"""

from collections.abc import Collection, Iterable
from enum import Enum, auto
from functools import cache
from graphlib import TopologicalSorter
from typing import Any, NamedTuple

from django.db.models import CASCADE, SET_NULL, ForeignKey, ManyToOneRel, Model, QuerySet

from project.models.audited import Audited

Keys = Collection[Any]


class Role(Enum):
    """What a reference means for the row that it names, when that row is to be deleted.

    PART: the referring row belongs to it and goes first. LOOSE: the reference is emptied. HOLD: the row stays
    as long as there is one.
    """

    PART = auto()
    LOOSE = auto()
    HOLD = auto()


class Reference(NamedTuple):
    """A foreign key of `model`."""

    model: type[Model]
    field: "ForeignKey[Any, Any]"

    @property
    def role(self) -> Role:
        """What it means.

        A row is a part of what it cannot be without, and so is one that nothing else is a part of (an
        activity of its issue), or that is never deleted by itself (an unsubscribe token). An optional
        reference of any other row, such as an issue's state or parent, would take more along than was
        deleted, so it holds.
        """
        on_delete = self.field.remote_field.on_delete
        if on_delete is SET_NULL:
            return Role.LOOSE
        if on_delete is not CASCADE:
            return Role.HOLD
        stands_alone = self.field.null and issubclass(self.model, Audited) and _is_named(self.model)
        return Role.HOLD if stands_alone else Role.PART

    def rows(self, keys: Keys) -> QuerySet[Model]:
        """Return the rows that name one of these, soft-deleted ones too."""
        return self.model._base_manager.filter(**{f"{self.field.name}__in": keys})

    def named(self, rows: QuerySet[Model]) -> set[Any]:
        """Return the keys that `rows` name."""
        return set(rows.values_list(self.field.attname, flat=True).distinct())


@cache
def references(model: type[Model], role: Role) -> list[Reference]:
    """Return the references to `model` of one role; those of rows that name others come first."""
    found = [reference for reference in _all(model) if reference.role is role]
    place = {model: n for n, model in enumerate(in_order(reference.model for reference in found))}
    return sorted(found, key=lambda reference: place[reference.model])


def in_order(models: Iterable[type[Model]]) -> list[type[Model]]:
    """Return `models` so that each comes before those that its rows name: the order of deletion."""
    wanted = sorted(set(models), key=lambda model: model._meta.db_table)
    graph = {model: [r.model for r in _all(model) if _counts(r, model, wanted)] for model in wanted}
    return list(TopologicalSorter(graph).static_order())


def _counts(reference: Reference, target: type[Model], wanted: Collection[type[Model]]) -> bool:
    on_delete = reference.field.remote_field.on_delete
    return on_delete is not SET_NULL and reference.model in wanted and reference.model is not target


def _all(model: type[Model]) -> list[Reference]:
    relations = model._meta.get_fields(include_hidden=True)
    return [Reference(r.related_model, r.field) for r in relations if isinstance(r, ManyToOneRel)]


def _is_named(model: type[Model]) -> bool:
    return any(reference.field.remote_field.on_delete is CASCADE for reference in _all(model))
