from datetime import timedelta

import pytest
from django.utils import timezone

from project.models import ExportRun
from project.services.exports.cancel import delete
from project.services.exports.standing import Standing, exports_of, standing
from tests.factories import Team, make_issue, make_team
from tests.services.exports.exporting import LIMITS, make, requested

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def team() -> Team:
    team = make_team()
    make_issue(team)
    return team


def seen(team: Team, by: str = "ann", after: timedelta = timedelta(0)) -> list[Standing]:
    exports = exports_of(team.members[by], team.workspace)
    return [standing(export, now=timezone.now() + after, limits=LIMITS) for export in exports]


def test_a_person_sees_their_own_exports_the_newest_first_and_those_of_nobody_else(team):
    first, second = requested(team), requested(team, "json")
    assert [one.id for one in seen(team)] == [second.id, first.id]
    assert seen(team, "bob") == []
    delete(first, now=timezone.now())
    assert [one.id for one in seen(team)] == [second.id]
    assert exports_of(team.members["ann"], make_team("other").workspace).count() == 0


def test_it_tells_how_far_it_has_come_and_100_only_at_the_end(team):
    export = requested(team)
    assert [(one.status, one.percent, one.link_until) for one in seen(team)] == [("queued", 0, None)]
    runs = ExportRun.objects.filter(export=export)
    for done, total, percent in ((0, 8, 0), (4, 8, 50), (8, 8, 99), (0, 0, 0)):
        runs.update(rows_done=done, rows_total=total)
        assert seen(team)[0].percent == percent
    run = make(export)
    (one,) = seen(team)
    assert (one.status, one.percent, one.size) == ("completed", 100, run.size)
    assert one.link_until == run.ended_at + LIMITS.export_offered


def test_one_without_links_is_told_as_expired_before_its_archive_goes(team):
    make(requested(team))
    (one,) = seen(team, after=LIMITS.export_offered)
    assert (one.status, one.link_until) == ("expired", None)
