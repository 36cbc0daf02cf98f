"""Addresses that are not mailed, in the admin."""

from uuid import uuid4

import pytest
from django.urls import reverse
from django.utils import timezone

from project.models import MailProviderEvent, RequeueAudit, SuppressedAddress, User
from tests.admin.staff import browser, operator
from tests.factories import make_user

pytestmark = pytest.mark.django_db

LIST = reverse("admin:project_suppressedaddress_changelist")
EVENTS = reverse("admin:project_mailproviderevent_changelist")


def kept(address: str, **fields: object) -> SuppressedAddress:
    given = {"reason": "unknown", "evidence": "rcpt 550 5.1.1", "since": timezone.now(), **fields}
    return SuppressedAddress.objects.create(address=address, **given)


def test_the_list_begins_with_what_is_in_force() -> None:
    kept("bob@a.example")
    kept("carl@a.example", cleared_at=timezone.now())
    client = operator()
    assert "bob@a.example" in (page := client.get(LIST).content.decode())
    assert "carl@a.example" not in page
    assert "carl@a.example" in client.get(LIST, {"status": "all"}).content.decode()
    assert "bob@a.example" in client.get(LIST, {"q": "BOB@"}).content.decode()


def test_an_address_is_cleared_with_a_reason_and_once() -> None:
    rows = [kept("bob@a.example"), kept("bob@a.example", reason="full")]
    ticked = {"action": "clear", "_selected_action": [rows[0].pk]}
    client = operator()
    assert "will be cleared" in client.post(LIST, ticked).content.decode()
    assert RequeueAudit.objects.count() == 0
    for _ in range(2):
        client.post(LIST, {**ticked, "reason": "they asked"}, follow=True)
    assert not SuppressedAddress.objects.filter(cleared_at=None).exists()
    assert RequeueAudit.objects.filter(counts__has_key="cleared").count() == 1


def test_who_may_not_operate_gives_no_orders() -> None:
    row = kept("bob@a.example")
    client = browser("view_suppressedaddress")
    assert client.get(LIST).status_code == 200
    client.post(LIST, {"action": "clear", "_selected_action": [row.pk], "reason": "x"})
    assert SuppressedAddress.objects.get().cleared_at is None


def test_an_address_that_is_verified_is_mailed_again() -> None:
    bob = make_user("bob", email="bob@a.example")
    User.objects.update(is_email_verified=False)
    kept("bob@a.example")
    other = kept("carl@a.example")
    page = reverse("admin:project_user_change", args=[bob.pk])
    client = browser("view_user", "change_user")
    given = {"email": bob.email, "display_name": "Bob", "is_active": "on", "user_timezone": "UTC"}
    for verified, open_ones in ((False, 2), (True, 1)):
        client.post(page, given | ({"is_email_verified": "on"} if verified else {}))
        assert User.objects.get(pk=bob.pk).is_email_verified is verified
        assert SuppressedAddress.objects.filter(cleared_at=None).count() == open_ones
    assert SuppressedAddress.objects.get(cleared_at=None) == other
    again = kept("bob@a.example")
    client.post(page, given | {"is_email_verified": "on"})
    assert SuppressedAddress.objects.get(pk=again.pk).cleared_at is None


def test_what_a_provider_told_can_be_read_and_not_changed() -> None:
    event = MailProviderEvent.objects.create(
        id=uuid4(), provider="mailgun", kind="bounced", recipient="bob@a.example", raw="{}"
    )
    client = operator()
    assert "bob@a.example" in client.get(EVENTS, {"q": str(event.id)}).content.decode()
    assert "bob@a.example" not in client.get(EVENTS, {"q": str(uuid4())}).content.decode()
    page = client.get(reverse("admin:project_mailproviderevent_change", args=[event.id]))
    assert page.status_code == 200
