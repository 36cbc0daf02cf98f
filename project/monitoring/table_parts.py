"""Numbers that the tables hold."""

from collections.abc import Iterator

from prometheus_client.core import Metric

from project.models import RunStatus
from project.monitoring.families import gauge
from project.monitoring.sources import Sources
from project.services.operations.backlog import attention, backlogs
from project.services.operations.bounded import bounded
from project.services.operations.jobs import jobs
from project.services.operations.outcomes import outcomes


def backlog(sources: Sources) -> Iterator[Metric]:
    """What waits, and what waits for a person."""
    with bounded(sources.limits):
        found, stuck = backlogs(now=sources.now), attention()
    rows = {(kind, "open"): float(rows.open) for kind, rows in found.items()}
    rows |= {(kind, "due"): float(rows.due) for kind, rows in found.items()}
    yield gauge(
        "backlog_rows", "Rows that are not done: all, and those that are due", ("kind", "state"), rows
    )
    ages = {(kind,): rows.oldest_due for kind, rows in found.items()}
    yield gauge("oldest_due_seconds", "For how long the oldest of these has been due", ("kind",), ages)
    yield gauge("failed_events", "Events whose fan-out was given up", (), {(): stuck.failed_events})
    yield gauge("held_digests", "Digests that an operator has to decide on", (), {(): stuck.held_digests})


def ends(sources: Sources) -> Iterator[Metric]:
    """How digests end."""
    with bounded(sources.limits):
        found = outcomes(now=sources.now)
    values = {(status, reason): float(number) for status, reason, number in found}
    about = "Digests that ended within the last hour, by status and kind of reason"
    yield gauge("digests_ended_last_hour", about, ("status", "reason"), values)


def breaker(sources: Sources) -> Iterator[Metric]:
    """Whether mail flows."""
    with bounded(sources.limits):
        state = sources.breaker.state()
    stopped = (sources.now - state.stopped_at).total_seconds() if state.stopped_at else 0.0
    yield gauge("mail_stopped", "1 while the breaker stops all mail", (), {(): bool(state.stopped_at)})
    yield gauge("mail_stopped_seconds", "For how long it has been stopped", (), {(): stopped})
    yield gauge("mail_stopped_digests", "Digests that wait for it", (), {(): state.waiting})


def schedule(sources: Sources) -> Iterator[Metric]:
    """How the periodic actors keep time."""
    with bounded(sources.limits):
        found = jobs()
    yield gauge(
        "schedule_lag_seconds",
        "How long after its time a worker took up the newest tick of a periodic actor",
        ("actor",),
        {(job.actor,): job.lag for job in found},
    )
    yield gauge(
        "schedule_tick_timestamp_seconds",
        "The newest tick that a worker took up",
        ("actor",),
        {(job.actor,): job.tick.timestamp() for job in found},
    )
    yield gauge(
        "schedule_failed",
        "1 if the newest run of a periodic actor failed",
        ("actor",),
        {(job.actor,): job.status == RunStatus.FAILED for job in found},
    )
