"""Links as JSON: what clients send and what they get."""

from typing import cast

from django.core.validators import URLValidator
from rest_framework import serializers

from project.models import IssueLink
from project.services.notifications.web_links import LinkValues
from project.views.api.parsing import KnownFields, Text


class LinkBody(KnownFields):
    """What can be set on a link. Only web addresses are links: a click on anything else could run a script."""

    url = Text(validators=[URLValidator(schemes=["http", "https"])])
    title = Text(required=False, allow_null=True, allow_blank=True, max_length=255)

    def values(self) -> LinkValues:
        """Return what was sent.

        Raises:
            ValidationError: naming each field that is wrong.
        """
        self.is_valid(raise_exception=True)
        return cast(LinkValues, self.validated_data)


class LinkRow(serializers.ModelSerializer[IssueLink]):
    """A link."""

    class Meta:
        model = IssueLink
        fields = [
            "id",
            "url",
            "title",
            "metadata",
            "created_at",
            "created_by",
            "updated_at",
            "issue_id",
            "project_id",
            "workspace_id",
        ]
