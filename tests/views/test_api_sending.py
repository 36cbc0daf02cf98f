"""A committed change wakes its fan-out; a broker that is away does not fail the request."""

from datetime import timedelta

import dramatiq
import pytest
from dramatiq import Message

from project.demo.ports import HOST, free_port
from project.models import EventStatus, IssueEvent
from project.queue.client import connect
from tests.factories import make_issue, make_team
from tests.views.api import by_token, issue_url

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.usefixtures("redis_server")
def test_each_change_wakes_its_fan_out() -> None:
    team = make_team()
    bob = team.members["bob"]
    url, client = issue_url(make_issue(team, created_by=bob)), by_token(bob)
    client.patch(url, {"name": "Gate"}, format="json")
    client.patch(url, {"name": "Gate"}, format="json")
    comment = client.post(f"{url}comments/", {"comment_html": "<p>1</p>"}, format="json").json()["id"]
    client.patch(f"{url}comments/{comment}/", {"comment_html": "<p>2</p>"}, format="json")
    client.delete(f"{url}comments/{comment}/")
    client.delete(url)

    broker = dramatiq.get_broker()
    messages = [Message.decode(body) for body in broker.client.hvals(broker.layout("fan_out").bodies)]
    assert {message.actor_name for message in messages} == {"fan_out_event"}
    events = IssueEvent.objects.values_list("id", flat=True)
    assert sorted(message.args for message in messages) == sorted((str(id_), 1) for id_ in events)
    assert len(events) == 5


def test_a_broker_that_is_away_costs_a_warning_only(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    nobody = connect(f"redis://{HOST}:{free_port()}/0", timedelta(seconds=1))
    monkeypatch.setattr(dramatiq.get_broker(), "client", nobody)
    team = make_team()

    response = by_token(team.members["bob"]).patch(
        issue_url(make_issue(team)), {"name": "Gate"}, format="json"
    )

    assert (response.status_code, response.json()["name"]) == (200, "Gate")
    event = IssueEvent.objects.get()
    assert event.status == EventStatus.PENDING
    [warning] = [record for record in caplog.records if record.name.endswith("sending")]
    assert (warning.levelname, str(event.id) in warning.getMessage()) == ("WARNING", True)
