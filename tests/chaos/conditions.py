"""The settings under which the product is tormented."""

import os
import secrets
import sys
from collections.abc import Mapping
from pathlib import Path

#: What takes minutes in production takes seconds; the relations between the limits are the same.
HURRIED = {
    "HEARTBEAT_TIMEOUT": "3",
    "LEASE": "3",
    "LEASE_RENEWAL": "0.5",
    "MAINTENANCE_EVERY": "1",
    "RECOVERY_BUDGET": "6",
    "RETRY_MIN_BACKOFF": "0.5",
    "RETRY_MAX_BACKOFF": "1",
    "OVERDUE": "8",
    "REDIS_TIMEOUT": "1",
}

#: Also where the limits that recovery rests on are the default ones: a steady flow of mails, short waits for the
#: mail server, and no giving up of work that a run has killed more often than any production will.
BUSY = {
    "WINDOW_MENTION": "0.5",
    "WINDOW_IDLE": "1",
    "WINDOW_CAP": "2",
    "WINDOW_GAP": "1",
    "TICK": "1",
    "SMTP_CONNECT": "2",
    "SMTP_COMMAND": "3",
    "SMTP_DATA": "3",
    "SMTP_DOT": "3",
    "MAIL_BACKOFF": "1,2,4",
    "BREAKER_PROBE": "1",
    "BREAKER_PROBE_MAX": "4",
    "BREAKER_RAMP": "2",
    "MAIL_RECLAIMS": "50",
    "EVENT_ATTEMPTS": "50",
    "DELIVERY_LIMIT": "50",
    "WORKER_PROCESSES": "1",
    "WORKER_THREADS": "4",
}


def environ(servers: Mapping[str, str], *, hurried: bool, resend: bool) -> dict[str, str]:
    """Return the environment of the harness; `servers` is all that it needs without these.

    Args:
        hurried: Whether the limits that recovery rests on are short.
        resend: Whether the policy is to send a mail with a mention again when the server may have refused it.
            Without that, each second mail is a fault.
    """
    doubt = {"AMBIGUOUS_URGENT": "resend" if resend else "assume_sent"}
    return {**servers, **(HURRIED if hurried else {}), **BUSY, **doubt}


def required() -> dict[str, str]:
    """Return what has to be set, with a new secret, and nothing of the caller's."""
    return {
        "PATH": f"{Path(sys.executable).parent}:{os.defpath}",
        "DJANGO_SETTINGS_MODULE": "project.settings",
        "S3_URL": "s3+http://127.0.0.1:9/none",  # nothing is stored
        "SECRET_KEY": secrets.token_urlsafe(50),
        "NOTIFY_FROM": "Chaos <chaos@storm.example>",
        "SITE_URL": "http://127.0.0.1:8000",
    }


def victims(folder: Path, **servers: str) -> dict[str, str]:
    """Return the environment of the crew: that of the harness, with points laid, and `servers` by other ways."""
    return {
        **os.environ,
        **servers,
        "DJANGO_SETTINGS_MODULE": "tests.chaos.settings",
        "CHAOS_FOLDER": str(folder),
    }
