"""``manage.py mail``."""

import dramatiq
import pytest
from django.utils import timezone

from project.actors import digests as actors
from project.mail_server import Mailbox, MailServer
from project.models import MOMENT, MailBreaker, Order, RequeueAudit, Verb
from project.services.digests.attempts import hold
from project.services.digests.breaker import Breaker, Passage
from project.services.digests.deliver import Outbox
from project.services.digests.resume import resume
from tests.at_once import at_once
from tests.dead import broker
from tests.factories import Team, make_team
from tests.management.ran import refused, run, run_json
from tests.services.digests.lines import only_digest
from tests.services.digests.office import due
from tests.services.digests.sending import LETTERHEAD, LIMITS, changed
from tests.services.digests.verdicts import CONFIG, OUTAGE, SENT

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_server")]
AWAY = MailServer(host="127.0.0.1", port=1)
ORDERED = ("--yes", "--reason", "new password", "--by", "olga")


@pytest.fixture
def team() -> Team:
    return make_team()


@pytest.fixture
def breaker(monkeypatch) -> Breaker:
    monkeypatch.setattr(actors, "OUTBOX", Outbox(AWAY, LETTERHEAD, LIMITS))
    return actors.OUTBOX.breaker


def stop(breaker: Breaker) -> None:
    breaker.note(Passage(), CONFIG, now=timezone.now())


def on_the_queue() -> list[tuple[str, int]]:
    bodies = broker().client.hvals(broker().layout("mail").bodies)
    return [tuple(dramatiq.Message.decode(body).args) for body in bodies]


def test_mail_that_flows(breaker):
    assert run("mail", "status").split() == [
        "mail", "flows", "sender", "notify@tracker.example", "probes", "0", "digests_waiting", "0",
        "lines_gathering", "0",
    ]  # fmt: skip
    assert run_json("mail", "status")["last_cause"] == ""


def test_mail_that_is_stopped_with_its_cause_and_what_waits_for_it(breaker, team):
    now = timezone.now()
    for _ in range(5):
        breaker.note(Passage(), OUTAGE, now=now)
    hold(due(team).id, 1, until=now)
    changed(team)

    status = run_json("mail", "status")

    assert status["mail"] == "stopped"
    assert status["cause"].startswith("5 mails in a row without an answer, the last: ")
    assert status["failures"] == {"outage": 5}
    assert (status["stopped_at"], status["probe_at"]) == (
        f"{now:{MOMENT}}",
        f"{now + LIMITS.breaker_probe:{MOMENT}}",
    )
    assert (status["digests_waiting"], status["lines_gathering"]) == (1, 1)
    assert "failures         outage 5\n" in run("mail", "status")


def test_mail_that_is_stopped_for_another_sender(breaker):
    stop(Breaker(AWAY, Mailbox("", "other@tracker.example"), LIMITS))
    status = run_json("mail", "status")
    assert (status["mail"], len(status["stopped_elsewhere"])) == ("flows", 1)


def test_resume_only_previews_without_yes(breaker):
    stop(breaker)
    text = run("mail", "resume")
    assert "notify@tracker.example  will be tried  stopped since " in text
    assert "Nothing was done" in text
    assert not breaker.state().probe_due(timezone.now())
    assert not RequeueAudit.objects.exists()


def test_resume_has_the_digest_tried_that_waits_longest_and_is_on_record(breaker, team):
    stop(breaker)
    hold(due(team).id, 1, until=timezone.now())

    assert "1 senders: resumed 1." in run("mail", "resume", *ORDERED)

    assert on_the_queue() == [(str(only_digest().id), 2)]
    assert breaker.admit(now=timezone.now())
    audit = RequeueAudit.objects.get()
    assert (audit.target, audit.verb, audit.by, audit.why) == ("mail", "resume", "olga", "new password")
    assert audit.counts == {"resumed": 1}
    [told] = run_json("mail", "status")["orders"]
    assert "resume by olga (new password): resumed: stopped since " in told


def test_twice_the_same_order_is_one(breaker):
    stop(breaker)
    assert run_json("mail", "resume", *ORDERED)["counts"] == {"resumed": 1}
    due_at = breaker.state().probe_at
    assert run_json("mail", "resume", *ORDERED)["counts"] == {"is tried already": 1}
    assert breaker.state().probe_at == due_at


def test_operators_at_once_resume_once(breaker):
    stop(breaker)
    order = Order(Verb.RESUME, "olga", "new password", timezone.now())
    reports = at_once(MailBreaker.objects.all(), *[lambda: resume(breaker, order)] * 4)
    words = sorted(outcome.word for report in reports for outcome in report.outcomes.values())
    assert words == [*["is tried already"] * 3, "resumed"]


def test_mail_that_flows_again_needs_no_order(breaker):
    now = timezone.now()
    stop(breaker)
    breaker.resume(now=now)
    breaker.note(breaker.admit(now=now), SENT, now=now)
    assert run_json("mail", "resume", *ORDERED)["counts"] == {"flows": 1}
    assert run_json("mail", "status")["last_cause"] == "config: auth 535 5.7.8"


def test_an_order_needs_a_reason(breaker):
    assert "Say why" in refused("mail", "resume", "--yes")
