"""Issues that somebody wants no mail about."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from project.models.issue import Issue


class IssueMute(models.Model):
    """A person wants no mail about an issue, not even of a mention. The inbox still tells everything."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    issue = models.ForeignKey(Issue, models.CASCADE, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        db_table = "issue_mutes"
        constraints = [models.UniqueConstraint(fields=["user", "issue"], name="issue_mute_unique")]

    def __str__(self) -> str:
        return f"{self.user_id} muted {self.issue_id}"
