"""Exports: what somebody asked for (Plane's table), and the run that makes the archive (ours)."""

import uuid
from collections.abc import Mapping

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from project.models.audited import Audited, LiveManager
from project.models.workspace import Workspace


class ExportFormat(models.TextChoices):
    """What kind of file the archive holds."""

    CSV = "csv", "CSV"
    JSON = "json", "JSON"
    XLSX = "xlsx", "Excel"


class ExportStatus(models.TextChoices):
    """Where an export stands.

    QUEUED: wanted, or put off until ``due_at``. PROCESSING: an owner works on this attempt. COMPLETED: the
    archive can be fetched. EXPIRED: it could, and was removed. The other ends say themselves.
    """

    QUEUED = "queued", "Queued"
    PROCESSING = "processing", "Processing"
    COMPLETED = "completed", "Completed"
    FAILED = "failed", "Failed"
    CANCELLED = "cancelled", "Cancelled"
    EXPIRED = "expired", "Expired"


_S = ExportStatus
#: Statuses from which something will still happen by itself.
OPEN = frozenset({_S.QUEUED, _S.PROCESSING})


def new_token() -> str:
    """Make a value for Plane's column ``token``, which must be unique and opens nothing."""
    return uuid.uuid4().hex


class Exporter(Audited):
    """An export that somebody asked for (Plane's ``exporters``).

    `status`, `reason` and `key` mirror the run's, for readers of Plane's own columns; nothing is decided by
    them. `url` stays empty: a link is signed for each click, and stored nowhere.
    """

    name = models.CharField(max_length=255, null=True, blank=True)
    type = models.CharField(max_length=50, default="issue_exports")
    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="exports")
    project = ArrayField(models.UUIDField(), null=True, blank=True)
    provider = models.CharField(max_length=50, choices=ExportFormat.choices)
    status = models.CharField(max_length=50, choices=ExportStatus.choices, default=ExportStatus.QUEUED)
    reason = models.TextField(default="", blank=True)
    key = models.TextField(default="", blank=True)
    url = models.URLField(max_length=800, null=True, blank=True)
    token = models.CharField(max_length=255, unique=True, default=new_token)
    initiated_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="exports")
    filters = models.JSONField(null=True, blank=True)
    rich_filters = models.JSONField(default=dict, blank=True)

    objects = LiveManager["Exporter"]()
    all_objects = models.Manager["Exporter"]()

    class Meta(Audited.Meta):
        db_table = "exporters"

    def __str__(self) -> str:
        return f"export {self.id} ({self.provider})"


class ExportRun(models.Model):
    """The work on one export, and what came of it.

    ``dispatch`` counts how often the row was deliberately put on the queue and is part of the message id;
    ``attempt`` grows with every start, is part of the archive's key and, with ``owner``, is what the fence
    compares. ``wish`` names what was asked for, so that the same wish is open only once.
    """

    NEXT: Mapping[ExportStatus, frozenset[ExportStatus]] = {
        _S.QUEUED: frozenset({_S.PROCESSING, _S.CANCELLED}),
        # PROCESSING again is the take-over of a dead worker's attempt; its own late fence then fails.
        _S.PROCESSING: frozenset({_S.PROCESSING, _S.QUEUED, _S.COMPLETED, _S.FAILED, _S.CANCELLED}),
        _S.COMPLETED: frozenset({_S.EXPIRED}),
        _S.FAILED: frozenset({_S.QUEUED}),
        _S.CANCELLED: frozenset(),
        _S.EXPIRED: frozenset(),
    }

    export = models.OneToOneField(Exporter, models.CASCADE, primary_key=True, related_name="run")
    wish = models.UUIDField()
    multiple = models.BooleanField(default=False)
    time_zone = models.CharField(max_length=255, default="UTC")

    status = models.CharField(max_length=16, choices=ExportStatus.choices, default=ExportStatus.QUEUED)
    reason = models.TextField(default="", blank=True)
    due_at = models.DateTimeField(default=timezone.now)
    enqueued_at = models.DateTimeField(null=True, blank=True)
    dispatch = models.PositiveIntegerField(default=1)

    attempt = models.PositiveIntegerField(default=0)
    owner = models.UUIDField(null=True, blank=True)
    unanswered = models.PositiveIntegerField(default=0)
    failures = models.PositiveIntegerField(default=0)
    started_at = models.DateTimeField(null=True, blank=True)
    progress_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    snapshot_at = models.DateTimeField(null=True, blank=True)
    full_projects = ArrayField(models.UUIDField(), default=list, blank=True)
    own_projects = ArrayField(models.UUIDField(), default=list, blank=True)
    rows_total = models.PositiveIntegerField(null=True, blank=True)
    rows_done = models.PositiveIntegerField(default=0)
    cut_cells = models.PositiveIntegerField(default=0)

    key = models.TextField(default="", blank=True)
    size = models.PositiveBigIntegerField(null=True, blank=True)
    sha256 = models.CharField(max_length=64, default="", blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "export_runs"
        constraints = [
            # Two requests at the same moment cannot both open the same wish.
            models.UniqueConstraint(
                fields=["wish"], condition=Q(status__in=sorted(OPEN)), name="export_open_wish"
            ),
            models.CheckConstraint(
                name="export_ended_has_time",
                condition=Q(status__in=sorted(OPEN), ended_at__isnull=True)
                | (~Q(status__in=sorted(OPEN)) & Q(ended_at__isnull=False)),
            ),
            models.CheckConstraint(
                name="export_failed_has_reason", condition=~Q(status=_S.FAILED) | ~Q(reason="")
            ),
            models.CheckConstraint(
                name="export_processing_has_owner",
                condition=~Q(status=_S.PROCESSING)
                | Q(owner__isnull=False, started_at__isnull=False, progress_at__isnull=False),
            ),
            models.CheckConstraint(
                name="export_completed_is_whole",
                condition=~Q(status=_S.COMPLETED)
                | Q(
                    rows_total=F("rows_done"),
                    size__isnull=False,
                    snapshot_at__isnull=False,
                    expires_at__isnull=False,
                )
                & ~Q(key="")
                & ~Q(sha256=""),
            ),
            models.CheckConstraint(
                name="export_unanswered_within_attempts", condition=Q(unanswered__lte=F("attempt"))
            ),
        ]
        indexes = [
            # Readers: the sweep and the "oldest due" figure. Ended exports are not in it.
            models.Index(
                fields=["status", "due_at"], condition=Q(status__in=sorted(OPEN)), name="export_open"
            ),
            # Reader: the removal of expired archives.
            models.Index(
                fields=["expires_at"], condition=Q(status=_S.COMPLETED), name="export_completed_expiry"
            ),
        ]

    def __str__(self) -> str:
        return f"run of export {self.export_id} ({self.status})"
