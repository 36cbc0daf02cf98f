"""Attachments as JSON: what clients send and what they get."""

from django.core.validators import RegexValidator
from rest_framework import serializers

from project.models import FileAsset
from project.services.notifications.attachments import File
from project.views.api.parsing import KnownFields, Text

LARGEST = 5 * 2**40  # bytes: S3 takes no larger object

_FILE_NAME = RegexValidator(
    r"[\x00-\x1f\x7f-\x9f\u2028\u2029/\\]",
    "A file name has no slashes, line breaks or control characters.",
    inverse_match=True,
)


class AttachmentBody(KnownFields):
    """A file as its owner describes it."""

    name = Text(max_length=255, validators=[_FILE_NAME])
    size = serializers.IntegerField(min_value=0, max_value=LARGEST)
    type = Text(max_length=255, allow_blank=True, default="")

    def file(self) -> File:
        """Return what was sent.

        Raises:
            ValidationError: naming each field that is wrong.
        """
        self.is_valid(raise_exception=True)
        return File(**self.validated_data)


class AttachmentRow(serializers.ModelSerializer[FileAsset]):
    """An attachment."""

    class Meta:
        model = FileAsset
        fields = [
            "id",
            "asset",
            "attributes",
            "size",
            "created_at",
            "created_by",
            "updated_at",
            "issue_id",
            "project_id",
            "workspace_id",
        ]
