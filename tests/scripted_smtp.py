"""An SMTP server that misbehaves to order.

Each stage of a conversation (see `smtp_script.STAGES`) asks the script what to do; without an answer it
behaves. A mail counts as accepted from the moment the server decides to accept it, which is noted *before*
the answer is written: what happens to the answer then is the sender's problem, and what the tests are about.
"""

import socket
import socketserver
import ssl
import struct
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from project.demo.effects import Effect, EffectLog
from project.mail_server import MailServer
from tests.smtp_script import BEHAVE, STAGES, Action, Script, Then, reply


@dataclass(frozen=True)
class Accepted:
    """One mail the server took responsibility for; `content` is without the dots that SMTP adds."""

    sender: str
    recipient: str
    content: bytes


class ScriptedSMTP(socketserver.ThreadingTCPServer):
    """Listens on 127.0.0.1.

    Attributes:
        accepted: The mails, in the order of acceptance.
        commands: Every line received outside of bodies, over all connections, in the order of arrival.
        connections: How many there were.
    """

    allow_reuse_address = True
    request_queue_size = 100

    def __init__(
        self,
        behave: Script = BEHAVE,
        *,
        features: Sequence[str] = ("SIZE 10000000", "8BITMIME", "AUTH PLAIN"),
        starttls: ssl.SSLContext | None = None,
        tls: ssl.SSLContext | None = None,
        effects: EffectLog | None = None,
        port: int = 0,
    ) -> None:
        self.behave = behave
        self.features = [*features, *(["STARTTLS"] if starttls else [])]
        self.starttls, self.tls, self.effects = starttls, tls, effects
        self.accepted: list[Accepted] = []
        self.commands: list[str] = []
        self.connections = 0
        self.live: set[Conversation] = set()
        self.errors: list[BaseException] = []
        self.stopping = threading.Event()
        super().__init__(("127.0.0.1", port), Conversation)

    @property
    def address(self) -> MailServer:
        """Where it listens, for a client without TLS and login."""
        return MailServer(host="127.0.0.1", port=self.server_address[1])

    def accept(self, mail: Accepted) -> None:
        """Take responsibility for a mail; on return it is on record."""
        self.accepted.append(mail)
        if self.effects:
            self.effects.append(Effect.of(mail.content, [mail.recipient]))

    def handle_error(self, request: object, client_address: object) -> None:
        """Keep what went wrong in a conversation, so that the test fails."""
        self.errors.append(sys.exc_info()[1])

    def stop(self) -> None:
        """Close the connections, hanging ones too, and listen no more."""
        self.stopping.set()
        self.shutdown()
        for conversation in list(self.live):
            conversation.cut()


class Gone(Exception):
    """The connection is over."""


class Conversation(socketserver.BaseRequestHandler):
    """One connection."""

    server: ScriptedSMTP

    def setup(self) -> None:
        self.connection: socket.socket = self.request
        self.sender = self.recipient = ""
        self.server.connections += 1
        self.server.live.add(self)

    def handle(self) -> None:
        if self.server.stopping.is_set():
            return
        with suppress(Gone, OSError):
            self.visit("connect")
            if self.server.tls:
                self.secure(self.server.tls)
            self.lines = self.connection.makefile("rb")
            self.visit("banner")
            while line := self.lines.readline():
                self.obey(line.decode("latin-1").strip())

    def finish(self) -> None:
        self.server.live.discard(self)
        self.close()

    def cut(self) -> None:
        """End it from another thread."""
        with suppress(OSError):
            socket.socket.shutdown(self.connection, socket.SHUT_RDWR)

    def close(self) -> None:
        if hasattr(self, "lines"):
            self.lines.close()
        self.connection.close()

    def obey(self, command: str) -> None:
        self.server.commands.append(command)
        verb, _, argument = command.partition(" ")
        match verb.upper():
            case "EHLO":
                self.visit(
                    "ehlo",
                    "\n".join(["250-scripted", *(f"250-{f}" for f in self.server.features), "250 DSN"]),
                )
            case "STARTTLS":
                if self.visit("starttls"):
                    self.secure(self.server.starttls)
                    self.lines = self.connection.makefile("rb")
            case "MAIL":
                self.sender = _address(argument)
                self.visit("mail")
            case "RCPT":
                self.recipient = _address(argument)
                self.visit("rcpt")
            case "DATA":
                if self.visit("data"):
                    self.receive()
            case "QUIT":
                self.visit("quit")
                raise Gone
            case _:
                self.visit(verb.lower())

    def receive(self) -> None:
        content = [self.line_of_body()]
        self.visit("body")
        while content[-1] != b".\r\n":
            content.append(self.line_of_body())
        unstuffed = b"".join(line.removeprefix(b".") for line in content[:-1])
        answer = self.answer("dot")
        if not answer.refuses:
            self.server.accept(Accepted(self.sender, self.recipient, unstuffed))
        self.recipient = ""
        self.perform(answer)

    def line_of_body(self) -> bytes:
        line = self.lines.readline()
        if not line.endswith(b"\n"):
            raise Gone
        return line

    def secure(self, context: ssl.SSLContext) -> None:
        self.connection = context.wrap_socket(self.connection, server_side=True)

    def visit(self, stage: str, default: str | None = None) -> bool:
        """Do what the script says, or what is usual; return whether it was a yes."""
        answer = self.answer(stage, default)
        self.perform(answer)
        return not answer.refuses

    def answer(self, stage: str, default: str | None = None) -> Action:
        scripted = self.server.behave(stage, self.recipient)
        return scripted or reply(STAGES[stage] if default is None else default)

    def perform(self, action: Action) -> None:
        if action.after and self.server.stopping.wait(action.after):
            raise Gone
        if action.say:
            self.connection.sendall(action.say)
        match action.then:
            case Then.CLOSE:
                raise Gone
            case Then.RESET:
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                raise Gone
            case Then.HANG:
                self.server.stopping.wait()
                raise Gone


@contextmanager
def running(behave: Script = BEHAVE, **options: Any) -> Iterator[ScriptedSMTP]:
    """Run the server in this process, with the `options` of `ScriptedSMTP`."""
    with ScriptedSMTP(behave, **options) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.005})
        thread.start()
        try:
            yield server
        finally:
            server.stop()
            thread.join()
    assert not server.errors, server.errors


def _address(argument: str) -> str:
    return argument.partition("<")[2].partition(">")[0]
