"""Whatever door a change comes in by, the same people are told of it."""

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.utils import timezone
from rest_framework.test import APIClient

from project.models import EmailNotificationLog, IssueActivity, IssueEvent, Notification, Project, User
from project.services.notifications.fan_out import fan_out
from tests.factories import Team, make_issue, make_team
from tests.views.api import by_api_key, by_session, by_token, issue_url, issues_url

pytestmark = pytest.mark.django_db

# What differs from run to run without meaning anything.
UUID_TEXT = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
NAMES = {"id", "old_identifier", "new_identifier", "activity_time", "actor", "project_id", "workspace_slug"}


def tell_of_all_events() -> None:
    for event in IssueEvent.objects.order_by("occurred_at"):
        fan_out(event.id, event.dispatch, now=timezone.now(), limits=settings.LIMITS)


def told(rows: Any) -> list[Any]:
    """Who is told what, without the names of things."""
    return sorted((row.receiver.first_name, _anonymous(row.data)) for row in rows.select_related("receiver"))


def _anonymous(data: dict[str, dict[str, Any]]) -> str:
    kept = {part: {k: v for k, v in values.items() if k not in NAMES} for part, values in data.items()}
    return UUID_TEXT.sub("…", repr(kept))


def live_through(team: Team, client_of: Callable[[User], APIClient]) -> None:
    """One of every change, by ann."""
    client = client_of(team.members["ann"])
    bob, carl, eve = (str(team.members[name].id) for name in ("bob", "carl", "eve"))
    mention = f'<mention-component entity_identifier="{eve}" entity_name="user_mention"></mention-component>'
    body = {"name": "Door", "assignee_ids": [bob]}
    url = f"{issues_url(team.project)}{client.post(issues_url(team.project), body, format='json').json()['id']}/"
    comment = client.post(f"{url}comments/", {"comment_html": "<p>Hi</p>"}, format="json").json()
    for method, rest, sent in (
        (client.patch, "", {"assignee_ids": [bob, carl], "priority": "high", "target_date": "2026-03-01"}),
        (client.patch, f"comments/{comment['id']}/", {"comment_html": f"<p>{mention}</p>"}),
        (client.patch, "", {"description_html": f"<p>{mention}</p>"}),
        (client.delete, f"comments/{comment['id']}/", None),
        (client.delete, "", None),
    ):
        assert method(f"{url}{rest}", sent, format="json").status_code < 300
    tell_of_all_events()


def test_token_key_and_session_cause_the_same_rows() -> None:
    inboxes, lines = [], []
    for client_of in (by_session, by_token, by_api_key):
        live_through(make_team(client_of.__name__.replace("_", "-"), identifier="DOOR"), client_of)
        inboxes.append(told(Notification.objects.all()))
        lines.append(told(EmailNotificationLog.objects.all()))
        Notification.objects.all().delete()
        EmailNotificationLog.objects.all().delete()
        IssueEvent.objects.all().delete()

    assert inboxes[0] == inboxes[1] == inboxes[2]
    assert lines[0] == lines[1] == lines[2]
    assert {receiver for receiver, _ in inboxes[0]} == {"Bob", "Carl", "Eve"}
    assert {receiver for receiver, _ in lines[0]} == {"Bob", "Carl", "Eve"}
    assert sum("'field': 'mention'" in data for _, data in lines[0]) == 2


def test_a_default_assignee_is_told_of_the_assignment_once() -> None:
    team = make_team()
    Project.objects.update(default_assignee=team.members["eve"])
    by_token(team.members["ann"]).post(issues_url(team.project), {"name": "Door"}, format="json")
    tell_of_all_events()
    eves = Notification.objects.filter(receiver=team.members["eve"])
    assert eves.filter(title="added assignee ", sender__endswith=":assigned").count() == 1


def test_what_changes_nothing_is_no_event() -> None:
    team = make_team()
    issue = make_issue(team)
    response = by_token(team.members["ann"]).patch(issue_url(issue), {"name": issue.name}, format="json")
    assert response.status_code == 200
    assert not IssueEvent.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_requests_at_the_same_time_make_one_chain() -> None:
    team = make_team()
    issue = make_issue(team, name="start")
    clients = {name: by_token(team.members[name]) for name in ("ann", "bob")}
    together = Barrier(len(clients))

    def rename(name: str) -> None:
        together.wait(timeout=20)
        try:
            for turn in range(5):
                body = {"name": f"{name} {turn}", "priority": ["low", "high"][turn % 2]}
                assert clients[name].patch(issue_url(issue), body, format="json").status_code == 200
        finally:
            connection.close()

    with ThreadPoolExecutor(len(clients)) as pool:
        list(pool.map(rename, clients, timeout=60))

    names = IssueActivity.objects.filter(field="name").order_by("created_at")
    chain = list(names.values_list("old_value", "new_value"))
    assert len(chain) == 10
    assert [old for old, _ in chain] == ["start", *(new for _, new in chain[:-1])]
