"""The ledger of the schedule: one row for each tick of a periodic actor that a worker took up."""

from collections.abc import Mapping
from datetime import timedelta

from django.db import models
from django.db.models import Q
from django.utils import timezone


class RunStatus(models.TextChoices):
    """How a tick fared. RUNNING also stands for a run whose worker died: it is taken up again."""

    RUNNING = "running", "Running"
    DONE = "done", "Done"
    FAILED = "failed", "Failed"


_S = RunStatus


class ScheduleRun(models.Model):
    """The run of one tick.

    ``taken_up_at`` is when its first attempt began, ``started_at`` when the last one did; ``reason`` says why that
    one failed, ``outcome`` what it came to.
    """

    NEXT: Mapping[RunStatus, frozenset[RunStatus]] = {
        _S.RUNNING: frozenset({_S.RUNNING, _S.DONE, _S.FAILED}),
        _S.FAILED: frozenset({_S.RUNNING}),
        _S.DONE: frozenset(),
    }

    actor = models.CharField(max_length=100)
    tick = models.DateTimeField()
    status = models.CharField(max_length=16, choices=RunStatus.choices, default=RunStatus.RUNNING)
    reason = models.TextField(default="", blank=True)
    outcome = models.TextField(default="", blank=True)
    taken_up_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    objects = models.Manager["ScheduleRun"]()

    class Meta:
        db_table = "schedule_runs"
        constraints = [
            # Also the index of its readers: the start of a run, and the scheduler's question for the newest one.
            models.UniqueConstraint(fields=["actor", "tick"], name="run_once_per_tick"),
            models.CheckConstraint(
                name="run_ended_has_time",
                condition=Q(status=_S.RUNNING, ended_at__isnull=True)
                | (~Q(status=_S.RUNNING) & Q(ended_at__isnull=False)),
            ),
            models.CheckConstraint(
                name="run_failed_has_reason", condition=~Q(status=_S.FAILED) | ~Q(reason="")
            ),
        ]

    @property
    def took(self) -> timedelta | None:
        """How long the last attempt took; None while it runs."""
        return self.ended_at - self.started_at if self.ended_at else None

    def __str__(self) -> str:
        return f"{self.actor} at {self.tick.isoformat()} ({self.status})"
