"""Redis queue that names its messages, runs each name once, and loses none. Knows no domain."""

from project.queue.actor import actor
from project.queue.bulk import send_all

__all__ = ["actor", "send_all"]
