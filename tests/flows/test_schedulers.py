"""Two schedulers, one, none: no tick is doubled, none is lost while one of them lives, and no work ever."""

from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from django.conf import settings

from project.demo.patience import wait_for
from project.models import ScheduleRun
from project.queue.client import connect
from project.queue.metrics import Counted, totals
from tests.conftest import SmtpSink
from tests.scheduler.crew import at_work
from tests.scheduler.talk import Talk

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_server")]
STEP = 2  # seconds from tick to tick
PATIENCE = 30  # seconds


def ticks() -> list[datetime]:
    """The ticks of the sweep that were taken up, in order."""
    return list(ScheduleRun.objects.filter(actor="sweep").order_by("tick").values_list("tick", flat=True))


def dropped() -> int:
    with connect(settings.REDIS_URL, settings.LIMITS.redis_timeout) as client:
        return totals(client)[Counted.DROPPED]


def test_two_schedulers_one_and_none(tmp_path: Path, smtp_sink: SmtpSink) -> None:
    talk = Talk()
    with at_work(tmp_path, smtp_sink.url, TICK=str(STEP)) as crew:
        _, one, other = crew.start("worker", "scheduler", "scheduler")
        talk.go_on()
        wait_for("copies dropped", lambda: dropped() >= 2, seconds=PATIENCE)

        one.kill()
        alone = len(ticks()) + 2
        wait_for("more ticks", lambda: len(ticks()) >= alone, seconds=PATIENCE)
        assert {later - earlier for earlier, later in pairwise(ticks())} == {timedelta(seconds=STEP)}
        talk.settle()

        other.kill()
        talk.go_on()
        wait_for("fan-out", talk.is_fanned_out, seconds=PATIENCE)
        assert not talk.is_settled()
        crew.start("scheduler")
        talk.settle()
    talk.assert_each_was_mailed_once(smtp_sink.effects)
