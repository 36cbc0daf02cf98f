"""``manage.py digests``: look at mails that did not go out, try them again, take them for sent."""

from argparse import ArgumentParser
from collections.abc import Iterable
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from project.actors.digests import send_digest
from project.management import orders
from project.management.arguments import add_json, add_listing, add_order, narrowed, order, span
from project.management.orders import Deed, Outcomes
from project.management.printing import as_json, table
from project.models import MOMENT, DigestStatus, EmailDigest, NotFoundError, Order, RequeueAudit, Verb, Wake
from project.services.digests import requeue
from project.services.digests.explain_lookup import as_uuid, find_issue, find_user, issue_key
from project.services.digests.requeue_selection import Wanted

FILTERS = ("status", "error", "receiver", "issue")
_S = DigestStatus
#: Which ones a verb means unless statuses are named. A held one is not tried again in passing.
MEANT = {
    "list": [_S.FAILED, _S.EXPIRED, _S.HELD],
    "requeue": [_S.FAILED, _S.EXPIRED],
    "assume-sent": [_S.HELD],
}


class Command(BaseCommand):
    """Lists, shows and re-queues digests, and takes held ones for sent."""

    help = "Digests that did not go out. requeue and assume-sent only preview without --yes."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the verbs."""
        verbs = parser.add_subparsers(dest="verb", required=True)
        _add_filters(
            verbs.add_parser("list", help="failed, expired and held ones, in the order of their ends")
        )
        show = verbs.add_parser("show", help="all about one of them")
        show.add_argument("ids", nargs=1, metavar="ID")
        add_json(show)
        for verb, help_ in (
            ("requeue", "try failed and expired ones again, and held ones if named by id or status"),
            ("assume-sent", "close held ones as sent"),
        ):
            acting = verbs.add_parser(verb, help=help_)
            acting.add_argument("ids", nargs="*", metavar="ID", help="these ones, instead of filters")
            _add_filters(acting)
            add_order(acting)

    def handle(self, *args: Any, **options: Any) -> None:
        """Do what the verb says.

        Raises:
            CommandError: if a digest, user or issue is not there, or the order is not complete.
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
            "requeue": (Verb.REQUEUE, Deed("digests", _if_requeued, self._requeue)),
            "assume-sent": (Verb.ASSUME_SENT, Deed("digests", requeue.if_assumed_sent, _assume_sent)),
        }
        verb, deed = deeds[options["verb"]]
        given = order(verb, options, narrowed=narrowed(options, FILTERS))
        targets: Iterable[Wake] = _named(options["ids"]) if options["ids"] else _wanted(options).targets()
        return orders.carry_out(deed, targets, given, options)

    def _requeue(self, batch: list[Wake], order: Order) -> Outcomes:
        report = requeue.requeue(batch, order)
        orders.send(send_digest, report.wakes, warn=self.stderr.write)
        return report.outcomes


def _if_requeued(batch: list[Wake]) -> Outcomes:
    return requeue.if_requeued(batch, now=timezone.now())


def _assume_sent(batch: list[Wake], order: Order) -> Outcomes:
    return requeue.assume_sent(batch, order).outcomes


def _add_filters(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--status", action="append", choices=_S.values, help="in this status; may be repeated"
    )
    parser.add_argument("--error", metavar="TEXT", help="with this in the reason, in any case")
    parser.add_argument("--receiver", metavar="USER", help="for this person: address or id")
    parser.add_argument("--issue", metavar="KEY", help="about this issue: key such as ACME-12, or id")
    add_listing(parser, "ended")


def _wanted(options: dict[str, Any]) -> Wanted:
    since, until = span(options)
    return Wanted(
        statuses=options["status"] or MEANT[options["verb"]],
        reason=options["error"],
        receiver=find_user(options["receiver"]) if options["receiver"] else None,
        issue=find_issue(options["issue"]) if options["issue"] else None,
        since=since,
        until=until,
    )


def _list(options: dict[str, Any]) -> str:
    rows = _wanted(options).rows().select_related("receiver", "issue__project")[: options["limit"]]
    summaries = [_summary(digest) for digest in rows]
    if options["json"]:
        return as_json(summaries)
    return table([list(summary.values()) for summary in summaries]) or "No digests fit."


def _show(options: dict[str, Any]) -> str:
    [(digest_id, dispatch)] = _named(options["ids"])
    digest = EmailDigest.objects.select_related("receiver", "issue__project").get(id=digest_id)
    [prospect] = _if_requeued([Wake(digest_id, dispatch)]).values()
    shown = ("dispatch", "attempt", "failures", "generation", "to_address", "subject", "message_id", "answer")
    fields = {
        **_summary(digest),
        **{name: getattr(digest, name) for name in shown},
        "lines": digest.lines.count(),
        "if_requeued": f"{prospect.word}: {prospect.detail}",
        "orders": [
            f"{audit.at:{MOMENT}} {audit.verb} by {audit.by} ({audit.why}): {audit.rows[str(digest_id)]}"
            for audit in RequeueAudit.about([digest_id])
        ],
    }
    if options["json"]:
        return as_json(fields)
    return table([(name, value) for name, value in fields.items() if value != ""])


def _named(ids: Iterable[str]) -> list[Wake]:
    return [_target(text) for text in dict.fromkeys(ids)]


def _target(text: str) -> Wake:
    digest_id = as_uuid(text)
    row = (
        EmailDigest.objects.filter(id=digest_id).values_list("id", "dispatch").first() if digest_id else None
    )
    if row is None:
        raise NotFoundError(
            f"{text}: no such digest. `digests list` tells the ids of those that did not go out."
        )
    return Wake(*row)


def _summary(digest: EmailDigest) -> dict[str, Any]:
    return {
        "id": str(digest.id),
        "ended_at": f"{digest.ended_at:{MOMENT}}" if digest.ended_at else "",
        "status": digest.status,
        "receiver": digest.receiver.email,
        "issue": issue_key(digest.issue) if digest.issue else "",
        "reason": digest.reason,
    }
