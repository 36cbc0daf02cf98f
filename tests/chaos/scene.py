"""Everything that a fault can lay its hands on."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from django.conf import settings

from project.demo.child import Child
from project.demo.servers import Running
from tests.chaos import conditions, crew, proxy
from tests.chaos.crew import Crew
from tests.chaos.proxy import Proxy
from tests.chaos.traps import Traps
from tests.scripted_smtp import ScriptedSMTP


@dataclass(frozen=True)
class Scene:
    """The processes of a run.

    Attributes:
        postgres, valkey: The servers, and their URLs past the proxies.
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
def on_stage(
    folder: Path, running: Running, smtp: ScriptedSMTP, *, seed: str, rate: float
) -> Iterator[Scene]:
    """Start the crew; `folder` takes the logs and the traps."""
    assert running.postgres
    assert running.valkey
    postgres_url, valkey_url = running.environ["DATABASE_URL"], settings.REDIS_URL
    with ExitStack() as stack:
        to_postgres, postgres_detour = _detour(stack, postgres_url)
        to_valkey, valkey_detour = _detour(stack, valkey_url)
        victims = conditions.victims(folder, DATABASE_URL=postgres_detour, REDIS_URL=valkey_detour)
        traps = Traps(folder)
        yield Scene(
            crew=stack.enter_context(crew.at_work(folder, victims, seed=seed, rate=rate)),
            traps=traps,
            postgres=running.postgres,
            postgres_url=postgres_url,
            to_postgres=to_postgres,
            valkey=running.valkey,
            valkey_url=valkey_url,
            to_valkey=to_valkey,
            smtp=smtp,
        )


def _detour(stack: ExitStack, url: str) -> tuple[Proxy, str]:
    """Return a proxy for the server at `url`, and the URL that leads through it."""
    parts = urlsplit(url)
    assert parts.port
    way = stack.enter_context(proxy.running(parts.port))
    user, _, _ = parts.netloc.rpartition("@")
    return way, urlunsplit(parts._replace(netloc=f"{user}@127.0.0.1:{way.own_port}"))
