"""What is sent to Sentry and to a collector of traces, by processes of their own, and what is not."""

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from tests.architecture import ROOT
from tests.receiver import Receiver, receiving

PRODUCTION = {
    "SECRET_KEY": "x" * 50,
    "SITE_URL": "https://tracker.example.org",
    "EMAIL_URL": "smtp://127.0.0.1:1",
    "NOTIFY_FROM": "notify@tracker.example.org",
    "S3_URL": "s3+http://127.0.0.1:1/bucket",
}

FAILING_JOB = """
import django; django.setup()
import dramatiq, sentry_sdk
from django.db import connection
from project.queue import actor
broker = dramatiq.get_broker()
@actor(queue_name="q", max_retries=0)
def fail(row_id: str, dispatch: int) -> None:
    who = "zephyrine@example.org"
    with connection.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE people (email text UNIQUE)")
        for _ in range(2):
            cursor.execute("INSERT INTO people VALUES (%s)", [who])
fail.send("6f1f7f5e-0b7e-4c53-9b57-0f6a0ce1a3f5", 1)
worker = dramatiq.Worker(broker, queues={"q"}, worker_threads=1, worker_timeout=50)
worker.start()
broker.join("q")
worker.stop()
sentry_sdk.flush(10)
"""
TRACED = """
import django; django.setup()
import dramatiq
from django.test import Client
from django.db import connection
from project.queue import actor
broker = dramatiq.get_broker()
@actor(queue_name="q", max_retries=0)
def look(row_id: str, dispatch: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE people (email text UNIQUE)")
        for _ in range(2):
            cursor.execute("INSERT INTO people VALUES (%s)", ["zephyrine@example.org"])
look.send("6f1f7f5e-0b7e-4c53-9b57-0f6a0ce1a3f5", 1)
worker = dramatiq.Worker(broker, queues={"q"}, worker_threads=1, worker_timeout=50)
worker.start()
broker.join("q")
worker.stop()
client = Client(raise_request_exception=False, headers={"host": "localhost", "user-agent": "Zephyrine-Phone"})
client.defaults["REMOTE_ADDR"] = "203.0.113.9"
client.get("/healthz?of=zephyrine@example.org")
client.get("/unsubscribe/zephyrine-token_/", secure=True)
client.get("/zephyrine-was-here/?q=zephyrine", secure=True)
with connection.cursor() as cursor:
    cursor.execute("SELECT %s", ["zephyrine@example.org"])
"""
REPORTED = """
import django; django.setup()
import logging, sentry_sdk
logging.getLogger("x").error("cannot mail %s", "a digest", extra={"who": "zephyrine@example.org"})
logging.getLogger("x").error("no row\\nDETAIL:  Key (email)=(zephyrine@example.org) already exists.")
sentry_sdk.flush(10)
"""


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as receiver:
        yield receiver


def run(program: str, *arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    environ = os.environ | {
        "DJANGO_SETTINGS_MODULE": "project.settings",
        "DEBUG": "0",
        **PRODUCTION,
        **variables,
    }
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program, *arguments],
        cwd=ROOT,
        env=environ,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.usefixtures("redis_server")
def test_a_failing_job_is_reported_without_the_people_in_it(receiver):
    dsn = receiver.url.replace("http://", "http://key@") + "/1"
    ran = run(FAILING_JOB, SENTRY_DSN=dsn)
    sent = b"".join(body for _, path, body in receiver.got if path == "/api/1/envelope/")
    assert b"UniqueViolation" in sent, ran.stderr
    assert b"6f1f7f5e-0b7e-4c53-9b57-0f6a0ce1a3f5" in sent
    assert b"zephyrine" not in sent


def test_lines_are_reported_without_arguments_extras_and_rows(receiver):
    dsn = receiver.url.replace("http://", "http://key@") + "/1"
    ran = run(REPORTED, "explain", "zephyrine@example.org", SENTRY_DSN=dsn)
    sent = b"".join(body for _, path, body in receiver.got if path == "/api/1/envelope/")
    assert b"cannot mail a digest" in sent, ran.stderr
    assert b"no row" in sent
    assert b"zephyrine" not in sent


@pytest.mark.parametrize("dsn", ["nonsense", "https://hush@sentry.example.org/x", "ftp://hush@example.org/1"])
def test_a_dsn_that_cannot_be_is_refused_with_its_name(dsn):
    ran = run("import django; django.setup()", SENTRY_DSN=dsn)
    assert "ImproperlyConfigured: SENTRY_DSN is wrong: it must be the URL of a project" in ran.stderr
    assert "hush" not in ran.stderr


def requests(receiver: Receiver) -> Iterator[list[Span]]:
    for _, _, body in receiver.got:
        sent = ExportTraceServiceRequest.FromString(body)
        yield [span for one in sent.resource_spans for scope in one.scope_spans for span in scope.spans]


@pytest.mark.usefixtures("redis_server")
def test_requests_jobs_and_statements_are_traced_without_their_values(receiver):
    ran = run(TRACED, OTEL_EXPORTER_OTLP_ENDPOINT=receiver.url)
    sent = b"".join(body for _, path, body in receiver.got if path == "/v1/traces")
    spans = [span for request in requests(receiver) for span in request]
    routes = {
        told.value.string_value for span in spans for told in span.attributes if told.key == "http.route"
    }
    assert {route[:12] for route in routes} == {"healthz", "^unsubscribe"}, ran.stderr
    assert b"SELECT %s" in sent
    job = next(span for span in spans if span.name == "look")
    statements = [span for span in spans if span.name == "INSERT" and span.parent_span_id == job.span_id]
    assert [span.status.message for span in statements] == ["", "UniqueViolation"]
    for told in (b"zephyrine", b"203.0.113.9", b"Phone"):
        assert told not in sent


@pytest.mark.usefixtures("redis_server")
def test_a_command_is_not_traced_and_so_waits_for_no_collector(receiver):
    probe = [sys.executable, "-W", "ignore", "manage.py", "probe", "worker"]
    environ = os.environ | PRODUCTION | {"DEBUG": "0", "OTEL_EXPORTER_OTLP_ENDPOINT": receiver.url}
    ran = subprocess.run(
        probe, cwd=ROOT, env=environ, capture_output=True, text=True, timeout=60, check=False
    )
    assert "was heard of lately" in ran.stdout, ran.stderr
    assert receiver.got == []
