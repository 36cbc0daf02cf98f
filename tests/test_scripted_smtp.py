"""The scripted server keeps its books before it answers, and can come back at its old port."""

import smtplib
from pathlib import Path

import pytest

from project.demo.effects import EffectLog
from tests.scripted_smtp import running
from tests.smtp_script import DROP, script

CONTENT = b"Message-ID: <1@example.org>\r\n\r\nhello\r\n"


def test_an_effect_is_on_record_though_its_answer_is_lost(tmp_path: Path) -> None:
    effects = EffectLog(tmp_path / "effects.jsonl")

    with running(script(dot=[DROP]), effects=effects) as server:
        client = smtplib.SMTP(server.address.host, server.address.port)
        with pytest.raises(smtplib.SMTPServerDisconnected):
            client.sendmail("notify@example.org", ["ann@example.com"], CONTENT)

    (effect,) = effects.read()
    assert (effect.message_id, effect.to, effect.size) == (
        "<1@example.org>",
        ["ann@example.com"],
        len(CONTENT),
    )


def test_a_server_that_was_stopped_comes_back_at_its_port() -> None:
    with running() as first, smtplib.SMTP(first.address.host, first.address.port):
        pass
    with running(port=first.address.port) as second, smtplib.SMTP(second.address.host, second.address.port):
        pass

    assert (first.connections, second.connections) == (1, 1)
