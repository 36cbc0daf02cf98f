"""The filters of an inbox, in the address of a list or in the body of "mark all read"."""

from typing import Any

from rest_framework import serializers

from project.services.notifications.inbox import Relation, Selection
from project.views.api.parsing import KnownFields

#: Plane has two names for one thing: its lists say "subscribed", its "mark all read" says "watching".
_RELATIONS = {**{str(relation): relation for relation in Relation}, "watching": Relation.SUBSCRIBED}


class Truth(serializers.Field[bool, Any, bool, Any]):
    """True or false, as JSON has them or as a word."""

    default_error_messages = {"invalid": "Must be true or false."}

    def to_internal_value(self, data: Any) -> bool:
        """Return the value."""
        match data:
            case True | "true":
                return True
            case False | "false":
                return False
        return self.fail("invalid")


class Relations(serializers.Field[frozenset[Relation], Any, Any, Any]):
    """Relations to the issue, separated by commas; "all" is the same as none."""

    default_error_messages = {"invalid": "Must be all, or one or more of subscribed, assigned, created."}

    def to_internal_value(self, data: Any) -> frozenset[Relation]:
        """Return the value."""
        words = data.split(",") if isinstance(data, str) else [""]
        if not {*words} <= {"all", *_RELATIONS}:
            self.fail("invalid")
        return frozenset() if "all" in words else frozenset(_RELATIONS[word] for word in words)


class Filters(serializers.Serializer[Selection]):
    """Plane's filters. By default nothing that is snoozed or archived; in the archive, snoozed or not."""

    type = Relations(required=False)
    mentioned = Truth(default=None)
    read = Truth(default=None)
    archived = Truth(default=False)
    snoozed = Truth(required=False)


class FiltersBody(KnownFields, Filters):
    """The same as a body, where a misspelt filter would select too much."""


def selection_of(given: Any, form: type[Filters] = Filters) -> Selection:
    """Return the selection that is asked for; `given` maps the names of filters to their values.

    Raises:
        ValidationError: naming each filter whose value is wrong.
    """
    filters = form(data=given)
    filters.is_valid(raise_exception=True)
    values = filters.validated_data
    archived = values["archived"]
    return Selection(
        relations=values.get("type", frozenset()),
        mentioned=values["mentioned"],
        read=values["read"],
        archived=archived,
        snoozed=values.get("snoozed", None if archived else False),
    )
