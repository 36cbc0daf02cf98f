import socket
import socketserver
import threading
from collections.abc import Iterator

import pytest

from tests.chaos import proxy
from tests.chaos.proxy import Proxy

PATIENCE = 10  # seconds


class Echo(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        for line in self.rfile:
            self.wfile.write(line)


class EchoServer(socketserver.ThreadingTCPServer):
    daemon_threads = True


@pytest.fixture
def way() -> Iterator[Proxy]:
    with EchoServer(("127.0.0.1", 0), Echo) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with proxy.running(server.server_address[1]) as running:
            yield running
        server.shutdown()


def said(client: socket.socket, words: bytes) -> bytes:
    client.sendall(words)
    answer = b""
    while len(answer) < len(words) and (more := client.recv(100)):
        answer += more
    return answer


def test_it_passes_on_what_both_say(way: Proxy) -> None:
    with socket.create_connection(("127.0.0.1", way.own_port), PATIENCE) as client:
        assert said(client, b"hello\n") == b"hello\n"
        assert said(client, b"again\n") == b"again\n"


def test_it_breaks_an_answer_in_the_middle_and_only_that(way: Proxy) -> None:
    way.cut_next_answers(1)
    with socket.create_connection(("127.0.0.1", way.own_port), PATIENCE) as client:
        assert said(client, b"hello\n") == b"hel"
    with socket.create_connection(("127.0.0.1", way.own_port), PATIENCE) as client:
        assert said(client, b"hello\n") == b"hello\n"


def test_it_cuts_all_connections(way: Proxy) -> None:
    with socket.create_connection(("127.0.0.1", way.own_port), PATIENCE) as client:
        assert said(client, b"hello\n") == b"hello\n"
        way.cut_all()
        assert client.recv(100) == b""
