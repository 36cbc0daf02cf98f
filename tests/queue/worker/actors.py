"""Actors that write what they do to a Redis list, where the test reads it."""

import os
import threading
import time

import redis
from django.conf import settings
from dramatiq.middleware import raise_thread_exception
from dramatiq.worker import ConsumerThread

from project.queue import actor

effects = redis.Redis.from_url(settings.EFFECTS_URL)


def tell(what: str, dispatch: int) -> None:
    effects.rpush("effects", f"{what} {dispatch} {os.getpid()}")


@actor(queue_name="q")
def work(row_id: str, dispatch: int) -> None:
    """Begin, wait for the test's permission to end, end."""
    tell("begin", dispatch)
    while not effects.exists("go"):
        time.sleep(0.02)
    tell("end", dispatch)


@actor(queue_name="q")
def kill_a_thread(row_id: str, dispatch: int) -> None:
    """End a consumer's thread of this process."""
    victim = next(thread for thread in threading.enumerate() if isinstance(thread, ConsumerThread))
    raise_thread_exception(victim.ident, SystemExit)
