"""The servers that the project needs, for a machine that has none: PostgreSQL, Valkey, SeaweedFS (which speaks
S3) and an SMTP sink.

A server that DATABASE_URL, REDIS_URL, S3_URL or EMAIL_URL names is used in place of ours, and left alone. Another
PostgreSQL or server of the Redis protocol is started as ours if POSTGRES_BINARIES names the folder of its programs,
or REDIS_SERVER_BINARY its program. Ours
listen on 127.0.0.1 only, at free ports, so several sets run side by side. What is done as root: see
``postgres.py``.
"""

import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from project.demo import postgres, seaweed, smtp_sink, valkey
from project.demo.child import Child
from project.demo.effects import EffectLog
from project.demo.ports import Server


@dataclass(frozen=True)
class Running:
    """The servers, and how to reach them.

    Attributes:
        environ: A whole environment for child processes, with all four URLs.
        postgres, valkey, seaweed, smtp_sink: The processes started here; None for a server that was given.
        maildir: Where the sink keeps mails; not there if EMAIL_URL was given.
        effects: Where the sink notes them; empty in that case.
    """

    environ: Mapping[str, str]
    postgres: Child | None
    valkey: Child | None
    seaweed: Child | None
    smtp_sink: Child | None
    maildir: Path
    effects: EffectLog


@contextmanager
def running(folder: Path, environ: Mapping[str, str], *, durable: bool = True) -> Iterator[Running]:
    """Start what `environ` does not name; stop it at the end, whatever the end is.

    In between, SIGTERM and SIGHUP raise ``KeyboardInterrupt`` as Ctrl-C does. Should this process be killed,
    the kernel stops the servers. To be called in the main thread.

    Args:
        folder: Takes logs and mails, and the data while the servers run; made if need be. A new one each run.
        environ: The variables to go by.
        durable: Whether the commits of PostgreSQL survive a power cut.

    Raises:
        StartError: If one of the servers cannot be started; the others are stopped then.
    """
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    starters: dict[str, Callable[[Path], AbstractContextManager[Server]]] = {
        "DATABASE_URL": partial(postgres.running, durable=durable, binaries=environ.get("POSTGRES_BINARIES")),
        "REDIS_URL": partial(valkey.running, binary=environ.get("REDIS_SERVER_BINARY")),
        "S3_URL": seaweed.running,
        "EMAIL_URL": smtp_sink.running,
    }
    with _interrupted_by(signal.SIGTERM, signal.SIGHUP), ExitStack() as stack:
        ours = {
            variable: stack.enter_context(start(folder))
            for variable, start in starters.items()
            if not environ.get(variable)
        }
        processes = {variable: server.process for variable, server in ours.items()}
        yield Running(
            environ={**environ, **{variable: server.url for variable, server in ours.items()}},
            postgres=processes.get("DATABASE_URL"),
            valkey=processes.get("REDIS_URL"),
            seaweed=processes.get("S3_URL"),
            smtp_sink=processes.get("EMAIL_URL"),
            maildir=smtp_sink.maildir(folder),
            effects=smtp_sink.effect_log(folder),
        )


@contextmanager
def _interrupted_by(*signals: signal.Signals) -> Iterator[None]:
    # What is ignored stays ignored, such as SIGHUP under nohup.
    heeded = [number for number in signals if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, signal.default_int_handler) for number in heeded}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
