"""Whole processes, as they are seen from outside: alive, at work, gone, and what they log."""

import json
from pathlib import Path

import pytest
from django.conf import settings as project_settings
from django.core.management import call_command

from project.demo.patience import wait_for
from project.queue.client import connect
from project.queue.processes import silences
from tests.conftest import SmtpSink
from tests.monitoring.figures import TOKEN, scrape
from tests.scheduler.crew import at_work

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_server")]
PATIENCE = 30  # seconds


def known() -> list[str]:
    with connect(project_settings.REDIS_URL, project_settings.LIMITS.redis_timeout) as client:
        return sorted(process.role for process in silences(client))


def swept() -> bool:
    counted = {tuple(sorted(labels.items())) for labels in scrape().labels("jobs_total")}
    return (("actor", "sweep"), ("outcome", "done")) in counted


def test_a_worker_and_a_scheduler_are_seen_until_they_end(tmp_path: Path, smtp_sink: SmtpSink, settings):
    settings.METRICS_TOKEN = TOKEN
    with at_work(tmp_path, smtp_sink.url, LOG_FORMAT="json") as crew:
        worker, _ = crew.start("worker", "scheduler")
        wait_for("signs of life", lambda: known() == ["scheduler", "worker"], seconds=PATIENCE)
        call_command("probe", "worker", "--queue", "mail")
        call_command("probe", "scheduler")
        wait_for("work in the counters", swept, seconds=PATIENCE)
        seen = scrape()
        assert seen.value("queue_workers", queue="mail") == 1
        assert seen.value("queue_workers", queue="exports") == 0
        assert seen.value("schedule_failed", actor="sweep") == 0
        worker.stop()
        assert known() == ["scheduler"]
        lines = [json.loads(line) for line in worker.log.read_text().splitlines() if line.startswith("{")]
    jobs = [line for line in lines if line.get("event_kind") == "job"]
    assert {"sweep", "stack_digests"} <= {job["actor"] for job in jobs}
    assert {job["outcome"] for job in jobs} <= {"done", "skipped"}
