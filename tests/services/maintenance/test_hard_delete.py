"""Soft-deleted rows go for good, in an order that no foreign key breaks, and nothing that lives goes along."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import Model

from project.limits import Limits
from project.models import (
    Cycle,
    CycleIssue,
    EmailDigest,
    Estimate,
    EstimatePoint,
    EventStatus,
    Exporter,
    ExportRun,
    ExportStatus,
    Issue,
    IssueActivity,
    IssueComment,
    IssueLink,
    IssueSubscriber,
    Label,
    Module,
    ModuleIssue,
    Notification,
    Project,
    State,
    Workspace,
)
from project.services.maintenance.hard_delete import hard_delete
from project.services.maintenance.purge import Purge
from project.services.maintenance.verify import verify
from tests.factories import Team, make_issue
from tests.services.maintenance.world import (
    LATELY,
    LONG_AGO,
    NOW,
    SOFT,
    counts,
    delete_softly,
    make_event,
    make_world,
)

pytestmark = pytest.mark.django_db(transaction=True)
LIMITS = Limits()
#: The order of Plane's nightly job.
PLANES_ORDER = (
    *(Workspace, Project, Cycle, Module, Issue, Label, State, IssueActivity, IssueComment, IssueLink),
    *(ModuleIssue, CycleIssue, Estimate, EstimatePoint),
)


def purged(clock: Callable[[], datetime] = lambda: NOW, **limits: Any) -> Purge:
    purge = Purge(limits=replace(LIMITS, **limits), clock=clock)
    hard_delete(purge)
    return purge


def in_a_thread() -> Purge:
    try:
        return purged(purge_batch=5)
    finally:
        connection.close()


def found() -> list[str]:
    """What `verify` has to say; events and digests are not late, since it looks on the day after."""
    return [finding.check.name for finding in verify(now=LONG_AGO, limits=LIMITS)]


@pytest.fixture
def team() -> Team:
    return make_world()


def first_issue() -> Issue:
    return Issue.all_objects.get(parent=None, sequence_id=1)


def in_planes_order() -> None:
    for model in PLANES_ORDER:
        rows = model._base_manager.filter(deleted_at__lte=NOW - LIMITS.hard_delete_after)
        with transaction.atomic():
            rows._raw_delete(rows.db)


def test_the_world_has_all_tables_and_all_foreign_keys(team):
    missing = [
        f"{model.__name__}.{field.name}"
        for model in SOFT
        for field in model._meta.concrete_fields
        if field.is_relation and field.name not in {"created_by", "updated_by", "default_assignee"}
        if not model._base_manager.exclude(**{field.name: None}).exists()
    ]
    assert missing == []


def test_the_order_of_plane_breaks_at_the_first_issue_that_is_old_enough(team):
    issue = first_issue()
    delete_softly(*Issue.objects.all(), *IssueComment.objects.all(), issue)
    with pytest.raises(IntegrityError, match="foreign key"):
        in_planes_order()
    assert Issue.all_objects.filter(id=issue.id).exists()


def test_a_deleted_issue_goes_with_its_parts_and_its_mails_stay(team):
    make_issue(team)
    before, issue = counts(), first_issue()
    delete_softly(issue, *Issue.objects.filter(parent=issue))
    purge = purged(purge_batch=2)

    gone = Counter(before) - Counter(counts())
    assert gone == {
        "CycleIssue": 1,
        "FileAsset": 1,
        "Issue": 2,
        "IssueActivity": 1,
        "IssueAssignee": 1,
        "IssueComment": 2,
        "IssueEvent": 1,
        "IssueLabel": 1,
        "IssueLink": 1,
        "IssueMention": 1,
        "IssueMute": 1,
        "IssueRelation": 1,
        "IssueSubscriber": 2,
        "MailStop": 1,
        "ModuleIssue": 1,
        "UnsubscribeToken": 1,
    }
    assert sum(purge.deleted.values()) == sum(gone.values())
    assert (+purge.held, purge.failed) == ({}, {})
    assert EmailDigest.objects.get().issue is None
    assert found() == []


def test_a_deleted_workspace_goes_whole_and_the_other_one_stays_whole(team):
    other = make_world("other")
    before = counts()
    for model in SOFT:
        for row in model._base_manager.exclude(pk=other.workspace.pk):
            belongs = getattr(row, "workspace_id", None) != other.workspace.id
            delete_softly(*[row] * belongs)
    purge = purged(purge_batch=20)
    assert (+purge.held, purge.failed) == ({}, {})
    kept = {
        "User": 10,
        "EmailDigest": 2,
        "EmailDigestLine": 2,
        "EmailNotificationLog": 2,
        "SuppressedAddress": 2,
    }
    assert counts() == {name: kept.get(name, number // 2) for name, number in before.items()}
    assert found() == []
    assert str(purged()) == "nothing to delete"


def test_what_was_not_marked_goes_with_its_project_too(team):
    """Plane marks the contents of a project one by one, later, and perhaps never."""
    delete_softly(team.project, *Label.objects.all())
    purge = purged(purge_batch=2)
    assert (+purge.held, purge.failed) == ({}, {})
    left = {model.__name__ for model in SOFT if hasattr(model, "project") and model._base_manager.exists()}
    assert left == {"Exporter"}


def test_what_was_deleted_lately_stays(team):
    before = counts()
    delete_softly(*(row for model in SOFT for row in model._base_manager.all()), at=LATELY)
    assert str(purged()) == "nothing to delete"
    assert counts() == before


def holding_state(team: Team) -> Model:
    return team.states["backlog"]


def holding_parent(team: Team) -> Model:
    return first_issue()


def holding_reply(team: Team) -> Model:
    return IssueComment.objects.get(parent=None)


def holding_event(team: Team) -> Model:
    issue = make_issue(team)
    make_issue(team)
    make_event(issue, status=EventStatus.PENDING, fanned_out_at=None)
    return issue


def holding_archive(team: Team) -> Model:
    ExportRun.objects.update(status=ExportStatus.QUEUED, ended_at=None)
    return Exporter.objects.get()


def holding_label(team: Team) -> Model:
    return team.project


@pytest.mark.parametrize(
    "held", [holding_state, holding_parent, holding_reply, holding_event, holding_archive, holding_label]
)
def test_what_the_living_need_stays_with_all_its_parts_and_is_counted(team, held):
    row = held(team)
    before = counts()
    delete_softly(row)
    assert str(purged()) == f"held {row._meta.db_table} 1"
    assert counts() == before


@pytest.mark.parametrize("kind", [Cycle, Label, State, IssueLink, Notification, IssueActivity])
def test_one_thing_goes_alone_or_with_the_links_to_it(team, kind):
    row = State.objects.get(name="Started") if kind is State else kind.objects.get()
    issues = Issue.objects.count()
    delete_softly(row)
    assert (+purged().held, Issue.objects.count()) == ({}, issues)
    assert not kind._base_manager.filter(pk=row.pk).exists()
    assert found() == []


def test_a_chain_goes_in_one_run_whatever_order_its_links_are_found_in(team):
    chain = [make_issue(team)]
    for _ in range(3):
        chain.append(make_issue(team, parent=chain[-1]))
    make_issue(team)
    delete_softly(*chain)
    assert purged(purge_batch=1).deleted["issues"] == 4


def test_who_left_an_issue_has_still_left_it(team):
    subscriber = IssueSubscriber.objects.first()
    delete_softly(subscriber)
    purged()
    assert IssueSubscriber.all_objects.filter(pk=subscriber.pk).exists()


def test_a_number_is_not_given_out_twice(team):
    newest = make_issue(team)
    delete_softly(newest)
    assert str(purged()) == "nothing to delete"
    make_issue(team, sequence_id=newest.sequence_id + 1)
    assert purged().deleted["issues"] == 1


def test_two_at_the_same_moment_delete_each_row_once(team):
    issue = first_issue()
    place = {"workspace": issue.workspace, "project": issue.project, "issue": issue}
    IssueLink.objects.bulk_create(IssueLink(**place, url=f"/{n}") for n in range(20))
    delete_softly(issue, *Issue.objects.filter(parent=issue))
    make_issue(team)
    before = sum(counts().values())
    with ThreadPoolExecutor(2) as pool:
        both = list(pool.map(lambda _: in_a_thread(), range(2)))
    assert sum(sum(purge.deleted.values()) for purge in both) == before - sum(counts().values())
    assert [purge.failed for purge in both] == [{}, {}]
    purged()
    assert Issue.all_objects.filter(deleted_at__isnull=False).count() == 0
    assert found() == []


def test_what_is_restored_while_it_runs_keeps_its_parts(team):
    issue = make_issue(team, subscribers=team.members.values())
    make_issue(team)
    delete_softly(issue)
    before = counts()

    def clock() -> datetime:
        """Is looked at when the run begins, and when a batch was found."""
        delete_softly(*[issue] * looked.pop(), at=None)
        looked.append(True)
        return NOW

    looked = [False]
    assert str(purged(clock)) == "nothing to delete"
    assert counts() == before
