"""What a stacker does to a group that another one is just claiming: every order of events, on purpose."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from django.db import connection, transaction

from project.limits import Limits
from project.models import EmailNotificationLog, Wake
from project.services.digests.claim import _lock_due_lines, claim, digest_id
from tests.factories import make_issue, make_team
from tests.services.digests.lines import NOW, ago, make_activity, make_log

pytestmark = pytest.mark.django_db(transaction=True)
LIMITS = Limits()


@contextmanager
def being_claimed() -> Iterator[None]:
    """A stacker that has locked what is due, and has not committed yet."""
    with transaction.atomic():
        _lock_due_lines(NOW, LIMITS)
        yield


def rivals_claim(line: EmailNotificationLog) -> list[Wake]:
    """Another one: a line is committed, and then it claims. It fails where it would have to wait."""

    def on_its_own_connection() -> list[Wake]:
        try:
            line.save(force_insert=True)
            with connection.cursor() as cursor:
                cursor.execute("SET lock_timeout = '2s'")
            return claim(now=NOW, limits=LIMITS)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(on_its_own_connection).result(30)


@pytest.fixture
def lines() -> list[EmailNotificationLog]:
    """Two that are due, of one group."""
    team = make_team()
    activity = make_activity(make_issue(team), team.members["ann"])
    return [make_log(team.members["bob"], activity, created_at=ago(seconds)) for seconds in (310, 301)]


def another(line: EmailNotificationLog, seconds: float) -> EmailNotificationLog:
    """A further line of the same group, not saved."""
    return EmailNotificationLog(
        receiver=line.receiver,
        triggered_by=line.triggered_by,
        entity_identifier=line.entity_identifier,
        entity_name="issue",
        data=line.data,
        created_at=ago(seconds),
    )


def test_a_group_that_is_being_claimed_is_passed_over_at_once_with_its_new_lines(lines):
    with being_claimed():
        assert rivals_claim(another(lines[0], 0)) == []


def test_of_a_group_that_is_being_claimed_an_older_line_that_shows_up_is_claimed_alone(lines):
    older = another(lines[0], 320)
    with being_claimed():
        (wake,) = rivals_claim(older)
    assert wake.row_id == digest_id([older.id])
