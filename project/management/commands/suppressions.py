"""``manage.py suppressions``: look at addresses that are not mailed, and clear them."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db.models import QuerySet
from django.utils import timezone

from project.management import orders
from project.management.arguments import add_json, add_listing, add_order, narrowed, order, span
from project.management.orders import Deed, Outcomes
from project.management.printing import as_json, table
from project.models import MOMENT, SuppressedAddress, Verb
from project.services.digests import clearing
from project.services.digests.addresses import AddressError, check_address
from project.services.digests.suppression import in_force

FILTERS = ("kind", "error", "domain")


class Command(BaseCommand):
    """Lists, shows and clears suppressed addresses."""

    help = "Addresses and domains (@example.org) that are not mailed. clear only previews without --yes."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the verbs."""
        verbs = parser.add_subparsers(dest="verb", required=True)
        _add_filters(verbs.add_parser("list", help="those that are in force, the oldest first"))
        showing = verbs.add_parser("show", help="all that was ever kept about one, with the evidence")
        showing.add_argument("address")
        add_json(showing)
        acting = verbs.add_parser("clear", help="mail them again")
        acting.add_argument("ids", nargs="*", metavar="ADDRESS", help="these ones, instead of filters")
        _add_filters(acting)
        add_order(acting)

    def handle(self, *args: Any, **options: Any) -> None:
        """Do what the verb says.

        Raises:
            CommandError: if an address cannot be one, or the order is not complete.
        """
        text = {"list": _list, "show": _show, "clear": _clear}[options["verb"]](options)
        self.stdout.write(text)


def _add_filters(parser: ArgumentParser) -> None:
    kinds = SuppressedAddress.Reason.values
    parser.add_argument("--kind", choices=kinds, help=f"for this reason: {', '.join(kinds)}")
    parser.add_argument("--error", metavar="TEXT", help="with this in the evidence, in any case")
    parser.add_argument("--domain", metavar="NAME", help="addresses of this domain, and the domain itself")
    add_listing(parser, "refused")


def _wanted(options: dict[str, Any]) -> QuerySet[SuppressedAddress]:
    since, until = span(options)
    rows = in_force(now=timezone.now()).filter(since__lte=until)
    if since:
        rows = rows.filter(since__gte=since)
    if options["kind"]:
        rows = rows.filter(reason=options["kind"])
    if options["error"]:
        rows = rows.filter(evidence__icontains=options["error"])
    if options["domain"]:
        rows = rows.filter(address__endswith=_normal(f"@{options['domain'].lstrip('@')}"))
    return rows.order_by("since", "id")


def _list(options: dict[str, Any]) -> str:
    return _printed(_wanted(options)[: options["limit"]], options, none="No suppressed addresses fit.")


def _show(options: dict[str, Any]) -> str:
    address = _normal(options["address"])
    rows = SuppressedAddress.objects.filter(address=address).order_by("since", "id")
    return _printed(rows, options, none=f"Nothing is kept against {address}.")


def _clear(options: dict[str, Any]) -> str:
    given = order(Verb.CLEAR, options, narrowed=narrowed(options, FILTERS))
    named = [_normal(text) for text in options["ids"]]
    targets = dict.fromkeys(named or _wanted(options).values_list("address", flat=True))
    return orders.carry_out(Deed("addresses", _look, clearing.clear), targets, given, options)


def _look(addresses: list[str]) -> Outcomes:
    return clearing.if_cleared(addresses, now=timezone.now())


def _normal(text: str) -> str:
    """Write an address, or a domain after "@", as it is kept."""
    anybody = "x" if text.startswith("@") else ""
    try:
        return check_address(f"{anybody}{text}").lower().removeprefix(anybody)
    except AddressError as error:
        raise CommandError(f"{text!r} is no address and no @domain: {error.fault}") from error


def _printed(rows: QuerySet[SuppressedAddress], options: dict[str, Any], *, none: str) -> str:
    summaries = [_summary(row) for row in rows]
    if options["json"]:
        return as_json(summaries)
    return table([[cell or "-" for cell in summary.values()] for summary in summaries]) or none


def _summary(row: SuppressedAddress) -> dict[str, str]:
    return {
        "address": row.address,
        "reason": row.reason,
        "since": f"{row.since:{MOMENT}}",
        "until": f"{row.until:{MOMENT}}" if row.until else "",
        "cleared_at": f"{row.cleared_at:{MOMENT}}" if row.cleared_at else "",
        "digest": str(row.source_id or ""),
        "evidence": row.evidence,
    }
