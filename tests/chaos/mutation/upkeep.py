"""The guards of what repairs and tidies up: the sweep, the retries of mails, the operators, the schedule."""

from tests.chaos.mutation.guard import Guard

_SUPPRESSION = "project/services/digests/suppression.py"
_REQUEUE = "project/services/digests/requeue_rules.py"
_SCHEDULE = "project/services/maintenance/schedule.py"

_OVERDUE_TESTS = "tests/services/maintenance/test_overdue.py"
_SUPPRESSION_TESTS = "tests/services/digests/test_suppression.py"
_REQUEUE_TESTS = "tests/services/digests/test_requeue.py"
_SCHEDULE_TESTS = ["tests/scheduler/test_ledger.py", "tests/scheduler/test_exactly_once.py"]

UPKEEP = (
    Guard(
        "what was sent is marked",
        "project/models/wake.py",
        "SET enqueued_at = %s",
        "SET enqueued_at = %s - interval '1 day'",
        ["tests/services/maintenance/test_overdue.py"],
    ),
    Guard(
        "the mark spares what moved on",
        "project/models/wake.py",
        " AND {table}.dispatch = sent.dispatch",
        "",
        ["tests/services/maintenance/test_overdue.py"],
    ),
    Guard(
        "the sweep gives what counts as done another name",
        "project/actors/wakes.py",
        "*rename(rows, abandoned)",
        "*abandoned",
        ["tests/actors/test_digests.py"],
    ),
    Guard(
        "a claim is sent before it is marked",
        "project/actors/digests.py",
        "        send_wakes(send_digest, wakes)\n        mark_sent(EmailDigest, wakes, now=timezone.now())",
        "        mark_sent(EmailDigest, wakes, now=timezone.now())\n        send_wakes(send_digest, wakes)",
        ["tests/actors/test_digests.py"],
    ),
    Guard(
        "a stacker sends what another left behind",
        "project/actors/digests.py",
        "    send_found(send_digest, EmailDigest, overdue_digests)\n",
        "",
        ["tests/actors/test_digests.py"],
    ),
    Guard(
        "resend: once",
        "project/services/digests/ambiguity.py",
        "policy is Doubt.RESEND and not attempt.perhaps_sent",
        "policy is Doubt.RESEND",
        ["tests/services/digests/test_ambiguity.py"],
    ),
    Guard(
        "breaker: one gets the probe",
        "project/services/digests/breaker.py",
        "self._rows(opened_at=row.opened_at, probe_at=row.probe_at)",
        "self._rows(opened_at=row.opened_at)",
        ["tests/services/digests/test_breaker.py"],
    ),
    Guard(
        "our mistake: the suppressions end",
        _SUPPRESSION,
        "mistaken.update(cleared_at=now)",
        "mistaken.count()",
        [_SUPPRESSION_TESTS],
    ),
    Guard(
        "our mistake: what was refused is mailed",
        _SUPPRESSION,
        "reopen([*refused, *spared",
        "reopen([*spared",
        [_SUPPRESSION_TESTS],
    ),
    Guard(
        "our mistake: what was spared is mailed",
        _SUPPRESSION,
        'reopen([*refused, *spared.values_list("id", flat=True)]',
        "reopen([*refused]",
        [_SUPPRESSION_TESTS],
    ),
    Guard(
        "our mistake: who was spared for another reason is not mailed",
        _SUPPRESSION,
        "            reason=ADDRESS_SUPPRESSED,\n",
        "",
        [_SUPPRESSION_TESTS],
    ),
    Guard(
        "our mistake: what was spared before it is not mailed",
        _SUPPRESSION,
        "            ended_at__gte=now - ALIKE_WITHIN,\n",
        "",
        [_SUPPRESSION_TESTS],
    ),
    Guard(
        "our mistake: what may have been sent is not mailed",
        "project/services/digests/attempts.py",
        "        status__in=[DigestStatus.FAILED, DigestStatus.SUPPRESSED, DigestStatus.WAITING],\n",
        "",
        ["tests/services/digests/test_attempts.py"],
    ),
    Guard(
        "requeue: what was sent is not touched",
        _REQUEUE,
        "if digest.status not in MAILED:\n        return None\n",
        "return None\n",
        [_REQUEUE_TESTS],
    ),
    Guard(
        "requeue: a double click is one order",
        _REQUEUE,
        "if digest.dispatch == dispatch:\n        return None\n",
        "return None\n",
        [_REQUEUE_TESTS],
    ),
    Guard(
        "schedule: a tick that is done is not run again",
        _SCHEDULE,
        'reason="")):\n            return\n',
        'reason="")):\n            pass\n',
        _SCHEDULE_TESTS,
    ),
    Guard(
        "schedule: a tick is not run twice at the same time",
        _SCHEDULE,
        "if not ours:",
        "if ours is None:",
        _SCHEDULE_TESTS,
    ),
)
