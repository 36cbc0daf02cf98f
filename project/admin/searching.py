"""Search that uses indexes: by an id, a person's address or an issue's key."""

from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest

from project.admin.table import Table
from project.models import User
from project.services.digests.explain_lookup import as_uuid, issues_named


class Searched(Table):
    """Finds rows by their own id, or by whom and what they are about.

    Attributes:
        person: The column of the user, if there is one.
        issue: The column that holds the issue's id.
        text: A column to look for parts of any other text in; only where the list is short.
        wanted_first: Whether nothing is listed before something is searched for.
    """

    search_fields = ("id",)  # Django shows the box for it
    search_help_text = "An id, a person's address, or an issue's key such as ACME-12"
    person: str = ""
    issue: str = ""
    text: str = ""
    wanted_first = False

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Model], search_term: str
    ) -> tuple[QuerySet[Model], bool]:
        """Return the rows that are meant; none is there twice."""
        term = search_term.strip()
        if not term:
            return (queryset.none() if self.wanted_first else queryset), False
        return queryset.filter(self._meant(term)), False

    def _meant(self, term: str) -> Q:
        if row_id := as_uuid(term):
            columns = filter(None, ("pk", self.person, self.issue))
            return Q(*((column, row_id) for column in columns), _connector=Q.OR)
        if self.person and "@" in term:
            return Q((f"{self.person}__in", User.objects.filter(email=term.lower()).values("pk")))
        if self.issue and (issues := issues_named(term)):
            return Q((f"{self.issue}__in", [issue.pk for issue in issues]))
        return Q((f"{self.text}__icontains", term)) if self.text else Q(pk__in=[])
