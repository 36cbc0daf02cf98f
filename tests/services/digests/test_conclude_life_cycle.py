"""A digest's life, with everything that can happen to it in any order."""

from dataclasses import dataclass, replace
from datetime import timedelta
from uuid import uuid4

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from project.limits import Doubt
from project.models import DigestStatus, EmailDigest, Order, Verb
from project.models.digest import ENDED, UNSENT
from project.services.digests import attempts
from project.services.digests.attempts import Attempt
from project.services.digests.conclude import conclude
from project.services.digests.progress import Fault, Phase
from project.services.digests.replies import Kind
from project.services.digests.requeue import requeue
from project.services.digests.settle import settle_unanswered
from tests.factories import Team, make_team
from tests.services.digests.lines import NOW
from tests.services.digests.office import MINUTE, due, wake
from tests.services.digests.sending import LIMITS
from tests.services.digests.verdicts import (
    CONFIG,
    FULL,
    GREYLISTED,
    LOST_REPLY,
    OUTAGE,
    POISON,
    SENT,
    SESSION,
    SPAM,
    TOO_BIG,
    UNKNOWN,
    verdict,
)

BEFORE_THE_DOT = [
    CONFIG, FULL, GREYLISTED, OUTAGE, SESSION, TOO_BIG, UNKNOWN, verdict(Phase.BODY, Fault.UNFINISHED),
]  # fmt: skip
AFTER_IT = [
    LOST_REPLY, POISON, SPAM, verdict(Phase.DOT, Fault.UNFINISHED), verdict(Phase.BODY, Fault.UNFINISHED), SENT,
]  # fmt: skip


@dataclass
class Worker:
    """Somebody who holds an attempt, and may be slow to the point of being taken for dead."""

    attempt: Attempt
    reached: str = "begun"


class Life(RuleBasedStateMachine):
    """One digest. Its workers go on one step at a time, in any order, or never again."""

    team: Team

    @initialize(
        policy=st.sampled_from([Doubt.RESEND, Doubt.HOLD, Doubt.ASSUME_SENT]), answer_lost=st.booleans()
    )
    def claim(self, policy: Doubt, answer_lost: bool) -> None:
        self.limits = replace(LIMITS, ambiguous_normal=policy)
        self.digest = due(self.team)
        self.now = NOW
        self.workers: list[Worker] = []
        self.sent = False
        self.passed: set[int] = set()  # numbers of the attempts that passed the fence
        self.perhaps: set[int] = set()  # those of them that the server may have taken
        self.excused = 1  # mails that may have been taken without anything being wrong
        if answer_lost:
            self.begin(stale=0, steps=3, how=0)

    @property
    def row(self) -> EmailDigest:
        return EmailDigest.objects.get(id=self.digest.id)

    @precondition(lambda self: len(self.workers) < 3)
    @rule(stale=st.integers(0, 9), steps=st.integers(0, 3), how=st.integers(0, 99))
    def begin(self, stale: int, steps: int, how: int) -> None:
        dispatch = self.row.dispatch - (stale == 9)
        attempt = attempts.begin(self.digest.id, dispatch, owner=uuid4(), now=self.now, limits=self.limits)
        if attempt:
            assert stale < 9
            self.workers.append(Worker(attempt))
            self.go_on(who=-1, steps=steps, how=how)

    @precondition(lambda self: self.workers)
    @rule(who=st.integers(0, 5), steps=st.integers(1, 3), how=st.integers(0, 99))
    def go_on(self, who: int, steps: int, how: int) -> None:
        """Let one worker go so many steps further; what it says or hears at the end depends on `how`."""
        worker = self.workers[who % len(self.workers)]
        for _ in range(steps):
            step = {"begun": self.seal, "sealed": self.fence, "fenced": self.hear}[worker.reached]
            worker.reached = step(worker.attempt, how)
            if not worker.reached:
                self.workers.remove(worker)
                return

    @precondition(lambda self: any(worker.reached != "fenced" for worker in self.workers))
    @rule(how=st.integers(0, 99))
    def give_up(self, how: int) -> None:
        worker = next(worker for worker in self.workers if worker.reached != "fenced")
        self.workers.remove(worker)
        self.fail(worker.attempt, how)

    def seal(self, attempt: Attempt, how: int) -> str:
        ours = attempt.row().filter(status=DigestStatus.SENDING)
        frozen = {"sealed_at": self.now, "content": b"x", "to_address": "bob@acme.example"}
        return "sealed" if attempt.perhaps_sent or ours.update(**frozen) else ""

    def fail(self, attempt: Attempt, how: int) -> None:
        if how == 99:
            attempts.end(attempt, DigestStatus.SUPPRESSED, "read", now=self.now)
        else:
            said = BEFORE_THE_DOT[how % len(BEFORE_THE_DOT)]
            conclude(attempt, said, now=self.now, limits=self.limits)

    def fence(self, attempt: Attempt, how: int) -> str:
        if not attempts.fence(attempt, now=self.now):
            return ""
        assert attempt.number not in self.passed
        self.passed.add(attempt.number)
        self.perhaps.add(attempt.number)
        return "fenced"

    def hear(self, attempt: Attempt, how: int) -> str:
        before = self.row
        said = AFTER_IT[how % len(AFTER_IT)]
        if said.kind not in {Kind.SENT, Kind.AMBIGUOUS}:
            self.perhaps.discard(attempt.number)
        conclude(attempt, said, now=self.now, limits=self.limits)
        if said.kind is Kind.AMBIGUOUS and self.row.dispatch > before.dispatch:
            assert self.limits.ambiguous_normal is Doubt.RESEND
            assert not attempt.perhaps_sent
            self.excused += 1
        return ""

    @rule(what=st.sampled_from(["settle", "requeue", "stop mail", "fault was ours", "days pass"]))
    def run_the_house(self, what: str) -> None:
        match what:
            case "settle":
                self.now += self.limits.fence_patience
                settle_unanswered(now=self.now, limits=self.limits)
            case "requeue":
                self.requeue()
            case "stop mail":
                assert not attempts.hold(self.digest.id, self.row.dispatch - 1, until=self.now)
                attempts.hold(self.digest.id, self.row.dispatch, until=self.now + MINUTE)
            case "fault was ours":
                attempts.reopen([self.digest.id], until=self.now)
            case "days pass":
                self.now += self.limits.mail_expiry

    def requeue(self) -> None:
        in_doubt = self.row.status == DigestStatus.HELD
        report = requeue([wake(self.digest)], Order(Verb.REQUEUE, "op", "mended", self.now))
        self.excused += in_doubt and bool(report.wakes)

    @invariant()
    def the_promises_hold(self) -> None:
        row = self.row
        self.sent = self.sent or row.status == DigestStatus.SENT
        assert not self.sent or row.status == DigestStatus.SENT, "sent is for ever"
        assert (row.status in ENDED) == (row.ended_at is not None), "an end has its time"
        assert row.status not in ENDED or row.status == DigestStatus.SENT or row.reason, "and its reason"
        assert len(self.perhaps) <= self.excused, "nobody gets more mails than is excused"
        assert row.status not in UNSENT or not self.perhaps, "what was perhaps sent is not called unsent"
        if row.status == DigestStatus.WAITING:
            assert row.due_at - self.now < timedelta(hours=8), "what waits will be looked at"
            assert row.dot_at or not self.perhaps, "and its doubts are remembered"
        stamped = row.lines.filter(log__sent_at__isnull=False).exists()
        assert stamped == (row.status in {DigestStatus.SENT, DigestStatus.SENT_ASSUMED}), "lines are stamped"


@pytest.mark.django_db(transaction=True)
@pytest.mark.timeout(300)
def test_whatever_happens_in_whatever_order_the_promises_hold():
    Life.team = make_team()
    run_state_machine_as_test(Life, settings=settings(max_examples=80, stateful_step_count=15, deadline=None))
