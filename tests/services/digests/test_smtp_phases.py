"""The phase tells a mail that was certainly not sent from one that may have been, whatever fails wherever."""

import socket
from itertools import repeat

import pytest

from project.limits import Limits
from project.mail_server import MailServer
from project.services.digests.mail import Mail
from project.services.digests.progress import Fault, Outcome, Phase, Progress
from project.services.digests.smtp import Session
from tests.scripted_smtp import running
from tests.smtp_script import DROP, HANG, IMPATIENT, OVER_LONG, RESET, Action, reply, script

SMALL = Mail("notify@example.org", "ann@example.com", b"Subject: hello\r\n\r\nshort\r\n")
LARGE = Mail(SMALL.sender, SMALL.recipient, SMALL.content + 15_000 * (b"x" * 70 + b"\r\n"))
#: More than the buffers of a connection hold.
HUGE = Mail(SMALL.sender, SMALL.recipient, SMALL.content + 400_000 * (b"x" * 70 + b"\r\n"))

BEFORE_THE_DOT = [
    ("connect", DROP, Phase.CONNECT, None, Fault.LOST),
    ("connect", RESET, Phase.CONNECT, None, Fault.LOST),
    ("banner", reply("421 4.3.2 busy"), Phase.CONNECT, 421, None),
    ("banner", reply("554 go away"), Phase.CONNECT, 554, None),
    ("banner", HANG, Phase.CONNECT, None, Fault.TIMEOUT),
    ("banner", OVER_LONG, Phase.CONNECT, None, Fault.UNREADABLE),
    ("ehlo", DROP, Phase.EHLO, None, Fault.LOST),
    ("ehlo", HANG, Phase.EHLO, None, Fault.TIMEOUT),
    ("data", reply("451 4.3.0 later"), Phase.DATA, 451, None),
    ("data", reply("554 5.5.1 no"), Phase.DATA, 554, None),
    ("data", reply("250 what?"), Phase.DATA, 250, None),
    *(("mail", reply(f"{code} no"), Phase.MAIL, code, None) for code in (421, 450, 452, 530, 550, 552)),
    *(("rcpt", reply(f"{code} no"), Phase.RCPT, code, None) for code in (421, 450, 452, 550, 552, 553)),
    *((stage, DROP, Phase(stage), None, Fault.LOST) for stage in ("mail", "rcpt", "data")),
    *((stage, RESET, Phase(stage), None, Fault.LOST) for stage in ("mail", "rcpt", "data")),
    *((stage, HANG, Phase(stage), None, Fault.TIMEOUT) for stage in ("mail", "rcpt", "data")),
    *((stage, reply("hm"), Phase(stage), None, Fault.UNREADABLE) for stage in ("mail", "rcpt", "data")),
]


def attempt(server: MailServer, mail: Mail = SMALL, action: Action | None = None) -> Outcome:
    session = Session(server, IMPATIENT if action is HANG else Limits())
    outcome = session.transmit(mail, lambda: True, Progress())
    session.leave()
    return outcome


@pytest.mark.parametrize("mail", [SMALL, LARGE], ids=["small", "large"])
@pytest.mark.parametrize(("stage", "action", "phase", "code", "fault"), BEFORE_THE_DOT)
def test_failure_before_the_dot_is_certain(
    stage: str, action: Action, phase: Phase, code: int | None, fault: Fault | None, mail: Mail
) -> None:
    with running(script(**{stage: [action]})) as server:
        outcome = attempt(server.address, mail, action)

    assert (outcome.phase, outcome.code, outcome.fault) == (phase, code, fault)
    assert server.accepted == []


def test_a_closed_port_is_no_connection() -> None:
    with socket.socket() as unheard:
        unheard.bind(("127.0.0.1", 0))
        outcome = attempt(MailServer(host="127.0.0.1", port=unheard.getsockname()[1]))

    assert (outcome.phase, outcome.fault) == (Phase.CONNECT, Fault.LOST)


@pytest.mark.parametrize("host", ["no-such-host.invalid", 64 * "x" + ".invalid"])
def test_an_unknown_host_is_no_connection(host: str) -> None:
    outcome = attempt(MailServer(host=host, port=25))

    assert (outcome.phase, outcome.fault) == (Phase.CONNECT, Fault.LOST)


def test_a_server_that_refuses_both_greetings() -> None:
    with running(script(ehlo=[reply("550 no")], helo=[reply("550 no")])) as server:
        outcome = attempt(server.address)

    assert (outcome.phase, outcome.code) == (Phase.EHLO, 550)


def test_a_server_without_ehlo_is_greeted_with_helo() -> None:
    with running(script(ehlo=[reply("502 what?")])) as server:
        outcome = attempt(server.address)

    assert (outcome.phase, outcome.code) == (Phase.REPLIED, 250)
    assert f"MAIL FROM:<{SMALL.sender}>" in server.commands


@pytest.mark.parametrize("action", [DROP, RESET])
def test_a_server_that_leaves_in_the_middle_of_a_huge_body(action: Action) -> None:
    with running(script(body=[action])) as server:
        outcome = attempt(server.address, HUGE)

    assert (outcome.phase, outcome.fault) == (Phase.BODY, Fault.LOST)
    assert server.accepted == []


@pytest.mark.parametrize("code", [421, 451, 452, 550, 552, 554])
def test_refusal_at_the_dot_is_certain(code: int) -> None:
    with running(script(dot=[reply(f"{code} no")])) as server:
        outcome = attempt(server.address)

    assert (outcome.phase, outcome.code, outcome.fault) == (Phase.REPLIED, code, None)
    assert server.accepted == []


@pytest.mark.parametrize("mail", [SMALL, LARGE], ids=["small", "large"])
@pytest.mark.parametrize(
    ("action", "fault"),
    [
        (DROP, Fault.LOST),
        (RESET, Fault.LOST),
        (HANG, Fault.TIMEOUT),
        (reply("Thank you"), Fault.UNREADABLE),
        (OVER_LONG, Fault.UNREADABLE),
        (reply("250-half an answer", then=DROP.then), Fault.LOST),
    ],
)
def test_a_lost_answer_to_the_dot_is_never_called_unsent(action: Action, fault: Fault, mail: Mail) -> None:
    with running(script(dot=[action])) as server:
        outcome = attempt(server.address, mail, action)

    assert (outcome.phase, outcome.code, outcome.fault) == (Phase.DOT, None, fault)
    assert [accepted.content for accepted in server.accepted] == [mail.content]


@pytest.mark.parametrize("code", [354, 150, 999])
def test_an_answer_to_the_dot_that_is_neither_yes_nor_no_is_not_understood(code: int) -> None:
    with running(script(dot=[reply(f"{code} hm")])) as server:
        outcome = attempt(server.address)

    assert (outcome.phase, outcome.code) == (Phase.DOT, code)


@pytest.mark.parametrize("action", [DROP, RESET, HANG, reply("500 what?"), OVER_LONG])
def test_the_answer_to_quit_changes_nothing(action: Action) -> None:
    progress = Progress()
    with running(script(quit=[action])) as server:
        session = Session(server.address, IMPATIENT if action is HANG else Limits())
        outcome = session.transmit(SMALL, lambda: True, progress)
        session.leave()

    assert (outcome.phase, outcome.code, outcome.fault) == (Phase.REPLIED, 250, None)
    assert progress.outcome == outcome
    assert len(server.accepted) == 1


def test_the_servers_words_and_its_enhanced_code_are_kept() -> None:
    with running(script(rcpt=repeat(reply("550-5.1.1 No such user\n550 5.1.1 here")))) as server:
        outcome = attempt(server.address)

    assert (outcome.enhanced, outcome.text) == ("5.1.1", "5.1.1 No such user\n5.1.1 here")
