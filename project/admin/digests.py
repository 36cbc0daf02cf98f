"""Digests: first of all those that did not go out."""

from collections.abc import Sequence

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.text import Truncator

from project.actors.digests import send_digest
from project.admin.attention import AttentionFilter
from project.admin.confirming import Outcomes
from project.admin.ordering import Deed, Ordered
from project.admin.table import moment
from project.models import DigestStatus, EmailDigest, Verb, Wake
from project.services.digests import requeue
from project.services.digests.explain_lookup import issue_key


def _if_requeued(targets: Sequence[Wake]) -> Outcomes:
    return requeue.if_requeued(targets, now=timezone.now())


REQUEUE = Deed(Verb.REQUEUE, _if_requeued, requeue.requeue, send_digest)
ASSUME_SENT = Deed(Verb.ASSUME_SENT, requeue.if_assumed_sent, requeue.assume_sent, send_digest)


class StatusFilter(AttentionFilter):
    """At first: what did not go out."""

    label = "Did not go out"
    wanted = (DigestStatus.FAILED, DigestStatus.EXPIRED, DigestStatus.HELD)
    statuses = DigestStatus.choices


@admin.register(EmailDigest)
class DigestAdmin(Ordered):
    """A list to find out what went wrong, and to order what is done about it."""

    list_display = ("receiver", "key", "status", "why", "attempt", moment("ended_at"))
    list_filter = (StatusFilter, "urgent", "ended_at")
    list_select_related = ("receiver", "issue__project")
    ordering = ("-ended_at", "id")
    person, issue, text = "receiver", "issue", "reason"
    search_help_text = "An id, the receiver's address, an issue's key such as ACME-12, or part of the reason"
    actions = ("requeue", "assume_sent")
    explained_as = "digest"

    @admin.display(description="Issue")
    def key(self, digest: EmailDigest) -> str:
        """What people call the issue."""
        return issue_key(digest.issue) if digest.issue else "-"

    @admin.display(description="Reason")
    def why(self, digest: EmailDigest) -> str:
        """The beginning of the reason."""
        return Truncator(digest.reason).chars(80)

    @admin.action(description="Re-queue", permissions=["operate"])
    def requeue(self, request: HttpRequest, rows: QuerySet[EmailDigest]) -> HttpResponse | None:
        """Try the ticked ones again."""
        return self.carry_out(request, REQUEUE, rows)

    @admin.action(description="Assume sent (held ones)", permissions=["operate"])
    def assume_sent(self, request: HttpRequest, rows: QuerySet[EmailDigest]) -> HttpResponse | None:
        """Close the ticked ones as sent."""
        return self.carry_out(request, ASSUME_SENT, rows)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Model]:
        """Leave the mails' bytes where they are."""
        return super().get_queryset(request).defer("content")
