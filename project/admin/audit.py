"""What operators ordered."""

from django.contrib import admin

from project.admin.reading import Readable
from project.admin.table import moment
from project.models import RequeueAudit


@admin.register(RequeueAudit)
class AuditAdmin(Readable):
    """Orders, the newest first."""

    list_display = (moment("at"), "by", "verb", "target", "outcome", "why", moment("finished_at"))
    list_filter = ("verb", "target", "at")
    text = "why"
    search_help_text = "An id, or part of why"
    ordering = ("-at",)

    @admin.display(description="Outcome")
    def outcome(self, audit: RequeueAudit) -> str:
        """How many rows came to what."""
        return ", ".join(f"{word} {number}" for word, number in audit.counts.items())
