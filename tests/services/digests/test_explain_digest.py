"""Each way in which a digest can stand, in words."""

from uuid import uuid4

import pytest

from project.models import DigestStatus, EmailDigest, MailBreaker, MailSchedule, Step, Story
from project.services.digests.explain import explain_digest
from tests.services.digests.sending import LIMITS
from tests.services.digests.told import LATER, bob_is_to_be_mailed, followed, only
from tests.services.notifications.events import NOW

pytestmark = pytest.mark.django_db
S = DigestStatus


@pytest.fixture
def digest(team) -> EmailDigest:
    return bob_is_to_be_mailed(followed(team))


def stands(status: DigestStatus, **fields: object) -> Step:
    """The last step of the only digest, brought into this status."""
    EmailDigest.objects.update(status=status, **fields)
    return story().steps[-1]


def story() -> Story:
    """That of the only digest."""
    return only(explain_digest(EmailDigest.objects.get().id, now=LATER, limits=LIMITS))


ENDED = {"ended_at": LATER, "reason": "receiver: rcpt 550 5.1.1"}
OWNED = {"owner": uuid4(), "started_at": LATER, "attempt": 3, "unanswered": 2}
PASSED = {"sealed_at": LATER, "content": b"frozen", "dot_at": LATER}


@pytest.mark.parametrize(
    ("status", "fields", "step"),
    [
        (S.WAITING, {}, ("waiting", LATER, "is sent with the next tick at the latest", "")),
        (
            S.WAITING,
            {"enqueued_at": LATER},
            ("waiting", LATER, "on the queue since 2026-03-02 09:10:00 UTC", ""),
        ),
        (
            S.WAITING,
            {"attempt": 1, "answer": "rcpt 451"},
            ("waiting", LATER, "is tried again then", "last answer: rcpt 451"),
        ),
        (
            S.SENDING,
            OWNED,
            ("sending", LATER, "a worker is at it", "attempts before it that had no outcome: 1"),
        ),
        (
            S.FENCED,
            OWNED | PASSED,
            (
                "answer",
                LATER + LIMITS.fence_patience,
                "the answer is awaited until then, and nothing is sent again",
                "",
            ),
        ),
        (
            S.SENT_ASSUMED,
            ENDED | PASSED,
            (
                "sent (assumed)",
                LATER,
                "counts as sent, though the answer is not known",
                "receiver: rcpt 550 5.1.1",
            ),
        ),
    ],
)
def test_each_standing_of_a_digest(digest, status, fields, step):
    assert stands(status, **fields) == step


@pytest.mark.parametrize("status", [S.FAILED, S.EXPIRED])
def test_what_was_not_mailed_says_what_would_try_again(digest, status):
    step = stands(status, **ENDED)
    assert step.what == f"not mailed; `manage.py digests requeue {digest.id}` tries again"
    assert step.because == "receiver: rcpt 550 5.1.1"


def test_what_is_held_says_who_decides(digest):
    step = stands(S.HELD, **ENDED | PASSED)
    assert (step.name, f"`manage.py digests assume-sent {digest.id}`" in step.what) == ("held", True)


def test_while_all_mail_is_stopped_that_is_the_reason(digest):
    MailBreaker.objects.create(sender="s", opened_at=NOW, probe_at=LATER, cause="config: auth 535")
    step = stands(S.WAITING, awaits_breaker=True)
    assert step.because == "all mail is stopped since 2026-03-02 09:00:00 UTC: config: auth 535"


@pytest.mark.parametrize(
    ("at_once", "because"), [(True, "at once, since it has a mention"), (False, "it has a mention")]
)
def test_a_mention_hurries_a_digest_only_if_its_receiver_wants_that(team, digest, at_once, because):
    MailSchedule.objects.create(user=team.members["bob"], mentions_at_once=at_once)
    EmailDigest.objects.update(urgent=True)
    [gathered] = [step for step in story().steps if step.name == "digest"]
    assert gathered.because == because
