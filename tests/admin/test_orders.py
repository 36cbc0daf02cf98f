"""Orders about digests and events from the admin."""

from datetime import timedelta
from uuid import uuid4

import dramatiq
import pytest
from django.contrib.messages import get_messages
from django.test import Client
from django.urls import reverse

from project.demo.ports import HOST, free_port
from project.models import DigestStatus, EmailDigest, EventStatus, IssueEvent, RequeueAudit, Wake
from project.queue.client import connect
from tests.admin.staff import browser, operator
from tests.dead import broker
from tests.factories import Team, make_issue, make_team
from tests.services.digests.lines import NOW

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_server")]

DIGESTS = reverse("admin:project_emaildigest_changelist")
EVENTS = reverse("admin:project_issueevent_changelist")
S = DigestStatus


@pytest.fixture
def team() -> Team:
    return make_team()


def make_digest(team: Team, status: DigestStatus = S.FAILED) -> EmailDigest:
    passed = {"sealed_at": NOW, "content": b"x", "dot_at": NOW} if status in {S.HELD, S.SENT} else {}
    return EmailDigest.objects.create(
        id=uuid4(),
        receiver=team.members["bob"],
        issue=make_issue(team),
        status=status,
        reason="lost",
        ended_at=NOW,
        **passed,
    )


def post(client: Client, url: str, action: str, *rows, **fields):
    """Tick `rows` and choose `action`; with a reason, as the page between sends it."""
    targets = {"target": [f"{row.pk}:{row.dispatch}" for row in rows]} if fields else {}
    ticked = {"_selected_action": [str(row.pk) for row in rows]}
    return client.post(url, {"action": action, **ticked, **targets, **fields})


def told(response) -> list[str]:
    return [str(message) for message in get_messages(response.wsgi_request)]


def on_the_queue(queue: str) -> list[Wake]:
    bodies = broker().client.hvals(broker().layout(queue).bodies)
    return sorted(dramatiq.Message.decode(body).args for body in bodies)


def test_the_page_between_tells_what_would_come_of_it_and_does_nothing(team):
    failed, held, sent = make_digest(team), make_digest(team, S.HELD), make_digest(team, S.SENT)
    page = post(operator(), f"{DIGESTS}?status=all", "requeue", failed, held, sent)
    assert page.status_code == 200
    assert set(page.context["counts"].split(", ")) == {
        "will run 1",
        "may be mailed twice 1",
        "already sent 1",
    }
    assert page.context["acts"] == 2
    assert set(EmailDigest.objects.values_list("dispatch", flat=True)) == {1}


def test_with_a_reason_they_are_requeued_once_however_often_it_is_sent(team):
    client, digest = operator(), make_digest(team)

    first = post(client, DIGESTS, "requeue", digest, reason="mailbox is back")
    second = post(client, DIGESTS, "requeue", digest, reason="mailbox is back")

    assert first.status_code == 302
    assert (told(first), told(second)) == (["re-queued 1."], ["re-queued 1.", "already re-queued 1."])
    assert on_the_queue("mail") == [(str(digest.id), 2)]
    assert {audit.by for audit in RequeueAudit.objects.all()} == {"olga@example.org"}


def test_a_page_that_became_stale_orders_nothing(team):
    """It failed again since the page was shown: somebody looked at something else."""
    client, digest = operator(), make_digest(team)
    EmailDigest.objects.update(dispatch=2)
    response = post(client, DIGESTS, "requeue", digest, reason="drill")
    assert told(response) == ["already re-queued 1."]
    assert EmailDigest.objects.get().status == S.FAILED


def test_a_held_one_is_taken_for_sent(team):
    held = make_digest(team, S.HELD)
    assert told(post(operator(), DIGESTS, "assume_sent", held, reason="seen")) == ["taken for sent 1."]
    assert EmailDigest.objects.get().status == S.SENT_ASSUMED


def test_a_failed_event_is_requeued(team):
    client = operator()
    event = IssueEvent.objects.create(
        workspace=team.workspace,
        project=team.project,
        issue=make_issue(team),
        kind="issue.activity.updated",
        activity_ids=[],
        status=EventStatus.FAILED,
        reason="gave up",
    )
    assert post(client, EVENTS, "requeue", event).context["counts"] == "will run 1"
    assert told(post(client, EVENTS, "requeue", event, reason="bug fixed")) == ["re-queued 1."]
    assert on_the_queue("fan_out") == [(str(event.id), 2)]


def test_without_a_reason_nothing_is_done(team):
    page = post(operator(), DIGESTS, "requeue", make_digest(team), reason="  ")
    assert "An order needs a reason." in page.content.decode()
    assert EmailDigest.objects.get().status == S.FAILED


def test_only_what_was_ticked_is_meant(team):
    first, _ = make_digest(team), make_digest(team)
    ticked = {"action": "requeue", "_selected_action": [str(first.pk)], "select_across": "1"}
    page = operator().post(DIGESTS, ticked)
    assert page.context["counts"] == "will run 1"


def test_a_broker_that_is_away_costs_time_only(team, monkeypatch):
    digest = make_digest(team)
    nobody = connect(f"redis://{HOST}:{free_port()}/0", timedelta(seconds=1))
    monkeypatch.setattr(broker(), "client", nobody)
    response = post(operator(), DIGESTS, "requeue", digest, reason="drill")
    assert told(response) == [
        "re-queued 1.",
        "Redis cannot be reached: the sweep will wake the rows once it can.",
    ]
    assert EmailDigest.objects.get().status == S.WAITING


def test_who_may_only_look_may_not_order(team):
    digest = make_digest(team)
    post(browser("view_emaildigest"), DIGESTS, "requeue", digest, reason="drill")
    assert EmailDigest.objects.get().status == S.FAILED


def test_a_forged_form_is_refused(team):
    digest = make_digest(team)
    client = browser("view_emaildigest", "operate", enforce_csrf_checks=True)
    assert post(client, DIGESTS, "requeue", digest, reason="drill").status_code == 403
    assert EmailDigest.objects.get().status == S.FAILED
