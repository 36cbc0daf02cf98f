"""Puts the system up, plays the story in it, tells how it ended, and keeps it running for whoever watches."""

import os
import secrets
import sys
import time
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.utils import timezone

from project.demo import company, letters, report
from project.demo.child import Child
from project.demo.crew import Crew, at_work
from project.demo.member import RefusedError
from project.demo.narrator import Narrator
from project.demo.patience import TookTooLongError
from project.demo.script import Script
from project.demo.seed import Cast, seed
from project.demo.servers import Running
from project.demo.story import Ending, play

LOG_TAIL = 15  # lines of each log, if the story cannot be told to its end


def perform(folder: Path, running: Running, narrator: Narrator) -> int:
    """Play the story with the servers of `running`; `folder` takes the logs.

    Returns:
        The exit status: 0 after a happy ending.

    Raises:
        StartError: if a process cannot be started, or ended by itself.
        KeyboardInterrupt: on Ctrl-C before the ending.
    """
    password = secrets.token_urlsafe(9)
    cast = _prepare(password)
    narrator.say(f"{company.COMPANY} moved in: {len(cast.people)} people, {len(cast.issues)} issues")
    with at_work(settings.BASE_DIR / "Procfile", folder, os.environ) as crew:
        narrator.say("web, two workers and two schedulers run")
        try:
            ending = play(Script(cast, settings.SITE_URL), crew, running.effects, narrator)
        except (RefusedError, TookTooLongError) as error:
            print(error, *map(_tail, crew.everybody), sep="\n", file=sys.stderr)
            return 1
        _tell(ending, running, folder, password)
        if sys.stdout.isatty():
            _keep_serving(crew)
    return 0 if ending.happy else 1


def _prepare(password: str) -> Cast:
    call_command("migrate", verbosity=0)
    return seed(password=password, now=timezone.now())


def _tell(ending: Ending, running: Running, folder: Path, password: str) -> None:
    print(report.report(ending))
    print(report.letter(letters.longest(running.maildir)))
    admin = company.PEOPLE[0].email
    places = {
        "inboxes": f"{settings.SITE_URL}/sign-in/",
        "operators": f"{settings.SITE_URL}/admin/",
        "sign in": f"{admin} (or anybody else of the team)  password {password}",
        "mails": str(running.maildir / "new"),
        "logs": str(folder / "*.log"),
    }
    print(report.places(places), flush=True)


def _keep_serving(crew: Crew) -> None:
    """Serve until Ctrl-C. Who ends meanwhile is started again, as a supervisor would: try ``kill -9``."""
    print("\nAll of it keeps running. Ctrl-C ends it.", flush=True)
    try:
        while True:
            for child in crew.everybody:
                if not child.is_running():
                    child.start()
            time.sleep(1)
    except KeyboardInterrupt:
        print()


def _tail(child: Child) -> str:
    lines = child.log.read_text(errors="replace").splitlines()[-LOG_TAIL:]
    return "\n    ".join([f"The end of {child.log}:", *lines])
