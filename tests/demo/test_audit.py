from uuid import UUID, uuid4

import pytest

from project.demo.audit import End, Mail, audit
from project.demo.effects import Effect
from project.models import DigestStatus, EmailDigest, EmailDigestLine, EmailNotificationLog, User
from tests.factories import make_user
from tests.services.digests.lines import NOW

pytestmark = pytest.mark.django_db


@pytest.fixture
def bob() -> User:
    return make_user("bob")


def digest(receiver: User, status: DigestStatus, lines: tuple[str, ...] = ("",), **fields: object) -> UUID:
    passed = status in {DigestStatus.SENT, DigestStatus.FENCED}
    sealed = {"sealed_at": NOW, "content": b"x", "dot_at": NOW} if passed else {}
    ended = {} if status == DigestStatus.FENCED else {"ended_at": NOW}
    row = EmailDigest.objects.create(
        id=uuid4(),
        receiver=receiver,
        status=status,
        owner=uuid4(),
        started_at=NOW,
        to_address=receiver.email or "",
        **{"message_id": f"<{uuid4()}>", **sealed, **ended, **fields},
    )
    for why_not in lines:
        log = EmailNotificationLog.objects.create(
            receiver=receiver, triggered_by=receiver, entity_name="issue", processed_at=NOW
        )
        EmailDigestLine.objects.create(log=log, digest=row, suppressed=why_not)
    return row.id


def arrival(message_id: str, to: str = "bob@example.org") -> Effect:
    return Effect(time=NOW.isoformat(), message_id=message_id, to=[to], sha256="", size=0)


def test_every_mail_once_is_exact(bob: User) -> None:
    digest(bob, DigestStatus.SENT, message_id="<a>")
    digest(bob, DigestStatus.FENCED, message_id="<b>")

    result = audit([arrival("<a>"), arrival("<b>")])

    assert result.exact
    assert result.arrived == 2


def test_a_second_copy_is_a_duplicate(bob: User) -> None:
    digest(bob, DigestStatus.SENT, message_id="<a>")
    result = audit([arrival("<a>"), arrival("<a>")])
    assert result.duplicates == [Mail("<a>", "bob@example.org")]
    assert not result.exact


def test_what_is_called_sent_and_never_came_is_lost(bob: User) -> None:
    digest(bob, DigestStatus.SENT, message_id="<a>")
    result = audit([])
    assert result.lost == [Mail("<a>", "bob@example.org")]
    assert not result.exact


@pytest.mark.parametrize(
    "stranger", [arrival("<b>"), arrival("<a>", to="eve@example.org")], ids=["unknown", "wrong receiver"]
)
def test_what_no_digest_accounts_for_is_unexplained(bob: User, stranger: Effect) -> None:
    digest(bob, DigestStatus.SENT, message_id="<a>")
    result = audit([arrival("<a>"), stranger])
    assert result.unexplained == [Mail(stranger.message_id or "", stranger.to[0])]
    assert not result.exact


def test_lines_are_counted_by_their_own_end_or_their_digests(bob: User) -> None:
    digest(bob, DigestStatus.SENT, ("", "", "read"))
    digest(bob, DigestStatus.SUPPRESSED, ("", "read"), reason="no_access")

    result = audit([])

    assert result.lines == {
        End("sent", ""): 2,
        End("suppressed", "read"): 2,
        End("suppressed", "no_access"): 1,
    }
    assert result.digests == {End("sent", ""): 1, End("suppressed", "no_access"): 1}
    assert result.unfailing


def test_what_was_given_up_is_no_good_end(bob: User) -> None:
    digest(bob, DigestStatus.FAILED, reason="receiver: bounced")
    assert not audit([]).unfailing
