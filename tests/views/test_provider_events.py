"""Events as providers post them: genuine ones are kept once and concluded from, others are refused."""

import copy
import json
from base64 import b64encode
from datetime import timedelta

import pytest
from django.db import OperationalError
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone
from dramatiq import Message
from dramatiq.errors import BrokerConnectionError

from project.actors.maintenance import sweep
from project.actors.provider_events import note_provider_event
from project.mail_provider import MailProvider, webhook_settings
from project.models import EmailDigest, MailProviderEvent, SuppressedAddress
from project.queue.names import message_id
from project.services.digests.claim import claim
from project.services.digests.provider_events import process
from tests.at_once import at_once
from tests.dead import broker
from tests.factories import Team, make_team
from tests.services.digests.lines import NOW
from tests.services.digests.sending import LIMITS, changed
from tests.views.provider_posts import KEY, LOGIN, MAILGUN, MESSAGE_ID, POSTMARK, SES, signed

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def team() -> Team:
    return make_team()


@pytest.fixture
def digest(team) -> EmailDigest:
    """A mail that the provider took."""
    changed(team)
    (wake,) = claim(now=NOW, limits=LIMITS)
    mailed = {"message_id": MESSAGE_ID, "to_address": "bob@acme.example"}
    EmailDigest.objects.filter(id=wake.row_id).update(**mailed)
    return EmailDigest.objects.get()


@pytest.fixture(autouse=True)
def provider(settings, redis_server):
    """The provider in the settings; call it to change it."""

    def choose(name: MailProvider, secret: str) -> None:
        settings.MAIL_PROVIDER = name
        settings.ANYMAIL = webhook_settings(name, secret)

    choose(MailProvider.MAILGUN, KEY)
    return choose


def post(event: object, to: str = "mailgun", login: str = "", **headers: str) -> HttpResponse:
    if login:
        headers["HTTP_AUTHORIZATION"] = f"Basic {b64encode(login.encode()).decode()}"
    client = Client(enforce_csrf_checks=True, raise_request_exception=False)
    body = event if isinstance(event, str) else json.dumps(event)
    return client.post(f"/webhooks/mail/{to}/", body, content_type="application/json", **headers)


def look() -> MailProviderEvent:
    """Do what the worker does."""
    event = MailProviderEvent.objects.get()
    note_provider_event(str(event.id), event.dispatch)
    event.refresh_from_db()
    return event


def test_a_signed_bounce_of_mailgun_suppresses_the_address_with_its_evidence(digest) -> None:
    assert post(signed(MAILGUN)).status_code == 200
    assert not SuppressedAddress.objects.exists()
    event = look()
    assert (event.digest, event.outcome) == (digest, "address: no such mailbox")
    (row,) = SuppressedAddress.objects.all()
    assert (row.address, row.reason, row.source, row.until) == ("bob@acme.example", "unknown", digest, None)
    assert row.evidence.startswith("mailgun bounced: 5.1.1 The email account")
    assert json.loads(event.raw)["event-data"]["recipient"] == "bob@acme.example"


def test_a_bounce_of_postmark_with_the_password_in_its_address(digest, provider) -> None:
    provider(MailProvider.POSTMARK, LOGIN)
    assert post(POSTMARK, "postmark", LOGIN).status_code == 200
    event = look()
    assert (event.digest, event.outcome) == (digest, "address: no such mailbox")
    assert "User unknown" in SuppressedAddress.objects.get().evidence


def test_a_notification_of_amazon_with_two_receivers_is_two_events(team, digest, provider) -> None:
    provider(MailProvider.AMAZON_SES, LOGIN)
    sns = {"Type": "Notification", "MessageId": "19ba9823-d7f2-53c1", "Message": json.dumps(SES)}
    headers = {"HTTP_X_AMZ_SNS_MESSAGE_TYPE": "Notification", "HTTP_X_AMZ_SNS_MESSAGE_ID": sns["MessageId"]}
    asked = post(sns, "amazon_ses", **headers)
    assert (asked.status_code, "WWW-Authenticate" in asked.headers) == (401, True)
    assert post(sns, "amazon_ses", LOGIN, **headers).status_code == 200
    for event in MailProviderEvent.objects.all():
        note_provider_event(str(event.id), 1)
    found = set(MailProviderEvent.objects.values_list("recipient", "outcome", "digest"))
    assert found == {
        ("bob@acme.example", "address: no such mailbox", digest.id),
        ("carl@acme.example", "address: mailbox full", None),
    }


@pytest.mark.parametrize(
    "forge",
    [
        lambda event: event["signature"].update(token="b" + event["signature"]["token"][1:]),
        lambda event: event["signature"].update(signature="0" * 64),
        lambda event: event["signature"].pop("signature"),
        lambda event: event.pop("signature"),
    ],
)
def test_an_event_that_is_not_signed_by_the_key_is_refused(digest, forge) -> None:
    event = signed(MAILGUN)
    forge(event)
    assert post(event).status_code == 400
    assert not MailProviderEvent.objects.exists()


@pytest.mark.parametrize(
    "login", ["", "postmark:wrong-wrong-wrong", "somebody:0123456789abcdef", LOGIN + " "]
)
def test_an_event_without_the_password_is_refused(digest, provider, login) -> None:
    provider(MailProvider.POSTMARK, LOGIN)
    assert post(POSTMARK, "postmark", login).status_code == 400
    assert not MailProviderEvent.objects.exists()


def test_only_the_provider_in_the_settings_has_an_address(settings, digest) -> None:
    assert post(POSTMARK, "postmark", LOGIN).status_code == 404
    assert post(signed(MAILGUN), "sendgrid").status_code == 404
    settings.MAIL_PROVIDER = None
    assert post(signed(MAILGUN)).status_code == 404
    assert Client().get("/webhooks/mail/mailgun/").status_code == 404


@pytest.mark.parametrize(
    "body", ["", "[]", "null", '{"RecordType": 1}', '{"RecordType": "Bounce", "Email": []}']
)
def test_what_no_provider_posts_is_refused_or_kept_but_never_breaks(provider, body) -> None:
    provider(MailProvider.POSTMARK, LOGIN)
    assert post(body, "postmark", LOGIN).status_code in {200, 400}
    assert not SuppressedAddress.objects.exists()


def test_the_same_event_again_is_one_row_and_one_message(digest) -> None:
    for _ in range(3):
        assert post(signed(MAILGUN)).status_code == 200
    event = MailProviderEvent.objects.get()
    bodies = broker().client.hvals(broker().layout("maintenance").bodies)
    messages = {(m.message_id, m.actor_name, m.args) for m in map(Message.decode, bodies)}
    name = message_id("note_provider_event", str(event.id), 1)
    assert messages == {(name, "note_provider_event", (str(event.id), 1))}
    for _ in range(2):
        look()
    assert SuppressedAddress.objects.count() == 1


def test_two_workers_at_an_event_conclude_once(digest) -> None:
    post(signed(MAILGUN))
    rows = MailProviderEvent.objects.all()
    event_id = rows.get().id
    at_once(rows, *2 * [lambda: process(event_id, 1, now=timezone.now())])
    assert SuppressedAddress.objects.count() == 1


@pytest.mark.parametrize("kind", ["delivered", "accepted"])
def test_good_news_is_only_noted(digest, kind) -> None:
    post(signed(MAILGUN, event=kind, severity=None, **{"delivery-status": {}}))
    event = look()
    assert (event.outcome, event.digest) == ("noted", digest)
    assert not SuppressedAddress.objects.exists()


@pytest.mark.parametrize("kind", ["opened", "clicked"])
def test_what_readers_do_is_not_kept(digest, kind) -> None:
    assert post(signed(MAILGUN, event=kind)).status_code == 200
    assert not MailProviderEvent.objects.exists()


def test_a_signature_is_good_for_one_event_and_is_not_kept(digest) -> None:
    event = signed(MAILGUN)
    post(event)
    assert "signature" not in json.loads(MailProviderEvent.objects.get().raw)
    for forged in ({"recipient": "carl@acme.example"}, {"event": "complained"}):
        assert post(event | {"event-data": event["event-data"] | forged}).status_code == 400
    assert MailProviderEvent.objects.get().recipient == "bob@acme.example"
    assert post(event).status_code == 200


@pytest.mark.parametrize(("hours", "status"), [(-11, 200), (-13, 400), (13, 400)])
def test_a_signature_counts_for_some_hours(digest, hours, status) -> None:
    event = copy.deepcopy(MAILGUN)
    event["signature"]["timestamp"] = str(int((timezone.now() + timedelta(hours=hours)).timestamp()))
    assert post(signed(event)).status_code == status
    assert MailProviderEvent.objects.count() == (status == 200)


def test_digits_cannot_be_moved_from_the_token_to_the_time(digest) -> None:
    event = signed(MAILGUN | {"signature": {"token": "7" + MAILGUN["signature"]["token"]}})
    signature = event["signature"]
    signature |= {"timestamp": signature["timestamp"] + "7", "token": signature["token"][1:]}
    assert post(event).status_code == 400


@pytest.mark.parametrize(
    "body",
    [
        "[" * 100_000,
        '{"signature": "bob@acme.example"}',
        json.dumps({"signature": {"token": "é", "timestamp": "1", "signature": "bob@acme.example"}}),
        json.dumps(signed(MAILGUN, timestamp=1e20)),
        json.dumps(signed(MAILGUN, timestamp="bob@acme.example")),
    ],
)
def test_junk_is_refused_with_a_line_that_says_nothing_of_it(digest, caplog, body) -> None:
    assert post(body).status_code == 400
    (line,) = [row for row in caplog.records if row.name == "project.views.provider_events"]
    assert (line.levelname, line.exc_info) == ("WARNING", None)
    assert "acme.example" not in caplog.text
    assert "Traceback" not in caplog.text


def test_a_complaint_suppresses_for_good(digest) -> None:
    post(signed(MAILGUN, event="complained", severity=None))
    assert look().outcome == "address: marked as unwanted"
    assert SuppressedAddress.objects.get().until is None


def test_a_stranger_is_only_noted(digest) -> None:
    post(signed(MAILGUN, recipient="stranger@elsewhere.example"))
    assert look().outcome == "is about nobody here"
    assert not SuppressedAddress.objects.exists()


def test_an_event_whose_wake_up_got_lost_is_found_by_the_sweep(digest) -> None:
    post(signed(MAILGUN))
    sweep()
    assert MailProviderEvent.objects.get().enqueued_at is None
    MailProviderEvent.objects.update(created_at=timezone.now() - LIMITS.overdue - timedelta(seconds=1))
    sweep()
    assert MailProviderEvent.objects.get().enqueued_at is not None
    look()
    MailProviderEvent.objects.update(enqueued_at=None)
    sweep()
    assert MailProviderEvent.objects.get().enqueued_at is None


def test_a_broker_that_is_away_costs_time_only(digest, monkeypatch) -> None:
    def away(*_: object) -> None:
        raise BrokerConnectionError("away")

    monkeypatch.setattr("project.views.provider_events.send_wakes", away)
    assert post(signed(MAILGUN)).status_code == 200
    assert MailProviderEvent.objects.get().processed_at is None


def test_an_event_that_cannot_be_kept_is_asked_for_again(digest, monkeypatch) -> None:
    def away(*_: object, **__: object) -> None:
        raise OperationalError("away")

    monkeypatch.setattr("project.views.provider_events.keep", away)
    assert post(signed(MAILGUN)).status_code == 500
