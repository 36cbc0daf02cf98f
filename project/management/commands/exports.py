"""``manage.py exports``: look at exports, try failed ones again, cancel open ones."""

from argparse import ArgumentParser
from collections.abc import Iterable, Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db.models import QuerySet
from django.utils import timezone

from project.actors.exports import run_export
from project.management import orders
from project.management.arguments import add_json, add_listing, add_order, narrowed, order, span
from project.management.orders import Deed, Outcomes
from project.management.printing import as_json, table
from project.models import (
    MOMENT,
    Exporter,
    ExportRun,
    ExportStatus,
    NotFoundError,
    Order,
    Prospect,
    RequeueAudit,
    Verb,
    Wake,
    Workspace,
)
from project.models.export import OPEN
from project.services.digests.explain_lookup import as_uuid, find_user
from project.services.exports import requeue
from project.services.exports.cancel import cancel

FILTERS = ("status", "error", "user", "workspace")
#: Which ones a verb means unless statuses are named.
MEANT = {
    "list": [*sorted(OPEN), ExportStatus.FAILED],
    "requeue": [ExportStatus.FAILED],
    "cancel": sorted(OPEN),
}


class Command(BaseCommand):
    """Lists, shows, re-queues and cancels exports."""

    help = "Exports that wait, are made, or failed. requeue and cancel only preview without --yes."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the verbs."""
        verbs = parser.add_subparsers(dest="verb", required=True)
        _add_filters(verbs.add_parser("list", help="open and failed ones, the oldest first"))
        show = verbs.add_parser("show", help="all about one of them")
        show.add_argument("ids", nargs=1, metavar="ID")
        add_json(show)
        for verb, help_ in (
            ("requeue", "try failed ones again"),
            ("cancel", "cancel queued ones, and stop those that are made"),
        ):
            acting = verbs.add_parser(verb, help=help_)
            acting.add_argument("ids", nargs="*", metavar="ID", help="these ones, instead of filters")
            _add_filters(acting)
            add_order(acting)

    def handle(self, *args: Any, **options: Any) -> None:
        """Do what the verb says.

        Raises:
            CommandError: if an export, user or workspace is not there, or the order is not complete.
        """
        try:
            if options["verb"] == "list":
                text = _list(options)
            elif options["verb"] == "show":
                text = _show(options)
            else:
                text = self._order(options)
        except NotFoundError as error:
            raise CommandError(error) from error
        self.stdout.write(text)

    def _order(self, options: dict[str, Any]) -> str:
        deeds = {
            "requeue": (Verb.REQUEUE, Deed("exports", requeue.if_requeued, self._requeue)),
            # To the operators' audit, cancelled work is discarded work.
            "cancel": (Verb.CANCEL, Deed("exports", _if_cancelled, _cancel)),
        }
        verb, deed = deeds[options["verb"]]
        given = order(verb, options, narrowed=narrowed(options, FILTERS))
        targets: Iterable[Wake] = _named(options["ids"]) if options["ids"] else _targets(options)
        return orders.carry_out(deed, targets, given, options)

    def _requeue(self, batch: list[Wake], order: Order) -> Outcomes:
        report = requeue.requeue(batch, order)
        orders.send(run_export, report.wakes, warn=self.stderr.write)
        return report.outcomes


def _if_cancelled(batch: list[Wake]) -> Outcomes:
    runs = _runs().in_bulk([wake.row_id for wake in batch])
    return {str(row_id): _judge(runs.get(row_id)) for row_id, _ in batch}


def _cancel(batch: list[Wake], order: Order) -> Outcomes:
    # Each one is cancelled in a transaction of its own, so the record comes first.
    audit = RequeueAudit.begin(order, RequeueAudit.Target.EXPORTS, (str(wake.row_id) for wake in batch))
    exports = Exporter.objects.filter(id__in=[wake.row_id for wake in batch])
    cancelled = {str(export.id) for export in exports if cancel(export, now=order.at)}
    outcomes = {
        key: Prospect(True, "cancelled") if key in cancelled else prospect
        for key, prospect in _if_cancelled(batch).items()
    }
    audit.finish(outcomes, now=timezone.now())
    return outcomes


def _judge(run: ExportRun | None) -> Prospect:
    if run is None:
        return Prospect(False, "no such export")
    if run.status in OPEN:
        return Prospect(True, "will be cancelled", f"{run.status}, {_progress(run)}")
    return Prospect(False, "already ended", f"{run.status} since {run.ended_at:{MOMENT}}")


def _add_filters(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--status", action="append", choices=ExportStatus.values, help="in this status; may be repeated"
    )
    parser.add_argument("--error", metavar="TEXT", help="with this in the reason, in any case")
    parser.add_argument("--user", metavar="USER", help="asked for by this person: address or id")
    parser.add_argument("--workspace", metavar="SLUG", help="of this workspace")
    add_listing(parser, "asked for")


def _runs() -> QuerySet[ExportRun]:
    """What its initiator took off the list is nobody's business any more."""
    return ExportRun.objects.filter(export__deleted_at=None)


def _wanted(options: dict[str, Any]) -> QuerySet[ExportRun]:
    since, until = span(options)
    given = {
        "status__in": options["status"] or MEANT[options["verb"]],
        "reason__icontains": options["error"],
        "export__initiated_by": find_user(options["user"]) if options["user"] else None,
        "export__workspace": _workspace(options["workspace"]) if options["workspace"] else None,
        "export__created_at__gte": since,
        "export__created_at__lte": until,
    }
    filters = {name: value for name, value in given.items() if value is not None}
    return _runs().filter(**filters).order_by("export__created_at", "export_id")


def _workspace(slug: str) -> Workspace:
    workspace = Workspace.objects.filter(slug=slug).first()
    if workspace is None:
        raise NotFoundError(f"{slug}: no such workspace.")
    return workspace


def _targets(options: dict[str, Any]) -> Iterator[Wake]:
    return (Wake(*row) for row in _wanted(options).values_list("export_id", "dispatch").iterator())


def _named(ids: Iterable[str]) -> list[Wake]:
    return [Wake(run.export_id, run.dispatch) for run in map(_find, dict.fromkeys(ids))]


def _find(text: str) -> ExportRun:
    export_id = as_uuid(text)
    rows = _runs().select_related("export__initiated_by", "export__workspace")
    run = rows.filter(export_id=export_id).first() if export_id else None
    if run is None:
        raise NotFoundError(f"{text}: no such export. `exports list` tells the ids.")
    return run


def _list(options: dict[str, Any]) -> str:
    runs = _wanted(options).select_related("export__initiated_by", "export__workspace")
    summaries = [_summary(run) for run in runs[: options["limit"]]]
    if options["json"]:
        return as_json(summaries)
    return table([list(summary.values()) for summary in summaries]) or "No exports fit."


def _show(options: dict[str, Any]) -> str:
    run = _find(options["ids"][0])
    wake = Wake(run.export_id, run.dispatch)
    prospects = {
        "if_requeued": requeue.if_requeued([wake]),
        "if_cancelled": _if_cancelled([wake]),
    }
    shown = ("due_at", "started_at", "progress_at", "ended_at", "snapshot_at", "expires_at")
    fields = {
        **_summary(run),
        **{name: f"{at:{MOMENT}}" if (at := getattr(run, name)) else "" for name in shown},
        **{name: getattr(run, name) for name in ("dispatch", "attempt", "failures", "key")},
        "size": "" if run.size is None else run.size,
        "filters": run.export.filters,
        **{
            name: f"{prospect.word}: {prospect.detail}"
            for name, outcomes in prospects.items()
            for prospect in outcomes.values()
        },
        "orders": [
            f"{audit.at:{MOMENT}} {audit.verb} by {audit.by} ({audit.why}): {audit.rows[str(run.export_id)]}"
            for audit in RequeueAudit.about([run.export_id])
        ],
    }
    if options["json"]:
        return as_json(fields)
    return table([(name, value) for name, value in fields.items() if value != ""])


def _summary(run: ExportRun) -> dict[str, Any]:
    export = run.export
    return {
        "id": str(run.export_id),
        "asked_at": f"{export.created_at:{MOMENT}}",
        "status": run.status,
        "user": export.initiated_by.email,
        "workspace": export.workspace.slug,
        "provider": export.provider,
        "progress": _progress(run),
        "reason": run.reason,
    }


def _progress(run: ExportRun) -> str:
    return "no rows yet" if run.rows_total is None else f"{run.rows_done} of {run.rows_total} rows"
