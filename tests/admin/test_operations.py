"""The page that tells how everything stands."""

import re
from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone
from dramatiq import get_broker

from project.actors.digests import OUTBOX, send_digest
from project.admin.charts import drawn, stacked
from project.models import EmailDigest, MailBreaker, RequeueAudit, Wake
from project.queue.processes import SCHEDULER, WORKER, Process, beat
from tests.admin.staff import browser, operator
from tests.dead import bury
from tests.factories import make_team
from tests.queue.server import RedisServer

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_server")]
PAGE = "/admin/operations/"


def text(page: bytes) -> str:
    body = page.decode().partition("<body")[2].partition("<script>")[0]
    return " ".join(re.sub(r"<[^>]+>", " ", body).split())


def ended(status: str, reason: str = "", *, minutes: float = 5, number: int = 1) -> None:
    receiver = make_team(f"team-{uuid4().hex[:8]}").members["bob"]
    at = timezone.now() - timedelta(minutes=minutes)
    dot = {"dot_at": at, "sealed_at": at, "content": b"x"} if status in ("sent", "held") else {}
    EmailDigest.objects.bulk_create(
        EmailDigest(id=uuid4(), receiver=receiver, status=status, reason=reason, ended_at=at, **dot)
        for _ in range(number)
    )


def stop_mail() -> None:
    now = timezone.now()
    opened, probe = now - timedelta(minutes=5), now + timedelta(minutes=5)
    MailBreaker.objects.create(
        sender=OUTBOX.breaker.sender, opened_at=opened, probe_at=probe, cause="auth 535 5.7.8"
    )


def test_everything_is_on_the_page():
    ended("sent", number=3)
    ended("suppressed", "read: the notification")
    ended("held", "timeout: no answer")
    receiver = make_team().members["bob"]
    EmailDigest.objects.create(id=uuid4(), receiver=receiver, due_at=timezone.now() - timedelta(hours=1))
    bury(send_digest, [Wake(uuid4(), 1)])
    beat(get_broker().client, Process(WORKER, "host-a", 7, ("clock", "mail")))
    beat(get_broker().client, Process(SCHEDULER, "host-b", 8))
    page = text(operator().get(PAGE).content)
    for told in (
        "Mail flows",
        "Workers 1 processes alive",
        "Schedulers 1 alive",
        r"Oldest due 1\shour digest",
        "To decide 1 1 held , 0 given up",
        "Dead letters 1",
        "In the last 6 hours: 3 sent, 1 suppressed, 1 failed, expired or held.",
        "sent 3",
        "suppressed read 1",
        r"worker host-a, 7 clock, mail \d+ s ago",
        r"digests 1 1 36\d\d s",
    ):
        assert re.search(told, page), told
    assert "Cannot be read" not in page


def test_what_cannot_be_read_hides_nothing_else(monkeypatch, tmp_path):
    with RedisServer(tmp_path).client() as away:  # never started
        monkeypatch.setattr(get_broker(), "client", away)
        monkeypatch.setattr("project.services.operations.outcomes._OUTCOMES", "SELECT pg_sleep(1)/0")
        page = text(operator().get(PAGE).content)
    assert "Cannot be read now: outcomes, queues, processes." in page
    assert "Mail flows" in page
    assert "Digests that ended" in page


def test_stopped_mail_is_tried_again_by_an_order_with_a_reason():
    stop_mail()
    client = operator()
    page = text(client.get(PAGE).content)
    assert "Mail stopped" in page
    assert "auth 535 5.7.8" in page
    asked = text(client.post(f"{PAGE}resume/").content)
    assert "will be tried 1" in asked
    assert MailBreaker.objects.get().probe_at > timezone.now()
    answer = client.post(f"{PAGE}resume/", {"reason": "password is mended"}, follow=True)
    assert answer.redirect_chain == [(PAGE, 302)]
    assert MailBreaker.objects.get().probe_at <= timezone.now()
    assert RequeueAudit.objects.get().why == "password is mended"


def test_only_operators_see_it_and_give_orders():
    stop_mail()
    for client in (browser(), browser("view_emaildigest", name="otto")):
        assert client.get(PAGE).status_code == 403
        assert client.post(f"{PAGE}resume/", {"reason": "x"}).status_code == 403
    assert RequeueAudit.objects.count() == 0


def test_it_asks_the_same_few_questions_whatever_there_is(django_assert_max_num_queries):
    client = operator()
    for number in (1, 40):
        ended("sent", number=number)
        with django_assert_max_num_queries(45):
            client.get(PAGE)


def test_a_chart_of_nothing_and_charts_of_something():
    now = timezone.now()
    empty = stacked("t", "s", ["a"], [(now, [0.0]), (now, [0.0])])
    assert (empty.top, empty.boxes, empty.told) == (1.0, [], [])
    full = stacked("t", "s", ["a", "b"], [(now, [30.0, 10.0]), (now, [0.0, 0.0])])
    assert full.top == 50.0
    assert [(round(box.y), round(box.height)) for box in full.boxes] == [(48, 72), (24, 24)]
    gaps = drawn("t", "s", "s", ["a"], [(now, [v]) for v in (1.0, None, 2.0, 2.0)])
    assert gaps.lines == [["0.0,60.0 150.0,60.0", "375.0,0.0 525.0,0.0"]]


def test_the_hours_can_be_chosen():
    ended("sent", minutes=180)
    client = operator()
    assert "In the last hour: 0 sent" in text(client.get(f"{PAGE}?hours=1").content)
    assert "In the last 6 hours: 1 sent" in text(client.get(f"{PAGE}?hours=nonsense").content)
    assert client.get(f"{PAGE}?hours=24").content.count(b"<rect") == 1
