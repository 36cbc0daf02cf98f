"""What a stacker does to a group that another one is just claiming: every order of events, on purpose."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC
from threading import Barrier

import pytest
from django.db import connection, transaction

from project.limits import Limits
from project.models import DigestKind, EmailDigest, EmailNotificationLog, Issue, MailSchedule, Wake
from project.services.digests import due_lines
from project.services.digests.claim import claim, digest_id
from project.services.digests.due_lines import lock_due_lines
from project.services.digests.windows import Wish, pace
from tests.at_once import until_waiting
from tests.factories import Team, make_issue, make_team
from tests.services.digests.lines import NOW, ago, make_activity, make_log

pytestmark = pytest.mark.django_db(transaction=True)
LIMITS = Limits()
USUAL = pace(Wish(MailSchedule(), UTC), now=NOW, limits=LIMITS)


@contextmanager
def being_claimed() -> Iterator[None]:
    """A stacker that has locked what is due, and has not committed yet."""
    with transaction.atomic():
        lock_due_lines({}, USUAL, now=NOW, limits=LIMITS)
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
def team() -> Team:
    return make_team()


@pytest.fixture
def lines(team: Team) -> list[EmailNotificationLog]:
    """Two that are due, of one group."""
    activity = make_activity(make_issue(team), team.members["ann"])
    return [make_log(team.members["bob"], activity, created_at=ago(seconds)) for seconds in (310, 301)]


def another(line: EmailNotificationLog, seconds: float, about: Issue | None = None) -> EmailNotificationLog:
    """A further line for the same person, not saved; of the same group unless it is `about` another issue."""
    return EmailNotificationLog(
        receiver=line.receiver,
        triggered_by=line.triggered_by,
        entity_identifier=about.id if about else line.entity_identifier,
        entity_name="issue",
        data=line.data,
        created_at=ago(seconds),
    )


def test_a_group_that_is_being_claimed_is_passed_over_at_once_with_its_new_lines(lines):
    with being_claimed():
        assert rivals_claim(another(lines[0], 0)) == []


def test_of_a_group_that_is_being_claimed_an_older_line_that_shows_up_is_left_for_later(lines):
    older = another(lines[0], 320)
    with being_claimed():
        assert rivals_claim(older) == []
    (wake,) = claim(now=NOW, limits=LIMITS)
    assert wake.row_id == digest_id([older.id, *(line.id for line in lines)])


def test_what_belongs_into_the_roll_up_of_another_stacker_is_passed_over_and_other_workspaces_are_not(
    team, lines
):
    beside, elsewhere = (another(lines[0], 330, make_issue(place)) for place in (team, make_team("other")))
    with being_claimed():
        assert rivals_claim(beside) == []
        (wake,) = rivals_claim(elsewhere)
    assert wake.row_id == digest_id([elsewhere.id])


def test_lines_that_somebody_else_holds_are_passed_over_at_once(lines):
    with transaction.atomic():
        list(EmailNotificationLog.objects.select_for_update())
        assert rivals_claim(another(lines[0], 0)) == []


@pytest.mark.parametrize(("seconds", "claimed"), [(0, False), (320, True)])
def test_a_stacker_that_looked_before_another_one_committed_takes_nothing_of_that_ones(
    lines, monkeypatch, seconds, claimed
):
    late = another(lines[0], seconds)
    looked, held_up = "WHERE before < %(batch)s", " AND (SELECT pg_advisory_xact_lock(42)) IS NOT NULL"
    gated = due_lines._LOCK_DUE_LINES.replace(looked, looked + held_up)
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic(), connection.cursor() as cursor:
            lock_due_lines({}, USUAL, now=NOW, limits=LIMITS)
            EmailNotificationLog.objects.update(processed_at=NOW)
            cursor.execute("SELECT pg_advisory_xact_lock(42)")
            monkeypatch.setattr(due_lines, "_LOCK_DUE_LINES", gated)
            rival = pool.submit(rivals_claim, late)
            until_waiting(1)
        wakes = rival.result(30)
    assert [wake.row_id for wake in wakes] == [digest_id([late.id])] * claimed


def test_stackers_at_the_same_moment_split_no_roll_up(team):
    start = Barrier(4)
    receivers = [team.members[name] for name in ("bob", "carl", "dora", "eve")]
    issues = [make_issue(team) for _ in range(6)]
    for receiver in receivers:
        for issue in issues:
            for seconds in (310, 320):
                make_log(receiver, make_activity(issue, team.members["ann"]), created_at=ago(seconds))

    def stack(_: int) -> list[Wake]:
        try:
            start.wait(10)
            return [*claim(now=NOW, limits=LIMITS), *claim(now=NOW, limits=LIMITS)]
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        found = [wake for wakes in pool.map(stack, range(4)) for wake in wakes]
    assert len(found) == len(set(found)) == len(receivers)
    made = [(digest.kind, digest.lines.count()) for digest in EmailDigest.objects.all()]
    assert made == [(DigestKind.ROLLUP, 12)] * len(receivers)
