"""``manage.py probe worker|scheduler``: for orchestrators that ask a process by a command."""

from argparse import ArgumentParser
from socket import gethostname
from typing import Any

import redis
from django.conf import settings
from django.core.management.base import BaseCommand

from project.queue.client import connect
from project.queue.processes import SCHEDULER, WORKER, Process, alive


class Command(BaseCommand):
    """Says whether this host's processes told of themselves lately."""

    help = "Exit status 1 if no worker, or no scheduler, of this host is alive. Asks Redis, not the database."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the role, and the queue that has to be worked on."""
        parser.add_argument("role", choices=[WORKER, SCHEDULER])
        parser.add_argument("--queue", help="of several workers on this host, one that works on this queue")

    def handle(self, *args: Any, **options: Any) -> None:
        """Ask, and print the answer. While Redis is away nobody can tell, and a restart would mend nothing.

        Raises:
            SystemExit: with status 1, if nobody of this host is alive.
        """
        role, queue = options["role"], options["queue"]
        try:
            found = [p for p in _at_work(role) if queue is None or queue in p.queues]
        except redis.RedisError as error:
            self.stdout.write(f"unknown: Redis does not answer ({type(error).__name__})")
            return
        if not found:
            self.stdout.write(f"no {role} of {gethostname()} was heard of lately")
            raise SystemExit(1)
        self.stdout.write(f"alive: {role} {', '.join(str(p.pid) for p in found)}")


def _at_work(role: str) -> list[Process]:
    limits = settings.LIMITS
    patience = limits.recovery_budget if role == WORKER else limits.overdue
    with connect(settings.REDIS_URL, limits.enqueue_timeout) as client:
        return [process for process in alive(client, role, patience) if process.host == gethostname()]
