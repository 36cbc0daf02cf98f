"""Every list and every row can be looked at, by staff, at a cost that does not grow."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.contrib import admin
from django.db import connection, models
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from project.admin.table import COUNTED, BoundedPaginator
from project.limits import Limits
from project.models import (
    DigestStatus,
    EmailDigest,
    EmailNotificationLog,
    EventStatus,
    Issue,
    IssueEvent,
    Notification,
    Order,
    Project,
    ProjectMember,
    RequeueAudit,
    User,
    UserNotificationPreference,
    Verb,
    Workspace,
    WorkspaceMember,
)
from project.services.digests.claim import claim
from project.services.notifications.fan_out import fan_out
from tests.admin.staff import browser, operator, signed_in
from tests.factories import Team, make_issue, make_team, make_user
from tests.services.notifications.events import COMMENTED, NOW, make_event

pytestmark = pytest.mark.django_db

TABLES = (
    EmailDigest,
    EmailNotificationLog,
    Issue,
    IssueEvent,
    Notification,
    Project,
    ProjectMember,
    RequeueAudit,
    User,
    UserNotificationPreference,
    Workspace,
    WorkspaceMember,
)
READ_ONLY = (EmailDigest, EmailNotificationLog, Issue, IssueEvent, Notification, RequeueAudit)
#: What to ask a list for so that it shows something.
QUERY = {
    IssueEvent: {"status": "all"},
    Notification: {"q": "bob@acme.example"},
    EmailNotificationLog: {"q": "bob@acme.example"},
}


def list_of(model: type[models.Model]) -> str:
    return reverse(f"admin:project_{model._meta.model_name}_changelist")


def page_of(row: models.Model) -> str:
    return reverse(f"admin:project_{row._meta.model_name}_change", args=[row.pk])


def happen(team: Team, count: int = 1) -> None:
    """Ann comments on `count` new issues that bob follows; the mails fail, and orders are given."""
    bob = team.members["bob"]
    for _ in range(count):
        issue = make_issue(team, subscribers=[bob])
        fan_out(make_event(issue, team.members["ann"], COMMENTED).id, 1, now=NOW, limits=Limits())
        UserNotificationPreference.objects.create(user=make_user(f"user{uuid4().hex[:8]}"))
        order = Order(Verb.REQUEUE, "olga", "drill", NOW)
        RequeueAudit.begin(order, RequeueAudit.Target.EVENTS, [str(issue.id)])
    claim(now=NOW + timedelta(minutes=10), limits=Limits())
    EmailDigest.objects.update(status=DigestStatus.FAILED, reason="receiver", ended_at=NOW)


@pytest.fixture
def team() -> Team:
    team = make_team()
    happen(team)
    return team


@pytest.mark.parametrize("model", TABLES)
def test_each_list_and_each_row_is_shown(team, model):
    client = operator()
    assert client.get(list_of(model)).status_code == 200
    row = model._default_manager.first()
    page = client.get(page_of(row))
    assert page.status_code == 200
    assert str(row.pk) in page.content.decode()


@pytest.mark.parametrize("model", TABLES)
def test_the_cost_of_a_list_does_not_grow_with_its_rows(team, model):
    client = operator()

    def cost() -> int:
        with CaptureQueriesContext(connection) as captured:
            page = client.get(list_of(model), QUERY.get(model, {}))
        assert page.context["cl"].result_count
        return len(captured)

    few = cost()
    happen(team, 10)
    assert cost() == few <= 10


@pytest.mark.parametrize("model", TABLES)
def test_who_is_not_staff_or_may_not_view_sees_nothing(team, model):
    assert signed_in(team.members["bob"]).get(list_of(model)).status_code == 302
    assert browser().get(list_of(model)).status_code == 403


@pytest.mark.parametrize("model", TABLES)
def test_nothing_can_be_deleted_and_what_the_system_writes_cannot_be_changed(team, model):
    root = make_user("root", is_staff=True, is_superuser=True)
    client, row = signed_in(root), model._default_manager.first()
    assert client.post(f"{page_of(row)[:-7]}delete/", {"post": "yes"}).status_code == 403
    if model in READ_ONLY:
        assert client.post(page_of(row), {}).status_code == 403
        assert client.get(f"{list_of(model)}add/").status_code == 403


def found(client: Client, model: type[models.Model], **query: str) -> list[models.Model]:
    return list(client.get(list_of(model), query).context["cl"].result_list)


@pytest.mark.parametrize("model", [EmailDigest, EmailNotificationLog, Notification])
def test_rows_are_found_by_id_person_and_issue(team, model):
    client, row = operator(), model.objects.filter(receiver=team.members["bob"]).get()
    happen(make_team("other"))
    for term in (str(row.pk), "Bob@acme.example", "ACME-1", "acme/acme-1", str(team.members["bob"].id)):
        assert found(client, model, q=term) == [row]
    assert found(client, model, q="nobody@example.org") == []
    assert found(client, model, q="ACME-99") == []


@pytest.mark.parametrize("model", [EmailNotificationLog, Notification])
def test_the_longest_tables_list_nothing_before_something_is_searched(team, model):
    assert found(operator(), model) == []


def test_digests_that_did_not_go_out_come_first_and_search_finds_all(team):
    client, failed = operator(), EmailDigest.objects.get()
    passed = {"sealed_at": NOW, "content": b"x", "dot_at": NOW, "ended_at": NOW}
    sent = EmailDigest.objects.create(
        id=uuid4(), receiver=team.members["bob"], status=DigestStatus.SENT, **passed
    )
    assert found(client, EmailDigest) == [failed]
    assert found(client, EmailDigest, status="sent") == [sent]
    assert len(found(client, EmailDigest, status="all")) == 2
    assert found(client, EmailDigest, q=str(sent.id)) == [sent]
    assert found(client, EmailDigest, q="RECEIV") == [failed]


def test_events_that_were_given_up_come_first(team):
    client, event = operator(), IssueEvent.objects.get()
    assert found(client, IssueEvent) == []
    assert found(client, IssueEvent, status="fanned_out") == [event]
    IssueEvent.objects.update(status=EventStatus.FAILED, fanned_out_at=None, reason="gave up")
    assert found(client, IssueEvent) == [event]


def test_users_are_found_by_the_beginning_of_their_address_whatever_its_case(team):
    assert found(operator(), User, q="BOB@ac") == [team.members["bob"]]


def test_only_superusers_give_rights(team):
    client, bob = browser("view_user", "change_user"), team.members["bob"]
    form = {"email": bob.email, "display_name": "Bobby", "user_timezone": "UTC", "is_superuser": "on"}
    assert client.post(page_of(bob), form).status_code == 302
    bob.refresh_from_db()
    assert (bob.display_name, bob.is_superuser) == ("Bobby", False)
    client.get(page_of(bob))


def test_counting_ends_somewhere() -> None:
    paginator = BoundedPaginator(User.objects.order_by("id"), 10)
    with CaptureQueriesContext(connection) as captured:
        assert paginator.count == 0
    assert f"LIMIT {COUNTED}" in captured[0]["sql"]


def test_tables_that_nobody_writes_are_not_shown():
    assert "django_dramatiq" not in {model._meta.app_label for model in admin.site._registry}
