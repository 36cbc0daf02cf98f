"""``manage.py events``."""

from datetime import timedelta
from uuid import uuid4

import dramatiq
import pytest
from django.utils import timezone

from project.models import EventStatus, IssueEvent
from tests.dead import broker
from tests.factories import Team, make_issue, make_team
from tests.management.ran import refused, run, run_json

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_server")]

ORDERED = ("--yes", "--reason", "the bug is fixed", "--by", "olga")


@pytest.fixture
def team() -> Team:
    return make_team()


def make_event(team: Team, *, age: timedelta = timedelta(0), reason: str = "gave up", **fields) -> str:
    event = IssueEvent.objects.create(
        workspace=team.workspace,
        project=team.project,
        issue=make_issue(team),
        kind="comment.activity.created",
        activity_ids=[uuid4()],
        occurred_at=timezone.now() - age,
        **{"status": EventStatus.FAILED, "reason": reason, "attempts": 6, **fields},
    )
    return str(event.id)


def listed(*filters: object) -> list[str]:
    return [event["id"] for event in run_json("events", "list", *filters)]


def test_list_tells_the_failed_ones(team):
    failed, pending = make_event(team), make_event(team, status=EventStatus.PENDING)
    text = run("events", "list")
    assert f"{failed}  " in text
    assert "comment.activity.created  ACME-1  6  gave up" in text
    assert pending not in text


def test_list_is_narrowed_by_reason_issue_and_age(team):
    first = make_event(team, age=timedelta(hours=3), reason="gave up: DataError")
    second = make_event(team)
    assert listed() == [first, second]
    assert listed("--error", "dataerror") == listed("--older-than", "2h") == [first]
    assert listed("--issue", "ACME-2") == listed("--newer-than", "2h") == [second]
    assert listed("--limit", 1) == [first]


def test_requeue_previews_and_then_wakes_them_once(team):
    event = make_event(team)
    assert "Nothing was done" in run("events", "requeue")
    assert IssueEvent.objects.get().status == EventStatus.FAILED

    assert "re-queued 1" in run("events", "requeue", "--all", *ORDERED)
    assert "No events fit." in run("events", "requeue", "--all", *ORDERED)
    assert "under way 1" in run("events", "requeue", event, *ORDERED)

    [body] = broker().client.hvals(broker().layout("fan_out").bodies)
    assert dramatiq.Message.decode(body).args == (event, 2)


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (("requeue", uuid4()), "no such event. `events list` tells"),
        (("requeue", *ORDERED), "add --all"),
        (("requeue", "--all", "--yes"), "--reason"),
        (("list", "--issue", "ACME-99"), "no such issue"),
    ],
)
def test_a_mistake_is_answered_with_what_to_do(words, answer):
    assert answer in refused("events", *words)
