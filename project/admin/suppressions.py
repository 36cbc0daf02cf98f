"""Addresses that are not mailed, and what the mail provider told."""

from django.contrib import admin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from project.admin.attention import AttentionFilter
from project.admin.confirming import MAY_ORDER, ask, given_order, tell
from project.admin.reading import Readable
from project.admin.table import moment
from project.models import MailProviderEvent, SuppressedAddress, Verb
from project.services.digests import clearing
from project.services.digests.explain_lookup import as_uuid
from project.services.digests.suppression import in_force


class InForceFilter(AttentionFilter):
    """At first: what holds. Otherwise also what ended, was cleared or was only counted."""

    label = "In force"

    def queryset(self, request: HttpRequest, queryset: QuerySet[Model]) -> QuerySet[Model]:
        """Return the rows in the chosen state."""
        if self.value() == "all":
            return queryset
        return queryset.filter(pk__in=in_force(now=timezone.now()).values("pk"))


@admin.register(SuppressedAddress)
class SuppressionAdmin(Readable):
    """A list of refusals, and the order to clear an address."""

    list_display = ("address", "reason", "evidence", moment("since"), moment("until"), moment("cleared_at"))
    list_filter = (InForceFilter, "reason", "since")
    list_select_related = ("source",)
    ordering = ("-since", "id")
    search_fields = ("address",)
    search_help_text = "The beginning of an address, or of @domain"
    actions = ("clear",)

    def has_operate_permission(self, request: HttpRequest) -> bool:
        """Whether the user may give orders."""
        return request.user.has_perm(MAY_ORDER)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Model], search_term: str
    ) -> tuple[QuerySet[Model], bool]:
        """Look where an index does: addresses are in lower case."""
        return queryset.filter(address__startswith=search_term.strip().lower()), False

    @admin.action(description="Clear the address", permissions=["operate"])
    def clear(self, request: HttpRequest, rows: QuerySet[SuppressedAddress]) -> HttpResponse | None:
        """Mail the ticked addresses again; ask first why."""
        ticked = rows.filter(pk__in=request.POST.getlist(ACTION_CHECKBOX_NAME))
        addresses = sorted(set(ticked.values_list("address", flat=True)))
        order = given_order(request, Verb.CLEAR)
        if order is None:
            hidden = [("action", "clear"), *((ACTION_CHECKBOX_NAME, str(row.pk)) for row in ticked)]
            prospects = clearing.if_cleared(addresses, now=timezone.now())
            return ask(request, Verb.CLEAR, prospects, hidden, back=request.get_full_path())
        tell(request, clearing.clear(addresses, order))
        return None


@admin.register(MailProviderEvent)
class ProviderEventAdmin(Readable):
    """What the mail provider told, the newest first."""

    list_display = ("recipient", "kind", "words", "outcome", moment("created_at"), moment("processed_at"))
    list_filter = ("kind", "created_at")
    ordering = ("-created_at",)
    search_help_text = "An id, or that of a digest"

    def _meant(self, term: str) -> Q:
        row_id = as_uuid(term)
        return Q(pk=row_id) | Q(digest=row_id) if row_id else Q(pk__in=[])
