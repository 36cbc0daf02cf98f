"""One contender's run: its mails, the deaths of its worker, and what arrived."""

import math
import subprocess
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from email.parser import BytesHeaderParser
from pathlib import Path
from random import Random

from project.demo.child import Child
from project.services.digests.message import Extra
from tests.chaos.peers.contenders import Contender
from tests.scripted_smtp import Accepted, ScriptedSMTP

BETWEEN = (5, 30)  # mails between two kills
MOMENT = 0.05  # seconds after the last of them, within which the kill comes: at any point of the next mails
LINGER = 5  # seconds in which further copies may arrive once all mails have
STEP = 0.02  # seconds


@dataclass(frozen=True)
class Result:
    """What became of a contender's mails.

    Attributes:
        kills: How often its worker died.
        missing: Mails that had not arrived when patience was at its end.
        doubled: Mails that arrived more than once.
        copies: How many arrivals too many that makes.
        seconds: From the first start of the worker to the last arrival.
    """

    kills: int
    missing: int
    doubled: int
    copies: int
    seconds: float


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
        """Send `mails` mails while the worker dies up to `kills` times.

        It is over when all have arrived, or when none has for `patience` seconds.
        """
        enqueue = [self._programs / "python", *self._contender.enqueue, str(mails)]
        subprocess.run(enqueue, cwd=self._folder, env=self._environ, check=True)
        worker, deaths = self._child("worker", *self._contender.worker), 0
        began = self._last_arrival = time.monotonic()
        with ExitStack() as stack:
            if self._contender.beside:
                stack.enter_context(self._child("beside", *self._contender.beside))
            stack.enter_context(worker)
            while deaths < kills and self._more(worker, dice.randint(*BETWEEN), patience):
                time.sleep(dice.uniform(0, MOMENT))
                worker.kill()
                deaths += 1
            while len(self._arrived()) < mails and self._more(worker, 1, patience):
                pass
            self._more(worker, math.inf, LINGER)
        return self._result(mails, deaths, self._last_arrival - began)

    def _more(self, worker: Child, count: float, patience: float) -> bool:
        """Wait for so many more arrivals; False if for `patience` seconds there was none."""
        seen = len(self._smtp.accepted)
        goal, since = seen + count, time.monotonic()
        while seen < goal and time.monotonic() - since < patience:
            if not worker.is_running():
                worker.start()
            time.sleep(STEP)
            if len(self._smtp.accepted) > seen:
                seen = len(self._smtp.accepted)
                self._last_arrival = since = time.monotonic()
        return seen >= goal

    def _arrived(self) -> Counter[str]:
        return Counter(_identity(mail) for mail in self._smtp.accepted)

    def _result(self, mails: int, deaths: int, seconds: float) -> Result:
        arrived = self._arrived()
        doubled = [times for times in arrived.values() if times > 1]
        return Result(deaths, mails - len(arrived), len(doubled), sum(doubled) - len(doubled), seconds)

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
