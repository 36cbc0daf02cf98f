"""One dead letter, and what to look for in many."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any, NamedTuple

from dramatiq import Message

from project.queue.entry import read
from project.queue.units import milliseconds

# What a message gathered on its way: a re-queued one starts afresh.
_TRACES = {"death", "reason", "retries", "put_offs", "eta"}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Cursor(NamedTuple):
    """A place in the order of deaths. ``died`` in milliseconds since 1970, on Redis' clock."""

    died: float
    entry_id: str


START = Cursor(0, "")


@dataclass(frozen=True)
class DeadLetter:
    """``body`` is what lies in Redis, byte for byte; all else is read from it, and empty if unreadable."""

    queue: str
    cursor: Cursor
    body: bytes

    @property
    def entry_id(self) -> str:
        """Its id among the dead letters of its queue."""
        return self.cursor.entry_id

    @property
    def died_at(self) -> datetime:
        """When it was given up, in UTC."""
        return _EPOCH + timedelta(milliseconds=self.cursor.died)

    @cached_property
    def message(self) -> Message[Any] | None:
        """The message, None if the body is unreadable."""
        return read(self.body)

    @property
    def actor(self) -> str:
        """Name of the actor that was to run it."""
        return self.message.actor_name if self.message else ""

    @property
    def reason(self) -> str:
        """Why it was given up."""
        return str(self._death.get("reason", "")) if self.message else "unreadable"

    @property
    def error(self) -> str:
        """The last error, as ``Type: text``."""
        return str(self._death.get("error", ""))

    @property
    def traceback(self) -> str:
        """The last error's traceback, empty if no actor ran."""
        return str(self._death.get("traceback", ""))

    @property
    def attempts(self) -> int:
        """How many runs failed."""
        return int(self._death.get("attempts", 0))

    def revived(self, entry_id: str, now: int) -> bytes | None:
        """The body to queue it as ``entry_id`` at ``now`` (milliseconds since 1970); None if unreadable."""
        if self.message is None:
            return None
        kept = {name: value for name, value in self.message.options.items() if name not in _TRACES}
        fields = self.message.asdict() | {
            "queue_name": self.queue,
            "options": kept | {"redis_message_id": entry_id},
            "message_timestamp": now,
        }
        return Message(**fields).encode()

    @property
    def _death(self) -> dict[str, Any]:
        death = self.message.options.get("death") if self.message else None
        return death if isinstance(death, dict) else {}


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """Which dead letters to look for; what is not given does not restrict.

    Attributes:
        actor: exact name.
        error: part of the reason or of the last error, in any case.
        since: earliest death.
        until: latest death.
    """

    actor: str | None = None
    error: str | None = None
    since: datetime | None = None
    until: datetime | None = None

    def range(self) -> tuple[float, float]:
        """Earliest and latest death in milliseconds since 1970."""
        oldest = milliseconds(self.since - _EPOCH) if self.since else 0.0
        newest = milliseconds(self.until - _EPOCH) if self.until else float("inf")
        return oldest, newest

    def matches(self, letter: DeadLetter) -> bool:
        """Whether actor and error fit; the time of death is up to :meth:`range`."""
        text = f"{letter.reason}\n{letter.error}".casefold()
        return self.actor in (None, letter.actor) and (self.error or "").casefold() in text
