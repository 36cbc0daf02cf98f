"""Ticks that nobody was there to run: each is run once by whoever comes, and mails go out once."""

from pathlib import Path

import dramatiq
import pytest

from project.demo.patience import wait_for
from project.models import RunStatus, ScheduleRun
from tests.conftest import SmtpSink
from tests.scheduler.crew import at_work
from tests.scheduler.talk import Talk
from tests.scheduler.waiting import waiting_ticks

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_server")]
BACKLOG = 12  # messages: of two schedulers and two actors, so of three ticks at least
PATIENCE = 30  # seconds


def test_late_workers_run_each_waiting_tick_once(tmp_path: Path, smtp_sink: SmtpSink) -> None:
    broker, talk = dramatiq.get_broker(), Talk()
    with at_work(tmp_path, smtp_sink.url) as crew:
        schedulers = crew.start("scheduler", "scheduler")
        talk.go_on()
        wait_for("backlog", lambda: len(waiting_ticks(broker, "clock")) >= BACKLOG, seconds=PATIENCE)
        talk.go_on()
        backlog = waiting_ticks(broker, "clock")
        assert len(set(backlog)) < len(backlog)

        crew.start("worker", "worker")
        talk.settle()
        for scheduler in schedulers:
            scheduler.kill()
        wait_for("end of the backlog", lambda: not broker.do_qsize("clock"), seconds=PATIENCE)
    assert set(backlog) <= set(ScheduleRun.objects.values_list("actor", "tick"))
    assert not ScheduleRun.objects.exclude(status=RunStatus.DONE).exists()
    talk.assert_each_was_mailed_once(smtp_sink.effects)
