"""A mail that gathers a workspace's issues stops that workspace, whatever was decided within it."""

from datetime import timedelta

import pytest

from project.models import Scope, UnsubscribeToken
from project.services.notifications.preferences import FLAGS, Place, decide, inherit, preferences_of
from project.services.notifications.unsubscribe import stops_of, take_back, unsubscribe
from tests.factories import Team, make_team
from tests.services.digests.lines import NOW

pytestmark = pytest.mark.django_db(transaction=True)
NOTHING = dict.fromkeys(FLAGS, False)


@pytest.fixture
def team() -> Team:
    return make_team()


@pytest.fixture
def token(team: Team) -> UnsubscribeToken:
    return UnsubscribeToken.objects.create(receiver=team.members["bob"], workspace=team.workspace)


def place_of(team: Team) -> Place:
    return Place(team.workspace.id, team.project.id)


def test_projects_decided_apart_are_stopped_too_and_come_again_as_before(team, token):
    bob, other = token.receiver, make_team("beta", names=("zoe",))
    places = [Place(team.workspace.id), place_of(team), place_of(other)]
    for place in places[1:]:
        decide(bob, place, {"comment": False}, now=NOW)
    before = [preferences_of(bob).at(place) for place in places]
    stop = unsubscribe(token, Scope.WORKSPACE, now=NOW)
    assert [preferences_of(bob).at(place).flags == NOTHING for place in places] == [True, True, False]
    assert unsubscribe(token, Scope.WORKSPACE, now=NOW) is None
    assert stops_of(bob) == [stop]
    take_back(stops_of(bob)[0], now=NOW)
    assert [preferences_of(bob).at(place) for place in places] == before


def test_a_project_that_mails_again_ends_the_stop_and_can_be_stopped_again(team, token):
    bob = token.receiver
    unsubscribe(token, Scope.WORKSPACE, now=NOW)
    decide(bob, place_of(team), {"mention": True}, now=NOW)
    assert stops_of(bob) == []
    assert unsubscribe(token, Scope.WORKSPACE, now=NOW + timedelta(seconds=1))
    assert [stop.before["projects"] for stop in stops_of(bob)] == [
        {str(team.project.id): {**NOTHING, "mention": True}},
        {},
    ]


def test_a_project_that_follows_its_workspace_since_keeps_following(team, token):
    bob, place = token.receiver, place_of(team)
    decide(bob, place, {"comment": False}, now=NOW)
    unsubscribe(token, Scope.WORKSPACE, now=NOW)
    inherit(bob, place, now=NOW)
    take_back(stops_of(bob)[0], now=NOW)
    assert preferences_of(bob).at(place) == preferences_of(bob).at(Place(team.workspace.id))
    assert all(preferences_of(bob).at(place).flags.values())
