"""Which mail somebody stopped by the link in a mail, as far as it concerns an issue."""

from django.db.models import Q

from project.models import Issue, MailStop, Scope, User


def stops_about(person: User, issue: Issue | None) -> frozenset[str]:
    """Return the scopes of the stops that were not taken back."""
    concerned = Q(scope__in=[Scope.EXPORTS, Scope.ALL])
    if issue:
        concerned |= Q(scope=Scope.ISSUE, token__issue=issue)
        concerned |= Q(scope=Scope.PROJECT, token__issue__project=issue.project_id)
        concerned |= Q(scope=Scope.WORKSPACE, token__workspace=issue.workspace_id)
    rows = MailStop.objects.filter(concerned, token__receiver=person, taken_back_at=None)
    return frozenset(rows.values_list("scope", flat=True))


def by_link(stops: frozenset[str], scope: Scope) -> str:
    """Tell that a wish came by the link in a mail, if it did."""
    return " (unsubscribed by the link in a mail)" if scope in stops else ""
