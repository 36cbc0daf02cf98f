"""A claim is never without its wake-up for long."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone
from dramatiq import get_broker
from dramatiq.errors import BrokerConnectionError

from project.actors import digests as actors
from project.actors.digests import send_digest, stack_digests
from project.models import EmailDigest, Wake
from project.queue.client import connect
from project.queue.ledger import Ledger
from project.services.digests.attempts import begin
from project.services.digests.claim import claim
from tests.factories import Team, make_issue, make_team
from tests.services.digests.lines import make_activity, make_log

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_server")]


@pytest.fixture
def team() -> Team:
    team = make_team()
    make_log(team.members["bob"], make_activity(make_issue(team), team.members["ann"]))
    return team


def queued() -> int:
    return int(get_broker().client.llen(get_broker().layout("mail").ids))


def test_a_stacker_that_died_before_it_sent_is_made_up_for_by_its_second_delivery(team, settings):
    wakes = claim(now=timezone.now(), limits=settings.LIMITS)
    assert (len(wakes), queued()) == (1, 0)
    stack_digests.fn()
    assert queued() == 1
    assert EmailDigest.objects.get().enqueued_at
    stack_digests.fn()
    assert queued() == 1


def test_what_could_not_be_sent_is_sent_by_the_next_one(team, monkeypatch):
    def fail(_: object, wakes: list[Wake]) -> None:
        if wakes:
            raise BrokerConnectionError("away")

    with monkeypatch.context() as patch:
        patch.setattr(actors, "send_wakes", fail)
        with pytest.raises(BrokerConnectionError, match="away"):
            stack_digests.fn()
    assert EmailDigest.objects.get().enqueued_at is None
    stack_digests.fn()
    assert queued() == 1


@pytest.mark.parametrize(("settle", "dispatch"), [(Ledger.complete, 2), (Ledger.release, 1)])
def test_what_is_unfinished_although_its_message_counts_as_done_gets_another_name(
    team, settings, settle, dispatch
):
    """A worker that was taken over ended well, and its heir died."""
    (wake,) = claim(now=timezone.now(), limits=settings.LIMITS)
    message = send_digest.message(str(wake.row_id), wake.dispatch).message_id
    with connect(settings.DEDUP_REDIS_URL, settings.LIMITS.redis_timeout) as client:
        ledger = Ledger(client, settings.LIMITS)
        ledger.claim(message, "late")
        settle(ledger, message, "late")
    begin(
        wake.row_id,
        wake.dispatch,
        owner=uuid4(),
        now=timezone.now() - timedelta(hours=1),
        limits=settings.LIMITS,
    )
    stack_digests.fn()
    assert EmailDigest.objects.get().dispatch == dispatch
    assert queued() == 1
