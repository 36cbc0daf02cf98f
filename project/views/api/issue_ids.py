"""Lists of issues that a request names."""

from typing import Any

from django.conf import settings
from rest_framework import serializers


class IssueIds(serializers.ListField):
    """Ids of issues: at least one, and at most so many that one transaction can take them."""

    child = serializers.UUIDField()

    default_error_messages = {"too_many": "At most {bound} issues at a time."}

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_empty=False, **options)

    def to_internal_value(self, data: Any) -> list[Any]:
        """Return the ids."""
        bound = settings.LIMITS.bulk_issues
        if isinstance(data, list) and len(data) > bound:
            self.fail("too_many", bound=bound)
        return super().to_internal_value(data)
