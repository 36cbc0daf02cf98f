"""An SMTP server that accepts every mail, keeps it and passes none on.

As a program: ``python -m project.demo.smtp_sink PORT NAME FOLDER``.
"""

import asyncio
import mailbox
import secrets
import smtplib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from aiosmtpd.smtp import SMTP, Envelope, Session

import project
from project.demo.child import Child
from project.demo.effects import Effect, EffectLog
from project.demo.ports import HOST, Server, listening


class Keeper:
    """Handler for aiosmtpd: a mail goes to the maildir, then to the effect log, and then gets its 250."""

    def __init__(self, folder: Path) -> None:
        self.maildir = mailbox.Maildir(maildir(folder))
        self.effects = effect_log(folder)

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        """Keep one mail (name and arguments are aiosmtpd's) and return the reply to its final dot."""
        content = envelope.original_content or b""
        self.maildir.add(content)
        self.effects.append(Effect.of(content, envelope.rcpt_tos))
        return "250 OK"


def maildir(folder: Path) -> Path:
    """Return the maildir of a sink that keeps its mails in `folder`."""
    return folder / "maildir"


def effect_log(folder: Path) -> EffectLog:
    """Return the effect log of a sink that keeps its mails in `folder`."""
    return EffectLog(folder / "effects.jsonl")


@contextmanager
def running(folder: Path) -> Iterator[Server]:
    """Run the sink as a process of its own; `folder`, which exists and is absolute, takes what it writes.

    Raises:
        StartError: If it cannot be started.
    """
    with listening(lambda port: _server(folder, port)) as server:
        yield server


def _server(folder: Path, port: int) -> Server:
    # The sink greets with this name, so another one, which took the port first, is not mistaken for it.
    name = f"{secrets.token_hex(8)}.sink.invalid"
    process = Child(
        name="SMTP sink",
        command=[sys.executable, "-m", __name__, str(port), name, folder],
        log=folder / "smtp.log",
        ready=lambda: _greets(port, name),
        cwd=Path(project.__file__).parents[1],
    )
    return Server(process, f"smtp://{HOST}:{port}")


def _greets(port: int, name: str) -> bool:
    try:
        with smtplib.SMTP(timeout=2) as client:
            _, greeting = client.connect(HOST, port)
            return name.encode() in greeting
    except (OSError, smtplib.SMTPException):
        return False


async def _serve(port: int, name: str, folder: Path) -> None:
    loop = asyncio.get_running_loop()
    keeper = Keeper(folder)
    server = await loop.create_server(
        lambda: SMTP(keeper, hostname=name, enable_SMTPUTF8=True, loop=loop), HOST, port
    )
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1]), sys.argv[2], Path(sys.argv[3])))
