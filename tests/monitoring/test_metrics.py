"""The endpoint: what it shows of real work, to whom, and what it shows when something is away."""

from datetime import timedelta
from time import monotonic
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone
from dramatiq import get_broker

from project.actors.digests import OUTBOX, send_digest
from project.actors.exports import run_export
from project.models import (
    EmailDigest,
    EmailNotificationLog,
    EventStatus,
    ExportRun,
    IssueEvent,
    MailBreaker,
    MailSchedule,
    ScheduleRun,
    Wake,
)
from project.monitoring.noting import note_mail
from project.queue import metrics
from project.queue.metrics import Counted, count
from project.services.operations.backlog import backlogs
from project.services.operations.delay import delay
from project.services.operations.history import history
from project.services.operations.jobs import jobs
from project.services.operations.outcomes import REASONS
from tests import tcp_proxy
from tests.admin.staff import browser
from tests.dead import bury
from tests.factories import make_issue, make_team
from tests.monitoring.figures import TOKEN, scrape
from tests.queue.server import RedisServer
from tests.services.digests.lines import make_activity, make_log
from tests.services.digests.verdicts import SENT
from tests.services.exports.exporting import requested

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_server")]


def test_a_mail_is_seen_in_all_its_numbers(mailed):
    seen = scrape()
    assert seen.value("mail_attempts_total", verdict="sent") == 1
    assert seen.value("digests_ended_last_hour", status="sent", reason="") == 1
    assert seen.value("mail_delay_seconds_bucket", urgent="no", le="360.0") == 0
    assert seen.value("mail_delay_seconds_bucket", urgent="no", le="600.0") == 1
    assert seen.value("mail_delay_seconds_sum", urgent="no") == pytest.approx(400, abs=30)
    phases = {labels["phase"] for labels in seen.labels("mail_phase_seconds_count")}
    assert {"connect", "ehlo", "mail", "rcpt", "data", "body", "dot"} <= phases
    assert seen.value("jobs_total", actor="send_digest", outcome="done") == 1
    assert seen.value("job_seconds_count", actor="send_digest") == 1
    assert seen.value("dedup_claimed_total") == 1
    assert {labels["part"] for labels in seen.labels("scrape_error")} >= {"queues", "backlog", "counters"}
    assert not any(seen.value("scrape_error", **labels) for labels in seen.labels("scrape_error"))


def test_what_waits_is_counted_with_the_age_of_the_oldest():
    team, now = make_team(), timezone.now()
    place = {"workspace": team.workspace, "project": team.project, "issue": make_issue(team)}
    for seconds in (50, 100):
        IssueEvent.objects.create(
            **place,
            kind="issue.activity.updated",
            activity_ids=[uuid4()],
            occurred_at=now - timedelta(seconds=seconds),
        )
    IssueEvent.objects.update_or_create(
        id=uuid4(),
        defaults={**place, "kind": "x", "activity_ids": [], "status": EventStatus.FAILED, "reason": "x"},
    )
    for due in (-70, 3600):
        EmailDigest.objects.create(
            id=uuid4(), receiver=team.members["bob"], due_at=now + timedelta(seconds=due)
        )
    send_digest.send(str(uuid4()), 1)
    send_digest.send_with_options(args=(str(uuid4()), 1), delay=60_000)
    bury(send_digest, [Wake(uuid4(), 1)], age=500)
    seen = scrape()
    assert seen.value("backlog_rows", kind="event", state="open") == 2
    assert seen.value("oldest_due_seconds", kind="event") == pytest.approx(100, abs=20)
    assert seen.value("backlog_rows", kind="digest", state="open") == 2
    assert seen.value("backlog_rows", kind="digest", state="due") == 1
    assert seen.value("oldest_due_seconds", kind="digest") == pytest.approx(70, abs=20)
    assert seen.value("oldest_due_seconds", kind="export") == 0
    assert seen.value("failed_events") == 1
    assert seen.value("queue_messages", queue="mail", state="waiting") == 1
    assert seen.value("queue_messages", queue="mail", state="delayed") == 1
    assert 0 <= seen.value("queue_oldest_seconds", queue="mail") < 20
    assert seen.value("dead_letters", queue="mail") == 1
    assert seen.value("dead_letter_oldest_seconds", queue="mail") == pytest.approx(500, abs=20)
    assert seen.value("dead_letters", queue="exports") == 0


def test_the_schedule_and_the_breaker(settings):
    tick = timezone.now().replace(second=0, microsecond=0)
    for minutes, lag in ((2, 1), (1, 7)):
        at = tick - timedelta(minutes=minutes)
        taken = at + timedelta(seconds=lag)
        ScheduleRun.objects.create(actor="sweep", tick=at, taken_up_at=taken, started_at=taken)
    ScheduleRun.objects.create(
        actor="stack_digests", tick=tick, started_at=tick, ended_at=tick, status="failed", reason="x"
    )
    MailBreaker.objects.create(
        sender=OUTBOX.breaker.sender,
        opened_at=timezone.now() - timedelta(minutes=5),
        probe_at=timezone.now(),
        cause="x",
    )
    seen = scrape()
    assert seen.value("schedule_lag_seconds", actor="sweep") == 7
    assert seen.value("schedule_tick_timestamp_seconds", actor="sweep") == tick.timestamp() - 60
    assert seen.value("schedule_failed", actor="stack_digests") == 1
    assert seen.value("schedule_failed", actor="sweep") == 0
    assert seen.value("mail_stopped") == 1
    assert seen.value("mail_stopped_seconds") == pytest.approx(300, abs=20)


def test_reasons_cannot_become_more_than_a_dashboard_can_hold():
    receiver, now = make_team().members["bob"], timezone.now()
    EmailDigest.objects.bulk_create(
        EmailDigest(
            id=uuid4(),
            receiver=receiver,
            status="failed",
            reason=f"{number}: 550",
            ended_at=now - timedelta(1) / 48,
        )
        for number in range(REASONS + 20)
    )
    assert len(scrape().labels("digests_ended_last_hour")) == REASONS


def test_only_staff_and_the_token_may_read(settings):
    refused = {
        "nobody": Client(),
        "a wrong token": Client(headers={"Authorization": f"Bearer {TOKEN}x"}),
        "no bearer": Client(headers={"Authorization": TOKEN}),
    }
    assert {who: client.get("/metrics").status_code for who, client in refused.items()} == dict.fromkeys(
        refused, 401
    )
    assert browser().get("/metrics").status_code == 200
    settings.METRICS_TOKEN = ""
    assert Client(headers={"Authorization": "Bearer "}).get("/metrics").status_code == 401
    settings.DEBUG = True
    assert Client().get("/metrics").status_code == 200


def test_without_redis_the_tables_still_tell(monkeypatch, tmp_path):
    server = RedisServer(tmp_path)  # never started
    with server.client() as away:
        monkeypatch.setattr(get_broker(), "client", away)
        seen = scrape()
    failed = {
        labels["part"] for labels in seen.labels("scrape_error") if seen.value("scrape_error", **labels)
    }
    assert failed == {"queues", "processes", "counters", "memory"}
    assert seen.value("backlog_rows", kind="event", state="open") == 0


def test_when_postgresql_falls_silent_the_rest_is_told_within_seconds(monkeypatch):
    with monkeypatch.context() as patched, tcp_proxy.running(int(connection.settings_dict["PORT"])) as proxy:
        connection.close()
        patched.setitem(connection.settings_dict, "PORT", str(proxy.port))
        assert scrape().value("backlog_rows", kind="event", state="open") == 0
        connection.ensure_connection()
        proxy.hold_after = proxy.sent
        began = monotonic()
        seen = scrape()
        assert monotonic() - began < 10
        assert proxy.holds
    connection.close()
    failed = {
        labels["part"] for labels in seen.labels("scrape_error") if seen.value("scrape_error", **labels)
    }
    assert failed == {"backlog", "ends", "breaker", "schedule"}
    assert seen.value("queue_messages", queue="mail", state="waiting") == 0


def test_a_line_with_a_time_that_is_none_hides_no_figure(mailed):
    log = EmailNotificationLog.objects.get()
    log.data["issue_activity"]["activity_time"] = "garbage"
    log.save()
    told = delay(mailed.id, now=log.created_at + timedelta(seconds=7))
    assert told == (7, False)
    [slot] = [slot for slot in history(until=timezone.now(), length=timedelta(hours=6)) if slot.median]
    assert slot.median == pytest.approx(400, abs=30)


def test_a_figure_that_cannot_be_read_fails_no_job(monkeypatch, caplog):
    digest = uuid4()
    monkeypatch.setattr("project.services.operations.delay._OLDEST", "SELECT now() / 0 WHERE %s IS NOT NULL")
    note_mail(digest, SENT, now=timezone.now())
    [line] = [record.getMessage() for record in caplog.records]
    assert line.startswith(f"the delay of digest {digest} is not counted: ")


def test_what_alerts_ask_for_is_there_before_it_first_happens(fresh_counts):
    seen = scrape()
    for count_of in (
        lambda: seen.value("take_over_seconds_count", queue="mail"),
        lambda: seen.value("mail_attempts_total", verdict="config"),
        lambda: seen.value("mail_delay_seconds_bucket", urgent="yes", le="900.0"),
        lambda: seen.value("jobs_total", actor="send_digest", outcome="dead"),
        lambda: seen.value("job_seconds_sum", actor="stack_digests"),
    ):
        assert count_of() == 0


def test_a_figure_that_takes_too_long_is_named_and_hides_no_other(settings, monkeypatch):
    monkeypatch.setattr(
        "project.services.operations.outcomes._OUTCOMES", "SELECT 'x', 'y', 1 FROM pg_sleep(60)"
    )
    settings.LIMITS = settings.LIMITS.__class__(figure_time=timedelta(seconds=0.1))
    seen = scrape()
    assert seen.value("scrape_error", part="ends") == 1
    assert seen.value("scrape_seconds", part="ends") < 5
    assert seen.value("backlog_rows", kind="event", state="open") == 0


def test_every_counter_of_the_queue_is_shown_from_the_beginning(fresh_counts):
    count(Counted.FAIL_OPEN)
    seen = scrape()
    assert {seen.value(f"{what}_total") for what in Counted} == {0}


def test_an_export_is_seen_in_its_numbers(fresh_counts):
    team = make_team()
    make_issue(team)
    make_issue(team)
    export = requested(team)
    run_export.fn(str(export.id), 1)
    run_export.fn(str(export.id), 1)  # a copy of the message: nothing was made, nothing is counted
    metrics.flush(get_broker().client)
    seen = scrape()
    assert seen.value("export_rows_total") == 2
    assert seen.value("export_bytes_total") == ExportRun.objects.get().size
    assert seen.value("export_seconds_count") == 1


def test_many_periodic_actors_each_have_their_newest_tick():
    tick = timezone.now().replace(second=0, microsecond=0)
    ScheduleRun.objects.bulk_create(
        ScheduleRun(actor=actor, tick=tick - timedelta(minutes=minutes), taken_up_at=tick, started_at=tick)
        for actor in ("a", "b", "z")
        for minutes in range(1, 4)
    )
    assert [(job.actor, job.lag) for job in jobs()] == [("a", 60), ("b", 60), ("z", 60)]


def test_lines_of_people_with_a_schedule_of_their_own_are_not_due():
    team, now = make_team(), timezone.now()
    activity = make_activity(make_issue(team), team.members["ann"])
    make_log(team.members["bob"], activity, created_at=now - timedelta(hours=9))
    make_log(team.members["eve"], activity, created_at=now - timedelta(seconds=60))
    MailSchedule.objects.create(user=team.members["bob"], mode="daily")
    found = backlogs(now=now)["line"]
    assert (found.open, found.due, found.oldest_due) == (2, 1, 60)
