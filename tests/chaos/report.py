"""The tables that a run ends with."""

import signal
from collections.abc import Iterator, Mapping
from statistics import median
from uuid import UUID

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
        yield f"  {name.replace('_', ' '):<40}{times:>6}"


def _totals(judgement: Judgement) -> Iterator[str]:
    found = judgement.mails
    yield f"  {'events':<40}{judgement.tellings.events:>6}"
    yield f"  {'mails accepted':<40}{found.accepted:>6}"
    for end, times in sorted(found.ends.items()):
        yield f"  {f'digests {end}':<40}{times:>6}"
    yield f"  {'  of them never accepted':<40}{len(found.assumed_missing):>6}"
    yield f"  {'    killed or frozen at a point':<40}{len(_at_points(judgement) & found.assumed_missing):>6}"
    for reason, times in sorted(judgement.letters.reasons.items()):
        yield f"  dead letters, all harmless: {reason}: {times}"
    seconds = [recovery.seconds for recovery in judgement.recoveries if recovery.seconds]
    if seconds:
        yield f"  recovery: median {median(seconds):.1f} s, worst {max(seconds):.1f} s, of {len(seconds)}"


def _at_points(judgement: Judgement) -> set[UUID]:
    return {digest for recovery in judgement.recoveries for digest in recovery.digests}


def _verdict(judgement: Judgement) -> Iterator[str]:
    if judgement.faults:
        yield "BROKEN"
        yield from (f"  {fault}" for fault in judgement.faults)
    else:
        yield "Nothing lost, nothing doubled, no contradiction."
