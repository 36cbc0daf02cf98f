"""Following an issue over HTTP."""

import pytest

from tests.factories import make_issue, make_team
from tests.views.api import by_token, issue_url

pytestmark = pytest.mark.django_db


def test_follow_and_leave() -> None:
    team = make_team()
    url, client = issue_url(make_issue(team), "subscribe/"), by_token(team.members["eve"])

    assert client.get(url).json() == {"subscribed": False}
    assert client.post(url).status_code == 201
    assert client.get(url).json() == {"subscribed": True}
    again = client.post(url)
    assert (again.status_code, again.json()) == (400, {"error": "You follow this issue already."})
    assert client.delete(url).status_code == 204
    assert client.get(url).json() == {"subscribed": False}
    assert client.delete(url).status_code == 204
