from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import pytest

from project.limits import Limits
from project.models import DigestStatus, EmailDigest, EventStatus, IssueEvent, Wake, mark_sent
from project.services.maintenance.overdue import overdue_digests, overdue_events
from tests.factories import Team, make_issue, make_team
from tests.services.digests.lines import NOW

pytestmark = pytest.mark.django_db(transaction=True)
LIMITS = Limits()
OVERDUE = NOW - LIMITS.overdue


@pytest.fixture
def team() -> Team:
    return make_team()


def make_event(team: Team, **fields) -> IssueEvent:
    place = {"workspace": team.workspace, "project": team.project, "issue": make_issue(team)}
    return IssueEvent.objects.create(**place, kind="issue.activity.updated", activity_ids=[uuid4()], **fields)


def make_digest(team: Team, **fields) -> EmailDigest:
    given = {"due_at": NOW, "enqueued_at": OVERDUE, **fields}
    return EmailDigest.objects.create(id=uuid4(), receiver=team.members["bob"], **given)


@pytest.mark.parametrize(
    ("status", "enqueued_at", "named"),
    [
        (EventStatus.PENDING, OVERDUE, True),
        (EventStatus.PENDING, OVERDUE + timedelta(seconds=1), False),
        (EventStatus.FANNED_OUT, OVERDUE, False),
        (EventStatus.FAILED, OVERDUE, False),
    ],
)
def test_events_without_progress_are_named_again_until_they_are_sent(team, status, enqueued_at, named):
    ends = {"fanned_out_at": NOW} if status == EventStatus.FANNED_OUT else {}
    event = make_event(team, status=status, enqueued_at=enqueued_at, dispatch=3, reason="x", **ends)
    found = [Wake(event.id, 3)] if named else []
    assert overdue_events(now=NOW, limits=LIMITS) == found
    assert overdue_events(now=NOW, limits=LIMITS) == found
    mark_sent(IssueEvent, found, now=NOW)
    assert overdue_events(now=NOW, limits=LIMITS) == []


@pytest.mark.parametrize(("since", "named"), [(timedelta(0), True), (timedelta(seconds=1), False)])
def test_what_only_its_request_named_is_found_sooner(team, since, named):
    """The request may have died between its commit and its sending."""
    begun = NOW - LIMITS.recovery_budget + since
    event = make_event(team, occurred_at=begun, enqueued_at=begun)
    digest = make_digest(team, due_at=begun, enqueued_at=begun)
    assert overdue_events(now=NOW, limits=LIMITS) == ([Wake(event.id, 1)] if named else [])
    assert overdue_digests(now=NOW, limits=LIMITS) == ([Wake(digest.id, 1)] if named else [])


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({}, True),  # the wake-up got lost
        ({"enqueued_at": NOW}, False),
        ({"enqueued_at": None}, True),  # put off, and due now
        ({"enqueued_at": None, "due_at": NOW + timedelta(seconds=1)}, False),
        ({"status": DigestStatus.SENDING, "started_at": OVERDUE, "owner": uuid4()}, True),
        ({"status": DigestStatus.SENDING, "started_at": NOW, "owner": uuid4()}, False),
        ({"status": DigestStatus.SUPPRESSED, "reason": "read", "ended_at": NOW}, False),
        ({"status": DigestStatus.FAILED, "reason": "message", "ended_at": NOW}, False),
    ],
)
def test_digests_that_are_due_or_stuck_are_named_again_until_they_are_sent(team, fields, named):
    digest = make_digest(team, **fields)
    found = [Wake(digest.id, 1)] if named else []
    assert overdue_digests(now=NOW, limits=LIMITS) == found
    assert overdue_digests(now=NOW, limits=LIMITS) == found
    mark_sent(EmailDigest, found, now=NOW)
    assert overdue_digests(now=NOW, limits=LIMITS) == []


def test_what_moved_on_is_not_marked_as_sent(team):
    digest = make_digest(team, enqueued_at=None, dispatch=2)
    mark_sent(EmailDigest, [Wake(digest.id, 1)], now=NOW)
    assert overdue_digests(now=NOW, limits=LIMITS) == [Wake(digest.id, 2)]


def test_a_sweep_is_bounded(team):
    for _ in range(3):
        make_digest(team)
    limits, found = replace(LIMITS, sweep_batch=2), []
    for _ in range(3):
        wakes = overdue_digests(now=NOW, limits=limits)
        mark_sent(EmailDigest, wakes, now=NOW)
        found.append(len(wakes))
    assert found == [2, 1, 0]
