"""Protected connections and logins. The certificate is test data; see the file."""

import base64
import socket
import ssl
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from project.limits import Limits
from project.mail_server import Security
from project.services.digests.connections import Connections
from project.services.digests.mail import Mail
from project.services.digests.progress import Fault, Outcome, Phase, Progress
from project.services.digests.replies import Kind, classify
from project.services.digests.smtp import Session, tls_context
from tests.scripted_smtp import ScriptedSMTP, running
from tests.smtp_script import DROP, Action, reply, script

PEM = Path(__file__).parents[2] / "data" / "test_only_tls.pem"
MAIL = Mail("notify@example.org", "ann@example.com", b"Subject: hello\r\n\r\n" + 500 * (b"x" * 70 + b"\r\n"))


@pytest.fixture
def server_side() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(PEM)
    return context


@pytest.fixture
def trusted(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The test certificate stands in for the machine's CA bundle."""
    monkeypatch.setenv("SSL_CERT_FILE", str(PEM))
    tls_context.cache_clear()
    yield
    tls_context.cache_clear()


def send(server: ScriptedSMTP, security: Security, *, login: bool = False) -> Outcome:
    address = replace(server.address, host="localhost", security=security)
    if login:
        address = replace(address, username="tracker", password="s3cret/?")
    session = Session(address, Limits())
    outcome = session.transmit(MAIL, lambda: True, Progress())
    session.leave()
    return outcome


@pytest.mark.usefixtures("trusted")
def test_starttls_with_login(server_side: ssl.SSLContext) -> None:
    with running(starttls=server_side) as server:
        outcome = send(server, Security.STARTTLS, login=True)

    assert classify(outcome).kind is Kind.SENT
    verbs = [command.split()[0].lower() for command in server.commands]
    assert verbs[:4] == ["ehlo", "starttls", "ehlo", "auth"]
    login = base64.b64encode(b"\0tracker\0s3cret/?").decode()
    assert f"AUTH PLAIN {login}" in server.commands
    assert [accepted.content for accepted in server.accepted] == [MAIL.content]


@pytest.mark.usefixtures("trusted")
def test_tls_from_the_first_byte(server_side: ssl.SSLContext) -> None:
    with running(tls=server_side) as server:
        outcome = send(server, Security.TLS)

    assert classify(outcome).kind is Kind.SENT
    assert [accepted.content for accepted in server.accepted] == [MAIL.content]


@pytest.mark.usefixtures("trusted")
def test_the_dot_does_not_wait_under_tls_either(server_side: ssl.SSLContext) -> None:
    with running(starttls=server_side) as server:
        session = Session(replace(server.address, security=Security.STARTTLS), Limits())
        session.transmit(MAIL, lambda: True, Progress())

        assert session.sock is not None
        assert session.sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        session.leave()


@pytest.mark.parametrize("security", [Security.STARTTLS, Security.TLS])
def test_a_certificate_nobody_vouches_for_is_refused(security: Security, server_side: ssl.SSLContext) -> None:
    options = {"starttls": server_side} if security is Security.STARTTLS else {"tls": server_side}
    with running(**options) as server:
        outcome = send(server, security, login=True)

    assert (outcome.phase, outcome.fault) == (Phase.TLS, Fault.LOST)
    assert "certificate" in outcome.text
    assert server.accepted == []
    assert not any(command.startswith("AUTH") for command in server.commands)


@pytest.mark.usefixtures("trusted")
@pytest.mark.parametrize("security", [Security.STARTTLS, Security.TLS])
def test_a_certificate_for_another_name_is_refused(security: Security, server_side: ssl.SSLContext) -> None:
    options = {"starttls": server_side} if security is Security.STARTTLS else {"tls": server_side}
    with running(**options) as server:
        # The same address as a decimal number: a name the certificate does not have.
        other_name = replace(server.address, host="2130706433", security=security)
        outcome = Session(other_name, Limits()).transmit(MAIL, lambda: True, Progress())

    assert (outcome.phase, outcome.fault) == (Phase.TLS, Fault.LOST)
    assert server.accepted == []


@pytest.mark.parametrize("offered", [True, False])
def test_a_server_without_starttls_gets_no_password(offered: bool, server_side: ssl.SSLContext) -> None:
    refusing = script(starttls=[reply("454 4.7.0 not now")])
    with running(refusing, starttls=server_side if offered else None) as server:
        outcome = send(server, Security.STARTTLS, login=True)

    assert outcome.phase is Phase.TLS
    assert outcome.reply == ("454 4.7.0" if offered else Fault.UNSUPPORTED)
    assert classify(outcome).kind is Kind.OUTAGE
    assert not any(command.startswith("AUTH") for command in server.commands)


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (reply("535 5.7.8 wrong"), Kind.CONFIG),
        (reply("534 5.7.9 too weak"), Kind.CONFIG),
        (reply("454 4.7.0 not now"), Kind.OUTAGE),
        (reply("334 not-base64!"), Kind.OUTAGE),
        (DROP, Kind.OUTAGE),
    ],
)
def test_a_login_that_fails(answer: Action, kind: Kind) -> None:
    with running(script(auth=[answer])) as server:
        outcome = send(server, Security.NONE, login=True)

    assert outcome.phase is Phase.AUTH
    assert classify(outcome).kind is kind
    assert server.accepted == []


@pytest.mark.usefixtures("trusted")
@pytest.mark.parametrize("stage", ["starttls", "auth"])
def test_a_session_that_was_not_set_up_carries_no_mail(stage: str, server_side: ssl.SSLContext) -> None:
    with running(script(**{stage: [reply("454 4.7.0 not now")]}), starttls=server_side) as server:
        address = replace(server.address, security=Security.STARTTLS, username="tracker", password="s3cret/?")
        connections = Connections(address, Limits())
        kinds = [classify(connections.transmit(MAIL, lambda: True, Progress())).kind for _ in range(2)]
        connections.close()

    assert kinds == [Kind.OUTAGE, Kind.SENT]
    assert server.connections == 2


@pytest.mark.parametrize("features", [(), ("AUTH KERBEROS",)])
def test_a_login_that_the_server_cannot_do(features: tuple[str, ...]) -> None:
    with running(features=features) as server:
        outcome = send(server, Security.NONE, login=True)

    assert (outcome.phase, outcome.fault) == (Phase.AUTH, Fault.UNSUPPORTED)
    assert classify(outcome).kind is Kind.CONFIG


def test_a_process_has_one_context() -> None:
    assert tls_context() is tls_context()
