"""A mail server that takes about 60 ms for a mail, as a scanning one does, so that there is time to die in."""

from tests.smtp_script import STAGES, Action, reply

ANSWER, SCAN = 0.004, 0.02  # seconds


def slowly(stage: str, recipient: str) -> Action | None:
    """A script: an answer takes its time, and so does the mail, before it is accepted and after."""
    if stage in {"mail", "rcpt", "data"}:
        return reply(STAGES[stage], after=ANSWER)
    if stage == "body":
        return Action(after=SCAN)
    return reply(STAGES[stage], after=SCAN) if stage == "dot" else None
