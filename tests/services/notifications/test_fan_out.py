"""What a fan-out writes, and that Plane's known faults are not in it."""

import pytest

from project.limits import Limits
from project.models import (
    EmailNotificationLog,
    EventStatus,
    Issue,
    IssueActivity,
    IssueEvent,
    IssueSubscriber,
    Notification,
    User,
)
from project.services.notifications.fan_out import fan_out
from project.services.notifications.names import Kind, log_id, notification_id
from tests.factories import Team, make_comment, make_issue, make_team
from tests.services.notifications.events import (
    COMMENTED,
    CREATED,
    DELETED,
    DESCRIBED,
    NOW,
    RENAMED,
    assigned,
    make_event,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def team() -> Team:
    return make_team()


def run(event: IssueEvent) -> None:
    assert fan_out(event.id, event.dispatch, now=NOW, limits=Limits()) == []


def inbox() -> list[tuple[str, str, str]]:
    """(receiver, why, title) of all rows, sorted."""
    rows = Notification.objects.values_list("receiver__display_name", "sender", "title")
    return sorted((name, sender.rpartition(":")[2], title) for name, sender, title in rows)


def lines() -> list[tuple[str, str | None]]:
    """(receiver, field) of all log rows, sorted."""
    rows = EmailNotificationLog.objects.values_list("receiver__display_name", "data__issue_activity__field")
    return sorted(rows)


def followers(issue: Issue) -> set[str]:
    links = IssueSubscriber.objects.filter(issue=issue)
    return set(links.values_list("subscriber__display_name", flat=True))


@pytest.mark.parametrize("field", ["sort_order", "sequence_id", "completed_at"])
def test_what_a_machine_keeps_is_told_to_nobody(team: Team, field: str) -> None:
    issue = make_issue(team, assignees=[team.members["bob"]])
    event = make_event(issue, team.members["ann"], RENAMED)
    IssueActivity.objects.update(field=field)
    run(event)
    assert (inbox(), lines()) == ([], [])


def test_rows_of_a_change(team: Team) -> None:
    ann, bob = team.members["ann"], team.members["bob"]
    issue = make_issue(team, created_by=bob, state=team.states["started"])
    event = make_event(issue, ann, RENAMED)
    activity = IssueActivity.objects.get()
    run(event)

    about_issue = {
        "id": str(issue.id),
        "name": "Fix the door",
        "identifier": "ACME",
        "sequence_id": 1,
        "state_name": "Started",
        "state_group": "started",
        "project_id": str(team.project.id),
        "workspace_slug": "acme",
    }
    about_activity = {
        "id": str(activity.id),
        "verb": "updated",
        "field": "name",
        "actor": str(ann.id),
        "new_value": "Gate",
        "old_value": "Door",
        "issue_comment": None,
        "old_identifier": None,
        "new_identifier": None,
        "activity_time": "2026-03-02T09:00:00+00:00",
        "bulk_id": None,
        "automatic": None,
    }
    row = Notification.objects.get()
    assert row.id == notification_id(activity.id, bob.id, Kind.CHANGE)
    assert (row.workspace, row.project, row.receiver, row.triggered_by) == (
        team.workspace,
        team.project,
        bob,
        ann,
    )
    assert (row.entity_name, row.entity_identifier, row.created_at) == ("issue", issue.id, NOW)
    assert (row.sender, row.title) == ("in_app:issue_activities:created", "updated the name to")
    assert (row.message, row.message_html, row.message_stripped) == (None, "<p></p>", None)
    assert row.data == {"issue": about_issue, "issue_activity": about_activity}

    line = EmailNotificationLog.objects.get()
    assert line.id == log_id(activity.id, bob.id, Kind.CHANGE)
    assert (line.receiver, line.triggered_by, line.created_at) == (bob, ann, NOW)
    assert (line.entity_name, line.entity_identifier) == ("issue", issue.id)
    assert (line.processed_at, line.sent_at) == (None, None)
    assert line.data == row.data

    event.refresh_from_db()
    assert (event.status, event.fanned_out_at, event.attempts) == (EventStatus.FANNED_OUT, NOW, 1)


def test_every_activity_is_told_to_each_receiver_for_a_reason_of_their_own(team: Team) -> None:
    ann, bob, carl, dora, eve = team.members.values()
    issue = make_issue(team, created_by=ann, assignees=[bob], subscribers=[bob, carl, eve])
    run(make_event(issue, eve, RENAMED, assigned(dora)))
    reasons = [("ann", "created"), ("bob", "assigned"), ("carl", "subscribed"), ("dora", "assigned")]
    titles = ["added assignee ", "updated the name to"]
    assert inbox() == [(name, reason, title) for name, reason in reasons for title in titles]
    assert lines() == [(name, field) for name, _ in reasons for field in ("assignees", "name")]
    assert followers(issue) == {"bob", "carl", "dora", "eve"}


def test_comment_that_mentions(team: Team) -> None:
    ann, bob, carl, *_ = team.members.values()
    issue = make_issue(team, created_by=ann, name="<b>Door</b>", subscribers=[bob])
    ann.display_name = "Ann & Co"
    ann.save()
    run(make_event(issue, ann, COMMENTED, kind="comment.activity.created", mentioned=[carl.id]))
    assert inbox() == [("bob", "subscribed", "created a comment"), ("carl", "mentioned", "")]
    assert lines() == [("bob", "comment"), ("carl", "mention")]
    row = Notification.objects.get(receiver=carl)
    assert row.message == "Ann & Co has mentioned you in a comment in issue <b>Door</b>"
    assert row.message_stripped == row.message
    assert row.message_html.startswith("<p>Ann &amp; Co has mentioned")
    assert row.message_html.endswith("in issue &lt;b&gt;Door&lt;/b&gt;</p>")
    assert row.data["issue_activity"]["field"] == "comment"
    assert followers(issue) == {"Ann & Co", "bob", "carl"}


def test_description_that_mentions_goes_to_the_mentioned(team: Team) -> None:
    ann, *followers_, eve = team.members.values()
    issue = make_issue(team, subscribers=followers_)
    run(make_event(issue, ann, DESCRIBED, mentioned=[eve.id]))
    assert lines() == [(name, "description") for name in ("bob", "carl", "dora")] + [("eve", "mention")]
    assert (
        Notification.objects.get(receiver=eve).message == "You have been mentioned in the issue Fix the door"
    )


def test_description_that_mentions_the_only_receiver(team: Team) -> None:
    ann, bob, *_ = team.members.values()
    run(make_event(make_issue(team), ann, DESCRIBED, mentioned=[bob.id]))
    assert inbox() == [("bob", "mentioned", "")]
    assert lines() == [("bob", "mention")]


def test_creation_that_mentions_without_any_assignee(team: Team) -> None:
    ann, bob, *_ = team.members.values()
    issue = make_issue(team)
    run(make_event(issue, ann, CREATED, kind="issue.activity.created", mentioned=[bob.id]))
    assert inbox() == [("bob", "mentioned", "")]
    assert lines() == [("bob", "mention")]
    assert followers(issue) == {"ann", "bob"}


def test_a_mention_in_several_changes_is_one_mention_by_the_first_text(team: Team) -> None:
    ann, bob, *_ = team.members.values()
    run(make_event(make_issue(team), ann, RENAMED, DESCRIBED, COMMENTED, mentioned=[bob.id]))
    assert lines() == [("bob", "comment"), ("bob", "mention"), ("bob", "name")]


def test_only_the_assignment_of_somebody_assigns_them(team: Team) -> None:
    ann, bob, *_ = team.members.values()
    run(make_event(make_issue(team), ann, {**RENAMED, "new_identifier": bob.id}))
    assert lines() == []


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_description_that_went_on_tells_each_person_once(team: Team, order: tuple[int, int]) -> None:
    ann, bob, carl, dora, _ = team.members.values()
    issue = make_issue(team, subscribers=[bob])
    first = make_event(issue, ann, DESCRIBED, mentioned=[carl.id])
    second = make_event(issue, ann, mentioned=[dora.id])
    IssueEvent.objects.filter(id=second.id).update(activity_ids=first.activity_ids)
    for n in order:
        run([first, second][n])
    assert inbox() == [
        ("bob", "subscribed", "updated the description to"),
        ("carl", "mentioned", ""),
        ("dora", "mentioned", ""),
    ]
    assert lines() == [("bob", "description"), ("carl", "mention"), ("dora", "mention")]


def test_a_mention_of_nobody_known_costs_only_itself(team: Team) -> None:
    ann, bob, *_ = team.members.values()
    stranger = User.objects.create_user("eve@elsewhere.example")
    issue = make_issue(team, subscribers=[bob])
    run(make_event(issue, ann, COMMENTED, mentioned=[team.project.id, stranger.id, ann.id]))
    assert inbox() == [("bob", "subscribed", "created a comment")]
    assert followers(issue) == {"ann", "bob"}


def test_deletion_is_told(team: Team) -> None:
    ann, bob, carl, *_ = team.members.values()
    issue = make_issue(team, created_by=bob, subscribers=[carl])
    Issue.objects.filter(id=issue.id).update(deleted_at=NOW)
    run(make_event(issue, ann, DELETED, kind="issue.activity.deleted"))
    assert inbox() == [("bob", "created", "deleted the issue"), ("carl", "subscribed", "deleted the issue")]
    assert followers(issue) == {"carl"}


def test_nobody_acted(team: Team) -> None:
    _, bob, *_ = team.members.values()
    issue = make_issue(team, created_by=bob)
    run(make_event(issue, None, COMMENTED, mentioned=[bob.id]))
    row, line = Notification.objects.get(), EmailNotificationLog.objects.get()
    assert row.triggered_by is None
    assert row.message == "Somebody has mentioned you in a comment in issue Fix the door"
    assert line.triggered_by == bob
    assert line.data["issue_activity"]["actor"] is None


def test_the_workspace_s_owner_stands_in_if_nobody_is_left_who_triggered_it(team: Team) -> None:
    ann, bob, *_ = team.members.values()
    issue = make_issue(team, created_by=None, subscribers=[bob])
    run(make_event(issue, None, RENAMED))
    assert inbox() == [("bob", "subscribed", "updated the name to")]
    assert lines() == [("bob", "name")]
    assert EmailNotificationLog.objects.get().triggered_by == team.workspace.owner == ann


def test_what_is_missing_is_null(team: Team) -> None:
    ann, bob, *_ = team.members.values()
    issue = make_issue(team, created_by=bob, state=None)
    comment = make_comment(issue, ann, "<p>secret</p>", deleted_at=NOW)
    change = {**DELETED, "field": "comment", "issue_comment": comment}
    run(make_event(issue, ann, change, kind="comment.activity.deleted"))
    data = EmailNotificationLog.objects.get().data
    assert (data["issue"]["state_name"], data["issue"]["state_group"]) == (None, None)
    values = ("new_value", "old_value", "issue_comment", "old_identifier", "new_identifier")
    assert [data["issue_activity"][value] for value in values] == [None] * 5
    assert followers(issue) == {"ann"}


def test_a_comment_comes_with_its_text(team: Team) -> None:
    ann, bob, *_ = team.members.values()
    issue = make_issue(team, created_by=bob)
    comment = make_comment(issue, ann, "<p>Hi</p>")
    run(make_event(issue, ann, {**COMMENTED, "issue_comment": comment, "new_identifier": comment.id}))
    about = Notification.objects.get().data["issue_activity"]
    assert (about["issue_comment"], about["new_identifier"]) == ("Hi", str(comment.id))


def test_a_long_value_is_cut(team: Team) -> None:
    ann, bob, *_ = team.members.values()
    issue = make_issue(team, created_by=bob)
    run(make_event(issue, ann, {**DESCRIBED, "old_value": "x" * 10_000, "new_value": "x" * 10_001}))
    about = EmailNotificationLog.objects.get().data["issue_activity"]
    assert (about["old_value"], about["new_value"]) == ("x" * 10_000, "x" * 10_000 + "…")


def test_the_mirrored_activity_of_another_issue_is_not_told_here(team: Team) -> None:
    ann, bob, *_ = team.members.values()
    issue, other = make_issue(team, created_by=bob), make_issue(team, created_by=bob)
    event = make_event(issue, ann, {"field": "blocking", "comment": "added blocking relation"})
    mirrored = make_event(other, ann, {"field": "blocked_by", "comment": "added blocked_by relation"})
    IssueEvent.objects.filter(id=event.id).update(activity_ids=event.activity_ids + mirrored.activity_ids)
    run(event)
    assert inbox() == [("bob", "created", "added blocking relation")]
