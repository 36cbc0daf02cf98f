"""Arguments that the operators' commands share."""

import argparse
import getpass
import re
from argparse import ArgumentParser
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.core.management.base import CommandError
from django.utils import timezone

from project.models import Order, Verb

LIMIT = 100

_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


class Span(NamedTuple):
    """A stretch of time; None is open."""

    since: datetime | None
    until: datetime | None


def age(text: str) -> timedelta:
    """Read a duration such as ``90s``, ``30m``, ``2h`` or ``7d``.

    Raises:
        argparse.ArgumentTypeError: if it is none.
    """
    match = re.fullmatch(r"(\d{1,6})([smhd])", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no duration such as 90s, 30m, 2h or 7d")
    return timedelta(**{_UNITS[match[2]]: int(match[1])})


def count(text: str) -> int:
    """Read how many, at least one.

    Raises:
        argparse.ArgumentTypeError: if it is none.
    """
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 on")
    return int(text)


def add_listing(parser: ArgumentParser, ended: str) -> None:
    """Declare what narrows a list by age, bounds it, and turns it into JSON; `ended` says what the age is of."""
    parser.add_argument("--older-than", type=age, metavar="AGE", help=f"{ended} longer ago: 90s, 30m, 2h, 7d")
    parser.add_argument("--newer-than", type=age, metavar="AGE", help=f"{ended} less long ago")
    parser.add_argument("--limit", type=count, default=LIMIT, help=f"at most so many (default {LIMIT})")
    add_json(parser)


def add_json(parser: ArgumentParser) -> None:
    """Declare ``--json``."""
    parser.add_argument("--json", action="store_true", help="print JSON")


def add_order(parser: ArgumentParser, *, of_many: bool = True) -> None:
    """Declare what turns a preview into an order; ``--all`` only where there are many to choose from."""
    parser.add_argument("--yes", action="store_true", help="do it; without it, only tell what would be done")
    if of_many:
        parser.add_argument(
            "--all", action="store_true", help="needed with --yes if nothing else narrows the choice"
        )
    parser.add_argument("--reason", default="", help="why; needed with --yes, goes into the audit")
    parser.add_argument("--by", default="", metavar="NAME", help="who; default: the login name")


def span(options: dict[str, Any]) -> Span:
    """Return the time that ``--older-than`` and ``--newer-than`` leave; what ends after now is not in it."""
    now = timezone.now()
    older, newer = options["older_than"] or timedelta(0), options["newer_than"]
    return Span(since=now - newer if newer else None, until=now - older)


def narrowed(options: dict[str, Any], filters: Iterable[str]) -> bool:
    """Tell whether ids, or an age or one of these `filters`, say which ones are meant.

    Raises:
        CommandError: if both do.
    """
    filtered = any(options[name] for name in ("older_than", "newer_than", *filters))
    if filtered and options["ids"]:
        raise CommandError("Name ids, or filters, but not both.")
    return filtered or bool(options["ids"])


def order(verb: Verb, options: dict[str, Any], *, narrowed: bool) -> Order | None:
    """Read the order that was given; None if only a preview is wanted.

    Raises:
        CommandError: if it lacks a reason, a name, or ``--all`` though nothing narrows it.
    """
    if not options["yes"]:
        return None
    if not options["reason"].strip():
        raise CommandError('Say why, for the audit: --reason "…".')
    if not narrowed and not options["all"]:
        raise CommandError("This means all of them. Name ids or filters, or add --all if you do mean all.")
    return Order(verb, options["by"] or _login_name(), options["reason"].strip(), timezone.now())


def _login_name() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError) as error:
        raise CommandError("This login has no name. Say who you are, for the audit: --by NAME.") from error
