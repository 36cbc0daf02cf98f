"""Digests: one mail for one receiver, about one issue or many of a workspace, and the lines it covers."""

from collections.abc import Mapping

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from project.models.email import EmailNotificationLog
from project.models.issue import Issue
from project.models.workspace import Workspace


class DigestKind(models.TextChoices):
    """What a digest is about: one issue, many issues of one workspace, or an export that ended."""

    ISSUE = "issue", "Issue"
    ROLLUP = "rollup", "Roll-up"
    EXPORT = "export", "Export"


class DigestStatus(models.TextChoices):
    """Where a digest stands.

    WAITING: claimed, or put off until ``due_at``. SENDING: an owner works on this attempt. FENCED: the final
    dot is about to be written or was written, the answer is not recorded. HELD: the answer got lost and the
    operator chose to decide such cases. SENT_ASSUMED: the answer got lost and we take it for a yes. The other
    ends say themselves.
    """

    WAITING = "waiting", "Waiting"
    SENDING = "sending", "Sending"
    FENCED = "fenced", "Fenced"
    HELD = "held", "Held"
    SENT = "sent", "Sent"
    SENT_ASSUMED = "sent_assumed", "Sent (assumed)"
    SUPPRESSED = "suppressed", "Suppressed"
    FAILED = "failed", "Failed"
    EXPIRED = "expired", "Expired"


_S = DigestStatus
#: Statuses in which nothing more will happen by itself.
ENDED = frozenset({_S.HELD, _S.SENT, _S.SENT_ASSUMED, _S.SUPPRESSED, _S.FAILED, _S.EXPIRED})
#: Begins the answer of a digest that was put off because its receiver wants it so.
WAITS = "waits: "
#: Ends of what was certainly not sent.
UNSENT = frozenset({_S.SUPPRESSED, _S.FAILED, _S.EXPIRED})
#: Ends of what nobody can know.
IN_DOUBT = frozenset({_S.HELD, _S.SENT_ASSUMED})


class EmailDigest(models.Model):
    """One mail. Its id is computed from the primary keys of its lines.

    ``dispatch`` counts how often the row was deliberately put on the queue and is part of the message id;
    ``attempt`` grows with every start and, with ``owner``, is what the fence compares; ``generation`` grows
    when the content is sealed anew and is part of the Message-ID.

    ``dot_at`` stays as long as the mail may have been accepted. While such a digest waits to be sent again
    its bytes must not change, and it cannot end as unsent any more.
    """

    NEXT: Mapping[DigestStatus, frozenset[DigestStatus]] = {
        # WAITING again: put off because mail is stopped.
        _S.WAITING: frozenset({_S.SENDING, _S.WAITING}),
        # SENDING again is the take-over of a dead worker's attempt; its own late fence then fails.
        _S.SENDING: frozenset({_S.SENDING, _S.FENCED, _S.WAITING, *UNSENT, _S.SENT_ASSUMED}),
        _S.FENCED: frozenset({_S.SENT, *IN_DOUBT, _S.WAITING, _S.FAILED, _S.EXPIRED}),
        # A slow worker may still hear the answer that we stopped waiting for.
        _S.SENT_ASSUMED: frozenset({_S.SENT, _S.WAITING, _S.FAILED, _S.EXPIRED}),
        _S.HELD: frozenset({_S.SENT, _S.SENT_ASSUMED, _S.WAITING, _S.FAILED, _S.EXPIRED}),
        _S.FAILED: frozenset({_S.WAITING}),
        _S.EXPIRED: frozenset({_S.WAITING}),
        _S.SENT: frozenset(),
        # Only where the suppression itself turned out to be a mistake of ours.
        _S.SUPPRESSED: frozenset({_S.WAITING}),
    }

    id = models.UUIDField(primary_key=True, editable=False)
    receiver = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    kind = models.CharField(max_length=16, choices=DigestKind.choices, default=DigestKind.ISSUE)
    # Lines do not hang on the issue or the workspace, so a digest must outlive them: otherwise its lines would lose
    # their outcome.
    issue = models.ForeignKey(Issue, models.SET_NULL, null=True, related_name="digests")
    workspace = models.ForeignKey(Workspace, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    status = models.CharField(max_length=16, choices=DigestStatus.choices, default=DigestStatus.WAITING)
    reason = models.TextField(default="", blank=True)
    urgent = models.BooleanField(default=False)
    due_at = models.DateTimeField(default=timezone.now)
    enqueued_at = models.DateTimeField(null=True, blank=True)
    dispatch = models.PositiveIntegerField(default=1)
    awaits_breaker = models.BooleanField(default=False)  # put off because all mail is stopped

    attempt = models.PositiveIntegerField(default=0)
    owner = models.UUIDField(null=True, blank=True)
    unanswered = models.PositiveIntegerField(default=0)
    failures = models.PositiveIntegerField(default=0)
    started_at = models.DateTimeField(null=True, blank=True)
    dot_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    answer = models.TextField(default="", blank=True)

    abridged = models.BooleanField(default=False)  # the server found it too big: no texts of comments
    generation = models.PositiveIntegerField(default=0)
    sealed_at = models.DateTimeField(null=True, blank=True)
    to_address = models.CharField(max_length=255, default="", blank=True)
    subject = models.TextField(default="", blank=True)
    message_id = models.CharField(max_length=100, default="", blank=True)
    content = models.BinaryField(null=True, blank=True)
    content_sha256 = models.CharField(max_length=64, default="", blank=True)

    class Meta:
        db_table = "email_digests"
        constraints = [
            models.CheckConstraint(
                name="digest_of_one_issue_only_if_so",
                condition=Q(kind=DigestKind.ISSUE) | Q(issue__isnull=True),
            ),
            models.CheckConstraint(
                name="digest_ended_has_time",
                condition=Q(status__in=sorted(ENDED), ended_at__isnull=False)
                | (~Q(status__in=sorted(ENDED)) & Q(ended_at__isnull=True)),
            ),
            models.CheckConstraint(
                name="digest_unless_sent_has_reason",
                condition=~Q(status__in=sorted(UNSENT | IN_DOUBT)) | ~Q(reason=""),
            ),
            models.CheckConstraint(
                name="digest_unsent_passed_no_dot",
                condition=~Q(status__in=sorted(UNSENT)) | Q(dot_at__isnull=True),
            ),
            models.CheckConstraint(
                name="digest_dot_was_sealed",
                condition=Q(dot_at__isnull=True) | Q(sealed_at__isnull=False, content__isnull=False),
            ),
            models.CheckConstraint(
                name="digest_passed_dot_has_time",
                condition=~Q(status__in=[_S.FENCED, _S.SENT, _S.SENT_ASSUMED, _S.HELD])
                | Q(dot_at__isnull=False),
            ),
            models.CheckConstraint(
                name="digest_sending_has_owner",
                condition=~Q(status__in=[_S.SENDING, _S.FENCED])
                | Q(owner__isnull=False, started_at__isnull=False),
            ),
            models.CheckConstraint(
                name="digest_unanswered_within_attempts", condition=Q(unanswered__lte=F("attempt"))
            ),
        ]
        indexes = [
            # Readers: the sweep, the "oldest due" figure, the claim's gap. Ended digests are not in it.
            models.Index(
                fields=["status", "due_at"], condition=~Q(status__in=sorted(ENDED)), name="digest_open"
            ),
            # Readers: the failed list of the operators, the outcome counts, the claim's gap.
            models.Index(fields=["status", "ended_at"], name="digest_ended"),
            # Reader: what the mail provider tells of a mail.
            models.Index(fields=["message_id"], name="digest_message_id"),
            # Readers: threading, explain.
            models.Index(fields=["issue", "receiver", "created_at"], name="digest_issue_receiver"),
        ]

    def __str__(self) -> str:
        return f"digest {self.id} ({self.status})"


class EmailDigestLine(models.Model):
    """A log row's place in a digest.

    The log row *is* the primary key, so it can be in one digest only, for ever. `suppressed` says why this
    line alone was left out; a line without it shares the digest's outcome.
    """

    log = models.OneToOneField(EmailNotificationLog, models.CASCADE, primary_key=True, related_name="line")
    digest = models.ForeignKey(EmailDigest, models.CASCADE, related_name="lines")
    suppressed = models.CharField(max_length=64, default="", blank=True)

    class Meta:
        db_table = "email_digest_lines"

    def __str__(self) -> str:
        return f"{self.log_id} in {self.digest_id}"
