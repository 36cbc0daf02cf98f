"""Events: first of all those whose fan-out was given up."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.text import Truncator

from project.actors.notifications import fan_out_event
from project.admin.attention import AttentionFilter
from project.admin.ordering import Deed, Ordered
from project.admin.table import moment
from project.models import EventStatus, IssueEvent, Verb
from project.services.digests.explain_lookup import issue_key
from project.services.maintenance import requeue_events

REQUEUE = Deed(Verb.REQUEUE, requeue_events.if_requeued, requeue_events.requeue, fan_out_event)


class StatusFilter(AttentionFilter):
    """At first: what was given up."""

    label = "Given up"
    wanted = (EventStatus.FAILED,)
    statuses = [choice for choice in EventStatus.choices if choice[0] != EventStatus.FAILED]


@admin.register(IssueEvent)
class EventAdmin(Ordered):
    """A list to find out what went wrong, and to order that it is tried again."""

    list_display = ("kind", "key", "actor", "status", "why", "attempts", moment("occurred_at"))
    list_filter = (StatusFilter, "occurred_at")
    list_select_related = ("issue__project", "actor")
    ordering = ("-occurred_at", "id")
    person, issue, text = "actor", "issue", "reason"
    search_help_text = "An id, the actor's address, an issue's key such as ACME-12, or part of the reason"
    actions = ("requeue",)
    explained_as = "event"

    @admin.display(description="Issue")
    def key(self, event: IssueEvent) -> str:
        """What people call the issue."""
        return issue_key(event.issue)

    @admin.display(description="Reason")
    def why(self, event: IssueEvent) -> str:
        """The beginning of the reason."""
        return Truncator(event.reason).chars(80)

    @admin.action(description="Re-queue", permissions=["operate"])
    def requeue(self, request: HttpRequest, rows: QuerySet[IssueEvent]) -> HttpResponse | None:
        """Fan the ticked ones out again."""
        return self.carry_out(request, REQUEUE, rows)
