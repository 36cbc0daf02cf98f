"""A deploy: workers and schedulers are replaced one after the other, while people go on."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import pytest
from django.db import connections

from tests.conftest import SmtpSink
from tests.scheduler.crew import at_work
from tests.scheduler.talk import Talk

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_server")]
PAUSE = 0.3  # seconds from one round of comments to the next


@contextmanager
def going_on(talk: Talk) -> Iterator[None]:
    """People comment without a pause until the end."""
    enough = Event()

    def comment() -> None:
        while not enough.wait(PAUSE):
            talk.go_on()
        connections.close_all()

    thread = Thread(target=comment)
    thread.start()
    try:
        yield
    finally:
        enough.set()
        thread.join()


def test_a_rolling_restart_loses_nothing_and_doubles_nothing(tmp_path: Path, smtp_sink: SmtpSink) -> None:
    talk = Talk()
    kinds = ("worker", "scheduler")
    with at_work(tmp_path, smtp_sink.url) as crew:
        old = crew.start(*kinds, *kinds)
        with going_on(talk):
            for half in (old[:2], old[2:]):
                for child in half:
                    child.stop()
                crew.start(*kinds)
        talk.settle()
    assert talk.comments > 20
    talk.assert_each_was_mailed_once(smtp_sink.effects)
