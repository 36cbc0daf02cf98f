"""Stands between a client and a server, and cuts their connections at bad moments."""

import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

CHUNK = 65536


class Proxy(socketserver.ThreadingTCPServer):
    """Listens on 127.0.0.1 and passes everything on to `port` there, and back."""

    daemon_threads = True
    request_queue_size = 100

    def __init__(self, port: int) -> None:
        self.port = port
        self._live: set[socket.socket] = set()
        self._doomed_answers = 0
        self._lock = threading.Lock()
        super().__init__(("127.0.0.1", 0), Connection)

    @property
    def own_port(self) -> int:
        """Where it listens."""
        return int(self.server_address[1])

    def cut_all(self) -> None:
        """End all connections now."""
        with self._lock:
            live = list(self._live)
        for one in live:
            hang_up(one)

    def cut_next_answers(self, count: int) -> None:
        """Let the next `count` answers of the server break off in the middle, each with its connection.

        The server has done what it was asked then, and the client will not know.
        """
        with self._lock:
            self._doomed_answers = count

    def is_doomed(self) -> bool:
        """Whether the answer that is here now is one to break off."""
        with self._lock:
            if doomed := self._doomed_answers > 0:
                self._doomed_answers -= 1
            return doomed

    def opened(self, *ends: socket.socket) -> None:
        """Remember the two ends of a connection."""
        with self._lock:
            self._live.update(ends)

    def closed(self, *ends: socket.socket) -> None:
        """Forget them."""
        with self._lock:
            self._live.difference_update(ends)


class Connection(socketserver.BaseRequestHandler):
    """One client's connection and the one made for it."""

    server: Proxy

    def handle(self) -> None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.server.port), 5) as upstream:
            upstream.settimeout(None)
            self.server.opened(self.request, upstream)
            requests = threading.Thread(target=_pass_on, args=(self.request, upstream), daemon=True)
            requests.start()
            self._answer(upstream)
            hang_up(upstream)
            requests.join()
            self.server.closed(self.request, upstream)

    def _answer(self, upstream: socket.socket) -> None:
        with suppress(OSError):
            while answer := upstream.recv(CHUNK):
                if self.server.is_doomed():
                    self.request.sendall(answer[: len(answer) // 2])
                    break
                self.request.sendall(answer)
        hang_up(self.request)


def hang_up(end: socket.socket) -> None:
    """End a connection, also for the thread that reads from it."""
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(CHUNK):
            target.sendall(data)
    hang_up(target)


@contextmanager
def running(port: int) -> Iterator[Proxy]:
    """Run a proxy for the server at `port` in this process."""
    with Proxy(port) as proxy:
        thread = threading.Thread(target=proxy.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield proxy
        finally:
            proxy.shutdown()
            proxy.cut_all()
            thread.join()
