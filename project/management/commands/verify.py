"""``manage.py verify``: does every guarantee that the tables can show hold right now?"""

import json
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.utils import timezone

from project.services.maintenance.verify import BROKEN, LATE, Finding, verify


class Command(BaseCommand):
    """Prints what is broken (a guarantee does not hold) or late (nobody moved it in time)."""

    help = "Check conservation in the tables. Exit status 1 if anything is broken or late."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare ``--json``."""
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run every check and print the findings.

        Raises:
            SystemExit: with status 1, if there are any.
        """
        findings = verify(now=timezone.now(), limits=settings.LIMITS)
        self.stdout.write(_as_json(findings) if options["json"] else _as_text(findings))
        if findings:
            raise SystemExit(1)


def _as_text(findings: list[Finding]) -> str:
    if not findings:
        return f"{len(BROKEN)} checks: nothing is broken. {len(LATE)} checks: nothing is late."
    return "\n".join(
        f"{_kind(finding).upper()}: {finding.count} × not true that {finding.check.sentence}"
        f" ({finding.check.name})\n    such as {', '.join(map(str, finding.sample))}"
        for finding in findings
    )


def _as_json(findings: list[Finding]) -> str:
    checks = len(BROKEN) + len(LATE)
    return json.dumps({"checks": checks, "findings": [_as_object(finding) for finding in findings]}, indent=2)


def _as_object(finding: Finding) -> dict[str, object]:
    return {
        "name": finding.check.name,
        "kind": _kind(finding),
        "sentence": finding.check.sentence,
        "count": finding.count,
        "sample": [str(row_id) for row_id in finding.sample],
    }


def _kind(finding: Finding) -> str:
    return "late" if finding.check in LATE else "broken"
