"""One connection per thread, reused while it can be trusted, replaced when it broke, never shared."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from itertools import repeat

import pytest

from project.limits import Limits
from project.services.digests.connections import Connections
from project.services.digests.mail import Mail
from project.services.digests.progress import Phase, Progress
from project.services.digests.replies import Kind, classify
from tests.scripted_smtp import ScriptedSMTP, running
from tests.smtp_script import DROP, HANG, IMPATIENT, OVER_LONG, RESET, Action, Then, reply, script

DEFAULT, LAST_MAIL = Limits(), Limits(smtp_reuse_mails=1)

Send = Callable[[], Kind]


@contextmanager
def client(server: ScriptedSMTP, limits: Limits = DEFAULT) -> Iterator[Send]:
    connections = Connections(server.address, limits)
    mail = Mail("notify@example.org", "ann@example.com", b"Subject: hello\r\n\r\nshort\r\n")
    yield lambda: classify(connections.transmit(mail, lambda: True, Progress())).kind
    connections.close()


def test_a_connection_is_reused() -> None:
    with running() as server, client(server) as send:
        assert [send() for _ in range(5)] == 5 * [Kind.SENT]

    assert (server.connections, len(server.accepted)) == (1, 5)


def test_a_connection_is_left_after_so_many_mails() -> None:
    with running() as server, client(server, Limits(smtp_reuse_mails=2)) as send:
        assert [send() for _ in range(5)] == 5 * [Kind.SENT]

    assert (server.connections, server.commands.count("QUIT")) == (3, 3)


def test_a_connection_that_idled_is_not_trusted() -> None:
    with running() as server, client(server, Limits(smtp_reuse_idle=timedelta(microseconds=1))) as send:
        assert [send(), send()] == 2 * [Kind.SENT]

    assert server.connections == 2


def test_each_thread_has_its_own_connection() -> None:
    together = threading.Barrier(3)
    kinds = []

    with running() as server:
        connections = Connections(server.address, Limits())
        mail = Mail("notify@example.org", "ann@example.com", b"x\r\n")

        def fence() -> bool:
            together.wait(5)
            return True

        def work() -> None:
            kinds.append(classify(connections.transmit(mail, fence, Progress())).kind)
            connections.close()

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(5)

    assert kinds == 3 * [Kind.SENT]
    assert (server.connections, len(server.accepted)) == (3, 3)


@pytest.mark.parametrize("action", [DROP, RESET, reply("421 4.4.2 idle for too long", then=Then.CLOSE)])
def test_a_server_that_closed_the_idle_connection(action: Action) -> None:
    once_used = script(mail=[reply("250 ok"), action])
    with running(once_used) as server, client(server) as send:
        assert [send(), send()] == 2 * [Kind.SENT]

    assert (server.connections, len(server.accepted)) == (2, 2)


def test_a_server_that_closed_it_right_after_the_last_mail() -> None:
    with running(script(dot=[reply("250 ok", then=Then.CLOSE)])) as server, client(server) as send:
        assert [send(), send()] == 2 * [Kind.SENT]

    assert (server.connections, len(server.accepted)) == (2, 2)


@pytest.mark.parametrize("stage", ["mail", "rcpt", "data"])
def test_a_session_that_breaks_is_tried_once_more_at_once(stage: str) -> None:
    with running(script(**{stage: [DROP]})) as server, client(server) as send:
        assert send() is Kind.SENT

    assert (server.connections, len(server.accepted)) == (2, 1)


def test_a_session_that_breaks_twice_is_given_up() -> None:
    with running(script(mail=repeat(DROP))) as server, client(server) as send:
        assert send() is Kind.SESSION

    assert server.connections == 2


def test_a_server_that_is_silent_on_a_new_connection_is_not_asked_again() -> None:
    with running(script(mail=repeat(HANG))) as server, client(server, IMPATIENT) as send:
        assert send() is Kind.SESSION

    assert server.connections == 1


def test_a_reused_connection_that_is_silent_is_replaced() -> None:
    once_used = script(mail=[reply("250 ok"), HANG])
    with running(once_used) as server, client(server, IMPATIENT) as send:
        assert [send(), send()] == 2 * [Kind.SENT]

    assert server.connections == 2


@pytest.mark.parametrize(
    ("action", "kind"), [(reply("421 bye", then=Then.CLOSE), Kind.SESSION), (DROP, Kind.AMBIGUOUS)]
)
def test_after_the_fence_nothing_is_tried_again(action: Action, kind: Kind) -> None:
    with running(script(dot=[action])) as server, client(server) as send:
        assert send() is kind

    assert server.connections == 1


@pytest.mark.parametrize("stage", ["mail", "rcpt", "data", "dot"])
def test_a_refused_mail_does_not_cost_the_connection(stage: str) -> None:
    with running(script(**{stage: [reply("450 4.3.0 later")]})) as server, client(server) as send:
        assert [send(), send()] == [Kind.TRANSIENT, Kind.SENT]

    assert (server.connections, len(server.accepted)) == (1, 1)


@pytest.mark.parametrize("action", [DROP, OVER_LONG, reply("500 what?")])
def test_a_reset_that_fails_does(action: Action) -> None:
    refusing = script(rcpt=[reply("450 4.3.0 later")], rset=[action])
    with running(refusing) as server, client(server) as send:
        assert [send(), send()] == [Kind.TRANSIENT, Kind.SENT]

    assert server.connections == 2


def test_quit_answered_at_length_is_no_failure() -> None:
    with running(script(quit=repeat(OVER_LONG))) as server, client(server, LAST_MAIL) as send:
        assert [send(), send()] == 2 * [Kind.SENT]

    assert len(server.accepted) == 2


def test_a_connection_is_not_reused_after_an_exception() -> None:
    progress = Progress()

    def fence() -> bool:
        raise RuntimeError("no database")

    with running() as server:
        connections = Connections(server.address, Limits())
        mail = Mail("notify@example.org", "ann@example.com", b"x\r\n")
        with pytest.raises(RuntimeError):
            connections.transmit(mail, fence, progress)
        outcome = connections.transmit(mail, lambda: True, Progress())
        connections.close()

    assert progress.phase is Phase.BODY
    assert classify(outcome).kind is Kind.SENT
    assert (server.connections, len(server.accepted)) == (2, 1)


def test_the_second_try_hides_nothing_of_an_interrupt() -> None:
    progress = Progress()

    def fence() -> bool:
        raise KeyboardInterrupt

    with running(script(mail=[DROP])) as server:
        connections = Connections(server.address, Limits())
        with pytest.raises(KeyboardInterrupt):
            connections.transmit(Mail("notify@example.org", "ann@example.com", b"x\r\n"), fence, progress)

    assert classify(progress.outcome).kind is Kind.INTERRUPTED
