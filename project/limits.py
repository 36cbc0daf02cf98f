"""Every duration and bound of the system, in one frozen object that refuses to be incoherent.

The relations between these numbers *are* the recovery guarantee, so they are checked together when the
settings are read, and never by the code that uses one of them.
"""

from dataclasses import dataclass, field, fields
from datetime import timedelta


class IncoherentLimits(ValueError):
    """Two limits contradict each other; the message names both and says what must hold."""


def _seconds(value: float) -> timedelta:
    return timedelta(seconds=value)


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Durations (``timedelta``) and counts (``int``). Each may be set by an environment variable of its
    upper-case name; durations are then given in seconds.

    Raises:
        IncoherentLimits: on construction, if a relation between two of them does not hold.
    """

    # Digest window: a group (receiver × issue) is due when it has been quiet for `window_idle`, or its oldest
    # line is `window_cap` old, or a mention in it is `window_mention` old.
    window_idle: timedelta = _seconds(120)
    window_cap: timedelta = _seconds(300)
    window_mention: timedelta = _seconds(30)
    claim_batch: int = 500  # groups claimed in one transaction of the stacker

    # SMTP phases (RFC 5321 §4.5.3.2 asks for patience after the final dot: a premature timeout there doubles mail).
    smtp_connect: timedelta = _seconds(10)
    smtp_command: timedelta = _seconds(60)
    smtp_data: timedelta = _seconds(120)
    smtp_dot: timedelta = _seconds(300)
    smtp_quit: timedelta = _seconds(2)
    smtp_reuse_idle: timedelta = _seconds(60)  # a connection that idled longer is not trusted
    smtp_reuse_mails: int = 100

    # Mail attempts: wait before attempt 2, 3, …; the last value repeats until `mail_expiry` after the claim.
    mail_backoff: tuple[timedelta, ...] = field(
        default=tuple(timedelta(minutes=m) for m in (1, 5, 15, 60, 180, 360))
    )
    mail_expiry: timedelta = _seconds(48 * 3600)
    mail_reclaims: int = 5  # starts without an outcome (each killed its worker) before a digest counts as poison
    event_attempts: int = 5  # the same for the fan-out of an event

    # Broker and dedup.
    heartbeat_timeout: timedelta = _seconds(15)  # a silent worker counts as dead after this
    lease: timedelta = _seconds(15)  # a dedup claim that is not renewed ends after this
    lease_renewal: timedelta = _seconds(3)
    maintenance_every: timedelta = _seconds(5)  # how often every queue looks for dead workers' messages
    done_ttl: timedelta = _seconds(8 * 24 * 3600)  # how long a finished message id is remembered
    dead_letter_ttl: timedelta = _seconds(30 * 24 * 3600)
    redis_timeout: timedelta = _seconds(3)  # one socket operation of a worker
    redis_wait: timedelta = _seconds(0.5)  # what dedup spends on an unreachable Redis before it lets the work run
    enqueue_timeout: timedelta = _seconds(1)  # one socket operation of a web request
    time_limit: timedelta = _seconds(600)  # one actor run
    retry_attempts: int = 8
    retry_min_backoff: timedelta = _seconds(5)
    retry_max_backoff: timedelta = _seconds(120)
    busy_deferrals: int = 100  # put-offs of a busy duplicate before it becomes a dead letter
    delivery_limit: int = 5  # deliveries of one message without any end before it counts as poison
    shutdown_timeout: timedelta = _seconds(420)  # what SIGTERM leaves to running actors: longer than any fence

    # Recovery.
    recovery_budget: timedelta = _seconds(30)  # a killed worker's message is running again within this
    overdue: timedelta = _seconds(180)  # a row with no progress for this long gets its wake-up sent again
    sweep_batch: int = 1000
    tick: timedelta = _seconds(60)  # grid of the scheduler's ticks

    def __post_init__(self) -> None:
        """Check every relation the guarantees rest on."""
        for f in fields(self):
            value = getattr(self, f.name)
            smallest = min(value) if isinstance(value, tuple) else value
            if smallest <= (timedelta(0) if isinstance(smallest, timedelta) else 0):
                raise IncoherentLimits(f"{f.name.upper()}={value}: must be greater than zero")
        self._ordered("window_mention", "window_idle", "window_cap", strict=False)
        self._ordered("lease_renewal", "lease", strict=True)
        self._ordered("lease", "heartbeat_timeout", strict=False)
        self._ordered("smtp_dot", "time_limit", strict=True)
        self._ordered("smtp_dot", "shutdown_timeout", strict=True)
        self._ordered("retry_min_backoff", "retry_max_backoff", strict=False)
        self._ordered("redis_wait", "redis_timeout", "lease", strict=False)
        self._fits(self.smtp_whole, "all SMTP phases together", "time_limit")
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
    def smtp_whole(self) -> timedelta:
        """The longest one SMTP transaction can take before the final dot is answered."""
        return self.smtp_connect + self.smtp_command + self.smtp_data + self.smtp_dot + self.smtp_quit

    @property
    def fence_patience(self) -> timedelta:
        """How long a fenced digest may still get its answer from a living worker: the dot timeout and a minute."""
        return self.smtp_dot + _seconds(60)

    def _ordered(self, *names: str, strict: bool) -> None:
        for low, high in zip(names, names[1:], strict=False):
            a, b = getattr(self, low), getattr(self, high)
            if a > b or (strict and a == b):
                word = "less than" if strict else "at most"
                raise IncoherentLimits(
                    f"{low.upper()}={a.total_seconds():g}s must be {word} {high.upper()}={b.total_seconds():g}s"
                )

    def _fits(self, sum_: timedelta, what: str, name: str) -> None:
        bound = getattr(self, name)
        if sum_ >= bound:
            raise IncoherentLimits(
                f"{what} is {sum_.total_seconds():g}s and must be less than "
                f"{name.upper()}={bound.total_seconds():g}s"
            )
