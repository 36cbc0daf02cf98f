"""Who takes part, and by which commands."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

_ADAPTERS = "tests.chaos.peers.adapters"


@dataclass(frozen=True)
class Contender:
    """One way to send mails in the background.

    Attributes:
        name: What the table calls it.
        enqueue: Arguments of Python that put mails on its queue; the number of mails is added.
        worker: The program, among those installed beside Python, that sends them, with its arguments. It is
            started again whenever it has ended.
        environ: What it needs besides the addresses of the servers.
        beside: A program that runs all the time, and that nobody kills.
        ours: Whether it is run in our environment, and not in that of the others.
    """

    name: str
    enqueue: Sequence[str]
    worker: Sequence[str]
    environ: Mapping[str, str] = field(default_factory=dict)
    beside: Sequence[str] = ()
    ours: bool = False


def _celery(name: str, **environ: str) -> Contender:
    module = f"{_ADAPTERS}.celery_task"
    worker = ("celery", "-A", module, "worker", "--loglevel", "WARNING")
    return Contender(name, ("-m", module), worker, environ)


def _django(name: str, app: str, backend: str, command: str, **environ: str) -> Contender:
    settings = {"DJANGO_SETTINGS_MODULE": f"{_ADAPTERS}.django_settings", "PEER": app, "BACKEND": backend}
    outbox = ("-m", f"{_ADAPTERS}.django_outbox")
    return Contender(name, outbox, ("django-admin", command), {**settings, **environ})


CONTENDERS = (
    Contender(
        "dramatiq, as it comes",
        ("-m", f"{_ADAPTERS}.dramatiq_actor"),
        ("dramatiq", f"{_ADAPTERS}.dramatiq_actor"),
    ),
    _celery("celery, as it comes"),
    _celery("celery, acks late", ACKS_LATE="1"),
    _celery("celery, acks late, 60 s", ACKS_LATE="1", VISIBILITY_TIMEOUT="60"),
    _django("django-post_office", "post_office", "post_office.EmailBackend", "send_queued_mail"),
    _django("django-mailer", "mailer", "mailer.backend.DbBackend", "send_mail"),
    _django(
        "django-mailer, no file lock", "mailer", "mailer.backend.DbBackend", "send_mail", NO_FILE_LOCK="1"
    ),
    Contender(
        "this project",
        ("-m", "tests.chaos.peers.ours"),
        ("python", "-m", "django", "rundramatiq"),
        beside=("python", "-m", "scheduler"),
        ours=True,
    ),
)
