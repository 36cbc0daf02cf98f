"""A workspace in which every table has rows, and every foreign key that can be set is."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

from django.apps import apps
from django.db.models import Model

from project.models import (
    Cycle,
    CycleIssue,
    DigestStatus,
    EmailDigest,
    EmailDigestLine,
    EmailNotificationLog,
    Estimate,
    EstimatePoint,
    EventStatus,
    Exporter,
    ExportRun,
    ExportStatus,
    FileAsset,
    Issue,
    IssueActivity,
    IssueEvent,
    IssueLink,
    IssueMention,
    IssueMute,
    IssueRelation,
    MailStop,
    Module,
    ModuleIssue,
    Notification,
    Scope,
    SuppressedAddress,
    UnsubscribeToken,
    UserNotificationPreference,
)
from project.models.audited import Audited
from tests.factories import Team, make_comment, make_issue, make_label, make_team

NOW = datetime(2026, 6, 1, 3, 0, tzinfo=UTC)
LONG_AGO = NOW - timedelta(days=61)
LATELY = NOW - timedelta(days=59)
SOFT = [model for model in apps.get_models() if issubclass(model, Audited)]


def make_world(slug: str = "acme") -> Team:
    """A team with two issues (the second is the first one's part), all that can hang on them, and a mail."""
    team = make_team(slug)
    place = {"workspace": team.workspace, "project": team.project}
    ann, bob = team.members["ann"], team.members["bob"]
    estimate = Estimate.objects.create(**place, name="Sizes")
    point = EstimatePoint.objects.create(**place, estimate=estimate, value="XL")
    issue = make_issue(team, assignees=[bob], subscribers=[ann, bob], estimate_point=point)
    sub_issue = make_issue(team, parent=issue)
    make_label(team, "Blue", issue)
    comment = make_comment(issue, ann)
    make_comment(issue, bob, parent=comment)
    activity = IssueActivity.objects.create(**place, issue=issue, actor=ann, issue_comment=comment)
    cycle = Cycle.objects.create(**place, name="May", owned_by=ann)
    CycleIssue.objects.create(**place, issue=issue, cycle=cycle)
    module = Module.objects.create(**place, name="Doors", lead=bob)
    ModuleIssue.objects.create(**place, issue=issue, module=module)
    IssueLink.objects.create(**place, issue=issue, url="https://example.org")
    IssueMention.objects.create(**place, issue=issue, mention=bob)
    IssueRelation.objects.create(**place, issue=issue, related_issue=sub_issue)
    team.project.default_state, team.project.project_lead = team.states["backlog"], ann
    team.project.save()
    UserNotificationPreference.objects.create(**place, user=bob)
    FileAsset.objects.create(**place, issue=issue, comment=comment, user=ann, asset="a.png")
    failed = {"status": ExportStatus.FAILED, "reason": "the disk is full"}
    export = Exporter.objects.create(workspace=team.workspace, provider="csv", initiated_by=ann, **failed)
    before = LONG_AGO - timedelta(days=365)  # what told of its end has gone since
    ExportRun.objects.create(export=export, wish=uuid4(), ended_at=before, **failed)
    _tell(team, activity)
    return team


def make_event(issue: Issue, **fields: Any) -> IssueEvent:
    """An event that was told long ago."""
    given = {"status": EventStatus.FANNED_OUT, "fanned_out_at": LONG_AGO, "occurred_at": LONG_AGO, **fields}
    return IssueEvent.objects.create(
        workspace=issue.workspace,
        project=issue.project,
        issue=issue,
        kind="x",
        activity_ids=[uuid4()],
        **given,
    )


def make_mail(team: Team, issue: Issue, activity: IssueActivity, **fields: Any) -> EmailDigest:
    """A mail to bob that was sent long ago, with its line."""
    bob = team.members["bob"]
    log = EmailNotificationLog.objects.create(
        receiver=bob,
        triggered_by=team.members["ann"],
        entity_name="issue",
        entity_identifier=issue.id,
        data={"issue_activity": {"id": str(activity.id)}},
        processed_at=LONG_AGO,
        sent_at=None if "status" in fields else LONG_AGO,
        created_at=LONG_AGO,
    )
    passed = {"sealed_at": LONG_AGO, "content": b"mail", "dot_at": LONG_AGO, "ended_at": LONG_AGO}
    given = {"status": DigestStatus.SENT, **passed, **fields}
    digest = EmailDigest.objects.create(id=uuid4(), receiver=bob, issue=issue, created_at=LONG_AGO, **given)
    EmailDigestLine.objects.create(log=log, digest=digest)
    return digest


def delete_softly(*rows: Model, at: datetime | None = LONG_AGO) -> None:
    """Delete rows as Plane does."""
    for row in rows:
        row._meta.model._base_manager.filter(pk=row.pk).update(deleted_at=at)


def counts() -> dict[str, int]:
    """How many rows each of the product's tables has; empty tables are left out."""
    models = apps.get_app_config("project").get_models()
    found = {model.__name__: model._base_manager.count() for model in models}
    return {name: count for name, count in found.items() if count}


def _tell(team: Team, activity: IssueActivity) -> None:
    issue = activity.issue
    assert issue
    make_event(issue, actor=team.members["ann"])
    token = UnsubscribeToken.objects.create(receiver=team.members["bob"], issue=issue)
    UnsubscribeToken.objects.create(receiver=team.members["bob"], workspace=team.workspace)
    MailStop.objects.create(token=token, scope=Scope.ISSUE, at=LONG_AGO)
    IssueMute.objects.create(user=team.members["eve"], issue=issue)
    Notification.objects.create(
        workspace=team.workspace,
        project=team.project,
        receiver=team.members["bob"],
        triggered_by=team.members["ann"],
        entity_name="issue",
        entity_identifier=issue.id,
        data={"issue_activity": {"id": str(activity.id)}},
        title="",
        sender="",
    )
    digest = make_mail(team, issue, activity)
    SuppressedAddress.objects.create(
        address=f"{issue.id}@example.org", reason="full", source=digest, evidence="", since=LONG_AGO
    )
