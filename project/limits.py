"""Every duration and bound of the system, in one frozen object that refuses to be incoherent.

The relations between these numbers *are* the recovery guarantee, so they are checked together when the
settings are read, and never by the code that uses one of them.
"""

from dataclasses import dataclass, field, fields
from datetime import timedelta
from enum import StrEnum
from itertools import pairwise

LONGEST_LINK = timedelta(days=7)  # of a signature of version 4
MOST_LOCKS = 2000  # on names, of one claim: PostgreSQL's table of locks is shared, and holds 6,400 by default


class IncoherentLimitsError(ValueError):
    """Two limits contradict each other; the message names both and says what must hold."""


class Doubt(StrEnum):
    """What is done about a mail whose answer to the final dot got lost.

    ASSUME_SENT takes it for sent. RESEND sends the same bytes again, once, where the server may have refused
    the first copy; it does not where only we failed to hear or to record the answer. HOLD leaves it to the
    operators.
    """

    ASSUME_SENT = "assume_sent"
    RESEND = "resend"
    HOLD = "hold"


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Durations (``timedelta``), counts (``int``) and policies (enums). Each may be set by an environment
    variable of its upper-case name; durations are then given in seconds.

    Raises:
        IncoherentLimitsError: on construction, if a relation between two of them does not hold.
    """

    # Digest window: a group (receiver × issue) is due when it has been quiet for `window_idle`, or its oldest
    # line is `window_cap` old, or a mention in it is `window_mention` old.
    window_idle: timedelta = timedelta(seconds=120)
    window_cap: timedelta = timedelta(seconds=300)
    window_mention: timedelta = timedelta(seconds=30)
    window_gap: timedelta = timedelta(
        seconds=300
    )  # between two mails on an issue to a person, mentions apart
    rollup_above: int = 3  # more issues that are due for a person in a workspace make one mail
    line_ttl: timedelta = timedelta(
        seconds=48 * 3600
    )  # what waited for longer before its claim is not mailed
    claim_batch: int = 500  # digests made in one transaction of the stacker
    claim_rounds: int = 200  # transactions of one tick; what is left is still due at the next

    # SMTP phases (RFC 5321 §4.5.3.2 asks for patience after the final dot: a premature timeout there doubles mail).
    smtp_connect: timedelta = timedelta(seconds=10)
    smtp_command: timedelta = timedelta(seconds=60)
    smtp_data: timedelta = timedelta(seconds=120)
    smtp_dot: timedelta = timedelta(seconds=300)
    smtp_quit: timedelta = timedelta(seconds=2)
    smtp_reuse_idle: timedelta = timedelta(seconds=60)  # a connection that idled longer is not trusted
    smtp_reuse_mails: int = 100

    # Mail attempts: wait before attempt 2, 3, …; the last value repeats until `mail_expiry` after the claim.
    mail_backoff: tuple[timedelta, ...] = field(
        default=tuple(timedelta(minutes=m) for m in (1, 5, 15, 60, 180, 360))
    )
    mail_expiry: timedelta = timedelta(seconds=48 * 3600)
    mail_reclaims: int = (
        5  # starts without an outcome (each killed its worker) before a digest counts as poison
    )
    ambiguous_normal: Doubt = Doubt.ASSUME_SENT  # the inbox says the same, and a double mail annoys
    ambiguous_urgent: Doubt = Doubt.RESEND  # digests with a mention

    # Breaker: mail stops after so many outages within `breaker_window`, and is probed ever more rarely.
    breaker_outages: int = 5
    breaker_window: timedelta = timedelta(seconds=60)
    breaker_probe: timedelta = timedelta(seconds=30)  # before the first probe; doubles from one to the next …
    breaker_probe_max: timedelta = timedelta(seconds=600)  # … up to this
    breaker_ramp: timedelta = timedelta(seconds=60)  # after a stop mail flows at 1/s; doubles in this time

    event_attempts: int = 5  # starts without an outcome of the fan-out of an event
    bulk_issues: int = 500  # that one request may change; they are locked until all are changed

    # Exports.
    exports_open: int = 3  # of one person, at the same time
    export_time: timedelta = timedelta(seconds=3600)  # one attempt: its snapshot holds back VACUUM
    export_heartbeat: timedelta = timedelta(seconds=1)  # progress is written, and a cancel noticed, so often
    # Wait before attempt 2, 3, … when something is out of order; then the export has failed.
    export_backoff: tuple[timedelta, ...] = field(default=tuple(timedelta(seconds=s) for s in (30, 120, 600)))
    export_reclaims: int = 3  # starts without an outcome before an export counts as poison
    export_link: timedelta = timedelta(seconds=600)  # a signed link works for this long …
    export_offered: timedelta = timedelta(seconds=7 * 24 * 3600)  # … and is given out for this long
    export_kept: timedelta = timedelta(seconds=8 * 24 * 3600)  # then the archive is removed
    export_orphan: timedelta = timedelta(seconds=24 * 3600)  # age of an archive that belongs to no row

    # Retention: how long something is kept after its end, or after it was last of use.
    hard_delete_after: timedelta = timedelta(days=60)  # soft-deleted rows, as in Plane
    mail_kept: timedelta = timedelta(days=90)  # ended digests with their lines
    events_kept: timedelta = timedelta(
        days=90
    )  # those that were told; as long as `explain` has mails to explain
    notifications_kept: timedelta = timedelta(days=180)  # read or archived ones
    unread_kept: timedelta = timedelta(days=365)
    runs_kept: timedelta = timedelta(days=30)  # of the schedule
    orders_kept: timedelta = timedelta(days=730)  # who re-queued what and why, for two audits a year apart
    provider_signature: timedelta = timedelta(
        hours=12
    )  # age of one that counts; Mailgun tries again for 8 hours
    provider_events_kept: timedelta = timedelta(days=90)  # as long as the mails that they are about
    mail_failures_kept: timedelta = timedelta(days=1)  # the breaker counts those of minutes
    purge_batch: int = 500  # rows deleted in one transaction …
    purge_timeout: timedelta = timedelta(seconds=30)  # … none of whose statements takes longer
    purge_time: timedelta = timedelta(seconds=600)  # one run; what is left is the next night's

    # Broker and dedup.
    heartbeat_timeout: timedelta = timedelta(seconds=15)  # a silent worker counts as dead after this
    lease: timedelta = timedelta(seconds=15)  # a dedup claim that is not renewed ends after this
    lease_renewal: timedelta = timedelta(seconds=3)
    maintenance_every: timedelta = timedelta(
        seconds=5
    )  # how often every queue looks for dead workers' messages
    done_ttl: timedelta = timedelta(seconds=8 * 24 * 3600)  # how long a finished message id is remembered
    dead_letter_ttl: timedelta = timedelta(seconds=30 * 24 * 3600)
    redis_timeout: timedelta = timedelta(seconds=3)  # one socket operation of a worker
    redis_wait: timedelta = timedelta(seconds=0.5)  # dedup's patience with Redis before it lets the work run
    enqueue_timeout: timedelta = timedelta(seconds=1)  # one socket operation of a web request
    time_limit: timedelta = timedelta(seconds=1000)  # one actor run
    retry_attempts: int = 8
    retry_min_backoff: timedelta = timedelta(seconds=5)
    retry_max_backoff: timedelta = timedelta(seconds=120)
    busy_deferrals: int = 100  # put-offs of a busy duplicate before it becomes a dead letter
    delivery_limit: int = 5  # deliveries of one message without any end before it counts as poison
    shutdown_timeout: timedelta = timedelta(seconds=420)  # SIGTERM leaves this to running actors

    # Recovery.
    recovery_budget: timedelta = timedelta(
        seconds=30
    )  # a killed worker's message is running again within this
    overdue: timedelta = timedelta(
        seconds=180
    )  # a row with no progress for this long gets its wake-up sent again
    sweep_batch: int = 1000
    tick: timedelta = timedelta(seconds=60)  # grid of the scheduler's ticks
    figure_time: timedelta = timedelta(seconds=1)  # one statement that only tells operators something

    def __post_init__(self) -> None:
        """Check every relation the guarantees rest on."""
        for f in fields(self):
            value = getattr(self, f.name)
            if isinstance(value, Doubt):
                continue
            if any(number <= 0 for number in _numbers(value)):
                shown = ",".join(f"{number:g}" for number in _numbers(value))
                what = {int: "a whole number", tuple: "numbers of seconds"}.get(
                    type(value), "a number of seconds"
                )
                raise IncoherentLimitsError(f"{f.name.upper()}={shown} is wrong: it must be {what} above 0")
        self._ordered("window_mention", "window_idle", "window_cap", strict=False)
        self._fits(timedelta(days=1), "a day (until the daily mail)", "line_ttl")
        self._ordered("lease_renewal", "lease", strict=True)
        self._ordered("lease", "heartbeat_timeout", strict=False)
        self._ordered("smtp_dot", "time_limit", strict=True)
        self._ordered("smtp_dot", "shutdown_timeout", strict=True)
        self._ordered("breaker_probe", "breaker_probe_max", "mail_expiry", strict=False)
        self._fits(max(self.mail_backoff), "longest MAIL_BACKOFF", "mail_expiry")
        self._fits(self.fence_patience, "SMTP_DOT + a minute (until a lost answer is settled)", "mail_expiry")
        self._ordered("retry_min_backoff", "retry_max_backoff", strict=False)
        self._ordered("redis_wait", "redis_timeout", "lease", strict=False)
        self._fits(self.smtp_whole, "all SMTP phases together", "time_limit")
        self._ordered("export_heartbeat", "overdue", strict=True)
        self._fits(self.export_offered + self.export_link, "EXPORT_OFFERED + EXPORT_LINK", "export_kept")
        if self.claim_batch > MOST_LOCKS:
            raise IncoherentLimitsError(f"CLAIM_BATCH={self.claim_batch}: must be at most {MOST_LOCKS}")
        if self.export_link > LONGEST_LINK:
            raise IncoherentLimitsError(
                f"EXPORT_LINK={self.export_link.total_seconds():g}s must be at most "
                f"{LONGEST_LINK.total_seconds():g}s: S3 refuses links that work for longer"
            )
        # Nothing that work still refers to is deleted under it, and no name of a run is forgotten before its run.
        for kept in ("hard_delete_after", "mail_kept", "events_kept", "notifications_kept"):
            self._ordered("mail_expiry", kept, strict=True)
        self._ordered("done_ttl", "runs_kept", strict=False)
        self._ordered("notifications_kept", "unread_kept", strict=False)
        self._ordered("breaker_window", "mail_failures_kept", strict=True)
        self._fits(self.purge_time + 2 * self.purge_timeout, "PURGE_TIME + twice PURGE_TIMEOUT", "time_limit")
        # A killed worker's copy is seen after heartbeat timeout + one maintenance pass; the lease it left behind
        # started no later than its last heartbeat, so the two waits overlap and only the longer one counts, plus
        # one renewal by which the lease may be younger than the heartbeat.
        self._fits(
            max(self.heartbeat_timeout, self.lease + self.lease_renewal) + self.maintenance_every,
            "heartbeat timeout (or lease + renewal) + maintenance wait",
            "recovery_budget",
        )
        self._fits(
            self.retry_max_backoff + self.recovery_budget, "longest back-off + recovery budget", "overdue"
        )

    @property
    def patience(self) -> timedelta:
        """For how long something may be due before it is late: the sweeps that move it may miss one."""
        return 2 * self.overdue + self.recovery_budget

    @property
    def line_wait(self) -> timedelta:
        """The longest that a line waits before it is due, unless its receiver wants otherwise."""
        return max(self.window_cap, self.window_gap)

    @property
    def smtp_whole(self) -> timedelta:
        """The longest a server that stalls everywhere can hold one transaction: its six commands, DATA and body."""
        return self.smtp_connect + 6 * self.smtp_command + 2 * self.smtp_data + self.smtp_dot + self.smtp_quit

    @property
    def fence_patience(self) -> timedelta:
        """How long a fenced digest may still get its answer from a living worker: the dot timeout and a minute."""
        return self.smtp_dot + timedelta(seconds=60)

    @property
    def answer_patience(self) -> timedelta:
        """How long a known answer waits for the database: neither the sweep nor a shutdown is kept waiting."""
        return min(self.fence_patience, self.shutdown_timeout) - self.smtp_dot

    def _ordered(self, *names: str, strict: bool) -> None:
        for low, high in pairwise(names):
            a, b = getattr(self, low), getattr(self, high)
            if a > b or (strict and a == b):
                word = "less than" if strict else "at most"
                raise IncoherentLimitsError(
                    f"{low.upper()}={a.total_seconds():g}s must be {word} {high.upper()}={b.total_seconds():g}s"
                )

    def _fits(self, sum_: timedelta, what: str, name: str) -> None:
        bound = getattr(self, name)
        if sum_ >= bound:
            raise IncoherentLimitsError(
                f"{what} is {sum_.total_seconds():g}s and must be less than "
                f"{name.upper()}={bound.total_seconds():g}s"
            )


def _numbers(value: int | timedelta | tuple[timedelta, ...]) -> list[float]:
    """Return a limit's numbers; of durations the seconds."""
    values = value if isinstance(value, tuple) else (value,)
    return [one.total_seconds() if isinstance(one, timedelta) else one for one in values]
