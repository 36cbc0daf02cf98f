"""The tables that a run ends with."""

import signal
from collections.abc import Iterator, Mapping
from statistics import median
from uuid import UUID

from django.conf import settings

from tests.chaos.oracle import Judgement
from tests.chaos.points import POINTS
from tests.chaos.recovery import Recovery

RULE = "─" * 96
HEAD = (
    f"{'point':<32}{'kills':>7}{'freezes':>9}{'mails':>7}{'lost':>6}{'doubled':>9}{'unsure':>8}{'worst':>9}"
)


def report(judgement: Judgement, struck: Mapping[str, int]) -> str:
    """Return all of it."""
    return "\n".join(
        [
            *("", HEAD, RULE, *_points(judgement), RULE),
            *("", "Faults of all kinds, how often", *_counts(struck)),
            *("", "What is in the tables", *_totals(judgement)),
            *("", "From a kill until its work was done", *_recovery(judgement)),
            *("", *_verdict(judgement), ""),
        ]
    )


def _points(judgement: Judgement) -> Iterator[str]:
    for point in POINTS:
        yield _row(point.name, [r for r in judgement.recoveries if r.sprung.point == point.name], judgement)
    yield _row("all points", judgement.recoveries, judgement)


def _row(name: str, recoveries: list[Recovery], judgement: Judgement) -> str:
    kills = sum(recovery.sprung.signal == signal.SIGKILL for recovery in recoveries)
    digests = {digest for recovery in recoveries for digest in recovery.digests}
    lost, doubled, unsure = (
        len(digests & found)
        for found in (judgement.mails.lost, judgement.mails.doubled, judgement.mails.assumed)
    )
    worst = max((recovery.seconds for recovery in recoveries if recovery.seconds), default=None)
    return (
        f"{name:<32}{kills:>7}{len(recoveries) - kills:>9}{len(digests):>7}{lost:>6}{doubled:>9}{unsure:>8}"
        + (f"{worst:>7.1f} s" if worst else f"{'–':>9}")
    )


def _counts(struck: Mapping[str, int]) -> Iterator[str]:
    for name, times in sorted(struck.items()):
        yield _figure(name.replace("_", " "), times)


def _totals(judgement: Judgement) -> Iterator[str]:
    found = judgement.mails
    yield _figure("events", judgement.tellings.events)
    yield _figure("mails accepted", found.accepted)
    for end, times in sorted(found.ends.items()):
        yield _figure(f"digests {end}", times)
    yield _figure("digests sent again, by policy", len(found.again))
    yield _figure("digests assumed sent, never accepted", len(found.assumed_missing))
    yield _figure("  of them stopped at a point", len(_at_points(judgement) & found.assumed_missing))
    for reason, times in sorted(judgement.letters.reasons.items()):
        yield _figure(f"dead letters: {reason}", times)


def _recovery(judgement: Judgement) -> Iterator[str]:
    lost = {point.name for point in POINTS if point.wake_lost}
    deaths = [r for r in judgement.recoveries if r.seconds and r.sprung.signal == signal.SIGKILL]
    yield _times("the message was redelivered", [r.seconds for r in deaths if r.sprung.point not in lost])
    yield _times(
        "the wake-up was lost, the sweep sent it", [r.seconds for r in deaths if r.sprung.point in lost]
    )


def _times(name: str, seconds: list[float]) -> str:
    if not seconds:
        return f"  {name:<42}{'–':>6}"
    budget = settings.LIMITS.recovery_budget.total_seconds()
    kept = sum(one <= budget for one in seconds)
    return (
        f"  {name:<42}median {median(seconds):.1f} s, worst {max(seconds):.1f} s,"
        f" {kept} of {len(seconds)} within {budget:g} s"
    )


def _figure(name: str, number: int) -> str:
    return f"  {name:<42}{number:>6}"


def _at_points(judgement: Judgement) -> set[UUID]:
    return {digest for recovery in judgement.recoveries for digest in recovery.digests}


def _verdict(judgement: Judgement) -> Iterator[str]:
    if judgement.faults:
        yield "BROKEN"
        yield from (f"  {fault}" for fault in judgement.faults)
    else:
        yield "Nothing lost, nothing doubled, no contradiction."
