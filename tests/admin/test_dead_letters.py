"""The dead letters' pages in the admin."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.contrib.messages import get_messages
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from project.actors.dead_letters import office
from project.actors.digests import send_digest
from project.actors.notifications import fan_out_event
from project.demo.ports import HOST, free_port
from project.models import EmailDigest, RequeueAudit, Wake
from project.queue.client import connect
from tests.admin.staff import browser, operator, signed_in
from tests.dead import broker, bury, lay
from tests.factories import make_user

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_server")]

LIST = reverse("operate:dead_letters")
ORDER = reverse("operate:dead_letter_order")


def some(number: int = 1) -> list[Wake]:
    return [Wake(uuid4(), 1) for _ in range(number)]


def waiting_digest() -> Wake:
    digest = EmailDigest.objects.create(id=uuid4(), receiver=make_user("bob"))
    return Wake(digest.id, 1)


def shown(**query: str) -> list[str]:
    return [letter["key"] for letter in operator_client().get(LIST, query).context["letters"]]


def operator_client():
    return browser("operate", name=f"olga{uuid4().hex[:6]}")


def told(response) -> list[str]:
    return [str(message) for message in get_messages(response.wsgi_request)]


def test_the_list_begins_with_a_queue_that_has_some():
    [entry] = bury(fan_out_event, some())
    page = operator_client().get(LIST)
    assert page.context["queue"] == "fan_out"
    text = page.content.decode()
    assert reverse("operate:dead_letter", args=["fan_out", entry]) in text
    assert "ValueError: rcpt 451" in text


def test_the_list_is_narrowed_by_queue_actor_error_and_age():
    early, late = bury(send_digest, some(), error="greylisted", age=90000) + bury(send_digest, some())
    bury(fan_out_event, some())
    assert shown(queue="mail") == [f"mail/{early}", f"mail/{late}"]
    assert shown(queue="mail", error="GREY") == [f"mail/{early}"]
    assert shown(queue="mail", actor="fan_out_event") == []
    assert shown(queue="mail", age="older") == [f"mail/{early}"]
    assert shown(queue="mail", age="day") == shown(queue="mail", age="hour") == [f"mail/{late}"]


def test_the_list_goes_on_page_by_page():
    entries = bury(send_digest, some(51))
    client = operator_client()
    first = client.get(LIST, {"queue": "mail"})
    second = client.get(f"{LIST}{first.context['next']}")
    keys = [letter["key"] for page in (first, second) for letter in page.context["letters"]]
    assert sorted(keys) == sorted(f"mail/{entry}" for entry in entries)
    assert (len(first.context["letters"]), second.context["next"]) == (50, "")


def test_the_cost_of_the_list_does_not_grow():
    client = operator_client()

    def cost() -> int:
        with CaptureQueriesContext(connection) as captured:
            client.get(LIST)
        return len(captured)

    bury(send_digest, [waiting_digest()])
    few = cost()
    bury(send_digest, some(20))
    assert cost() == few <= 8


def test_an_empty_list_and_a_queue_that_is_not_there():
    client = operator_client()
    assert "No dead letters" in client.get(LIST).content.decode()
    assert client.get(LIST, {"queue": "post"}).status_code == 400
    assert client.get(LIST, {"after": "nonsense"}).status_code == 200


def test_one_is_shown_with_its_traceback_and_a_way_to_its_row():
    wake = waiting_digest()
    [entry] = bury(send_digest, [wake], error="half \ud83d nul \0 <b>")
    text = operator_client().get(reverse("operate:dead_letter", args=["mail", entry])).content.decode()
    assert "Traceback (most recent call last):" in text
    assert "half \ufffd nul \ufffd &lt;b&gt;" in text
    assert f"{reverse('explain')}?about=digest&amp;id={wake.row_id}" in text


@pytest.mark.parametrize("address", [["mail", "none"], ["post", "none"]])
def test_one_that_is_gone_is_not_found(address):
    assert operator_client().get(reverse("operate:dead_letter", args=address)).status_code == 404


def test_an_unreadable_one_is_shown():
    lay("mail", "garbage", b"\x80{}")
    client = operator_client()
    assert "unreadable" in client.get(LIST, {"queue": "mail"}).content.decode()
    page = client.get(reverse("operate:dead_letter", args=["mail", "garbage"]))
    assert "\ufffd{}" in page.content.decode()


def test_an_order_asks_first_and_is_then_carried_out_once():
    client = operator()
    [entry] = bury(send_digest, [waiting_digest()])
    ticked = {"verb": "requeue", "letter": [f"mail/{entry}"]}

    asked = client.post(ORDER, ticked)
    assert asked.context["counts"] == "will run 1"
    assert office().counts()["mail"] == 1
    done = client.post(ORDER, {**ticked, "reason": "mail server is back"})
    again = client.post(ORDER, {**ticked, "reason": "mail server is back"})

    assert done.status_code == 302
    assert told(done) == ["re-queued 1."]
    assert "gone 1: somebody else was faster, or they expired." in told(again)
    assert broker().client.llen("dramatiq:mail") == 1
    assert RequeueAudit.objects.get().by == "olga@example.org"


def test_discarding():
    bury(send_digest, some())
    lay("mail", "garbage", b"\x80")
    form = {"verb": "discard", "letter": ["mail/garbage"], "reason": "unreadable"}
    assert told(operator_client().post(ORDER, form)) == ["discarded 1."]
    assert office().counts()["mail"] == 1


@pytest.mark.parametrize(
    ("form", "status"),
    [({"verb": "assume_sent", "letter": ["mail/x"]}, 400), ({}, 400), ({"verb": "requeue"}, 302)],
)
def test_an_order_of_nothing(form, status):
    assert operator_client().post(ORDER, form).status_code == status
    assert not RequeueAudit.objects.exists()


@pytest.mark.parametrize("address", [LIST, ORDER, reverse("operate:dead_letter", args=["mail", "x"])])
def test_operators_only(address):
    assert signed_in(make_user("bob")).get(address).status_code == 302
    assert browser().get(address).status_code == 403


def test_orders_are_posted_from_our_own_pages():
    [entry] = bury(send_digest, some())
    form = {"verb": "discard", "letter": [f"mail/{entry}"], "reason": "drill"}
    assert operator_client().get(ORDER, form).status_code == 405
    assert browser("operate", enforce_csrf_checks=True).post(ORDER, form).status_code == 403
    assert office().counts()["mail"] == 1


def test_redis_away_is_said(monkeypatch):
    client = operator_client()
    nobody = connect(f"redis://{HOST}:{free_port()}/0", timedelta(seconds=1))
    monkeypatch.setattr(broker(), "client", nobody)
    page = client.get(LIST)
    assert (page.status_code, "it does not answer" in page.content.decode()) == (503, True)
