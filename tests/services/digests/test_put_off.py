"""Mails that wait for a time that their receiver wanted, and what another wish does to them."""

from datetime import time

import pytest

from project.models import DigestStatus, EmailDigest, MailMode, MailSchedule
from project.services.digests.claim import claim
from project.services.maintenance.overdue import overdue_digests
from project.services.notifications.schedule import reschedule
from tests.services.digests.lines import NOW
from tests.services.digests.sending import LIMITS, changed, send

pytestmark = pytest.mark.django_db(transaction=True)
NIGHT = {"quiet_from": time(11), "quiet_until": time(14)}  # NOW is twelve o'clock
NO_NIGHT = {"quiet_from": None, "quiet_until": None}


@pytest.fixture
def put_off(team, outbox, smtp_sink) -> list[EmailDigest]:
    """Three mails of bob's that wait for the end of his quiet hours."""
    for _ in range(3):
        changed(team)
    wakes = claim(now=NOW, limits=LIMITS)
    MailSchedule.objects.create(user=team.members["bob"], **NIGHT)
    send(outbox, wakes)
    assert overdue_digests(now=NOW, limits=LIMITS) == []
    return list(EmailDigest.objects.order_by("id"))


def test_another_time_is_waited_for_if_another_is_wanted(team, outbox, put_off):
    wanted = {"mode": MailMode.DAILY, "daily_at": time(18), **NO_NIGHT}
    reschedule(team.members["bob"], wanted, now=NOW)
    send(outbox, overdue_digests(now=NOW, limits=LIMITS))
    told = set(EmailDigest.objects.values_list("status", "due_at", "answer"))
    assert told == {(DigestStatus.WAITING, NOW.replace(hour=18), "waits: the daily mail at 18:00 UTC")}


def test_what_waits_for_something_else_goes_on_waiting(team, outbox, smtp_sink, put_off):
    refused, stopped, waiting = put_off
    EmailDigest.objects.filter(id=refused.id).update(answer="rcpt 451")
    EmailDigest.objects.filter(id=stopped.id).update(awaits_breaker=True)
    reschedule(team.members["bob"], {"mode": MailMode.INSTANT, **NO_NIGHT}, now=NOW)
    wakes = overdue_digests(now=NOW, limits=LIMITS)
    assert [wake.row_id for wake in wakes] == [waiting.id]
    send(outbox, wakes)
    assert len(smtp_sink.messages) == 1


def test_other_people_keep_their_times(team, put_off):
    reschedule(team.members["carl"], {"mode": MailMode.INSTANT}, now=NOW)
    assert overdue_digests(now=NOW, limits=LIMITS) == []
