"""The least SMTP server that takes a mail: ``python -m benchmarks.fast_sink PORT``.

It keeps nothing, so that a benchmark measures the sender. HELP answers how many mails it has taken.
"""

import asyncio
import smtplib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from project.demo.child import Child
from project.demo.ports import HOST, Server, listening

END_OF_MAIL = b"\r\n.\r\n"
ANSWERS = {
    b"EHLO": b"250 fast-sink\r\n",
    b"HELO": b"250 fast-sink\r\n",
    b"MAIL": b"250 OK\r\n",
    b"RCPT": b"250 OK\r\n",
    b"RSET": b"250 OK\r\n",
    b"NOOP": b"250 OK\r\n",
    b"DATA": b"354 go on\r\n",
    b"QUIT": b"221 bye\r\n",
}


class Connection(asyncio.Protocol):
    """One client: either a command is awaited, or the rest of a mail."""

    taken = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._buffer = b""
        self._in_mail = False
        transport.write(b"220 fast-sink\r\n")

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while self._in_mail or b"\r\n" in self._buffer:
            if self._in_mail and END_OF_MAIL not in self._buffer:
                return
            self._mail() if self._in_mail else self._command()

    def _mail(self) -> None:
        _, _, self._buffer = self._buffer.partition(END_OF_MAIL)
        self._in_mail = False
        Connection.taken += 1
        self._transport.write(b"250 taken\r\n")

    def _command(self) -> None:
        line, _, self._buffer = self._buffer.partition(b"\r\n")
        verb = line[:4].upper()
        self._in_mail = verb == b"DATA"
        help_ = b"214 %d\r\n" % Connection.taken if verb == b"HELP" else b"502 no\r\n"
        self._transport.write(ANSWERS.get(verb, help_))
        if verb == b"QUIT":
            self._transport.close()


@contextmanager
def running(log: Path) -> Iterator[Server]:
    """Run it as a process of its own."""
    with listening(lambda port: _server(port, log)) as server:
        yield server


def taken(url: str) -> int:
    """How many mails the sink at `url` has taken."""
    server = urlsplit(url)
    with smtplib.SMTP(server.hostname or "", server.port or 0) as client:
        return int(client.help())


def _server(port: int, log: Path) -> Server:
    url = f"smtp://{HOST}:{port}"
    return Server(
        Child(
            name="fast sink",
            command=[sys.executable, "-m", __name__, str(port)],
            environ={},
            log=log,
            ready=lambda: _greets(url),
            cwd=Path(__file__).parents[1],
        ),
        url,
    )


def _greets(url: str) -> bool:
    try:
        taken(url)
    except OSError:
        return False
    return True


async def _serve(port: int) -> None:
    server = await asyncio.get_running_loop().create_server(Connection, HOST, port)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1])))
