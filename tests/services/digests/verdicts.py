"""Verdicts in short: a phase, and what the server said there or the fault."""

from project.services.digests.progress import Fault, Phase, Progress
from project.services.digests.replies import Verdict, classify


def verdict(phase: Phase, answer: str) -> Verdict:
    progress = Progress()
    progress.enter(phase)
    if isinstance(answer, Fault):
        return classify(progress.end(answer))
    code, _, text = answer.partition(" ")
    progress.answered(int(code), text.encode())
    return classify(progress.end())


SENT = verdict(Phase.REPLIED, "250 2.0.0 queued")
OUTAGE = verdict(Phase.CONNECT, Fault.LOST)
SESSION = verdict(Phase.MAIL, Fault.TIMEOUT)
LOST_REPLY = verdict(Phase.DOT, Fault.LOST)
CONFIG = verdict(Phase.AUTH, "535 5.7.8 bad credentials")
THROTTLED = verdict(Phase.MAIL, "451 4.7.1 slow down")
GREYLISTED = verdict(Phase.RCPT, "450 4.7.1 greylisted")
UNKNOWN = verdict(Phase.RCPT, "550 5.1.1 no such user")
FULL = verdict(Phase.RCPT, "552 5.2.2 full")
DENIED = verdict(Phase.RCPT, "554 5.7.1 denied")
SPAM = verdict(Phase.REPLIED, "550 5.7.1 spam")
BARE = verdict(Phase.REPLIED, "554 no")
POISON = verdict(Phase.REPLIED, "554 5.6.0 malformed")
TOO_BIG = verdict(Phase.MAIL, "552 5.3.4 too big")
