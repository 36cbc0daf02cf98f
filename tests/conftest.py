"""Fixtures for real servers: an emptied Redis, and an SMTP server that keeps what it gets."""

from collections.abc import Iterator
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.message import EmailMessage
from hashlib import sha256
from pathlib import Path

import pytest
import redis
from aiosmtpd.controller import Controller
from pytest_django import Settings

from project.demo.effects import Effect
from project.demo.ports import HOST, free_port
from project.demo.smtp_sink import Keeper, effect_log, maildir
from project.mail_server import MailServer


@dataclass(frozen=True)
class SmtpSink:
    """A server in a thread of the test; `folder` is laid out as ``project.demo.smtp_sink`` says."""

    host: str
    port: int
    folder: Path

    @property
    def url(self) -> str:
        return f"smtp://{self.host}:{self.port}"

    @property
    def contents(self) -> list[bytes]:
        """What was accepted, byte for byte, in the order of the effect log (names in a maildir have none)."""
        mails = [path.read_bytes() for path in (maildir(self.folder) / "new").iterdir()]
        by_digest = {sha256(mail).hexdigest(): mail for mail in mails}
        return [by_digest[effect.sha256] for effect in self.effects]

    @property
    def messages(self) -> list[EmailMessage]:
        """The same, parsed."""
        return [message_from_bytes(content, policy=policy.default) for content in self.contents]

    @property
    def effects(self) -> list[Effect]:
        return effect_log(self.folder).read()


@pytest.fixture
def redis_server(settings: Settings) -> Iterator[str]:
    """URL of the broker's database; this one and that of dedup are emptied before and after the test."""
    urls = (settings.REDIS_URL, settings.DEDUP_REDIS_URL)
    _empty(*urls)
    yield settings.REDIS_URL
    _empty(*urls)


@pytest.fixture
def smtp_sink(tmp_path: Path, settings: Settings) -> Iterator[SmtpSink]:
    """A server that accepts every mail; ``settings.MAIL_SERVER`` points at it during the test."""
    folder = tmp_path / "smtp_sink"
    folder.mkdir()
    controller = Controller(Keeper(folder), hostname=HOST, port=free_port())
    controller.start()
    sink = SmtpSink(HOST, controller.port, folder)
    settings.MAIL_SERVER = MailServer.from_url(sink.url)
    yield sink
    controller.stop()


def _empty(*urls: str) -> None:
    for url in urls:
        with redis.Redis.from_url(url) as client:
            client.flushdb()
