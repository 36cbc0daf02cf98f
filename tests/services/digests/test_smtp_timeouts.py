"""Each phase has a patience of its own: one number cannot serve both the connection and the final dot."""

from datetime import timedelta
from time import monotonic

import pytest

from project.limits import Limits
from project.services.digests.mail import Mail
from project.services.digests.progress import Fault, Phase, Progress
from project.services.digests.smtp import Session
from tests.scripted_smtp import running
from tests.smtp_script import HANG, IMPATIENT, reply, script

MAIL = Mail("notify@example.org", "ann@example.com", b"Subject: hello\r\n\r\nshort\r\n")
#: More than the buffers of a connection hold.
HUGE = Mail(MAIL.sender, MAIL.recipient, MAIL.content + 400_000 * (b"x" * 70 + b"\r\n"))
SHORT = timedelta(seconds=0.1)


@pytest.mark.parametrize(
    ("stage", "limit", "mail", "phase"),
    [
        ("banner", "smtp_connect", MAIL, Phase.CONNECT),
        ("ehlo", "smtp_command", MAIL, Phase.EHLO),
        ("mail", "smtp_command", MAIL, Phase.MAIL),
        ("rcpt", "smtp_command", MAIL, Phase.RCPT),
        ("data", "smtp_data", MAIL, Phase.DATA),
        ("body", "smtp_data", HUGE, Phase.BODY),
        ("dot", "smtp_dot", MAIL, Phase.DOT),
    ],
)
def test_each_phase_waits_for_its_own_time(stage: str, limit: str, mail: Mail, phase: Phase) -> None:
    with running(script(**{stage: [HANG]})) as server:
        begun = monotonic()
        outcome = Session(server.address, Limits(**{limit: SHORT})).transmit(mail, lambda: True, Progress())
        took = monotonic() - begun

    assert (outcome.phase, outcome.fault) == (phase, Fault.TIMEOUT)
    assert 0.1 <= took < 2


def test_a_server_that_is_silent_after_quit_costs_little() -> None:
    with running(script(quit=[HANG])) as server:
        session = Session(server.address, Limits(smtp_quit=SHORT))
        session.transmit(MAIL, lambda: True, Progress())
        begun = monotonic()
        session.leave()

        assert monotonic() - begun < 2


def test_the_answer_to_the_dot_may_take_longer_than_anything_else() -> None:
    patient = Limits(
        smtp_connect=SHORT,
        smtp_command=SHORT,
        smtp_data=SHORT,
        smtp_quit=SHORT,
        smtp_dot=timedelta(seconds=5),
    )
    with running(script(dot=[reply("250 2.0.0 at last", after=0.5)])) as server:
        session = Session(server.address, patient)
        outcome = session.transmit(MAIL, lambda: True, Progress())
        session.leave()

    assert (outcome.phase, outcome.code) == (Phase.REPLIED, 250)


def test_a_reset_that_hangs_does_not_change_a_refusal() -> None:
    with running(script(rcpt=[reply("550 5.1.1 no")], rset=[HANG])) as server:
        session = Session(server.address, IMPATIENT)
        outcome = session.transmit(MAIL, lambda: True, Progress())

    assert (outcome.phase, outcome.code) == (Phase.RCPT, 550)
    assert session.sock is None
