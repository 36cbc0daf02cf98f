"""What EMAIL_URL and NOTIFY_FROM may say."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from project.environment import Environment
from project.mail_server import (
    LONGEST_DOMAIN,
    LONGEST_MAILTO,
    LONGEST_NAME,
    LONGEST_SITE_URL,
    Mailbox,
    MailServer,
    Security,
    from_address,
    mailto_address,
)


@pytest.mark.parametrize(
    ("url", "server"),
    [
        ("smtp://localhost", MailServer(host="localhost", port=25)),
        ("smtp://127.0.0.1:1025/", MailServer(host="127.0.0.1", port=1025)),
        ("smtp://[::1]:1025", MailServer(host="::1", port=1025)),
        (
            "smtp+starttls://tracker:s%23cr%2Fet%40@mail.example.org",
            MailServer(
                host="mail.example.org",
                port=587,
                username="tracker",
                password="s#cr/et@",
                security=Security.STARTTLS,
            ),
        ),
        (
            "smtps://ann%40example.org:x@mail.example.org:2465",
            MailServer(
                host="mail.example.org",
                port=2465,
                username="ann@example.org",
                password="x",
                security=Security.TLS,
            ),
        ),
    ],
)
def test_a_url_says_where_and_how(url: str, server: MailServer) -> None:
    assert MailServer.from_url(url) == server


def test_tls_has_its_own_port() -> None:
    assert MailServer.from_url("smtps://mail.example.org").port == 465


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("", "smtp://, smtp[+]starttls:// or smtps://"),
        ("http://secret@mail.example.org", "smtp://, smtp[+]starttls:// or smtps://"),
        ("smtp://", "no host"),
        ("smtp://user:secret@", "no host"),
        ("smtp://mail.example.org:99999", "port must be a number"),
        ("smtp://mail.example.org:0", "port must be a number"),
        ("smtp://user:sec#secret@mail.example.org", "port must be a number.*percent-encode"),
        ("smtp://user:1/secret@mail.example.org", "nothing may follow.*percent-encode"),
        ("smtp://mail.example.org/?tls=secret", "nothing may follow"),
        ("smtp://user@mail.example.org", "both a user name and a password"),
        ("smtp://:secret@mail.example.org", "both a user name and a password"),
        ("smtp://user:s%C3%A9cret@mail.example.org", "printable ASCII"),
        ("smtp://user:secret%0A@mail.example.org", "printable ASCII"),
        ("smtp://user:secret@[::1", "host cannot be read"),
        ("smtp://user:secret@exam\u2048ple.org", "host cannot be read"),
    ],
)
def test_a_wrong_url_is_explained_without_its_secret(url: str, says: str) -> None:
    with pytest.raises(ValueError, match=says) as error:
        MailServer.from_url(url)

    assert "secret" not in str(error.value)


def test_the_password_is_not_shown() -> None:
    assert "secret" not in repr(MailServer.from_url("smtps://user:secret@mail.example.org"))


@pytest.mark.parametrize(
    ("text", "mailbox"),
    [
        ("notify@example.org", Mailbox("", "notify@example.org")),
        ("Tracker <notify@example.org>", Mailbox("Tracker", "notify@example.org")),
        ('"Tracker, Inc." <notify@example.org>', Mailbox("Tracker, Inc.", "notify@example.org")),
        ("Müller <notify@localhost.localdomain>", Mailbox("Müller", "notify@localhost.localdomain")),
    ],
)
def test_a_sender(text: str, mailbox: Mailbox) -> None:
    assert from_address(text) == mailbox


def test_the_domain_of_a_sender() -> None:
    assert from_address("Tracker <notify@mail.example.org>").domain == "mail.example.org"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "one ASCII address"),
        ("Tracker", "one ASCII address"),
        ("@example.org", "one ASCII address"),
        ("notify@", "one ASCII address"),
        ("jörg@example.org", "one ASCII address"),
        ("a@example.org, b@example.org", "one ASCII address"),
        ("a b@example.org", "one ASCII address"),
        (f"notify@{(LONGEST_DOMAIN + 1) * 'x'}", "at most 46"),
        (f"{(LONGEST_NAME + 1) * 'x'} <notify@example.org>", "at most 64"),
    ],
)
def test_a_wrong_sender_is_explained(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        from_address(text)


@pytest.mark.parametrize("text", ["", "leave@example.org", f"{'x' * (LONGEST_MAILTO - 12)}@example.org"])
def test_an_address_to_unsubscribe_at(text: str) -> None:
    assert mailto_address(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "leave",
        "a@b,c@d",
        "Leave <leave@example.org>",
        "jörg@example.org",
        f"{'x' * 40}@example.org",
        "a?b@c d",
    ],
)
def test_an_address_to_unsubscribe_at_that_cannot_be(text: str) -> None:
    with pytest.raises(ValueError, match=f"one ASCII address of at most {LONGEST_MAILTO}"):
        mailto_address(text)


def test_a_site_whose_links_stay_whole_in_a_header() -> None:
    site = f"https://{'h' * (LONGEST_SITE_URL - 16)}.example"
    assert Environment({"SITE_URL": f"{site}/"}).site_url("SITE_URL") == site


@pytest.mark.parametrize("site", [f"https://{'h' * LONGEST_SITE_URL}.example", "https://türen.example"])
def test_a_site_whose_links_would_not_is_refused(site: str) -> None:
    with pytest.raises(
        ImproperlyConfigured, match=f"SITE_URL=.* at most {LONGEST_SITE_URL} ASCII characters"
    ):
        Environment({"SITE_URL": site}).site_url("SITE_URL")
