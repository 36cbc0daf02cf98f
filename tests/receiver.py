"""An HTTP server that keeps what it gets."""

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from project.demo.ports import HOST


@dataclass
class Receiver:
    """`got` are verbs, paths and unpacked bodies; `status` is what it answers."""

    url: str = ""
    status: int = 200
    got: list[tuple[str, str, bytes]] = field(default_factory=list)


@contextmanager
def receiving() -> Iterator[Receiver]:
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            packed = self.headers.get("Content-Encoding") == "gzip"
            receiver.got.append((self.command, self.path, gzip.decompress(body) if packed else body))
            self.send_response(receiver.status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_PUT = do_POST

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer((HOST, 0), Handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        receiver.url = f"http://{HOST}:{server.server_port}"
        yield receiver
        server.shutdown()
        thread.join()
