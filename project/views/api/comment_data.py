"""Comments as JSON: what clients send and what they get."""

from rest_framework import serializers

from project.models import IssueComment
from project.views.api.parsing import KnownFields, Text


class CommentBody(KnownFields):
    """The text of a comment."""

    comment_html = Text(trim_whitespace=False)

    def html(self) -> str:
        """Return what was sent.

        Raises:
            ValidationError: naming what is wrong with it.
        """
        self.is_valid(raise_exception=True)
        html: str = self.validated_data["comment_html"]
        return html


class CommentRow(serializers.ModelSerializer[IssueComment]):
    """A comment."""

    class Meta:
        model = IssueComment
        fields = [
            "id",
            "comment_html",
            "comment_stripped",
            "actor",
            "edited_at",
            "created_at",
            "updated_at",
            "issue_id",
            "project_id",
            "workspace_id",
        ]
