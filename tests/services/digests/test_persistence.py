"""The database goes away while the mail server answers: what is known is recorded once it is back."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import psycopg
import pytest
from django.db import OperationalError, connection
from psycopg.conninfo import make_conninfo

from project.models import DigestStatus, SuppressedAddress
from project.services.digests.attempts import fence
from project.services.digests.conclude import conclude
from project.services.digests.settle import settle_unanswered
from tests.services.digests.lines import NOW, only_digest
from tests.services.digests.office import due, open_office, wake
from tests.services.digests.sending import LIMITS
from tests.smtp_script import Action, Script, reply, script

pytestmark = pytest.mark.django_db(transaction=True)
S = DigestStatus
IMPATIENT = replace(LIMITS, shutdown_timeout=LIMITS.smtp_dot + timedelta(milliseconds=100))


class Switch:
    """Lets the test's database go away and come back, from a connection to another one."""

    def __init__(self, admin: psycopg.Connection, name: str) -> None:
        self._admin, self._name = admin, name

    def off(self) -> None:
        """End all sessions, and refuse new ones."""
        self._admin.execute(f'ALTER DATABASE "{self._name}" ALLOW_CONNECTIONS false')
        self._admin.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [self._name]
        )

    def on(self) -> None:
        self._admin.execute(f'ALTER DATABASE "{self._name}" ALLOW_CONNECTIONS true')


@pytest.fixture
def switch() -> Iterator[Switch]:
    given = connection.settings_dict
    named = {"host": "HOST", "port": "PORT", "user": "USER", "password": "PASSWORD"}
    to_another = make_conninfo(
        "", dbname="postgres", **{k: str(given[v]) for k, v in named.items() if given[v]}
    )
    with psycopg.connect(to_another, autocommit=True) as admin:
        switch = Switch(admin, given["NAME"])
        yield switch
        switch.on()
    connection.close()


def goes_away_at(stage: str, switch: Switch, answer: str = "", back_after: float | None = 0.7) -> Script:
    """A server that answers while the database goes away."""

    def behave(current: str, recipient: str) -> Action | None:
        if current != stage:
            return None
        switch.off()
        if back_after:
            threading.Timer(back_after, switch.on).start()
        return reply(answer) if answer else None

    return behave


@pytest.mark.parametrize(
    ("stage", "answer", "status", "reason"),
    [
        ("dot", "250 2.0.0 queued", S.SENT, ""),
        ("dot", "554 5.6.0 malformed", S.FAILED, "message: replied 554 5.6.0"),
        ("rcpt", "550 5.1.1 no such user", S.FAILED, "receiver: rcpt 550 5.1.1"),
    ],
)
def test_an_answer_waits_until_the_database_is_back(team, switch, stage, answer, status, reason):
    with open_office(goes_away_at(stage, switch, answer)) as (office, server):
        office.deliver([wake(due(team))])
    row = only_digest()
    assert (row.status, row.reason, row.attempt) == (status, reason, 1)
    assert len(server.accepted) == (status == S.SENT)


def test_one_that_waits_for_longer_than_there_is_patience_is_settled_as_unknown(team, switch):
    with open_office(goes_away_at("dot", switch, back_after=None), IMPATIENT) as (office, server):
        first = wake(due(team))
        with pytest.raises(OperationalError):
            office.deliver([first])
        switch.on()
        assert only_digest().status == S.FENCED
        settle_unanswered(now=NOW + LIMITS.fence_patience, limits=LIMITS)
    assert (only_digest().status, len(server.accepted)) == (S.SENT_ASSUMED, 1)


def test_a_fence_whose_answer_got_lost_is_taken_back_and_the_mail_is_sent(team, switch, monkeypatch):
    """The row says that the dot was written, and it was not: taken for sent, the mail would be lost."""

    def lost(attempt, **at) -> bool:
        assert fence(attempt, **at)
        switch.off()
        threading.Timer(0.7, switch.on).start()
        raise OperationalError("no connection")

    with open_office() as (office, server):
        first = wake(due(team))
        with monkeypatch.context() as patch, pytest.raises(OperationalError, match="no connection"):
            patch.setattr("project.services.digests.deliver.fence", lost)
            office.deliver([first])
        assert server.accepted == []
        assert only_digest().status == S.WAITING
        office.tick()
    assert (only_digest().status, len(server.accepted)) == (S.SENT, 1)


def test_what_is_recorded_twice_leaves_one_trace(team, monkeypatch):
    """The first time only the database's own answer gets lost."""
    times = []

    def half_lost(*args, **given) -> None:
        conclude(*args, **given)
        times.append(1)
        if len(times) == 1:
            raise OperationalError("no connection")

    monkeypatch.setattr("project.services.digests.deliver.conclude", half_lost)
    with open_office(script(rcpt=[reply("550 5.1.1 no such user")])) as (office, _):
        office.deliver([wake(due(team))])
    assert (len(times), only_digest().status) == (2, S.FAILED)
    assert SuppressedAddress.objects.count() == 1
