"""The guards, how each is taken away, and which tests are there to notice."""

from tests.chaos.mutation.guard import Guard
from tests.chaos.mutation.upkeep import UPKEEP

_CLAIM = "project/services/digests/claim.py"
_LINES = "project/services/digests/due_lines.py"
_ATTEMPTS = "project/services/digests/attempts.py"
_LEDGER = "project/queue/ledger.py"
_DEDUP = "project/queue/dedup.py"
_FAN_OUT = "project/services/notifications/fan_out.py"

_CLAIM_TESTS = "tests/services/digests/test_claim.py"
_LOCK_TESTS = "tests/chaos/test_claim_locks.py"
_ATTEMPT_TESTS = "tests/services/digests/test_attempts.py"
_DELIVER_TESTS = "tests/services/digests/test_deliver.py"
_LEDGER_TESTS = "tests/queue/test_ledger.py"
_DEDUP_TESTS = "tests/queue/test_dedup.py"
_ONCE_TESTS = "tests/services/notifications/test_fan_out_once.py"

GUARDS = (
    Guard(
        "claim: the anchor is locked",
        _LINES,
        "AND log.processed_at IS NULL\n    FOR UPDATE SKIP LOCKED\n)",
        "AND log.processed_at IS NULL\n)",
        [_CLAIM_TESTS, _LOCK_TESTS],
    ),
    Guard(
        "claim: one stacker looks after a person's issues of a workspace",
        _LINES,
        "pg_try_advisory_xact_lock(hashtextextended(receiver_id::text || workspace_id::text, 0))",
        "true",
        [_LOCK_TESTS],
    ),
    Guard(
        "claim: the lines are locked",
        _LINES,
        "\nFOR UPDATE OF log SKIP LOCKED\n",
        "\n",
        [_CLAIM_TESTS, _LOCK_TESTS],
    ),
    Guard(
        "claim: locks of others are skipped",
        _LINES,
        "    FOR UPDATE SKIP LOCKED\n)",
        "    FOR UPDATE\n)",
        [_CLAIM_TESTS, _LOCK_TESTS],
    ),
    Guard(
        "a line's primary key is its log row",
        "project/models/digest.py",
        "models.OneToOneField(EmailNotificationLog, models.CASCADE, primary_key=True, ",
        "models.ForeignKey(EmailNotificationLog, models.CASCADE, ",
        [_CLAIM_TESTS],
    ),
    Guard(
        "a digest is named after its lines",
        _CLAIM,
        'uuid5(NAMESPACE, ",".join(sorted(map(str, log_ids))))',
        'uuid5(NAMESPACE, ",".join(map(str, log_ids)))',
        [_CLAIM_TESTS],
    ),
    Guard(
        "message ids are named after their work",
        "project/queue/names.py",
        'uuid5(NAMESPACE, ":".join([actor_name, *map(str, parts)]))',
        "uuid4()",
        ["tests/queue/test_names.py", "tests/queue/test_actor.py"],
    ),
    Guard(
        "dedup: what is done is dropped",
        _LEDGER,
        "if letter == 'D' then return {2, 0, 0} end\n",
        "",
        [_LEDGER_TESTS, _DEDUP_TESTS],
    ),
    Guard(
        "dedup: what runs is not claimed again",
        _LEDGER,
        "if letter == 'R' then return {3, redis.call('PTTL', KEYS[1]), 0} end\n",
        "",
        [_LEDGER_TESTS, _DEDUP_TESTS],
    ),
    Guard(
        "dedup: a put-off copy is queued again",
        _DEDUP,
        'insist(\n            broker, message.copy(options={"put_offs": put_offs + 1}),'
        " self._put_off(put_offs, answer.number)\n        )\n",
        "pass\n",
        [_DEDUP_TESTS],
    ),
    Guard(
        "dedup: only the owner releases",
        _LEDGER,
        "if state == 'R' .. ARGV[1] then\n",
        "if true then\n",
        [_LEDGER_TESTS],
    ),
    Guard(
        "dedup: only the owner renews",
        _LEDGER,
        "if not state or state == 'R' .. ARGV[1] then\n",
        "if true then\n",
        [_LEDGER_TESTS],
    ),
    Guard(
        "dedup: who was taken over does not call it done",
        _LEDGER,
        "if state and string.sub(state, 2) ~= ARGV[1] then return 0 end\n",
        "",
        [_LEDGER_TESTS],
    ),
    Guard(
        "dedup: leases are renewed",
        _DEDUP,
        "self._renewal.start()",
        "pass",
        [_DEDUP_TESTS],
    ),
    Guard(
        "T1: a stale dispatch begins nothing",
        _ATTEMPTS,
        "EmailDigest.objects.filter(id=digest_id, dispatch=dispatch)",
        "EmailDigest.objects.filter(id=digest_id)",
        [_ATTEMPT_TESTS],
    ),
    Guard(
        "the fence can say no",
        _ATTEMPTS,
        "return advance(attempt.row(), to=DigestStatus.FENCED, dot_at=now) == 1",
        "return advance(attempt.row(), to=DigestStatus.FENCED, dot_at=now) >= 0",
        [_ATTEMPT_TESTS],
    ),
    Guard(
        "the fence compares attempt and owner",
        _ATTEMPTS,
        "filter(id=self.digest_id, attempt=self.number, owner=self.owner)",
        "filter(id=self.digest_id)",
        [_ATTEMPT_TESTS],
    ),
    Guard(
        "no dot without the fence's yes",
        "project/services/digests/smtp.py",
        "if not fence():",
        "if fence() is None:",
        ["tests/services/digests/test_smtp_fence.py"],
    ),
    Guard(
        "a status moves only where it may",
        "project/models/transition.py",
        "rows.filter(status__in=allowed)",
        "rows",
        [_ATTEMPT_TESTS],
    ),
    Guard(
        "the answer is given up only after any living worker",
        "project/services/digests/settle.py",
        "dot_at__lte=now - limits.fence_patience",
        "dot_at__lte=now",
        [_ATTEMPT_TESTS],
    ),
    Guard(
        "may it still be mailed?",
        "project/services/digests/seal.py",
        "if refusal := recheck(context, now=now):",
        "if (refusal := recheck(context, now=now)) and False:",
        ["tests/services/digests/test_recheck.py", _DELIVER_TESTS],
    ),
    Guard(
        "fan-out: the status is compared and set",
        _FAN_OUT,
        'if not advance(pending, to=EventStatus.FANNED_OUT, fanned_out_at=now, reason=""):\n            return\n',
        'advance(pending, to=EventStatus.FANNED_OUT, fanned_out_at=now, reason="")\n',
        [_ONCE_TESTS],
    ),
    Guard(
        "fan-out: what is there already stays",
        _FAN_OUT,
        "batch_size=BATCH, ignore_conflicts=True",
        "batch_size=BATCH",
        [_ONCE_TESTS],
    ),
    Guard(
        "fan-out: a log row is named after its cause",
        "project/services/notifications/names.py",
        'uuid5(NAMESPACE, f"email:{activity_id}:{receiver_id}:{kind}")',
        "UUID(bytes=__import__('os').urandom(16))",
        [_ONCE_TESTS, "tests/services/notifications/test_fan_out_names.py"],
    ),
    Guard(
        "broker: dead workers' messages are given back",
        "project/queue/keeper.py",
        "self._broker.do_maintain(queue_name)",
        "pass",
        ["tests/queue/test_processes.py", "tests/queue/test_broker.py"],
    ),
    Guard(
        "broker: orphans are put back",
        "project/queue/keeper.py",
        "self._orphans.reap(queue_name)",
        "pass",
        ["tests/queue/test_broker.py", "tests/queue/test_outage.py"],
    ),
    Guard(
        "a retry that is not queued is a dead letter",
        "project/queue/retries.py",
        'condemn(message, "retry could not be enqueued")\n            ',
        "",
        ["tests/queue/test_retries.py"],
    ),
    *UPKEEP,
)
