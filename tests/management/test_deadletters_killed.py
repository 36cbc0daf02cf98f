"""The tool killed in the middle of an order: no message is lost, none is there twice."""

import os
import signal
import subprocess
import sys
import time
from uuid import uuid4

import dramatiq
import pytest
from django.conf import settings

from project.actors.digests import send_digest
from project.models import RequeueAudit
from tests.architecture import ROOT
from tests.dead import broker, lay

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_server")]

LETTERS = 3000
COMMAND = (
    "deadletters",
    "requeue",
    "--all",
    "--yes",
    "--reason",
    "drill",
    "--by",
    "olga",
    "--limit",
    LETTERS,
)


def start() -> subprocess.Popen[bytes]:
    """The tool as a process of its own, on the servers of this test."""
    given = settings.DATABASES["default"]
    host = f"{given['USER']}:{given['PASSWORD']}@{given['HOST']}:{given['PORT']}"
    environ = {**os.environ, "DEBUG": "1", "DATABASE_URL": f"postgresql://{host}/{given['NAME']}"}
    return subprocess.Popen(
        [sys.executable, "manage.py", *map(str, COMMAND)], cwd=ROOT, env=environ, stdout=subprocess.DEVNULL
    )


def dead() -> int:
    return broker().client.zcard(broker().layout("mail").dead_ids)


def queued() -> list[str]:
    """The message ids on the queue."""
    keys = broker().layout("mail")
    ids, bodies = broker().client.lrange(keys.ids, 0, -1), broker().client.hgetall(keys.bodies)
    assert sorted(ids) == sorted(bodies)
    return [dramatiq.Message.decode(body).message_id for body in bodies.values()]


def kill_in_the_middle(tool: subprocess.Popen[bytes], below: int) -> None:
    deadline = time.monotonic() + 30
    while dead() >= below:
        assert tool.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.001)
    tool.send_signal(signal.SIGKILL)
    assert tool.wait(10) == -signal.SIGKILL


def test_killed_at_any_point_it_leaves_each_message_in_one_place():
    everything = set()
    for _ in range(LETTERS):
        message = send_digest.message(str(uuid4()), 1)
        entry_id = str(uuid4())
        lay("mail", entry_id, message.copy(options={"redis_message_id": entry_id}).encode())
        everything.add(f"mail/{entry_id}")

    for rest in (2900, 1500):
        kill_in_the_middle(start(), below=rest)
        assert 0 < dead() < rest
        assert dead() + len(queued()) == LETTERS
    assert start().wait(60) == 0

    assert dead() == 0
    assert len(set(queued())) == len(queued()) == LETTERS
    records = RequeueAudit.objects.all()
    assert {letter for record in records for letter in record.rows} == everything
    unfinished = [record for record in records if record.finished_at is None]
    assert len(unfinished) <= 2  # none of a tool that was killed between two of its batches
    assert {outcome for record in unfinished for outcome in record.rows.values()} <= {"ordered"}
