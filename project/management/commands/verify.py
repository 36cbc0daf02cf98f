"""``manage.py verify``: does every guarantee that the tables can show hold right now?"""

from argparse import ArgumentParser
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.utils import timezone

from project.actors import digests
from project.management.arguments import add_json
from project.management.printing import as_json
from project.models import MOMENT
from project.services.digests import drain
from project.services.digests.breaker import State
from project.services.maintenance.verify import BROKEN, LATE, Finding, verify


class Command(BaseCommand):
    """Prints what is broken (a guarantee does not hold) or late (nobody moved it in time), and why if known."""

    help = "Check conservation in the tables. Exit status 1 if anything is broken or late."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare ``--json``."""
        add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Run every check and print the findings.

        Raises:
            SystemExit: with status 1, if there are any.
        """
        now = timezone.now()
        findings = verify(now=now, limits=settings.LIMITS)
        delay = _delay(digests.OUTBOX.breaker.state(), now)
        self.stdout.write((_as_json if options["json"] else _as_text)(findings, delay))
        if findings:
            raise SystemExit(1)


def _as_text(findings: list[Finding], delay: str) -> str:
    if not findings:
        return f"{len(BROKEN)} checks: nothing is broken. {len(LATE)} checks: nothing is late."
    return "\n".join(line for finding in findings for line in _lines(finding, delay))


def _lines(finding: Finding, delay: str) -> Iterator[str]:
    kind, check = _kind(finding).upper(), finding.check
    yield f"{kind}: {finding.count} × not true that {check.sentence} ({check.name})"
    yield f"    such as {', '.join(map(str, finding.sample))}"
    if because := _because(finding, delay):
        yield f"    because {because}"


def _as_json(findings: list[Finding], delay: str) -> str:
    checks = len(BROKEN) + len(LATE)
    return as_json({"checks": checks, "findings": [_as_object(finding, delay) for finding in findings]})


def _as_object(finding: Finding, delay: str) -> dict[str, object]:
    return {
        "name": finding.check.name,
        "kind": _kind(finding),
        "sentence": finding.check.sentence,
        "count": finding.count,
        "sample": [str(row_id) for row_id in finding.sample],
        "because": _because(finding, delay),
    }


def _kind(finding: Finding) -> str:
    return "late" if finding.check in LATE else "broken"


def _because(finding: Finding, delay: str) -> str:
    return delay if finding.check.awaits_mail else ""


def _delay(mail: State, now: datetime) -> str:
    """Why mail is not as fast as usual, if it is not."""
    if mail.stopped_at:
        return (
            f"all mail is stopped since {mail.stopped_at:{MOMENT}}: {mail.cause}; see `manage.py mail status`"
        )
    if mail.flows_since and now < mail.flows_since + drain.lasts(settings.LIMITS):
        return f"all mail was stopped until {mail.flows_since:{MOMENT}}, and flows slowly at first"
    return ""
