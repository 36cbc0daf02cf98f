"""Servers on free ports of 127.0.0.1."""

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from secrets import randbelow

from project.demo.child import Child, StartError

HOST = "127.0.0.1"
# Below those that systems hand out to outgoing connections (from 32768 on Linux, from 49152 elsewhere). A
# client knocking at the port of a stopped server could otherwise be handed that very port for its own end, be
# connected to itself, and so keep the server from coming back.
FIRST_PORT, LAST_PORT = 20000, 32767
ATTEMPTS = 5


@dataclass(frozen=True)
class Server:
    """A process and the URL under which it is reached."""

    process: Child
    url: str


@contextmanager
def listening(server_on: Callable[[int], Server]) -> Iterator[Server]:
    """Start the server that `server_on` makes for a free port; stop it at the end.

    When another process takes the port before the server does, another port is tried.

    Raises:
        StartError: If the server does not start for another reason, or lost its port again and again.
    """
    server = _started(server_on)
    try:
        yield server
    finally:
        server.process.stop()


def free_port() -> int:
    """Return a port of 127.0.0.1 that nobody listens at right now."""
    while not _is_free(port := FIRST_PORT + randbelow(LAST_PORT - FIRST_PORT + 1)):
        pass
    return port


def _started(server_on: Callable[[int], Server]) -> Server:
    for attempt in range(1, ATTEMPTS + 1):
        port = free_port()
        server = server_on(port)
        try:
            server.process.start()
        except StartError:
            if attempt == ATTEMPTS or _is_free(port):
                raise
        else:
            break
    return server


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True
