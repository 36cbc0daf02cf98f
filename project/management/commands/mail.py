"""``manage.py mail``: does mail flow, why not, and try it again."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from project.actors import digests
from project.management import orders
from project.management.arguments import add_json, add_order, order
from project.management.orders import Deed, Outcomes
from project.management.printing import as_json, table
from project.models import MOMENT, Order, RequeueAudit, Verb
from project.services.digests.resume import if_resumed, resume

ORDERS = 5  # the newest ones are told


class Command(BaseCommand):
    """Tells how mail stands for the sender of these settings, and has it tried again."""

    help = "Whether mail flows or is stopped, and why. resume only previews without --yes."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the verbs."""
        verbs = parser.add_subparsers(dest="verb", required=True)
        add_json(verbs.add_parser("status", help="whether it is stopped, why, since when, what waits for it"))
        acting = verbs.add_parser(
            "resume", help="have one mail tried at once; if it is sent, all others follow"
        )
        add_json(acting)
        add_order(acting, of_many=False)

    def handle(self, *args: Any, **options: Any) -> None:
        """Do what the verb says.

        Raises:
            CommandError: if the order is not complete.
        """
        self.stdout.write(_status(options) if options["verb"] == "status" else self._order(options))

    def _order(self, options: dict[str, Any]) -> str:
        given = order(Verb.RESUME, options, narrowed=True)
        deed = Deed("senders", _if_resumed, self._resume)
        sender = digests.OUTBOX.breaker.address
        return orders.carry_out(deed, [sender], given, {**options, "ids": [sender]})

    def _resume(self, batch: list[str], order: Order) -> Outcomes:
        report = resume(digests.OUTBOX.breaker, order)
        orders.send(digests.send_digest, report.wakes, warn=self.stderr.write)
        return report.outcomes


def _if_resumed(batch: list[str]) -> Outcomes:
    return dict.fromkeys(batch, if_resumed(digests.OUTBOX.breaker, now=timezone.now()))


def _status(options: dict[str, Any]) -> str:
    state = digests.OUTBOX.breaker.state()
    moments = {
        "stopped_at": state.stopped_at,
        "probe_at": state.probe_at,
        "flows_since": state.flows_since,
    }
    fields = {
        "mail": "stopped" if state.stopped_at else "flows",
        "sender": digests.OUTBOX.breaker.address,
        "cause": state.cause if state.stopped_at else "",
        "last_cause": "" if state.stopped_at else state.cause,
        "failures": dict(state.failures),
        **{name: f"{at:{MOMENT}}" if at else "" for name, at in moments.items()},
        "probes": state.probes,
        "digests_waiting": state.waiting,
        "lines_gathering": state.gathering,
        "stopped_elsewhere": [f"{at:{MOMENT}}" for at in state.elsewhere],
        "orders": [_order_words(audit) for audit in _orders()],
    }
    if options["json"]:
        return as_json(fields)
    return table([(name, _words(value)) for name, value in fields.items() if value not in ("", [], {})])


def _orders() -> list[RequeueAudit]:
    return list(RequeueAudit.objects.filter(target=RequeueAudit.Target.MAIL).order_by("-at")[:ORDERS])[::-1]


def _order_words(audit: RequeueAudit) -> str:
    return f"{audit.at:{MOMENT}} {audit.verb} by {audit.by} ({audit.why}): {'; '.join(audit.rows.values())}"


def _words(value: object) -> str:
    match value:
        case dict():
            return ", ".join(f"{key} {number}" for key, number in value.items())
        case list():
            return "; ".join(map(str, value))
    return str(value)
