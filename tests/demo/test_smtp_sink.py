import os
import smtplib
import socket
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from project.demo import smtp_sink as sink_process
from tests.conftest import SmtpSink

MAIL = (
    b"From: a@example.org\r\nTo: b@example.org\r\nMessage-ID: <1@example.org>\r\nSubject: caf\xc3\xa9\r\n\r\n"
    b".a line that begins with a dot\r\n..two\r\n\r\n.\xe2\x82\xac\r\n" + b"x" * 900 + b"\r\n"
)


def send(sink: SmtpSink, content: bytes, *to: str) -> None:
    with smtplib.SMTP(sink.host, sink.port, timeout=10) as client:
        client.sendmail("a@example.org", to, content)


def test_a_mail_is_kept_as_it_was_sent(smtp_sink: SmtpSink) -> None:
    send(smtp_sink, MAIL, "b@example.org")
    send(smtp_sink, b"Subject: second\r\n\r\nbody\r\n", "b@example.org")

    (kept, _) = smtp_sink.contents
    assert kept == MAIL
    assert [message["Subject"] for message in smtp_sink.messages] == ["café", "second"]


def test_an_effect_describes_the_mail(smtp_sink: SmtpSink) -> None:
    send(smtp_sink, MAIL, "b@example.org", "c@example.org")

    (effect,) = smtp_sink.effects
    assert effect.message_id == "<1@example.org>"
    assert effect.to == ["b@example.org", "c@example.org"]
    assert effect.size == len(MAIL)
    assert effect.sha256 == sha256(MAIL).hexdigest()
    assert effect.time.endswith("+00:00")


def test_a_mail_sent_twice_is_two_effects(smtp_sink: SmtpSink) -> None:
    send(smtp_sink, MAIL, "b@example.org")
    send(smtp_sink, MAIL, "b@example.org")

    assert [effect.message_id for effect in smtp_sink.effects] == ["<1@example.org>"] * 2
    assert len(list((sink_process.maildir(smtp_sink.folder) / "new").iterdir())) == 2


def test_a_mail_without_an_id_is_an_effect_too(smtp_sink: SmtpSink) -> None:
    send(smtp_sink, b"Subject: x\r\n\r\n", "b@example.org")
    assert [effect.message_id for effect in smtp_sink.effects] == [None]


def test_a_mail_that_is_not_accepted_is_no_effect(smtp_sink: SmtpSink) -> None:
    with pytest.raises(smtplib.SMTPDataError):
        send(smtp_sink, b"Subject: x\r\n\r\n" + b"y" * 2000 + b"\r\n", "b@example.org")
    assert smtp_sink.effects == []
    assert list((sink_process.maildir(smtp_sink.folder) / "new").iterdir()) == []


def test_the_final_dot_is_answered_after_the_effect_is_written(tmp_path: Path) -> None:
    # A pipe in place of the log: nobody can write to it until somebody opens it for reading.
    log = sink_process.effect_log(tmp_path).path
    os.mkfifo(log)
    with (
        sink_process.running(tmp_path) as server,
        closing(
            socket.create_connection((urlsplit(server.url).hostname, urlsplit(server.url).port), 10)
        ) as client,
        client.makefile("rwb") as stream,
    ):
        stream.readline()
        for line in (b"HELO me", b"MAIL FROM:<a@example.org>", b"RCPT TO:<b@example.org>", b"DATA"):
            stream.write(line + b"\r\n")
            stream.flush()
            assert stream.readline()[:1] in b"23"
        stream.write(MAIL.replace(b"\r\n.", b"\r\n..") + b".\r\n")
        stream.flush()
        client.settimeout(0.5)
        with pytest.raises(TimeoutError):
            client.recv(1, socket.MSG_PEEK)

        with log.open() as effects:
            assert "<1@example.org>" in effects.readline()

        client.settimeout(10)
        assert client.recv(4) == b"250 "
