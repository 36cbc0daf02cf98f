"""Tries out the mail settings before anybody needs them: each step in words, and what to do where one fails."""

from collections.abc import Iterator
from datetime import datetime
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import urlsplit
from uuid import uuid4

from project.limits import Limits
from project.mail_server import Mailbox, MailServer, Security
from project.services.digests.addresses import AddressError, check_address
from project.services.digests.check_advice import advice
from project.services.digests.draft import Letterhead
from project.services.digests.mail import Mail
from project.services.digests.message import build, message_id
from project.services.digests.progress import Outcome, Phase, Progress
from project.services.digests.replies import Kind, classify
from project.services.digests.smtp import Session

_PROTECTION = {Security.NONE: "in the clear", Security.STARTTLS: "STARTTLS", Security.TLS: "TLS"}


class Step(NamedTuple):
    """What was tried; what is wrong, empty if nothing is; and what helps.

    `advice` without `wrong` is something to think about.
    """

    name: str
    wrong: str = ""
    advice: str = ""


def check_settings(server: MailServer, letterhead: Letterhead) -> Iterator[Step]:
    """Look at the settings alone, without a network."""
    login = f", login as {server.username}" if server.username else ", no login"
    in_the_clear = server.username and server.security is Security.NONE and not _is_local(server.host)
    yield Step(
        f"EMAIL_URL: {server.host} port {server.port}, {_PROTECTION[server.security]}{login}",
        advice="The password goes over the network in the clear: write smtp+starttls:// or smtps://."
        if in_the_clear
        else "",
    )
    yield _sender(letterhead.sender)
    yield _site(letterhead.site_url)


def check_server(server: MailServer, sender: Mailbox, limits: Limits) -> Iterator[Step]:
    """Connect, protect the connection, log in, be accepted as a sender, and take that back.

    Ends with the first step that fails.
    """
    session, progress = Session(server, limits), Progress()
    outcome = session.try_out(sender.address, progress)
    session.leave()
    words = {
        Phase.CONNECT: f"connect to {server.host} port {server.port}",
        Phase.TLS: "protect the connection, check the certificate",
        Phase.EHLO: "greet (EHLO)",
        Phase.AUTH: f"log in as {server.username}",
        Phase.MAIL: f"be accepted as {sender.address} (MAIL FROM, then RSET)",
    }
    failed = outcome.phase if outcome.fault or (outcome.code or 0) // 100 != 2 else None
    for phase, name in words.items():
        if phase is failed:
            yield Step(name, _said(outcome), advice(outcome))
            return
        if phase in progress.seconds:
            yield Step(name)


def send_test(server: MailServer, letterhead: Letterhead, to: str, *, now: datetime, limits: Limits) -> Step:
    """Send one mail to an address, and tell what the server said."""
    name = f"send a mail to {to}"
    try:
        recipient = check_address(to)
    except AddressError as error:
        return Step(name, f"no address that can be mailed: {error.fault}", "Correct the address after --to.")
    session = Session(server, limits)
    content = _test_mail(letterhead, recipient, now)
    outcome = session.transmit(Mail(letterhead.sender.address, recipient, content), lambda: True, Progress())
    session.leave()
    if classify(outcome).kind is Kind.SENT:
        return Step(f"{name}: {outcome.text or outcome.reply}")
    return Step(name, _said(outcome), advice(outcome))


def _sender(sender: Mailbox) -> Step:
    name = f"NOTIFY_FROM: {sender.address}"
    if "." not in sender.domain or sender.domain.endswith((".localdomain", ".invalid", ".example")):
        return Step(
            name, "its domain is not one of the internet", "Use an address of a domain that is yours."
        )
    return Step(name)


def _site(url: str) -> Step:
    name, parts = f"SITE_URL: {url}", urlsplit(url)
    if _is_local(parts.hostname or ""):
        return Step(name, "its host is this machine", "Write the address by which people reach the site.")
    if parts.scheme != "https":
        return Step(name, "it is not https", "Mail programs offer their unsubscribe button for https only.")
    return Step(name)


def _is_local(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith((".localhost", ".localdomain"))


def _said(outcome: Outcome) -> str:
    """The server's own words, or those of the error: whoever asks is to see them."""
    return f"{outcome.reply} {outcome.text}".strip()


def _test_mail(letterhead: Letterhead, recipient: str, now: datetime) -> bytes:
    text = f"This is a test. Mails of {letterhead.site_url} get through to {recipient}."
    return build(
        sender=letterhead.sender,
        recipient=recipient,
        subject="Test of the mail settings",
        text=f"{text}\n",
        html=f"<p>{text}</p>\n",
        message_id=message_id(uuid4(), 1, letterhead.sender.domain),
        date=now,
    )
