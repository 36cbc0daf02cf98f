"""``manage.py check_email``, against a server that misbehaves to order."""

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import OperationalError, connection
from django.utils import timezone

from project.limits import Limits
from project.mail_server import Mailbox, MailServer, Security
from project.services.digests.breaker import Breaker
from tests.management.ran import run
from tests.scripted_smtp import ScriptedSMTP, running
from tests.services.digests.test_smtp_tls import server_side, trusted
from tests.services.digests.verdicts import CONFIG
from tests.smtp_script import BEHAVE, DROP, HANG, IMPATIENT, OVER_LONG, Script, Then, reply, script

pytestmark = pytest.mark.django_db

__all__ = ["server_side", "trusted"]

LOGIN = {"username": "tracker", "password": "s3cret/?"}


@pytest.fixture(autouse=True)
def sane(settings) -> None:
    settings.NOTIFY_FROM = Mailbox("Tracker", "notify@tracker.example.org")
    settings.SITE_URL = "https://tracker.example.org"
    settings.LIMITS = IMPATIENT


@contextmanager
def mail_server(settings, behave: Script = BEHAVE, **fields: object) -> Iterator[ScriptedSMTP]:
    options = {key: fields.pop(key) for key in ("starttls", "tls") if key in fields}
    with running(behave, **options) as server:
        settings.MAIL_SERVER = replace(server.address, **fields)
        yield server


def checked(*words: str) -> str:
    return run("check_email", *words)


def failed(*words: str) -> str:
    """What is printed by a check that ends with status 1."""
    output = StringIO()
    with pytest.raises(SystemExit) as ending:
        call_command("check_email", *words, stdout=output)
    assert ending.value.code == 1
    return output.getvalue()


def test_all_is_well_and_nothing_is_sent(settings) -> None:
    with mail_server(settings) as server:
        printed = checked()
    assert printed.splitlines() == [
        f"EMAIL_URL: 127.0.0.1 port {server.address.port}, in the clear, no login: ok",
        "NOTIFY_FROM: notify@tracker.example.org: ok",
        "SITE_URL: https://tracker.example.org: ok",
        f"connect to 127.0.0.1 port {server.address.port}: ok",
        "greet (EHLO): ok",
        "be accepted as notify@tracker.example.org (MAIL FROM, then RSET): ok",
        "mail is not stopped by the breaker: ok",
    ]
    assert [command.split()[0] for command in server.commands] == ["ehlo", "MAIL", "rset", "QUIT"]
    assert server.accepted == []


@pytest.mark.usefixtures("trusted")
@pytest.mark.parametrize("security", [Security.STARTTLS, Security.TLS])
def test_with_tls_and_login(settings, server_side: ssl.SSLContext, security) -> None:
    side = {"starttls": server_side} if security is Security.STARTTLS else {"tls": server_side}
    with mail_server(settings, **side, host="localhost", security=security, **LOGIN):
        printed = checked()
    assert "protect the connection, check the certificate: ok" in printed
    assert "log in as tracker: ok" in printed
    assert "s3cret" not in printed


def test_a_test_mail_is_one_mail(settings) -> None:
    with mail_server(settings) as server:
        assert "send a mail to Bob@example.com: 2.0.0 queued: ok" in checked("--to", "Bob@example.com")
    (mail,) = server.accepted
    assert (mail.sender, mail.recipient) == ("notify@tracker.example.org", "Bob@example.com")
    assert b"Subject: Test of the mail settings\r\n" in mail.content


@pytest.mark.parametrize(
    ("stages", "step", "said", "helps"),
    [
        ({"connect": [DROP]}, "connect to", "no connection", "smtps://"),
        ({"banner": [HANG]}, "connect to", "timed out", "port 587"),
        ({"banner": [reply("554 go away")]}, "connect to", "554 go away", "block list"),
        ({"banner": [reply("HTTP/1.1 400")]}, "connect to", "", "Is that a mail server?"),
        ({"banner": [OVER_LONG]}, "connect to", "unreadable", "Is that a mail server?"),
        ({"ehlo": [reply("550 no")], "helo": [reply("550 no")]}, "greet", "550", "Its log says more"),
        ({"auth": [reply("535 5.7.8 bad credentials")]}, "log in as", "535 5.7.8", "password in EMAIL_URL"),
        ({"auth": [reply("454 4.7.0 later")]}, "log in as", "454 4.7.0", "Try again later"),
        ({"mail": [reply("550 5.7.1 not your domain")]}, "be accepted as", "550 5.7.1", "NOTIFY_FROM"),
        ({"mail": [reply("530 5.7.0 login first")]}, "be accepted as", "530 5.7.0", "user and password"),
        ({"mail": [reply("451 4.3.0 later")]}, "be accepted as", "451", "Try again later"),
        ({"mail": [DROP]}, "be accepted as", "no connection", ""),
    ],
)
def test_the_step_that_fails_is_named_with_what_helps(settings, stages, step, said, helps) -> None:
    with mail_server(settings, script(**stages), **LOGIN) as server:
        printed = failed("--to", "bob@example.com")
    (line,) = [line for line in printed.splitlines()[3:] if not line.endswith(": ok") and line[0] != " "]
    assert line.startswith(step)
    assert said in line
    assert helps in printed
    assert server.accepted == []
    assert "s3cret" not in printed


@pytest.mark.parametrize(
    ("stages", "said", "helps"),
    [
        ({"rcpt": [reply("550 5.1.1 no such user")]}, "550 5.1.1", "no such mailbox"),
        ({"rcpt": [reply("554 5.7.1 relay access denied")]}, "554 5.7.1", "does it want a login"),
        ({"rcpt": [reply("450 4.7.1 greylisted")]}, "450 4.7.1", "in some minutes"),
        ({"dot": [reply("550 5.7.26 unauthenticated")]}, "550 5.7.26", "SPF, DKIM and DMARC"),
        ({"dot": [reply("554 5.6.0 malformed")]}, "554 5.6.0", "this very mail"),
        ({"dot": [reply("451 later")]}, "451", "in some minutes"),
        ({"dot": [DROP]}, "no connection", "Nobody knows"),
    ],
)
def test_a_test_mail_that_is_refused(settings, stages, said, helps) -> None:
    with mail_server(settings, script(**stages)):
        printed = failed("--to", "bob@example.com")
    assert f"send a mail to bob@example.com: {said}" in printed
    assert helps in printed


def test_an_address_that_cannot_be_mailed_is_not_tried(settings) -> None:
    with mail_server(settings) as server:
        assert "eai_unsupported" in failed("--to", "jörg@example.com")
    assert not [command for command in server.commands if command.startswith("RCPT")]


@pytest.mark.parametrize(
    ("server", "helps"),
    [
        (MailServer(host="127.0.0.1", port=1), "Nothing listens there"),
        (MailServer(host="no-such-host.invalid", port=25), "Correct the host in EMAIL_URL"),
    ],
)
def test_a_server_that_is_not_there(settings, server, helps) -> None:
    settings.MAIL_SERVER = server
    assert helps in failed()


def test_a_certificate_that_nobody_vouches_for(settings, server_side) -> None:
    with mail_server(settings, starttls=server_side, host="localhost", security=Security.STARTTLS):
        printed = failed()
    assert "protect the connection, check the certificate: no connection" in printed
    assert "as its certificate names it" in printed


def test_a_server_without_starttls_or_with_tls_at_another_port(settings) -> None:
    with mail_server(settings, security=Security.STARTTLS):
        assert "offers no STARTTLS" in failed()
    banner = script(banner=[reply("220 scripted ESMTP", then=Then.CLOSE)])
    with mail_server(settings, banner, security=Security.TLS):
        assert "TLS may begin otherwise there" in failed()


@pytest.mark.parametrize(
    ("name", "value", "wrong"),
    [
        ("NOTIFY_FROM", Mailbox("", "notify@localhost.localdomain"), "not one of the internet"),
        ("SITE_URL", "http://127.0.0.1:8000", "its host is this machine"),
        ("SITE_URL", "http://tracker.example.org", "it is not https"),
    ],
)
def test_settings_that_are_for_development_only(settings, name, value, wrong) -> None:
    setattr(settings, name, value)
    with mail_server(settings):
        assert wrong in failed()


def test_a_password_in_the_clear_is_warned_of(settings) -> None:
    settings.MAIL_SERVER = MailServer(host="no-such-host.invalid", port=25, **LOGIN)
    assert "The password goes over the network in the clear" in failed()


def test_a_breaker_that_is_open_is_told(settings) -> None:
    with mail_server(settings):
        breaker = Breaker(settings.MAIL_SERVER, settings.NOTIFY_FROM, Limits())
        passage = breaker.admit(now=timezone.now())
        assert passage is not None
        breaker.note(passage, CONFIG, now=timezone.now())
        printed = failed()
    assert "mail is not stopped by the breaker: stopped since" in printed
    assert "manage.py mail resume" in printed


def test_a_database_that_is_away_is_told(settings, monkeypatch) -> None:
    def away(_: Breaker) -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr(Breaker, "state", away)
    with mail_server(settings):
        assert "the database cannot be asked: connection refused" in failed()


def test_tables_that_are_not_there_yet_are_told(settings) -> None:
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE mail_breakers RENAME TO not_yet")
    with mail_server(settings):
        printed = failed()
    assert "mail is not stopped by the breaker: the database has not all of the tables" in printed
    assert "Run: manage.py migrate" in printed
