"""Everything that a fault can lay its hands on."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import django

from project.demo import servers
from project.demo.child import Child
from project.demo.effects import EffectLog
from tests import scripted_smtp
from tests.chaos import conditions, crew, proxy
from tests.chaos.crew import Crew
from tests.chaos.proxy import Proxy
from tests.chaos.traps import Traps
from tests.scripted_smtp import ScriptedSMTP


@dataclass(frozen=True)
class Scene:
    """The processes of a run.

    Attributes:
        postgres, valkey: The servers themselves, and their URLs past the proxies.
        to_postgres, to_valkey: The proxies that the crew reaches them through.
        smtp: In this process; it keeps what it accepted, and notes it on disk before it answers.
    """

    crew: Crew
    traps: Traps
    postgres: Child
    postgres_url: str
    to_postgres: Proxy
    valkey: Child
    valkey_url: str
    to_valkey: Proxy
    smtp: ScriptedSMTP


@contextmanager
def on_stage(folder: Path, *, hurried: bool, seed: str, rate: float) -> Iterator[Scene]:
    """Start servers and crew; make this process one of the product's, with direct connections."""
    with ExitStack() as stack:
        smtp = stack.enter_context(scripted_smtp.running(effects=EffectLog(folder / "effects.jsonl")))
        given = {"EMAIL_URL": f"smtp://127.0.0.1:{smtp.server_address[1]}"}
        running = stack.enter_context(servers.running(folder, given))
        assert running.postgres
        assert running.valkey
        environ = conditions.environ(running.environ, hurried=hurried)
        _prepare(environ)
        to_postgres, detour_postgres = _detour(stack, environ["DATABASE_URL"])
        to_valkey, detour_valkey = _detour(stack, environ["REDIS_URL"])
        victims = conditions.victims(
            environ, folder, DATABASE_URL=detour_postgres, REDIS_URL=detour_valkey
        )
        traps = Traps(folder)
        yield Scene(
            crew=stack.enter_context(crew.at_work(folder, victims, seed=seed, rate=rate)),
            traps=traps,
            postgres=running.postgres,
            postgres_url=environ["DATABASE_URL"],
            to_postgres=to_postgres,
            valkey=running.valkey,
            valkey_url=environ["REDIS_URL"],
            to_valkey=to_valkey,
            smtp=smtp,
        )


def _prepare(environ: dict[str, str]) -> None:
    os.environ.clear()
    os.environ.update(environ)
    django.setup()
    from django.core.management import call_command  # noqa: PLC0415 (needs the settings)
    from django.db import connections  # noqa: PLC0415

    from tests.chaos.cast import seed  # noqa: PLC0415

    call_command("migrate", verbosity=0)
    seed()
    connections.close_all()


def _detour(stack: ExitStack, url: str) -> tuple[Proxy, str]:
    """Return a proxy for the server at `url`, and the URL that leads through it."""
    parts = urlsplit(url)
    assert parts.port
    way = stack.enter_context(proxy.running(parts.port))
    user, _, _ = parts.netloc.rpartition("@")
    return way, urlunsplit(parts._replace(netloc=f"{user}@127.0.0.1:{way.own_port}"))
