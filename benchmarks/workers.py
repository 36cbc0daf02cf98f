"""The whole way: digests are put on the queue, and real worker processes take them."""

import os
import time
from pathlib import Path

from django.conf import settings

from project.actors.digests import send_digest
from project.actors.wakes import send_wakes
from project.demo.child import Child
from project.demo.patience import wait_for
from project.models import DigestStatus, EmailDigest, Wake

BOOT = 30  # seconds
EACH = 0.5  # seconds per mail after which something must be wrong


def seconds_through_workers(wakes: list[Wake], mail_url: str, folder: Path, *, processes: int) -> float:
    """Send the wake-ups, and return how long workers took from then to the end of the last digest.

    The first wake-up is sent alone, before the clock runs, so that starting the workers is not measured.
    """
    with _worker(mail_url, folder, processes):
        send_wakes(send_digest, wakes[:1])
        wait_for("worker's first mail", lambda: _sent(wakes[:1]), seconds=BOOT)
        began = time.monotonic()
        send_wakes(send_digest, wakes[1:])
        wait_for("end of all digests", lambda: _sent(wakes), seconds=EACH * len(wakes))
        return time.monotonic() - began


def _worker(mail_url: str, folder: Path, processes: int) -> Child:
    lines = (settings.BASE_DIR / "Procfile").read_text().splitlines()
    command = next(line.removeprefix("worker:").strip() for line in lines if line.startswith("worker:"))
    return Child(
        name="worker",
        command=["/bin/sh", "-c", f"exec {command}"],
        environ={**os.environ, "EMAIL_URL": mail_url, "WORKER_PROCESSES": str(processes)},
        log=folder / "worker.log",
        ready=lambda: True,
        cwd=settings.BASE_DIR,
    )


def _sent(wakes: list[Wake]) -> bool:
    ids = [wake.row_id for wake in wakes]
    return not EmailDigest.objects.filter(id__in=ids).exclude(status=DigestStatus.SENT).exists()
