"""``python -m project.demo.dev``: the processes of the Procfile, in one terminal, until Ctrl-C.

The caller's settings apply. DATABASE_URL, REDIS_URL and EMAIL_URL name servers to use instead of ours, and
PORT a fixed port. A database of ours starts with the demo's people each time.
"""

import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import django
from django.conf import settings
from django.core.management import call_command
from django.utils import timezone

from project.demo import servers
from project.demo.child import StartError
from project.demo.folder import own_folder
from project.demo.ports import HOST, free_port
from project.demo.tether import User, tethered


def main() -> int:
    """Start all that is needed, run until Ctrl-C or until one of the processes ends, then stop all.

    Returns:
        The exit status: 0 after Ctrl-C.
    """
    try:
        with own_folder("dev") as folder, servers.running(folder, os.environ) as running:
            os.environ.update(_environ(running.environ))
            django.setup()
            call_command("migrate", verbosity=0)
            print(f"Web: {settings.SITE_URL}   Logs and mails: {folder}", flush=True)
            if running.postgres:
                _seed()
            return _run_procfile()
    except KeyboardInterrupt:
        return 0
    except StartError as error:
        print(error, file=sys.stderr)
        return 1


def _environ(given: Mapping[str, str]) -> dict[str, str]:
    port = given.get("PORT") or str(free_port())
    return {
        "DJANGO_SETTINGS_MODULE": "project.settings",
        "DEBUG": "1",
        "SITE_URL": f"http://{HOST}:{port}",
        **given,
        "PORT": port,
        # The Procfile's programs are those of this interpreter's environment.
        "PATH": f"{Path(sys.executable).parent}:{given.get('PATH', os.defpath)}",
    }


def _seed() -> None:
    from project.demo.company import PEOPLE  # noqa: PLC0415 (models need the settings)
    from project.demo.seed import seed  # noqa: PLC0415

    password = secrets.token_urlsafe(9)
    seed(password=password, now=timezone.now())
    print(f"Sign in at {settings.SITE_URL}/sign-in/ as {PEOPLE[0].email} with {password}", flush=True)


def _run_procfile() -> int:
    # No .env file: what this process goes by is what the others go by.
    honcho = [sys.executable, "-m", "honcho", "start", "--env", os.devnull]
    # A group of its own, so that Ctrl-C reaches this process alone, which then stops things in order.
    process = subprocess.Popen(
        tethered(honcho, User.current(), signal.SIGTERM), cwd=settings.BASE_DIR, process_group=0
    )
    try:
        return process.wait()
    finally:
        process.terminate()
        process.wait()


if __name__ == "__main__":
    sys.exit(main())
