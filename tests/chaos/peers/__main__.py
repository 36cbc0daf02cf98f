"""``python -m tests.chaos.peers [--mails 300] [--kills 12] [--seed S]``: see ``docs/chaos.md``."""

import argparse
import secrets
import subprocess
import sys
from collections.abc import Mapping
from functools import partial
from itertools import repeat
from pathlib import Path
from random import Random

import psycopg
import redis

from project.demo import servers
from project.demo.folder import own_folder
from project.demo.narrator import Narrator
from tests import scripted_smtp
from tests.chaos import conditions
from tests.chaos.crew import ROOT
from tests.chaos.peers.contenders import CONTENDERS, Contender
from tests.chaos.peers.race import Race
from tests.chaos.peers.result import HEAD, Result, row
from tests.smtp_script import reply, script

THEIRS = ROOT / "var" / "peers"
SHARED = ("DATABASE_URL", "REDIS_URL", "PATH")  # what the others are told; the rest is for us


def main() -> int:
    """Install the others, let all run one after another, print the table.

    Returns:
        The exit status: 1 if one of them does not work even if nobody kills it. It gets no row.
    """
    options = _options()
    install = [sys.executable, "tools/install.py", THEIRS, "requirements/peers.txt"]
    subprocess.run(install, cwd=ROOT, check=True)
    narrator, refused = Narrator(), 0
    narrator.say(f"{options.mails} mails each, the same kills for --seed {options.seed}")
    given = {**conditions.required(), "EMAIL_URL": "smtp://127.0.0.1:9"}  # each gets a mail server of its own
    with own_folder("peers-run") as folder, servers.running(folder, given) as running:
        narrator.say(HEAD)
        for contender in CONTENDERS:
            if options.only not in contender.name:
                continue
            race = partial(_race, contender, running.environ, folder / contender.name, options)
            calm = race("calm", kills=0)
            narrator.say(row(contender.name, calm, partial(race, "killed", kills=options.kills)))
            refused += not calm.is_perfect
    return 1 if refused else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mails", type=int, default=300, help="a multiple of 50")
    parser.add_argument("--kills", type=int, default=12)
    parser.add_argument("--patience", type=float, default=200, help="seconds without a mail that end a run")
    parser.add_argument("--only", default="", help="a word of the names of those who take part")
    parser.add_argument("--seed", default=secrets.token_hex(4))
    return parser.parse_args()


def _race(
    contender: Contender,
    environ: Mapping[str, str],
    own: Path,
    options: argparse.Namespace,
    name: str,
    *,
    kills: int,
) -> Result:
    folder = own / name
    folder.mkdir(parents=True)
    _empty(environ)
    slowly = script(dot=repeat(reply("250 2.0.0 queued", after=0.01)))
    with scripted_smtp.running(slowly) as smtp:
        port = str(smtp.server_address[1])
        addresses = {"SMTP_PORT": port, "EMAIL_URL": f"smtp://127.0.0.1:{port}"}
        programs = Path(sys.executable).parent if contender.ours else THEIRS / "bin"
        shared = environ if contender.ours else {name: environ[name] for name in SHARED}
        given = {"PYTHONPATH": str(ROOT), "TMPDIR": str(folder), **addresses, **contender.environ}
        race = Race(contender, smtp, {**shared, **given}, folder=folder, programs=programs)
        return race.run(Random(options.seed), mails=options.mails, kills=kills, patience=options.patience)


def _empty(environ: Mapping[str, str]) -> None:
    with redis.Redis.from_url(environ["REDIS_URL"]) as client:
        client.flushall()
    with psycopg.connect(environ["DATABASE_URL"], autocommit=True) as connection:
        connection.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")


if __name__ == "__main__":
    sys.exit(main())
