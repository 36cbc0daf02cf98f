"""A batch that cannot be deleted costs itself, and a run ends when it took long enough."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import count
from threading import Event
from typing import Any

import pytest
from django.conf import settings
from django.db import InterfaceError, OperationalError, connection, transaction
from django.utils import timezone

from project.actors import clean_up
from project.limits import Limits
from project.models import Issue, IssueLink
from project.services.maintenance.purge import Purge
from project.services.maintenance.schedule import IncompleteError
from tests.factories import make_issue, make_team
from tests.services.maintenance.world import LONG_AGO, NOW

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def issue() -> Issue:
    return make_issue(make_team())


def purged(clock: Callable[[], datetime] = lambda: NOW, **limits: Any) -> Purge:
    purge = Purge(limits=replace(Limits(), **limits), clock=clock)
    purge.clear(IssueLink.all_objects.filter(deleted_at__isnull=False))
    return purge


def links(issue: Issue, number: int) -> list[IssueLink]:
    place = {"workspace": issue.workspace, "project": issue.project, "issue": issue, "deleted_at": LONG_AGO}
    return IssueLink.objects.bulk_create(IssueLink(**place, url=f"/{n}", title="") for n in range(number))


@pytest.fixture
def slow_link(issue: Issue) -> Iterator[IssueLink]:
    """One of nine deleted links takes a second to delete."""
    made = links(issue, 9)
    IssueLink.all_objects.filter(pk=made[4].pk).update(title="slow")
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE FUNCTION slowly() RETURNS trigger LANGUAGE plpgsql"
            " AS 'BEGIN PERFORM pg_sleep(0.6); RETURN OLD; END';"
            "CREATE TRIGGER slowly BEFORE DELETE ON issue_links FOR EACH ROW WHEN (OLD.title = 'slow')"
            " EXECUTE FUNCTION slowly()"
        )
    yield made[4]
    with connection.cursor() as cursor:
        cursor.execute("DROP TRIGGER slowly ON issue_links; DROP FUNCTION slowly")


def test_a_batch_that_takes_too_long_costs_itself_and_is_reported(slow_link, caplog):
    purge = purged(purge_batch=3, purge_timeout=timedelta(seconds=0.2))
    left = IssueLink.all_objects.filter(deleted_at__isnull=False)
    assert str(purge) == "deleted issue_links 6; failed issue_links 3"
    assert (left.count(), slow_link in left) == (3, True)
    assert "3 rows of issue_links not deleted" in caplog.text
    assert "statement timeout" in caplog.text
    assert purged().deleted["issue_links"] == 3


@pytest.fixture
def wanted_link(issue: Issue) -> Iterator[IssueLink]:
    """Of eight deleted links one is referred to, as if by somebody between the look and the deletion."""
    made = links(issue, 8)
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE newcomers (link_id uuid REFERENCES issue_links)")
        cursor.execute("INSERT INTO newcomers VALUES (%s)", [made[3].pk])
    yield made[3]
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE newcomers")


def test_of_a_batch_that_a_foreign_key_refuses_only_that_row_stays(wanted_link, caplog):
    assert str(purged()) == "deleted issue_links 7; failed issue_links 1"
    assert list(IssueLink.all_objects.filter(deleted_at__isnull=False)) == [wanted_link]
    assert "violates foreign key constraint" in caplog.text
    assert "Key (id)=" not in caplog.text


def test_an_actor_that_could_not_delete_all_has_failed_and_says_what_it_did(wanted_link):
    IssueLink.all_objects.update(deleted_at=timezone.now() - settings.LIMITS.hard_delete_after)
    with pytest.raises(IncompleteError, match=r"^deleted issue_links 7; failed issue_links 1$"):
        clean_up.delete_for_good.fn()


def test_a_run_that_takes_long_enough_leaves_the_rest_to_the_next(issue):
    links(issue, 9)
    minutes = count()

    def clock() -> datetime:
        return NOW + timedelta(minutes=next(minutes))

    purge = purged(clock, purge_batch=1, purge_time=timedelta(minutes=5))
    assert str(purge) == "deleted issue_links 4; the rest next time"
    assert str(purged()) == "deleted issue_links 5"


def test_a_row_that_somebody_has_locked_is_left_for_the_next_time(issue):
    made = links(issue, 3)

    def hold() -> None:
        with transaction.atomic():
            list(IssueLink.all_objects.select_for_update().filter(pk=made[1].pk))
            held.set()
            assert done.wait(20)

    held, done = Event(), Event()
    with ThreadPoolExecutor(1) as pool:
        holding = pool.submit(in_a_thread, hold)
        assert held.wait(20)
        assert str(purged()) == "deleted issue_links 2"
        done.set()
        holding.result(20)
    assert str(purged()) == "deleted issue_links 1"


def test_a_lost_connection_ends_the_run(issue):
    links(issue, 3)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (backend,) = cursor.fetchone()
    purge = Purge(limits=Limits(), clock=lambda: NOW)
    rows = IssueLink.all_objects.all()
    with ThreadPoolExecutor(1) as pool:
        for keys in purge.batches(rows):
            pool.submit(in_a_thread, lambda: end(backend)).result(20)
            with pytest.raises((OperationalError, InterfaceError)):
                purge.remove(rows, keys)
            break
    connection.close()
    assert rows.count() == 3


def end(backend: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s, 5000)", [backend])


def in_a_thread(work: Callable[[], None]) -> None:
    try:
        work()
    finally:
        connection.close()
