"""``manage.py events``: look at events whose fan-out was given up, and try them again."""

from argparse import ArgumentParser
from collections.abc import Iterable, Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db.models import QuerySet

from project.actors.notifications import fan_out_event
from project.management import orders
from project.management.arguments import add_listing, add_order, narrowed, order, span
from project.management.orders import Deed, Outcomes
from project.management.printing import as_json, table
from project.models import MOMENT, EventStatus, IssueEvent, NotFoundError, Order, Verb, Wake
from project.services.digests.explain_lookup import as_uuid, find_issue, issue_key
from project.services.maintenance import requeue_events

FILTERS = ("error", "issue")


class Command(BaseCommand):
    """Lists and re-queues failed events."""

    help = "Events that were not turned into notifications. requeue only previews without --yes."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the verbs."""
        verbs = parser.add_subparsers(dest="verb", required=True)
        _add_filters(verbs.add_parser("list", help="failed events, the oldest first"))
        acting = verbs.add_parser("requeue", help="fan them out again")
        acting.add_argument("ids", nargs="*", metavar="ID", help="these ones, instead of filters")
        _add_filters(acting)
        add_order(acting)

    def handle(self, *args: Any, **options: Any) -> None:
        """Do what the verb says.

        Raises:
            CommandError: if an event or issue is not there, or the order is not complete.
        """
        try:
            text = _list(options) if options["verb"] == "list" else self._order(options)
        except NotFoundError as error:
            raise CommandError(error) from error
        self.stdout.write(text)

    def _order(self, options: dict[str, Any]) -> str:
        given = order(Verb.REQUEUE, options, narrowed=narrowed(options, FILTERS))
        targets: Iterable[Wake] = _named(options["ids"]) if options["ids"] else _targets(options)
        deed = Deed("events", requeue_events.if_requeued, self._requeue)
        return orders.carry_out(deed, targets, given, options)

    def _requeue(self, batch: list[Wake], order: Order) -> Outcomes:
        report = requeue_events.requeue(batch, order)
        orders.send(fan_out_event, report.wakes, warn=self.stderr.write)
        return report.outcomes


def _add_filters(parser: ArgumentParser) -> None:
    parser.add_argument("--error", metavar="TEXT", help="with this in the reason, in any case")
    parser.add_argument("--issue", metavar="KEY", help="of this issue: key such as ACME-12, or id")
    add_listing(parser, "happened")


def _wanted(options: dict[str, Any]) -> QuerySet[IssueEvent]:
    since, until = span(options)
    rows = IssueEvent.objects.filter(status=EventStatus.FAILED, occurred_at__lte=until)
    if since:
        rows = rows.filter(occurred_at__gte=since)
    if options["error"]:
        rows = rows.filter(reason__icontains=options["error"])
    if options["issue"]:
        rows = rows.filter(issue=find_issue(options["issue"]))
    return rows.order_by("occurred_at", "id")


def _targets(options: dict[str, Any]) -> Iterator[Wake]:
    return (Wake(*row) for row in _wanted(options).values_list("id", "dispatch").iterator())


def _list(options: dict[str, Any]) -> str:
    rows = _wanted(options).select_related("issue__project")[: options["limit"]]
    summaries = [_summary(event) for event in rows]
    if options["json"]:
        return as_json(summaries)
    return table([list(summary.values()) for summary in summaries]) or "No failed events fit."


def _named(ids: Iterable[str]) -> list[Wake]:
    return [_target(text) for text in dict.fromkeys(ids)]


def _target(text: str) -> Wake:
    event_id = as_uuid(text)
    row = IssueEvent.objects.filter(id=event_id).values_list("id", "dispatch").first() if event_id else None
    if row is None:
        raise NotFoundError(f"{text}: no such event. `events list` tells the ids of the failed ones.")
    return Wake(*row)


def _summary(event: IssueEvent) -> dict[str, str]:
    return {
        "id": str(event.id),
        "occurred_at": f"{event.occurred_at:{MOMENT}}",
        "kind": event.kind,
        "issue": issue_key(event.issue),
        "attempts": str(event.attempts),
        "reason": event.reason,
    }
