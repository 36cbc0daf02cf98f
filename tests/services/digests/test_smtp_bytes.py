"""What is sent arrives, byte for byte, and nothing else does."""

import socket
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from project.limits import Limits
from project.services.digests.connections import Connections
from project.services.digests.mail import Mail
from project.services.digests.progress import Progress
from project.services.digests.smtp import Session
from tests.scripted_smtp import ScriptedSMTP, running

lines = st.one_of(
    st.sampled_from([b"", b".", b"..", b".QUIT", b"x" * 998, b"x" * 5000, "größe".encode(), b"\x00"]),
    st.binary(max_size=40).map(lambda line: line.replace(b"\r", b"").replace(b"\n", b"")),
)


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedSMTP]:
    with running() as server:
        yield server


@pytest.fixture(scope="module")
def connections(server: ScriptedSMTP) -> Iterator[Connections]:
    connections = Connections(server.address, Limits())
    yield connections
    connections.close()


@given(body=st.lists(lines, min_size=1, max_size=8))
def test_a_body_arrives_as_it_is(server: ScriptedSMTP, connections: Connections, body: list[bytes]) -> None:
    mail = Mail("notify@example.org", "ann@example.com", b"".join(line + b"\r\n" for line in body))

    connections.transmit(mail, lambda: True, Progress())

    arrived = server.accepted.pop()
    assert (arrived.sender, arrived.recipient, arrived.content) == (mail.sender, mail.recipient, mail.content)
    assert server.accepted == []


@pytest.mark.parametrize(
    "content", [b"", b"no end", b"a\nb\r\n", b"a\rb\r\n", b"a\r\n\n", b"a\r\r\n", b"x\n.\r\n"]
)
def test_content_that_could_smuggle_a_second_mail_is_no_mail(content: bytes) -> None:
    with pytest.raises(ValueError, match="CRLF"):
        Mail("notify@example.org", "ann@example.com", content)


@pytest.mark.parametrize(
    "address",
    ["", "ann", "ann@", "a b@x.org", "a@x.org> SIZE=1", "a@x.org\r\nDATA", "jörg@x.org", "a@x\u2028.org"],
)
def test_an_address_that_could_break_out_of_its_command_is_no_mail(address: str) -> None:
    for sender, recipient in [(address, "ann@example.com"), ("notify@example.org", address)]:
        with pytest.raises(ValueError, match="envelope"):
            Mail(sender, recipient, b"x\r\n")


def test_the_size_is_told_to_a_server_that_wants_it() -> None:
    mail = Mail("notify@example.org", "ann@example.com", b"x\r\n")
    with running(features=["SIZE"]) as asking, running(features=[]) as other:
        for server in (asking, other):
            session = Session(server.address, Limits())
            session.transmit(mail, lambda: True, Progress())
            session.leave()

    assert "MAIL FROM:<notify@example.org> SIZE=3" in asking.commands
    assert "MAIL FROM:<notify@example.org>" in other.commands


def test_the_dot_does_not_wait_for_the_acknowledgement_of_the_body() -> None:
    with running() as server:
        session = Session(server.address, Limits())
        session.transmit(Mail("notify@example.org", "ann@example.com", b"x\r\n"), lambda: True, Progress())

        assert session.sock is not None
        assert session.sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        session.leave()
