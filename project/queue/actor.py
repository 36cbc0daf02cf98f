"""Actors whose every message has a name and carries nothing but ids."""

from datetime import datetime
from typing import Any, ParamSpec, TypeVar
from uuid import UUID

import dramatiq
from django.conf import settings
from dramatiq.actor import ActorDecorator

from project.queue.names import message_id, tick_id

P = ParamSpec("P")
R = TypeVar("R")


class Actor(dramatiq.Actor[P, R]):
    """A dramatiq actor that names its messages: after the arguments, or after the tick.

    A message without arguments and without a tick (an operator's manual run of a periodic actor) keeps a
    random id, because such a run is wanted each time.
    """

    def message_with_options(
        self, *, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None, **options: Any
    ) -> dramatiq.Message[R]:
        """Build the named message; ``send`` and ``send_with_options`` come through here too.

        Args:
            args: ids (canonical UUID strings) and counters (``int``) only.
            kwargs: must be empty: the name depends on the order of the arguments.
            **options: at most ``scheduled_at`` (ISO 8601), which periodiq passes for a tick.

        Raises:
            TypeError: on any other argument or option.
            ValueError: if ``scheduled_at`` has no UTC offset.
        """
        self._refuse_content(args, kwargs or {}, options)
        message = super().message_with_options(args=args, **options)
        name = self._name(args, options.get("scheduled_at"))
        return message.copy(message_id=name) if name else message

    def _name(self, args: tuple[str | int, ...], scheduled_at: str | None) -> str | None:
        if scheduled_at is not None:
            grid = settings.LIMITS.tick
            return tick_id(self.actor_name, datetime.fromisoformat(scheduled_at), grid)
        return message_id(self.actor_name, *args) if args else None

    def _refuse_content(self, args: tuple[Any, ...], kwargs: dict[str, Any], options: dict[str, Any]) -> None:
        if kwargs:
            raise TypeError(f"{self.actor_name}: pass ids by position, not by name: {sorted(kwargs)}")
        if unknown := options.keys() - {"scheduled_at"}:
            raise TypeError(f"{self.actor_name}: a message has no options such as {sorted(unknown)}")
        if content := [arg for arg in args if not _is_id(arg)]:
            raise TypeError(
                f"{self.actor_name}: a message carries only UUID strings and integers, not {content!r}"
            )


def _is_id(value: object) -> bool:
    if isinstance(value, str):
        try:
            return str(UUID(value)) == value
        except ValueError:
            return False
    return isinstance(value, int) and not isinstance(value, bool)


def actor(*, queue_name: str, **options: Any) -> ActorDecorator:
    """Declare a function as an actor of ours; ``options`` are those of the broker's middlewares."""
    return dramatiq.actor(queue_name=queue_name, actor_class=Actor, **options)
