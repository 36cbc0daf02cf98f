"""Acts that concern several issues: both sides of a relation, sub-issues, cycles, and many at once."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from threading import Barrier
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection

from project.models import Issue, IssueActivity, IssueAssignee, IssueEvent, IssueRelation, State
from project.services.notifications import ancestors
from project.services.notifications.archiving import archive_many
from project.services.notifications.issues import update_issue
from project.services.notifications.links import CYCLES
from project.services.notifications.many import delete_issues, update_issues
from project.services.notifications.membership import CYCLE, MODULE, change_modules, put_in
from project.services.notifications.parents import adopt
from project.services.notifications.references import RefusedError
from project.services.notifications.relations import OPPOSITE, relate, relations_of, unrelate
from tests.at_once import at_once
from tests.factories import Team, make_issue, make_label, make_team

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def team() -> Team:
    return make_team()


@pytest.fixture
def by(team: Team) -> dict[str, Any]:
    return {"actor": team.members["bob"], "now": NOW}


def three(team: Team) -> tuple[Issue, Issue, Issue]:
    first, second, third = (make_issue(team) for _ in range(3))
    return first, second, third


def told(issue: Issue) -> list[tuple[Any, ...]]:
    rows = IssueActivity.objects.filter(issue=issue).order_by("created_at")
    return list(rows.values_list("verb", "field", "old_value", "new_value"))


@pytest.mark.parametrize("relation", sorted(OPPOSITE))
def test_both_sides_of_a_relation_are_told_in_their_own_words(team: Team, by: Any, relation: str) -> None:
    one, two, three_ = three(team)

    relate(one.id, relation, [two.id, three_.id], **by)

    assert told(one) == [("updated", relation, "", "ACME-2"), ("updated", relation, "", "ACME-3")]
    assert told(two) == told(three_) == [("updated", OPPOSITE[relation], "", "ACME-1")]
    assert relations_of(one) == {two.id: relation, three_.id: relation}
    assert relations_of(two) == {one.id: OPPOSITE[relation]}
    assert (
        relate(one.id, relation, [two.id], **by) == relate(two.id, OPPOSITE[relation], [one.id], **by) == []
    )

    unrelate(two.id, one.id, **by)

    assert told(one)[2:] == [("deleted", relation, "ACME-2", "")]
    assert told(two)[1:] == [("deleted", OPPOSITE[relation], "ACME-1", "")]
    assert relations_of(one) == {three_.id: relation}


def test_what_cannot_be_related(team: Team, by: Any) -> None:
    one, two, _ = three(team)
    foreign = make_issue(make_team("other"))
    relate(one.id, "blocking", [two.id], **by)
    for others, why in (
        ([one.id], "itself"),
        ([foreign.id], "Not in this project"),
        ([uuid4()], "Not in this project"),
        ([two.id], "ACME-2 is related to this issue otherwise: blocking"),
    ):
        with pytest.raises(RefusedError, match=why) as refused:
            relate(one.id, "duplicate", others, **by)
        assert refused.value.field == "issues"
    with pytest.raises(RefusedError, match="not related"):
        unrelate(two.id, make_issue(team).id, **by)
    assert IssueRelation.objects.count() == 1


def test_sub_issues_come_from_several_parents(team: Team, by: Any) -> None:
    parent, former, child = three(team)
    grandchild = make_issue(team)
    update_issue(child.id, {"parent_id": former.id}, **by)
    update_issue(grandchild.id, {"parent_id": child.id}, **by)
    IssueEvent.objects.all().delete()

    wakes = adopt(parent, [child.id, grandchild.id, child.id], **by)

    assert set(Issue.objects.filter(parent=parent)) == {child, grandchild}
    assert [value for *_, value in told(parent)] == ["ACME-3", "ACME-4"]
    assert told(former)[-1] == ("updated", "sub_issues", "ACME-3", "")
    # The child is told of its new parent and, by the same event, that its own sub-issue left it.
    assert told(child)[-2:] == [
        ("updated", "parent", "ACME-2", "ACME-1"),
        ("updated", "sub_issues", "ACME-4", ""),
    ]
    assert len(wakes) == IssueEvent.objects.count() == 4
    assert adopt(parent, [child.id], **by) == []
    with pytest.raises(RefusedError, match="own parent"):
        adopt(parent, [parent.id], **by)


def test_no_issue_becomes_its_own_ancestor(team: Team, by: Any) -> None:
    top, middle, low = three(team)
    adopt(top, [middle.id], **by)
    adopt(middle, [low.id], **by)
    for move in (
        lambda: adopt(low, [make_issue(team).id, top.id], **by),
        lambda: update_issue(top.id, {"name": "Gate", "parent_id": low.id}, **by),
        lambda: update_issue(top.id, {"parent_id": middle.id}, **by),
    ):
        with pytest.raises(RefusedError, match=r"^ACME-1 would be its own ancestor\.$") as refused:
            move()
        assert refused.value.field == "parent_id"
    assert not Issue.objects.filter(parent=low).exists()
    # A deleted issue holds nothing together; and who leaves first may come back above.
    Issue.objects.filter(id=middle.id).update(deleted_at=NOW)
    update_issue(top.id, {"parent_id": low.id}, **by)
    assert Issue.objects.get(id=top.id).parent == low


def test_there_is_a_bound_to_what_stands_above(team: Team, by: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ancestors, "DEPTH", 2)
    first, second, third = three(team)
    fourth, fifth = make_issue(team), make_issue(team)
    for parent, child in ((first, second), (second, third), (third, fourth)):
        adopt(parent, [child.id], **by)
    with pytest.raises(RefusedError, match="More than 2 issues stand above that one"):
        adopt(fourth, [fifth.id], **by)
    # Loops from before this was refused end the search, too, and can be opened.
    Issue.objects.filter(id=first.id).update(parent=fourth)
    with pytest.raises(RefusedError, match="More than 2 issues"):
        adopt(second, [fifth.id], **by)
    update_issue(first.id, {"parent_id": None}, **by)
    adopt(second, [fifth.id], **by)


@pytest.mark.django_db(transaction=True)
def test_of_two_that_would_go_below_each_other_at_once_one_does() -> None:
    team = make_team()
    one, two, _ = three(team)

    def below(child: Issue, parent: Issue) -> str:
        try:
            update_issue(child.id, {"parent_id": parent.id}, actor=team.members["bob"], now=NOW)
        except RefusedError as refused:
            return str(refused)
        return ""

    answers = at_once(
        Issue.objects.filter(project=team.project), lambda: below(one, two), lambda: below(two, one)
    )

    assert answers in (["", "ACME-2 would be its own ancestor."], ["ACME-1 would be its own ancestor.", ""])
    assert Issue.objects.filter(parent=None).count() == 2


def test_a_cycle_takes_the_place_of_the_other_and_a_module_comes_to_the_others(team: Team, by: Any) -> None:
    place = {"workspace": team.workspace, "project": team.project}
    one, two, _ = three(team)
    old, new = (
        CYCLE.model.objects.create(**place, name=name, owned_by=by["actor"]) for name in ("Old", "New")
    )
    doors, walls = (MODULE.model.objects.create(**place, name=name) for name in ("Doors", "Walls"))

    put_in(CYCLE, old.id, team.project, [one.id], **by)
    put_in(CYCLE, new.id, team.project, [one.id, two.id, one.id], **by)
    change_modules(one.id, [doors.id], [], **by)
    change_modules(one.id, [walls.id], [doors.id], **by)

    assert told(one) == [
        ("created", "cycles", "", "Old"),
        ("created", "cycles", "", "New"),
        ("deleted", "cycles", "Old", ""),
        ("created", "modules", "", "Doors"),
        ("created", "modules", "", "Walls"),
        ("deleted", "modules", "Doors", ""),
    ]
    assert told(two) == [("created", "cycles", "", "New")]
    live = CYCLES.model.objects.values_list("issue__sequence_id", flat=True).order_by("issue__sequence_id")
    assert list(live) == [1, 2]
    acts = IssueEvent.objects.filter(kind="cycle.activity.created").order_by("occurred_at")
    alone, *together = acts.values_list("bulk_id", flat=True)
    assert alone is None
    assert len(set(together)) == 1
    assert together[0] is not None


def test_many_at_once_is_one_act_of_which_each_issue_that_changed_is_told(team: Team, by: Any) -> None:
    one, two, three_ = three(team)
    carl, eve = team.members["carl"], team.members["eve"]
    done, label = team.states["completed"], make_label(team, "wood", one)
    Issue.objects.filter(id=three_.id).update(state=done, completed_at=NOW)
    IssueAssignee.objects.create(workspace=team.workspace, project=team.project, issue=one, assignee=eve)

    ids = [three_.id, one.id, two.id]
    update_issues(
        team.project, ids, {"state_id": done.id, "label_ids": [label.id], "assignee_ids": [carl.id]}, **by
    )

    assert told(one) == [("updated", "state", "Backlog", "Completed"), ("updated", "assignees", "", "carl")]
    assert told(two) == [told(one)[0], ("updated", "labels", "", "wood"), told(one)[1]]
    assert told(three_) == told(two)[1:]
    assert {issue.completed_at for issue in Issue.objects.all()} == {NOW}
    assert one.assignee_links.count() == 2  # eve stays
    assert len(set(IssueEvent.objects.values_list("bulk_id", flat=True))) == 1
    assert update_issues(team.project, ids, {"state_id": done.id}, **by) == []


def test_one_refusal_refuses_all(team: Team, by: Any) -> None:
    one, two, _ = three(team)
    Issue.objects.filter(id=two.id).update(target_date="2026-03-01")
    foreign = make_issue(make_team("other"))
    ids = [one.id, two.id]
    for refused_ids, values, field, why in (
        (ids, {"start_date": NOW.date().replace(day=2)}, "start_date", "^ACME-2: The start date"),
        (ids, {"state_id": foreign.state_id}, "state_id", "Not in this project"),
        (ids, {"priority": "high", "cycle_ids": [uuid4()]}, "cycle_id", "Not in this project"),
        ([one.id, foreign.id], {"priority": "high"}, "issue_ids", str(foreign.id)),
    ):
        with pytest.raises(RefusedError, match=why) as refused:
            update_issues(team.project, refused_ids, values, **by)  # type: ignore[arg-type]
        assert refused.value.field == field
    State.objects.filter(id=team.states["backlog"].id).update(group="completed")
    Issue.objects.filter(id=two.id).update(state=team.states["started"])
    with pytest.raises(RefusedError, match="archived: ACME-2"):
        archive_many(team.project, ids, **by)
    assert not Issue.objects.exclude(archived_at=None).exists()
    assert not IssueEvent.objects.exists()


def test_many_archived_and_deleted(team: Team, by: Any) -> None:
    ids = [issue.id for issue in three(team)]
    Issue.objects.update(state=team.states["cancelled"])
    assert len(archive_many(team.project, ids, **by)) == 3
    assert archive_many(team.project, ids, **by) == []
    assert len(delete_issues(team.project, ids, **by)) == 3
    assert not Issue.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_acts_on_the_same_issues_in_any_order_do_not_deadlock() -> None:
    team = make_team()
    issues = [make_issue(team) for _ in range(6)]
    actors = list(team.members.values())[:4]
    together = Barrier(len(actors))

    def act(turn: int) -> None:
        ids = [issue.id for issue in issues[:: 1 if turn % 2 else -1]]
        together.wait(timeout=20)
        try:
            for n in range(8):
                priority = ("high", "low")[(turn + n) % 2]
                update_issues(team.project, ids, {"priority": priority}, actor=actors[turn], now=NOW)
                relate(ids[0], "relates_to", ids[1:], actor=actors[turn], now=NOW)
                adopt(
                    issues[turn],
                    [ids[0] if ids[0] != issues[turn].id else ids[1]],
                    actor=actors[turn],
                    now=NOW,
                )
        finally:
            connection.close()

    with ThreadPoolExecutor(len(actors)) as pool:
        list(pool.map(act, range(len(actors)), timeout=60))

    for issue in issues:
        chain = [row[2:] for row in told(issue) if row[1] == "priority"]
        assert [old for old, _ in chain[1:]] == [new for _, new in chain[:-1]]
