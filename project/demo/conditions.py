"""The settings under which the story is played."""

import secrets
import sys
from collections.abc import Mapping
from os import defpath
from pathlib import Path

# Windows, ticks and retries take seconds here instead of minutes. How soon a dead worker is noticed stays as it is
# by default, for that is what the story measures.
HURRIED = {
    "WINDOW_MENTION": "1",
    "WINDOW_IDLE": "2",
    "WINDOW_CAP": "5",
    "WINDOW_GAP": "1",
    "TICK": "1",
    "RETRY_MIN_BACKOFF": "1",
    "RETRY_MAX_BACKOFF": "4",
    "OVERDUE": "35",
}

# Small enough for two processors, and for a mail to be waiting in a worker's memory when it dies.
SMALL = {"WEB_CONCURRENCY": "1", "WORKER_PROCESSES": "1", "WORKER_THREADS": "4"}


def environ(servers: Mapping[str, str], *, port: int) -> dict[str, str]:
    """Return the whole environment of every process: settings, a new secret, and nothing of the caller's.

    Args:
        servers: The URLs of the servers, by the names of their variables.
        port: Where the web process listens.
    """
    return {
        **servers,
        **HURRIED,
        **SMALL,
        # The Procfile's programs are those of this interpreter's environment.
        "PATH": f"{Path(sys.executable).parent}:{defpath}",
        "DJANGO_SETTINGS_MODULE": "project.settings",
        "SECRET_KEY": secrets.token_urlsafe(50),
        "NOTIFY_FROM": "Brightwater Tracker <tracker@brightwater.example>",
        "SITE_URL": f"http://127.0.0.1:{port}",
        "PORT": str(port),
    }
