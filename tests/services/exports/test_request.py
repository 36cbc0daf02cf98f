from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import date
from uuid import uuid4

import pytest
from django.db import IntegrityError, connection
from django.utils import timezone

from project.models import Exporter, ExportFormat, ExportRun, Project, Wake
from project.services.exports.cancel import cancel
from project.services.exports.filters import Filters, Span
from project.services.exports.request import TooManyError, WishError, request_export
from project.services.exports.wish import Wish
from tests.factories import Team, make_team
from tests.services.exports.exporting import LIMITS, add_project, make, requested

pytestmark = pytest.mark.django_db(transaction=True)
CSV = Wish(provider=ExportFormat.CSV)


@pytest.fixture
def team() -> Team:
    return make_team()


def ask(team: Team, wish: Wish = CSV, by: str = "ann") -> tuple[Exporter, list[Wake]]:
    return request_export(team.members[by], team.workspace, wish, now=timezone.now(), limits=LIMITS)


def test_a_wish_becomes_a_row_that_waits_and_freezes_what_was_asked_for(team):
    export, wakes = ask(team, replace(CSV, filters=Filters(archived=True), time_zone="Asia/Tokyo"))
    assert wakes == [Wake(export.id, 1)]
    export.refresh_from_db()
    assert (export.status, export.provider, export.type) == ("queued", "csv", "issue_exports")
    assert export.project == [team.project.id]
    assert export.filters["archived"] is True
    assert (export.run.status, export.run.time_zone, export.run.attempt) == ("queued", "Asia/Tokyo", 0)
    assert (export.url, export.key) == (None, "")


def test_the_same_wish_is_one_export_while_it_is_open(team):
    export, _ = ask(team)
    assert ask(team) == (export, [])
    assert ask(team, replace(CSV, projects=frozenset({team.project.id}))) == (export, [])
    make(export)
    assert ask(team)[0] != export


@pytest.mark.parametrize(
    "other",
    [
        {"provider": ExportFormat.JSON},
        {"multiple": True},
        {"filters": Filters(drafts=True)},
        {"time_zone": "Asia/Tokyo"},
    ],
)
def test_another_wish_is_another_export(team, other):
    assert ask(team)[0] != ask(team, replace(CSV, **other))[0]


def test_the_same_wish_of_two_people_is_two_exports(team):
    assert ask(team)[0] != ask(team, by="bob")[0]


def test_two_clicks_at_the_same_moment_are_one_export(team):
    def click(_: int) -> Exporter:
        try:
            return ask(team)[0]
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(click, range(8)))) == 1


def test_the_database_refuses_a_second_open_row_of_a_wish(team):
    run = requested(team).run
    other = Exporter.objects.create(
        workspace=team.workspace, provider="csv", initiated_by=team.members["ann"]
    )
    with pytest.raises(IntegrityError, match="export_open_wish"):
        ExportRun.objects.create(export=other, wish=run.wish)


def test_a_person_has_so_many_open_exports_and_no_more(team):
    exports = [
        ask(team, replace(CSV, time_zone=f"Etc/GMT+{n}"))[0] for n in range(1, LIMITS.exports_open + 1)
    ]
    with pytest.raises(TooManyError):
        ask(team)
    assert ask(team, by="bob")
    cancel(exports[0], now=timezone.now())
    assert ask(team)


def test_without_a_project_there_is_nothing_to_export(team):
    Project.objects.update(archived_at=timezone.now())
    with pytest.raises(WishError, match="no project") as error:
        ask(team)
    assert error.value.field == "projects"
    with pytest.raises(WishError, match="no project"):
        ask(team, replace(CSV, projects=frozenset()))


def test_a_foreign_project_is_refused_by_name(team):
    secret, other = add_project(team, "Secret", "SECRET"), make_team("other").project
    for project in (secret.id, other.id, uuid4()):
        with pytest.raises(WishError, match=str(project)):
            ask(team, replace(CSV, projects=frozenset({team.project.id, project})))


@pytest.mark.parametrize("name", ["Mars/Base", "localtime"])
def test_an_unknown_time_zone_is_refused(team, name):
    with pytest.raises(WishError, match=f"no time zone {name}") as error:
        ask(team, replace(CSV, time_zone=name))
    assert error.value.field == "time_zone"


def test_a_span_that_ends_before_it_begins_is_refused(team):
    january = [date(2026, 1, 1), date(2026, 1, 31)]
    for span in (Span(*january), Span(january[0], january[0]), Span(january[1], None)):
        assert ask(team, replace(CSV, filters=Filters(dates={"created_at": span})))
    with pytest.raises(WishError, match="Dates: created_at must not end before it begins") as error:
        ask(team, replace(CSV, filters=Filters(dates={"created_at": Span(*reversed(january))})))
    assert error.value.field == "filters"
