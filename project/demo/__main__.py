"""``python -m project.demo``: the whole system, on this machine alone, for the length of a story."""

import os
import sys

import django

from project.demo import conditions, servers
from project.demo.child import StartError
from project.demo.folder import own_folder
from project.demo.narrator import Narrator
from project.demo.ports import free_port

INTERRUPTED = 130  # what a shell reports for a program that Ctrl-C ended


def main() -> int:
    """Play the story; on a terminal, keep serving until Ctrl-C. Afterwards nothing of it runs any more.

    Returns:
        The exit status: 0 if every mail arrived once and nothing contradicts that.
    """
    narrator = Narrator()
    try:
        with own_folder("demo") as folder, servers.running(folder, {}) as running:
            narrator.say(f"PostgreSQL, Valkey, an S3 service and a mail server run: {folder}")
            _go_by(conditions.environ(running.environ, port=free_port()))
            from project.demo.performance import perform  # noqa: PLC0415 (models need the settings)

            return perform(folder, running, narrator)
    except KeyboardInterrupt:
        return INTERRUPTED
    except StartError as error:
        print(error, file=sys.stderr)
        return 1


def _go_by(environ: dict[str, str]) -> None:
    """Make `environ` the whole environment, so that no setting of the caller's gets in."""
    os.environ.clear()
    os.environ.update(environ)
    django.setup()


if __name__ == "__main__":
    sys.exit(main())
