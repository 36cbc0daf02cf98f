"""Received mails: parsed, and as they were written."""

import re
from email import message_from_bytes, policy
from email.message import EmailMessage
from html.parser import HTMLParser

from tests.conftest import SmtpSink


class Mail(EmailMessage):
    """A parsed mail that knows its bytes."""

    source: str


def received(sink: SmtpSink) -> list[Mail]:
    mails = []
    for content in sink.contents:
        mail = message_from_bytes(content, Mail, policy=policy.default)
        mail.source = content.decode("ascii")
        mails.append(mail)
    return mails


def raw(mail: Mail, name: str) -> str:
    """The header as it was written, with its folds."""
    (found,) = re.findall(
        rf"^{name}: (.*(?:\r\n[ \t].*)*)\r\n", mail.source.partition("\r\n\r\n")[0] + "\r\n", re.M
    )
    return found


class Links(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value or "" for name, value in attrs if name in {"href", "src"}]
