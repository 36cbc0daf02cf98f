"""Between the body and the final dot the fence is asked, and the phase survives whatever ends the call."""

import ctypes
import threading

import pytest

from project.limits import Limits
from project.services.digests.mail import Mail
from project.services.digests.progress import Fault, Phase, Progress
from project.services.digests.replies import Kind, classify
from project.services.digests.smtp import Session
from tests.scripted_smtp import running
from tests.smtp_script import HANG, IMPATIENT, Action

MAIL = Mail("notify@example.org", "ann@example.com", b"Subject: hello\r\n\r\nshort\r\n")


class Interrupt(BaseException):
    """Like dramatiq's: raised from outside, between two bytecodes, and not an Exception."""


def test_the_fence_is_asked_when_the_body_has_arrived() -> None:
    arrived = threading.Event()
    answers = []

    def note_body(stage: str, recipient: str) -> Action | None:
        if stage == "body":
            arrived.set()
        return None

    def fence() -> bool:
        answers.append(arrived.wait(5))
        assert server.accepted == []
        return True

    with running(note_body) as server:
        session = Session(server.address, Limits())
        session.transmit(MAIL, fence, Progress())
        session.leave()

    assert answers == [True]
    assert len(server.accepted) == 1


def test_a_fence_that_says_no_leaves_nothing_behind() -> None:
    with running() as server:
        session = Session(server.address, Limits())
        outcome = session.transmit(MAIL, lambda: False, Progress())

    assert (outcome.phase, outcome.fault) == (Phase.BODY, Fault.FENCE)
    assert classify(outcome).kind is Kind.REFUSED_BY_FENCE
    assert session.sock is None
    assert server.accepted == []


@pytest.mark.parametrize("error", [RuntimeError, ConnectionError, TimeoutError, Interrupt])
def test_a_fence_that_raises_leaves_nothing_behind(error: type[BaseException]) -> None:
    progress = Progress()

    def fence() -> bool:
        raise error

    with running() as server:
        session = Session(server.address, Limits())
        with pytest.raises(error):
            session.transmit(MAIL, fence, progress)

    assert (progress.phase, classify(progress.outcome).kind) == (Phase.BODY, Kind.INTERRUPTED)
    assert session.sock is None
    assert server.accepted == []


def test_before_its_start_a_transaction_is_certainly_not_sent() -> None:
    assert classify(Progress().outcome).certain_negative


@pytest.mark.parametrize(
    ("stage", "phase", "kind"),
    [
        ("ehlo", Phase.EHLO, Kind.INTERRUPTED),
        ("rcpt", Phase.RCPT, Kind.INTERRUPTED),
        ("dot", Phase.DOT, Kind.AMBIGUOUS),
    ],
)
def test_an_interrupt_while_waiting_for_the_server(stage: str, phase: Phase, kind: Kind) -> None:
    waiting = threading.Event()
    progress = Progress()
    ended_by: list[type[BaseException]] = []

    def hang_there(at: str, recipient: str) -> Action | None:
        if at == stage:
            waiting.set()
            return HANG
        return None

    with running(hang_there) as server:
        session = Session(server.address, IMPATIENT)

        def work() -> None:
            try:
                session.transmit(MAIL, lambda: True, progress)
            except BaseException as error:
                ended_by.append(type(error))

        worker = threading.Thread(target=work)
        worker.start()
        assert waiting.wait(5)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(worker.ident or 0), ctypes.py_object(Interrupt)
        )
        worker.join(5)

    assert ended_by == [Interrupt]
    assert (progress.phase, classify(progress.outcome).kind) == (phase, kind)
    assert session.sock is None
