"""What an event of a provider says about its receiver."""

from datetime import timedelta

import pytest

from project.models import EmailDigest, MailProviderEvent, SuppressedAddress
from project.services.digests.bounces import conclude, reason_in
from project.services.digests.suppression import is_suppressed
from tests.factories import make_issue, make_team, make_user
from tests.services.digests.lines import NOW, ago, make_digest

Reason = SuppressedAddress.Reason


def event(kind: str = "bounced", **fields: object) -> MailProviderEvent:
    return MailProviderEvent(provider="x", kind=kind, raw="{}", **fields)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("smtp; 550 5.1.1 user unknown", Reason.UNKNOWN),
        ("smtp;550-5.1.1 The email account that you tried to reach does not exist.", Reason.UNKNOWN),
        ("550 #5.1.0 Address rejected.", None),
        ("5.1.1 no such user", Reason.UNKNOWN),
        ("550 no such user", Reason.UNKNOWN),
        ("552 5.2.2 mailbox full", Reason.FULL),
        ("452 4.2.2 mailbox full", Reason.FULL),
        ("450 4.7.1 greylisted", None),
        ("550 5.7.26 unauthenticated", None),
        ("554 5.7.1 spam", None),
    ],
)
def test_the_words_of_the_receivers_server_decide(words, reason) -> None:
    for permanent in (True, False):
        assert reason_in(event(words=words, permanent=permanent)) == reason


@pytest.mark.parametrize("words", ["", "Test bounce details", "order 5500 of 10.5.1.1", "version 1.5.1.1"])
@pytest.mark.parametrize(("permanent", "reason"), [(True, Reason.UNKNOWN), (False, Reason.FULL)])
def test_without_them_the_provider_decides(words, permanent, reason) -> None:
    assert reason_in(event(words=words, permanent=permanent)) == reason


@pytest.mark.parametrize(
    ("kind", "why", "reason"),
    [
        ("complained", "", Reason.COMPLAINT),
        ("unsubscribed", "", Reason.COMPLAINT),
        ("rejected", "invalid", Reason.UNKNOWN),
        ("rejected", "bounced", Reason.UNKNOWN),
        ("rejected", "spam", Reason.COMPLAINT),
        ("rejected", "blocked", None),
        ("rejected", "", None),
        ("failed", "other", None),
        ("deferred", "", None),
        ("delivered", "", None),
        ("unknown", "", None),
    ],
)
def test_other_kinds(kind, why, reason) -> None:
    assert reason_in(event(kind, reject_reason=why, words="550 5.1.1", permanent=True)) == reason


@pytest.mark.django_db
def test_a_mailbox_that_is_full_once_is_still_mailed() -> None:
    make_user("bob")
    for times in range(1, 6):
        now = NOW + timedelta(hours=times)
        conclude(event(words="552 5.2.2 full", recipient="Bob@Example.org"), now=now)
        assert is_suppressed("bob@example.org", now=now) is (times == 5)


@pytest.mark.django_db
@pytest.mark.parametrize(("hours", "refused"), [(-1, False), (1, True)])
def test_what_happened_before_the_address_was_cleared_is_only_noted(hours, refused) -> None:
    make_user("bob")
    given = {"address": "bob@example.org", "reason": Reason.COMPLAINT, "evidence": "", "since": ago(9000)}
    SuppressedAddress.objects.create(**given, cleared_at=ago(8000))
    SuppressedAddress.objects.create(**given, cleared_at=NOW)
    late = event("complained", recipient="Bob@example.org", happened_at=NOW + timedelta(hours=hours))
    _, outcome = conclude(late, now=NOW + timedelta(hours=2))
    assert is_suppressed("bob@example.org", now=NOW + timedelta(hours=2)) is refused
    assert refused or outcome == "happened before the address was cleared"


@pytest.mark.django_db
def test_an_international_domain_is_known_in_the_form_in_which_it_was_mailed() -> None:
    team = make_team()
    mailed = make_digest(team.members["bob"], make_issue(team))
    EmailDigest.objects.filter(id=mailed.id).update(to_address="bob@xn--bcher-kva.example")
    told = event("complained", recipient="Bob@xn--bcher-kva.example")
    assert conclude(told, now=NOW + timedelta(days=9999))[1] == "address: marked as unwanted"
    stranger = event("complained", recipient="eve@xn--bcher-kva.example")
    assert conclude(stranger, now=NOW) == (None, "is about nobody here")


@pytest.mark.django_db
@pytest.mark.parametrize("recipient", ["", "bob", "jörg@example.org", "a@b,c@d"])
def test_an_event_about_no_address_is_only_noted(recipient) -> None:
    assert conclude(event(recipient=recipient), now=NOW) == (None, "names no address that is mailed")
