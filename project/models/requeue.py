"""Orders of operators about work that ended badly, and the record of them."""

import uuid
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import NamedTuple

from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import Q

from project.models.wake import Wake

#: How moments are written in words. All times are UTC.
MOMENT = "%Y-%m-%d %H:%M:%S UTC"


class Verb(models.TextChoices):
    """What an operator can order."""

    REQUEUE = "requeue", "Re-queue"
    DISCARD = "discard", "Discard"
    ASSUME_SENT = "assume_sent", "Assume sent"
    CANCEL = "cancel", "Cancel"
    RESUME = "resume", "Resume"
    CLEAR = "clear", "Clear"

    @property
    def past(self) -> str:
        """What is said of a row that it was done to."""
        return {
            Verb.REQUEUE: "re-queued",
            Verb.DISCARD: "discarded",
            Verb.ASSUME_SENT: "taken for sent",
            Verb.CANCEL: "cancelled",
            Verb.RESUME: "resumed",
            Verb.CLEAR: "cleared",
        }[self]


class Order(NamedTuple):
    """Who orders what, when and why; `by` is a name that means something to the other operators."""

    verb: Verb
    by: str
    why: str
    at: datetime


class Prospect(NamedTuple):
    """What an order would come to for one row or message.

    Attributes:
        acts: Whether something would be done to it; otherwise it is left as it is.
        word: A few words to count by, such as "will run" or "already sent".
        detail: What else there is to know.
    """

    acts: bool
    word: str
    detail: str = ""

    def came_true(self, verb: Verb) -> "Prospect":
        """Tell it as what came of the order that was carried out."""
        return self._replace(word=verb.past) if self.acts else self


class Report(NamedTuple):
    """What an order came to, by the id of each row or message, and what is to be sent now."""

    outcomes: Mapping[str, Prospect]
    wakes: list[Wake]


class RequeueAudit(models.Model):
    """One order: who, when, why, and what came of it for each row.

    Written in the transaction that changes the rows. Messages live outside of it, so there the record comes
    first: one without `finished_at` belongs to a tool that ended in between.
    """

    class Target(models.TextChoices):
        """What an order is about."""

        DEAD_LETTERS = "dead_letters", "Dead letters"
        DIGESTS = "digests", "Digests"
        EVENTS = "events", "Events"
        EXPORTS = "exports", "Exports"
        MAIL = "mail", "Mail"
        ADDRESSES = "addresses", "Addresses"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    at = models.DateTimeField()
    by = models.CharField(max_length=255)
    why = models.TextField()
    verb = models.CharField(max_length=16, choices=Verb.choices)
    target = models.CharField(max_length=16, choices=Target.choices)
    rows = models.JSONField(default=dict)  # id → what came of it, in words
    counts = models.JSONField(default=dict)  # outcome → how many
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "requeue_audit"
        verbose_name = "order of an operator"
        verbose_name_plural = "orders of operators"
        permissions = [("operate", "Can re-queue, discard and resolve failed work, and explain mails")]
        constraints = [models.CheckConstraint(name="requeue_has_reason", condition=~Q(why=""))]
        indexes = [
            # Reader: the list, newest first.
            models.Index(fields=["-at"], name="requeue_time"),
            # Reader: explain (which orders were about this row?).
            GinIndex(fields=["rows"], name="requeue_rows"),
        ]

    def __str__(self) -> str:
        return f"{self.verb} {self.target} by {self.by}"

    @classmethod
    def begin(cls, order: Order, target: Target, keys: Iterable[str]) -> "RequeueAudit":
        """Write the record of an order that is about to be carried out."""
        rows = dict.fromkeys(keys, "ordered")
        return cls.objects.create(
            at=order.at, by=order.by, why=order.why, verb=order.verb, target=target, rows=rows
        )

    @classmethod
    def about(cls, keys: Iterable[object]) -> models.QuerySet["RequeueAudit"]:
        """Return the orders about any of these rows, the oldest first."""
        return cls.objects.filter(rows__has_any_keys=[str(key) for key in keys]).order_by("at")

    def finish(self, outcomes: Mapping[str, Prospect], *, now: datetime) -> None:
        """Write what came of it, as far as it came."""
        self.rows |= {
            key: ": ".join(filter(None, (outcome.word, outcome.detail))) for key, outcome in outcomes.items()
        }
        self.counts = Counter(outcome.word for outcome in outcomes.values())
        self.finished_at = now
        self.save()
