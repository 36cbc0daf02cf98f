"""What a dead letter says about its death: the last error, not the one before."""

import traceback
from typing import Any

from dramatiq import ActorNotFound, Message, MessageProxy
from dramatiq.middleware import SkipMessage

_FRAMES = 30


def condemn(message: MessageProxy, reason: str) -> None:
    """Let this delivery end as a dead letter, for ``reason``."""
    message.options["reason"] = reason
    message.fail()


def dead_body(message: MessageProxy) -> bytes:
    """The message as it is to lie among the dead letters.

    Its ``options["death"]`` holds the ``reason``, the last ``error`` (``Type: text``), its ``traceback`` (if
    an actor raised it) and the number of ``attempts``, that is, runs that failed.
    """
    error = message._exception
    ran = error is not None and not isinstance(error, (SkipMessage, ActorNotFound))
    death: dict[str, Any] = {
        "reason": message.options.get("reason") or _reason(error),
        "error": f"{type(error).__name__}: {error}" if error else "",
        "traceback": "".join(traceback.format_exception(error, limit=_FRAMES)) if ran else "",
        "attempts": message.options.get("retries", 0) + ran,
    }
    buried: Message[Any] = message.copy(options={"death": death})
    return buried.encode()


def _reason(error: BaseException | None) -> str:
    if isinstance(error, ActorNotFound):
        return "unknown actor"
    return str(error) if isinstance(error, SkipMessage) else "failed"
