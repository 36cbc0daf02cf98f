import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import IntegrityError, close_old_connections, connection, transaction
from django.test.utils import CaptureQueriesContext

from project.limits import Limits
from project.models import DigestStatus, EmailDigest, EmailDigestLine, EmailNotificationLog, Wake
from project.services.digests.claim import claim, digest_id
from tests.factories import make_issue, make_team
from tests.services.digests.lines import NOW, ago, mailed, make_activity, make_log

pytestmark = pytest.mark.django_db(transaction=True)
LIMITS = Limits()
APART = replace(LIMITS, rollup_above=100)


@pytest.mark.parametrize(
    ("ages", "mention_age", "due"),
    [
        ([119], None, False),
        ([120], None, True),  # quiet for the idle window
        ([200, 60], None, False),  # not quiet, not old
        ([300, 1], None, True),  # the cap, however busy
        ([299, 1], None, False),
        ([1], 29, False),
        ([1], 30, True),  # a mention takes the group with it
    ],
)
def test_a_group_is_due_by_quiet_by_age_or_by_a_mention(ages, mention_age, due):
    team = make_team()
    issue, bob = make_issue(team), team.members["bob"]
    for age in ages:
        make_log(bob, make_activity(issue, team.members["ann"]), created_at=ago(age))
    if mention_age:
        make_log(bob, make_activity(issue, team.members["ann"]), created_at=ago(mention_age), mention=True)
    wakes = claim(now=NOW, limits=LIMITS)
    assert len(wakes) == due
    waiting = EmailNotificationLog.objects.filter(processed_at__isnull=True).count()
    assert waiting == (0 if due else len(ages) + bool(mention_age))
    if due:
        assert EmailDigest.objects.get().urgent == bool(mention_age)


def test_a_digest_is_named_after_its_lines_and_covers_one_receiver_and_issue():
    team = make_team()
    ann, bob, carl = (team.members[n] for n in ("ann", "bob", "carl"))
    first, second = make_issue(team), make_issue(team)
    logs = {
        (who.id, issue.id): [make_log(who, make_activity(issue, ann)) for _ in range(2)]
        for who in (bob, carl)
        for issue in (first, second)
    }
    wakes = claim(now=NOW, limits=LIMITS)
    assert set(wakes) == {Wake(digest_id([log.id for log in pair]), 1) for pair in logs.values()}
    for digest in EmailDigest.objects.all():
        assert digest.status == DigestStatus.WAITING
        assert {line.log_id for line in digest.lines.all()} == {
            log.id for log in logs[digest.receiver_id, digest.issue_id]
        }
    assert claim(now=NOW, limits=LIMITS) == []


def test_the_name_does_not_depend_on_the_order_of_the_lines():
    a, b = uuid4(), uuid4()
    assert digest_id([a, b]) == digest_id([b, a]) != digest_id([a])


def test_a_line_whose_issue_is_gone_gets_a_digest_of_its_own_and_harms_no_other():
    team = make_team()
    bob = team.members["bob"]
    good = make_log(bob, make_activity(make_issue(team), team.members["ann"]))
    lost = make_log(bob, None, entity_identifier=uuid4())
    nameless = make_log(bob, None)
    claim(now=NOW, limits=LIMITS)
    covered = {(d.issue_id, *(line.log_id for line in d.lines.all())) for d in EmailDigest.objects.all()}
    assert covered == {(good.entity_identifier, good.id), (None, lost.id), (None, nameless.id)}


def test_a_batch_is_bounded_and_takes_the_oldest_first():
    team = make_team()
    ann, bob = team.members["ann"], team.members["bob"]
    logs = [make_log(bob, make_activity(make_issue(team), ann), created_at=ago(400 + n)) for n in range(5)]
    limits = replace(APART, claim_batch=2)
    batches = [[wake.row_id for wake in claim(now=NOW, limits=limits)] for _ in range(4)]
    named = [digest_id([log.id]) for log in reversed(logs)]
    assert batches == [named[:2], named[2:4], named[4:], []]


def test_a_line_cannot_be_in_a_second_digest():
    team = make_team()
    log = make_log(team.members["bob"], make_activity(make_issue(team), team.members["ann"]))
    claim(now=NOW, limits=LIMITS)
    other = EmailDigest.objects.create(id=uuid4(), receiver=team.members["bob"])
    with pytest.raises(IntegrityError), transaction.atomic():
        EmailDigestLine.objects.bulk_create([EmailDigestLine(log=log, digest=other)])


def test_stackers_at_the_same_moment_share_the_groups_and_split_none():
    team = make_team()
    ann = team.members["ann"]
    receivers = [team.members[n] for n in ("bob", "carl", "dora", "eve")]
    for issue in [make_issue(team) for _ in range(15)]:
        for receiver in receivers:
            for _ in range(3):
                make_log(receiver, make_activity(issue, ann))
    start = threading.Barrier(4)
    limits = replace(APART, claim_batch=7)

    def stack(_: int) -> list[Wake]:
        start.wait(10)
        found = []
        while wakes := claim(now=NOW, limits=limits):
            found += wakes
        close_old_connections()
        connection.close()
        return found

    with ThreadPoolExecutor(4) as pool:
        found = [wake for wakes in pool.map(stack, range(4)) for wake in wakes]
    found += claim(now=NOW, limits=APART)  # what a rival held at the last look
    assert len(found) == len(set(found)) == 60
    assert {d.lines.count() for d in EmailDigest.objects.all()} == {3}
    assert not EmailNotificationLog.objects.filter(processed_at__isnull=True).exists()


def test_a_line_that_comes_while_its_group_is_claimed_starts_the_next_digest():
    team = make_team()
    ann, bob, issue = team.members["ann"], team.members["bob"], make_issue(team)
    make_log(bob, make_activity(issue, ann))
    claim(now=NOW, limits=LIMITS)
    mailed(NOW)
    late = make_log(bob, make_activity(issue, ann), created_at=NOW)
    gap = LIMITS.window_gap
    assert claim(now=NOW + gap - timedelta(seconds=1), limits=LIMITS) == []
    (wake,) = claim(now=NOW + gap, limits=LIMITS)
    assert wake.row_id == digest_id([late.id])


def test_the_number_of_queries_does_not_grow_with_the_batch():
    team = make_team()
    ann, bob = team.members["ann"], team.members["bob"]

    def queries(limits: Limits) -> int:
        with CaptureQueriesContext(connection) as captured:
            claim(now=NOW, limits=limits)
        return len(captured)

    make_log(bob, make_activity(make_issue(team), ann))
    one = queries(LIMITS)
    for limits in (LIMITS, APART):
        for _ in range(30):
            make_log(bob, make_activity(make_issue(team), ann))
        assert queries(limits) == one <= 7
