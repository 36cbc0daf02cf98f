"""A worker sleeps through its lease and wakes when its heir has finished its work, or has died at it.

Whoever wakes ends without an effect, and its message then counts as done: nobody else will hear of the work that
the dead heir left.
"""

import os
import signal
from collections import Counter
from collections.abc import Collection
from datetime import timedelta
from pathlib import Path
from threading import Event
from urllib.parse import urlsplit
from uuid import UUID

import pytest
from django.conf import settings
from django.db.models import F
from django.utils import timezone
from dramatiq import Actor

from project.actors.digests import send_digest
from project.actors.exports import run_export
from project.actors.maintenance import sweep
from project.actors.wakes import send_wakes
from project.demo.child import Child
from project.demo.patience import wait_for
from project.models import (
    DigestStatus,
    EmailDigest,
    EmailNotificationLog,
    ExportRun,
    ExportStatus,
    Wake,
    mark_sent,
)
from project.queue.client import connect
from project.queue.ledger import Ledger
from project.services.digests.claim import claim
from project.services.exports.names import Key
from project.services.maintenance.verify import verify
from tests import scripted_smtp, tcp_proxy
from tests.factories import make_issue, make_team
from tests.scheduler.crew import at_work
from tests.scripted_smtp import ScriptedSMTP
from tests.services.digests.sending import changed
from tests.services.exports.exporting import requested, storage
from tests.smtp_script import Action

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_server")]
PATIENCE = 20  # seconds
#: A dead worker's message comes back well after its lease is over: in between wakes the one who was paused.
RELATIONS = {"LEASE": "1", "HEARTBEAT_TIMEOUT": "4"}
AGES = timedelta(hours=2)


class Door:
    """Lets the first visits of a mailbox wait when they want to hand over their mail."""

    def __init__(self, **held: int) -> None:
        self.visits: Counter[str] = Counter()
        self._held, self._open = held, Event()

    def __call__(self, stage: str, recipient: str) -> Action | None:
        if stage == "data":
            name = recipient.partition("@")[0]
            self.visits[name] += 1
            if self.visits[name] <= self._held[name]:
                self._open.wait(PATIENCE)
        return None

    def open(self) -> None:
        self._open.set()


def _url(smtp: ScriptedSMTP) -> str:
    return f"smtp://{smtp.address.host}:{smtp.address.port}"


def pause(child: Child) -> None:
    os.killpg(child.pid, signal.SIGSTOP)


def wake(child: Child) -> None:
    os.killpg(child.pid, signal.SIGCONT)


def names(actor: Actor[..., None], row_ids: Collection[UUID]) -> set[str]:
    return {actor.message(str(row_id), 1).message_id for row_id in row_ids}


def wait_for_leases(messages: set[str]) -> None:
    """Until nobody holds one of these messages."""
    with connect(settings.DEDUP_REDIS_URL, settings.LIMITS.redis_timeout) as client:
        keys = [f"dd:{message}" for message in messages]
        wait_for("the end of the leases", lambda: not client.exists(*keys), seconds=PATIENCE)


def wait_until_done(messages: set[str]) -> None:
    """Until all of these messages count as done."""
    with connect(settings.DEDUP_REDIS_URL, settings.LIMITS.redis_timeout) as client:
        ledger = Ledger(client, settings.LIMITS)
        wait_for("the late end", lambda: ledger.done(messages) == messages, seconds=PATIENCE)


def test_one_mail_whether_the_heir_finishes_or_dies(tmp_path: Path) -> None:
    team, door, digests = make_team(), Door(bob=1, eve=2), {}
    for name in ("bob", "eve"):
        changed(team, receiver=name)
        EmailNotificationLog.objects.update(created_at=timezone.now() - settings.LIMITS.window_cap)
        (digests[name],) = wakes = claim(now=timezone.now(), limits=settings.LIMITS)
        mark_sent(EmailDigest, wakes, now=timezone.now())
    bobs, eves = (EmailDigest.objects.filter(id=digests[name].row_id) for name in ("bob", "eve"))
    message = names(send_digest, [digests["eve"].row_id])

    with scripted_smtp.running(door) as smtp, at_work(tmp_path, _url(smtp), **RELATIONS) as crew:
        (late,) = crew.start("worker")
        send_wakes(send_digest, digests.values())
        wait_for("both at the door", lambda: door.visits == {"bob": 1, "eve": 1}, seconds=PATIENCE)
        pause(late)
        (heir,) = crew.start("worker")
        wait_for("a finished mail", bobs.filter(status=DigestStatus.SENT).exists, seconds=PATIENCE)
        wait_for("an unfinished one", lambda: door.visits["eve"] == 2, seconds=PATIENCE)
        heir.kill()
        wait_for_leases(message)
        door.open()
        wake(late)
        wait_until_done(message)
        assert eves.get().status == DigestStatus.SENDING

        EmailDigest.objects.update(started_at=F("started_at") - AGES, enqueued_at=F("enqueued_at") - AGES)
        sweep.fn()
        wait_for("the last mail", eves.filter(status=DigestStatus.SENT).exists, seconds=PATIENCE)
    assert sorted(mail.recipient for mail in smtp.accepted) == ["bob@acme.example", "eve@acme.example"]
    assert (bobs.get().attempt, eves.get().attempt) == (2, 3)
    assert verify(now=timezone.now(), limits=settings.LIMITS) == []


def test_one_archive_although_the_heir_dies(tmp_path: Path) -> None:
    team, heirs_folder = make_team(), tmp_path / "heirs"
    make_issue(team)
    heirs_folder.mkdir()
    export = requested(team)
    runs = ExportRun.objects.filter(export=export)
    message = names(run_export, [export.id])
    store = urlsplit(settings.OBJECT_STORE.endpoint)
    assert store.port

    def by_way_of(proxy: tcp_proxy.Proxy) -> str:
        proxy.hold_after = 0
        keys = f"{settings.OBJECT_STORE.access_key}:{settings.OBJECT_STORE.secret_key}"
        return f"s3+http://{keys}@127.0.0.1:{proxy.port}/{settings.OBJECT_STORE.bucket}"

    with (
        tcp_proxy.running(store.port) as first,
        tcp_proxy.running(store.port) as second,
        at_work(tmp_path, "smtp://127.0.0.1:9", **RELATIONS, S3_URL=by_way_of(first)) as crew,
        at_work(heirs_folder, "smtp://127.0.0.1:9", **RELATIONS, S3_URL=by_way_of(second)) as heirs,
    ):
        (late,) = crew.start("exports")
        send_wakes(run_export, [Wake(export.id, 1)])
        wait_for("the upload", lambda: first.holds, seconds=PATIENCE)
        pause(late)
        (heir,) = heirs.start("exports")
        wait_for("the second upload", lambda: second.holds, seconds=PATIENCE)
        heir.kill()
        wait_for_leases(message)
        first.release()
        wake(late)
        wait_until_done(message)
        assert runs.get().status == ExportStatus.PROCESSING

        runs.update(
            started_at=F("started_at") - AGES,
            progress_at=F("progress_at") - AGES,
            enqueued_at=F("enqueued_at") - AGES,
        )
        sweep.fn()
        wait_for("the archive", runs.filter(status=ExportStatus.COMPLETED).exists, seconds=PATIENCE)
    found = storage().found(Key(export.workspace_id, export.id, 1).folder)
    assert [archive.key for archive in found] == [runs.get().key]
    assert runs.get().attempt == 3
    assert verify(now=timezone.now(), limits=settings.LIMITS) == []
