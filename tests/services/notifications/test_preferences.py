"""What a person wants mailed, by place; and that the mail half goes by the same rule."""

from threading import Barrier, Thread
from typing import Any

import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from project.models import User, UserNotificationPreference
from project.services.digests.context import load
from project.services.digests.recheck import Preference, wants
from project.services.notifications.preferences import (
    EVERYWHERE,
    FLAGS,
    Place,
    Source,
    decide,
    inherit,
    preferences_of,
)
from tests.factories import Team, make_issue, make_team
from tests.services.digests.lines import make_digest
from tests.services.notifications.events import NOW
from tests.services.notifications.inboxes import ago

pytestmark = pytest.mark.django_db

ALL_ON = dict.fromkeys(FLAGS, True)
ALL_OFF = dict.fromkeys(FLAGS, False)


@pytest.fixture
def team() -> Team:
    return make_team()


@pytest.fixture
def bob(team: Team) -> User:
    return team.members["bob"]


@pytest.fixture
def places(team: Team) -> dict[Source, Place]:
    return {
        Source.GENERAL: EVERYWHERE,
        Source.WORKSPACE: Place(team.workspace.id),
        Source.PROJECT: Place(team.workspace.id, team.project.id),
    }


def write(user: User, place: Place, **fields: Any) -> UserNotificationPreference:
    return UserNotificationPreference.objects.create(
        user=user, workspace_id=place.workspace_id, project_id=place.project_id, **fields
    )


def test_the_flags_are_those_that_the_mail_half_asks_for() -> None:
    assert {*FLAGS} == {*Preference}


def test_without_any_row_everything_is_mailed(bob: User, places: dict[Source, Place]) -> None:
    for place in places.values():
        assert preferences_of(bob).at(place) == (ALL_ON, Source.DEFAULT)


def test_the_most_specific_row_decides_and_only_in_its_place(
    team: Team, bob: User, places: dict[Source, Place]
) -> None:
    other = make_team("other")
    elsewhere = Place(other.workspace.id, other.project.id)
    decide(bob, EVERYWHERE, {"comment": False}, now=NOW)
    decide(bob, places[Source.WORKSPACE], {"mention": False}, now=NOW)
    decide(bob, places[Source.PROJECT], {"comment": True}, now=NOW)
    found = preferences_of(bob)
    assert found.at(EVERYWHERE) == ({**ALL_ON, "comment": False}, Source.GENERAL)
    assert found.at(elsewhere) == ({**ALL_ON, "comment": False}, Source.GENERAL)
    # What is left out at first is what would be inherited.
    assert found.at(places[Source.WORKSPACE]) == (
        {**ALL_ON, "comment": False, "mention": False},
        Source.WORKSPACE,
    )
    assert found.at(places[Source.PROJECT]) == ({**ALL_ON, "mention": False}, Source.PROJECT)


def test_a_place_can_inherit_again(bob: User, places: dict[Source, Place]) -> None:
    for place in places.values():
        decide(bob, place, {"comment": False}, now=NOW)
    for source, left in ((Source.PROJECT, Source.WORKSPACE), (Source.WORKSPACE, Source.GENERAL)):
        inherit(bob, places[source], now=NOW)
        assert preferences_of(bob).at(places[Source.PROJECT]).source == left
    inherit(bob, EVERYWHERE, now=NOW)
    inherit(bob, EVERYWHERE, now=NOW)
    assert preferences_of(bob).at(places[Source.PROJECT]) == (ALL_ON, Source.DEFAULT)


def test_a_second_decision_changes_the_row_and_leaves_the_other_flags(bob: User) -> None:
    decide(bob, EVERYWHERE, {"comment": False}, now=ago(1))
    decide(bob, EVERYWHERE, {"mention": False}, now=NOW)
    assert preferences_of(bob).at(EVERYWHERE).flags == {**ALL_ON, "comment": False, "mention": False}
    row = UserNotificationPreference.objects.get()
    assert (row.created_at, row.updated_at, row.updated_by) == (ago(1), NOW, bob)


def test_rows_that_somebody_elses_software_wrote_twice_are_changed_and_forgotten_together(
    bob: User, places: dict[Source, Place]
) -> None:
    for at in (ago(1), NOW):
        write(bob, Place(None, places[Source.PROJECT].project_id), created_at=at)
    decide(bob, places[Source.PROJECT], {"comment": False}, now=NOW)
    assert UserNotificationPreference.objects.filter(comment=False).count() == 2
    inherit(bob, places[Source.PROJECT], now=NOW)
    assert not UserNotificationPreference.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_two_requests_at_once_write_one_row(bob: User) -> None:
    start = Barrier(2, timeout=10)

    def request(flag: str) -> None:
        start.wait()
        try:
            decide(bob, EVERYWHERE, {flag: False}, now=NOW)  # type: ignore[misc]
        finally:
            connection.close()

    threads = [Thread(target=request, args=[flag]) for flag in ("comment", "mention")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=10)
    row = UserNotificationPreference.objects.get()
    assert (row.comment, row.mention, row.property_change) == (False, False, True)


_ROWS = st.lists(
    st.tuples(st.sampled_from(["general", "workspace", "project", "bare project"]), st.booleans())
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=_ROWS)
def test_the_mail_half_goes_by_the_same_rule(
    team: Team, bob: User, places: dict[Source, Place], rows: list[tuple[str, bool]]
) -> None:
    UserNotificationPreference.objects.all().delete()
    bare = Place(None, places[Source.PROJECT].project_id)
    for minute, (level, on) in enumerate(rows):
        place = bare if level == "bare project" else places[Source(level)]
        write(bob, place, **(ALL_ON if on else ALL_OFF), created_at=ago(-minute))
    (matter,) = load(make_digest(bob, make_issue(team)).id).matters
    mailed = {flag: wants(matter.preference, flag) for flag in Preference}
    assert preferences_of(bob).at(places[Source.PROJECT]).flags == mailed
