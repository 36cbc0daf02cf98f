"""What the scripted SMTP server is told to do, stage by stage."""

import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum

from project.limits import Limits

#: Stage → what a well-behaved server answers. "connect" is before the first byte, "body" in the middle of it.
STAGES = {
    "connect": "",
    "banner": "220 scripted ESMTP",
    "ehlo": "",
    "helo": "250 scripted",
    "starttls": "220 2.0.0 go ahead",
    "auth": "235 2.7.0 welcome",
    "mail": "250 2.1.0 ok",
    "rcpt": "250 2.1.5 ok",
    "data": "354 go on",
    "body": "",
    "dot": "250 2.0.0 queued",
    "rset": "250 2.0.0 ok",
    "quit": "221 2.0.0 bye",
}


class Then(Enum):
    """What follows the answer."""

    GO_ON = "go on"
    CLOSE = "close"
    RESET = "reset"  # RST instead of FIN
    HANG = "hang"  # stay silent, with the connection open, until the server stops


@dataclass(frozen=True)
class Action:
    """Wait `after` seconds, write `say`, and go on as `then` says."""

    say: bytes = b""
    after: float = 0.0
    then: Then = Then.GO_ON

    @property
    def refuses(self) -> bool:
        """Whether it is a clear no."""
        return self.say[:1] in {b"4", b"5"}


def reply(text: str, *, after: float = 0.0, then: Then = Then.GO_ON) -> Action:
    """Answer with one or, separated by newlines, several lines."""
    return Action(text.replace("\n", "\r\n").encode() + b"\r\n" if text else b"", after, then)


DROP = Action(then=Then.CLOSE)
RESET = Action(then=Then.RESET)
HANG = Action(then=Then.HANG)
OVER_LONG = reply("250 " + 9000 * "x")

_SOON = timedelta(seconds=0.3)
#: For clients of a server that hangs.
IMPATIENT = Limits(smtp_connect=_SOON, smtp_command=_SOON, smtp_data=_SOON, smtp_dot=_SOON, smtp_quit=_SOON)

#: Is given the stage and the current recipient ("" before RCPT); None means "behave".
Script = Callable[[str, str], Action | None]


def script(**stages: Iterable[Action]) -> Script:
    """Take the next action of a stage at each of its visits, over all connections, until there are no more.

    ``script(rcpt=[reply("450 4.7.1 later")])`` defers once; ``itertools.repeat`` makes it for ever.
    """
    unknown = stages.keys() - STAGES.keys()
    assert not unknown, unknown
    pending: dict[str, Iterator[Action]] = {stage: iter(actions) for stage, actions in stages.items()}
    lock = threading.Lock()

    def next_action(stage: str, recipient: str) -> Action | None:
        with lock:
            return next(pending.get(stage, iter(())), None)

    return next_action


BEHAVE = script()
