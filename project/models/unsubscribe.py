"""What the links by which people stop their mail rest on."""

from secrets import token_urlsafe

from django.conf import settings
from django.db import models
from django.utils import timezone

from project.models.issue import Issue
from project.models.workspace import Workspace

#: Twelve random bytes: nobody guesses one, and the link stays short enough for a header line.
TOKEN_LENGTH = 16


def new_token() -> str:
    """Return a random token for links."""
    return token_urlsafe(TOKEN_LENGTH * 3 // 4)


class UnsubscribeToken(models.Model):
    """What all mails to one person about one issue have in their links; or those that gather a workspace's issues.

    One without issue and workspace is in mails about the person's exports. Whoever has it, and who is quoted a
    mail has it, can stop mail to that person, and nothing else. It is kept as it is and not as a hash, since
    the next mail needs it again.
    """

    token = models.CharField(max_length=TOKEN_LENGTH, primary_key=True, default=new_token, editable=False)
    receiver = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    issue = models.ForeignKey(Issue, models.CASCADE, null=True, related_name="+")
    workspace = models.ForeignKey(Workspace, models.CASCADE, null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        db_table = "unsubscribe_tokens"
        constraints = [
            # Reader: every sealing.
            models.UniqueConstraint(
                fields=["receiver", "issue", "workspace"],
                nulls_distinct=False,
                name="unsubscribe_token_unique",
            ),
            models.CheckConstraint(
                name="unsubscribe_token_of_issue_or_workspace",
                condition=models.Q(issue__isnull=True) | models.Q(workspace__isnull=True),
            ),
        ]

    def __str__(self) -> str:
        return f"unsubscribe token of {self.receiver_id}"


class Scope(models.TextChoices):
    """What mail a link stops. In each case the inbox still tells everything."""

    ISSUE = "issue", "About one issue"
    PROJECT = "project", "About one project"
    WORKSPACE = "workspace", "From one workspace"
    EXPORTS = "exports", "About own exports"
    ALL = "all", "All mail"


class MailStop(models.Model):
    """A link in a mail was used, and stopped some mail; ``before`` says what is needed to take that back.

    That nothing is mailed about exports is written nowhere else. A ticket to take a stop back from the page names
    the number in ``ticket``; others are void.
    """

    token = models.ForeignKey(UnsubscribeToken, models.CASCADE, related_name="stops")
    scope = models.CharField(max_length=16, choices=Scope.choices)
    at = models.DateTimeField()
    before = models.JSONField(default=dict)
    ticket = models.PositiveIntegerField(default=1)
    taken_back_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "mail_stops"

    def __str__(self) -> str:
        return f"mail stopped ({self.scope}) by a link: {self.pk}"
