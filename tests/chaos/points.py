"""The points of the product's code at which a process can be made to die: at least one in every hop.

They are laid around the product's functions from the outside, by name, when a process starts; the product
knows nothing of them. A function that was renamed stops the process at once.
"""

import select
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from importlib import import_module
from typing import Any, NamedTuple

from dramatiq.middleware import CurrentMessage

from tests.chaos.traps import Traps

ANSWER = 5  # seconds to wait for the mail server's answer, to die before it is read


class Call(NamedTuple):
    """A call of a product's function; before it there is no result yet."""

    arguments: tuple[Any, ...]
    result: Any = None


Work = Callable[[Call], Sequence[str]]


@dataclass(frozen=True)
class Point:
    """A place in the code.

    Attributes:
        name: What just happened there, in a few words.
        target: The function, as ``module:name``.
        after: Whether its end is meant, and not its beginning.
        work: Tells the ids of the rows in hand; none means that this is not the moment.
        wake_lost: Whether a death here loses the wake-up, which only the sweep can replace.
    """

    name: str
    target: str
    after: bool
    work: Work
    wake_lost: bool = False

    def lay(self, traps: Traps) -> None:
        """Put the trap around the function, in this process."""
        module, _, path = self.target.partition(":")
        *outer, name = path.split(".")
        owner: Any = import_module(module)
        for part in outer:
            owner = getattr(owner, part)
        function = getattr(owner, name)

        @wraps(function)
        def trapped(*arguments: Any, **named: Any) -> Any:
            if not self.after:
                self._reached(traps, Call(arguments))
            result = function(*arguments, **named)
            if self.after:
                self._reached(traps, Call(arguments, result))
            return result

        setattr(owner, name, trapped)

    def _reached(self, traps: Traps, call: Call) -> None:
        if traps.is_set(self.name) and (work := self.work(call)):
            traps.reached(self.name, work)


def _row_of(message: Any) -> list[str]:
    """The row that a message names; a tick names none."""
    return [str(argument) for argument in message.args[:1]]


def _taken_up(call: Call) -> list[str]:
    return _row_of(call.arguments[2])


def _in_hand(call: Call) -> list[str]:
    message = CurrentMessage.get_current_message()
    return _row_of(message) if message else []


def _if_yes(call: Call) -> list[str]:
    return _in_hand(call) if call.result else []


def _once_answered(call: Call) -> list[str]:
    """Only after the dot, and only once the server's answer is there: then it has taken the mail."""
    session = call.arguments[0]
    if session._progress.phase != "dot":
        return []
    select.select([session.sock], [], [], ANSWER)
    return _in_hand(call)


def _acknowledged(call: Call) -> list[str]:
    return _row_of(call.arguments[1])


def _events_sent(call: Call) -> list[str]:
    return [str(wake.row_id) for wake in call.arguments[0]]


def _digests_sent(call: Call) -> list[str]:
    return [str(wake.row_id) for wake in call.arguments[1]]


def _digests_claimed(call: Call) -> list[str]:
    return [str(wake.row_id) for wake in call.result]


def _lines_locked(call: Call) -> list[str]:
    return [str(line.log_id) for line in call.result]


def _event_written(call: Call) -> list[str]:
    return [str(call.result.row_id)]


def _tick(call: Call) -> list[str]:
    return [call.arguments[0].actor_name]


_RECORD = "project.services.notifications.comments:record"
_FAN_OUT = "project.services.notifications.fan_out"
_ACTORS = "project.actors.digests"
_DELIVER = "project.services.digests.deliver"
_SESSION = "project.services.digests.smtp:Session"
_CONSUMER = "project.queue.consumer:Consumer.ack"

ATTEMPT_BEGUN = Point("attempt begun", f"{_DELIVER}:begin", True, _if_yes)
BODY_SENT = Point("body sent", f"{_DELIVER}:fence", False, _in_hand)

#: In the order of the way from an event to the acknowledgement of its mail.
POINTS = (
    Point("event written, not committed", _RECORD, True, _event_written),
    Point("event committed, not sent", "project.views.api.sending:send", False, _events_sent, wake_lost=True),
    Point("event picked", f"{_FAN_OUT}:_start", True, _if_yes),
    Point("rows inserted, not committed", f"{_FAN_OUT}:_insert", True, _in_hand),
    Point("fan-out committed", f"{_FAN_OUT}:_tell", True, _in_hand),
    Point("tick due, not sent", "scheduler.ticks:send_tick", False, _tick),
    Point("tick sent", "scheduler.ticks:send_tick", True, _tick),
    Point("lines locked", "project.services.digests.claim:lock_due_lines", True, _lines_locked),
    Point("claim committed, not sent", f"{_ACTORS}:claim", True, _digests_claimed),
    Point("digests sent to the queue", f"{_ACTORS}:send_wakes", True, _digests_sent),
    Point("taken up by dedup", "project.queue.dedup:Dedup.before_process_message", True, _taken_up),
    ATTEMPT_BEGUN,
    Point("sealed", f"{_DELIVER}:seal", True, _if_yes),
    Point("connected", f"{_SESSION}._open", True, _in_hand),
    BODY_SENT,
    Point("fenced, dot not written", f"{_DELIVER}:fence", True, _if_yes),
    Point("dot accepted, answer not read", f"{_SESSION}.getreply", False, _once_answered),
    Point("answered, not recorded", f"{_DELIVER}:conclude", False, _in_hand),
    Point("recorded, not acknowledged", _CONSUMER, False, _acknowledged),
    Point("acknowledged", _CONSUMER, True, _acknowledged),
)
