"""The ending of the story, for a terminal of 80 columns."""

from collections import Counter
from collections.abc import Iterator
from itertools import chain
from textwrap import indent

from django.conf import settings

from project.demo.audit import Audit, End, Mail
from project.demo.story import Ending

RULE = "─" * 78


def report(ending: Ending) -> str:
    """Return what happened, in words and numbers."""
    parts = [_heading("What happened"), _flow(ending.audit), [""], _death(ending), [""], _verdict(ending)]
    return "\n".join(chain.from_iterable(parts))


def letter(text: str) -> str:
    """Return one mail under a heading."""
    return "\n".join([*_heading("One of the mails, as it arrived"), indent(text, "  ")])


def places(rows: dict[str, str]) -> str:
    """Return where to look."""
    return "\n".join([*_heading("Where to look"), *(f"  {name:<10}{value}" for name, value in rows.items())])


def _heading(title: str) -> list[str]:
    return ["", RULE, title, RULE]


def _flow(audit: Audit) -> Iterator[str]:
    yield _row("events on issues", audit.events.total())
    yield from _ends(audit.events)
    yield _row("notifications in inboxes", audit.notifications)
    yield _row("lines to mail", audit.lines.total())
    yield from _ends(audit.lines)
    yield _row("digests (one mail each)", audit.digests.total())
    yield from _ends(audit.digests)
    yield _row("mails that arrived", audit.arrived)
    yield from _mails("duplicates", audit.duplicates)
    yield from _mails("lost", audit.lost)
    yield from _mails("unexplained", audit.unexplained)


def _ends(ends: Counter[End]) -> Iterator[str]:
    for (outcome, reason), count in sorted(ends.items()):
        yield _row(f"  {outcome}", count, reason)


def _mails(name: str, mails: list[Mail]) -> Iterator[str]:
    yield _row(f"  {name}", len(mails))
    yield from (f"      {mail.message_id} to {mail.receiver}" for mail in mails)


def _row(name: str, count: int, remark: str = "") -> str:
    return f"  {name:<26}{count:>4}   {remark}".rstrip()


def _death(ending: Ending) -> Iterator[str]:
    killed, budget = ending.killed, settings.LIMITS.recovery_budget.total_seconds()
    yield f"  {killed.worker.name} was killed (SIGKILL) while it had in its hands:"
    yield _row("half-sent mails", len(killed.before_dot), "begun, not delivered: to be sent again")
    yield _row("waiting mails", len(killed.queued), "fetched from the queue, not begun")
    yield _row("delivered mails", len(killed.after_dot), "accepted, answer not written down: never again")
    if ending.recovered is not None:
        yield f"  The first two had been sent {ending.recovered:.1f} s after its death; {budget:g} s are allowed."


def _verdict(ending: Ending) -> Iterator[str]:
    yield "  manage.py verify says:"
    yield indent(ending.verdict.rstrip(), "    ")
