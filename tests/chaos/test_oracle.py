"""The oracle finds what it is there to find."""

from uuid import uuid4

import pytest
from django.utils import timezone

from project.limits import Limits
from project.models import (
    DigestStatus,
    EmailDigest,
    EmailNotificationLog,
    Issue,
    IssueEvent,
    Notification,
)
from project.services.notifications.comments import create_comment
from project.services.notifications.fan_out import fan_out
from tests.chaos import cast, mails, tellings
from tests.factories import make_user
from tests.scripted_smtp import Accepted

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def told() -> None:
    """A comment with a mention in it, and everybody told of it."""
    cast.seed()
    issue = Issue.objects.get(name="circle0 issue 0")
    ann, bob, *_ = cast.people()["circle0"]
    element = f'<mention-component entity_identifier="{bob.id}" entity_name="user_mention">'
    _, wakes = create_comment(issue.id, element, actor=ann, now=timezone.now())
    for wake in wakes:
        fan_out(wake.row_id, wake.dispatch, now=timezone.now(), limits=Limits())


@pytest.mark.usefixtures("told")
class TestTellings:
    def test_a_complete_fan_out_is_in_order(self) -> None:
        found = tellings.compare()
        assert (found.events, found.missing, found.surplus) == (1, [], [])

    @pytest.mark.parametrize("model", [Notification, EmailNotificationLog])
    def test_a_row_that_is_not_there_is_missing(self, model: type[Notification]) -> None:
        model.objects.all()[0].delete()
        found = tellings.compare()
        assert (len(found.missing), found.surplus) == (1, [])

    @pytest.mark.parametrize("model", [Notification, EmailNotificationLog])
    def test_a_row_that_is_there_twice_is_surplus(self, model: type[Notification]) -> None:
        twin = model.objects.all()[0]
        twin.pk = uuid4()
        twin.save(force_insert=True)
        found = tellings.compare()
        assert (found.missing, len(found.surplus)) == ([], 1)

    def test_rows_of_an_event_that_was_never_committed_are_surplus(self) -> None:
        IssueEvent.objects.all().delete()
        assert len(tellings.compare().surplus) == 6  # three people, in two tables


def make_digest(status: DigestStatus) -> EmailDigest:
    now, name = timezone.now(), uuid4()
    passed_dot = status in {DigestStatus.SENT, DigestStatus.SENT_ASSUMED}
    return EmailDigest.objects.create(
        id=name,
        receiver=make_user(name.hex),
        status=status,
        reason="because",
        message_id=f"<{name}@x>",
        sealed_at=now,
        content=b"",
        dot_at=now if passed_dot else None,
        ended_at=None if status == DigestStatus.WAITING else now,
    )


def mail_of(digest: EmailDigest, message_id: str = "") -> Accepted:
    head = f"X-Singlepost-Digest: {digest.id}\r\nMessage-ID: {message_id or digest.message_id}\r\n\r\n"
    return Accepted("from@x", "to@x", head.encode())


class TestMails:
    def test_one_mail_of_a_sent_digest_is_in_order(self) -> None:
        digest = make_digest(DigestStatus.SENT)
        found = mails.compare([mail_of(digest)])
        assert (found.accepted, found.ends) == (1, {"sent": 1})
        assert not (found.lost or found.doubled or found.denied or found.misnamed or found.unknown)

    def test_a_sent_digest_without_a_mail_is_lost(self) -> None:
        digest = make_digest(DigestStatus.SENT)
        assert mails.compare([]).lost == {digest.id}

    @pytest.mark.parametrize("second", ["", "<another@x>"])
    def test_a_second_mail_is_a_double_whatever_its_name(self, second: str) -> None:
        digest = make_digest(DigestStatus.SENT)
        assert mails.compare([mail_of(digest), mail_of(digest, second)]).doubled == {digest.id}

    @pytest.mark.parametrize("status", [DigestStatus.FAILED, DigestStatus.SUPPRESSED, DigestStatus.WAITING])
    def test_a_mail_that_its_digest_denies_is_found(self, status: DigestStatus) -> None:
        digest = make_digest(status)
        assert mails.compare([mail_of(digest)]).denied == {digest.id}

    def test_assumed_and_not_accepted_is_counted_apart(self) -> None:
        arrived, missing = (make_digest(DigestStatus.SENT_ASSUMED) for _ in range(2))
        found = mails.compare([mail_of(arrived)])
        assert found.assumed == {arrived.id, missing.id}
        assert found.assumed_missing == {missing.id}
        assert not found.lost

    def test_a_mail_with_another_name_than_its_digest_s_is_found(self) -> None:
        digest = make_digest(DigestStatus.SENT)
        assert mails.compare([mail_of(digest, "<another@x>")]).misnamed == {digest.id}

    def test_a_mail_of_no_digest_is_found(self) -> None:
        digest = make_digest(DigestStatus.SENT)
        digest.delete()
        assert mails.compare([mail_of(EmailDigest(id=uuid4()))]).unknown
