"""The buttons of the inbox."""

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.test import Client
from django.utils import timezone

from project.models import Notification
from project.views.pages.snooze import snoozed_until
from tests.factories import Team, make_issue, make_team
from tests.services.notifications.inboxes import make_notification

pytestmark = pytest.mark.django_db

INBOX = "/acme/inbox/"


@pytest.fixture
def team() -> Team:
    return make_team()


@pytest.fixture
def client(team: Team) -> Client:
    client = Client()
    client.force_login(team.members["bob"])
    return client


def notify(team: Team, name: str = "x", **fields: Any) -> Notification:
    return make_notification(team.members["bob"], make_issue(team, name=name), **fields)


@pytest.mark.parametrize(
    ("does", "undoes", "column"),
    [
        ("read", "unread", "read_at"),
        ("archive", "unarchive", "archived_at"),
        ("snooze-hour", "wake", "snoozed_till"),
    ],
)
def test_buttons(team: Team, client: Client, does: str, undoes: str, column: str) -> None:
    row = notify(team)
    for name, expected in ((does, True), (undoes, False)):
        answer = client.post(f"{INBOX}{row.id}/", {"do": name, "tab": "all", "page": "1"})
        assert answer.headers["Location"] == f"{INBOX}?tab=all&page=1#n-{row.id}"
        row.refresh_from_db()
        assert (getattr(row, column) is not None) == expected


def test_opening_marks_it_read_and_leads_to_the_issue(team: Team, client: Client) -> None:
    row = notify(team)
    answer = client.post(f"{INBOX}{row.id}/", {"do": "open"}, follow=True)
    assert answer.status_code == 200
    assert answer.request["PATH_INFO"] == f"/acme/projects/{team.project.id}/issues/{row.entity_identifier}"
    row.refresh_from_db()
    assert row.read_at


def test_a_tab_without_javascript_or_tampered_with_still_leads_back_here(team: Team, client: Client) -> None:
    row = notify(team)
    answer = client.post(f"{INBOX}{row.id}/", {"do": "read", "tab": "https://evil.example/?&x=y"})
    assert answer.headers["Location"].startswith(f"{INBOX}?tab=https%3A%2F%2Fevil")


def test_mark_all_read_spares_what_came_after_the_page_was_shown(team: Team, client: Client) -> None:
    def unread() -> list[str]:
        return [entry.issue_title for entry in client.get(f"{INBOX}?tab=unread").context["entries"]]

    notify(team, "seen", created_at=timezone.now() - timedelta(seconds=1))
    seen = client.get(INBOX).context["now"]
    notify(team, "new", created_at=timezone.now())
    answer = client.post(f"{INBOX}mark-all-read/", {"tab": "all", "seen": seen})
    assert answer.headers["Location"] == f"{INBOX}?tab=all"
    assert unread() == ["new"]
    for nonsense in ("", "yesterday", "2020-13-13T00:00:00Z", "2020-01-01T00:00:00"):
        client.post(f"{INBOX}mark-all-read/", {"seen": nonsense})
    assert unread() == []


@pytest.mark.parametrize(
    ("choice", "now", "zone", "until"),
    [
        ("hour", (2026, 3, 2, 23, 30), "UTC", "2026-03-03T00:30:00+00:00"),
        ("tomorrow", (2026, 3, 2, 12, 0), "Europe/Lisbon", "2026-03-03T09:00:00+00:00"),
        ("tomorrow", (2026, 3, 2, 23, 30), "Asia/Tokyo", "2026-03-04T09:00:00+09:00"),
        ("tomorrow", (2026, 3, 28, 12, 0), "Europe/Berlin", "2026-03-29T09:00:00+02:00"),
        ("monday", (2026, 3, 2, 12, 0), "UTC", "2026-03-09T09:00:00+00:00"),
        ("monday", (2026, 3, 8, 12, 0), "UTC", "2026-03-09T09:00:00+00:00"),
    ],
)
def test_snoozes_end_in_the_readers_morning(choice: str, now: tuple[int, ...], zone: str, until: str) -> None:
    at = datetime(*now, tzinfo=UTC)  # type: ignore[misc,arg-type]
    assert snoozed_until(choice, now=at, zone=ZoneInfo(zone)).isoformat() == until
