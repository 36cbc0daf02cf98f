"""A proxy between a client and a server that can hold what the client sends, or cut every connection."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from project.demo.ports import HOST

PIECE = 64 * 1024


class Proxy:
    """Forwards connections made to `port` to a server of this machine.

    Attributes:
        sent: How many bytes clients have sent through it.
        hold_after: Beyond so many, what clients send waits until `release`.
    """

    def __init__(self, server_port: int) -> None:
        self.sent = 0
        self.hold_after: int | None = None
        self._server_port = server_port
        self._flows = threading.Event()
        self._broken = False
        self._sockets: list[socket.socket] = []
        self._listener = socket.create_server((HOST, 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def holds(self) -> bool:
        """Whether something waits."""
        return self.hold_after is not None and self.sent > self.hold_after and not self._flows.is_set()

    def release(self) -> None:
        """Let everything through from now on."""
        self._flows.set()

    def cut(self) -> None:
        """Break all connections, and refuse new ones."""
        self._broken = True
        self._flows.set()
        for one in (self._listener, *self._sockets):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while not self._broken:
                client, _ = self._listener.accept()
                server = socket.create_connection((HOST, self._server_port))
                self._sockets += [client, server]
                for pair in ((client, server, True), (server, client, False)):
                    threading.Thread(target=self._forward, args=pair, daemon=True).start()

    def _forward(self, source: socket.socket, target: socket.socket, counted: bool) -> None:
        with suppress(OSError):
            while piece := source.recv(PIECE):
                if counted:
                    self.sent += len(piece)
                    if self.hold_after is not None and self.sent > self.hold_after:
                        self._flows.wait(60)
                if self._broken:
                    break
                target.sendall(piece)
            target.shutdown(socket.SHUT_WR)


@contextmanager
def running(server_port: int) -> Iterator[Proxy]:
    """Run a proxy to `server_port`; cut it at the end."""
    proxy = Proxy(server_port)
    try:
        yield proxy
    finally:
        proxy.cut()
