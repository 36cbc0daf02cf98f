"""One contender's run: its mails, the deaths of its worker, and what arrived."""

import math
import subprocess
import time
from collections.abc import Mapping
from contextlib import ExitStack
from email.parser import BytesHeaderParser
from pathlib import Path
from random import Random

from project.demo.child import Child
from project.services.digests.message import Extra
from tests.chaos.peers.contenders import Contender
from tests.chaos.peers.result import Result
from tests.scripted_smtp import Accepted, ScriptedSMTP

BETWEEN = (5, 30)  # mails between two kills
MOMENT = 0.05  # seconds after the last of them, within which the kill comes: at any point of the next mails
LINGER = 5  # seconds in which further copies may arrive once all mails have
STEP = 0.02  # seconds


class Race:
    """The track of one contender.

    Args:
        environ: What all its processes are given.
        folder: Takes logs and whatever it writes.
        programs: Where its programs are installed.
    """

    def __init__(
        self,
        contender: Contender,
        smtp: ScriptedSMTP,
        environ: Mapping[str, str],
        *,
        folder: Path,
        programs: Path,
    ) -> None:
        self._contender, self._smtp, self._environ = contender, smtp, environ
        self._folder, self._programs = folder, programs
        self._last_arrival = 0.0

    def run(self, dice: Random, *, mails: int, kills: int, patience: float) -> Result:
        """Send `mails` mails while the worker dies up to `kills` times, all of it at once.

        Each death comes in the middle of work: just after some more arrivals, and at the latest after that of the
        last mail, which may still have to be noted as sent. The run is over when all have arrived, or when none
        has for `patience` seconds.
        """
        enqueue = [self._programs / "python", *self._contender.enqueue, str(mails)]
        subprocess.run(enqueue, cwd=self._folder, env=self._environ, check=True)
        worker, deaths = self._child("worker", *self._contender.worker), 0
        began = self._last_arrival = time.monotonic()
        with ExitStack() as stack:
            if self._contender.beside:
                stack.enter_context(self._child("beside", *self._contender.beside))
            stack.enter_context(worker)
            while deaths < kills and (missing := mails - len(set(arrivals := self._arrivals()))):
                goal = len(arrivals) + min(dice.randint(*BETWEEN), missing)
                if not self._reaches(goal, worker, patience):
                    break
                time.sleep(dice.uniform(0, MOMENT))
                worker.kill()
                deaths += 1
            while len(set(arrivals := self._arrivals())) < mails:
                if not self._reaches(len(arrivals) + 1, worker, patience):
                    break
            self._reaches(math.inf, worker, LINGER)
        return Result.of(self._arrivals(), mails=mails, kills=deaths, seconds=self._last_arrival - began)

    def _reaches(self, goal: float, worker: Child, patience: float) -> bool:
        """Wait for so many arrivals in all; False if for `patience` seconds there was none."""
        seen, since = len(self._smtp.accepted), time.monotonic()
        while seen < goal and time.monotonic() - since < patience:
            if not worker.is_running():
                worker.start()
            time.sleep(STEP)
            if len(self._smtp.accepted) > seen:
                seen = len(self._smtp.accepted)
                self._last_arrival = since = time.monotonic()
        return seen >= goal

    def _arrivals(self) -> list[str]:
        return [_identity(mail) for mail in list(self._smtp.accepted)]

    def _child(self, name: str, program: str, *arguments: str) -> Child:
        return Child(
            name=name,
            command=[self._programs / program, *arguments],
            environ=self._environ,
            cwd=self._folder,
            log=self._folder / f"{name}.log",
            ready=lambda: True,
        )


def _identity(mail: Accepted) -> str:
    """Tell one mail from another: by our digest's id, or for the others by the receiver."""
    head = BytesHeaderParser().parsebytes(mail.content)
    return head[Extra.DIGEST] or mail.recipient
