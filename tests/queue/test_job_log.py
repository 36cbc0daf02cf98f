"""Each job leaves one line, and every line of a job tells which."""

import logging
from collections.abc import Iterator
from uuid import uuid4

import pytest
from structlog.contextvars import bind_contextvars

from project.queue import actor, send_all
from project.queue.names import message_id
from tests.logged import Lines, logged
from tests.queue.conftest import eventually, working

ROW = str(uuid4())
logger = logging.getLogger("of.the.job")


@pytest.fixture
def lines() -> Iterator[Lines]:
    with logged() as lines:
        yield lines


@pytest.fixture
def job(broker):
    @actor(queue_name="q", broker=broker, max_retries=1)
    def job(row_id: str, dispatch: int) -> None:
        logger.info("at work")
        if dispatch > 1:
            raise ValueError("no")

    return job


def outcomes(lines: Lines, dispatch: int) -> list[str]:
    return [line["outcome"] for line in lines.of("job") if line["dispatch"] == dispatch]


def test_a_job_leaves_one_line_for_each_delivery(broker, job, lines):
    with working(broker):
        job.send(ROW, 1)
        job.send(ROW, 2)
        eventually(lambda: outcomes(lines, 1) == ["done"])
        eventually(lambda: outcomes(lines, 2) == ["retried", "dead"])
        job.send(ROW, 1)
        eventually(lambda: outcomes(lines, 1) == ["done", "skipped"])
    line = lines.of("job")[0]
    assert line["milliseconds"] >= 0
    assert (line["level"], line["actor"], line["row_id"]) == ("info", "job", ROW)


def test_every_line_of_a_job_tells_which(broker, job, lines):
    with working(broker):
        job.send(ROW, 1)
        eventually(lambda: outcomes(lines, 1))
    [line] = [line for line in lines.parsed if line["message"] == "at work"]
    assert line["message_id"] == message_id("job", ROW, 1)
    assert (line["actor"], line["row_id"], line["dispatch"]) == ("job", ROW, 1)
    assert "actor" not in lines.parsed[-1]  # the worker's own lines afterwards belong to no job


def test_the_request_is_passed_on_to_messages_and_their_retries(broker, job, lines):
    bind_contextvars(request_id="r-1")
    job.send(ROW, 2)
    send_all([job.message(ROW, 3)])
    with working(broker):
        eventually(lambda: outcomes(lines, 2)[-1:] == ["dead"] == outcomes(lines, 3)[-1:])
    assert {line["request_id"] for line in lines.of("job")} == {"r-1"}
    assert len(lines.of("job")) == 4
