"""The provider behind the mail server, as the settings name it."""

import pytest

from project.mail_provider import MailProvider, mail_provider, webhook_settings


def test_a_provider_or_none() -> None:
    assert mail_provider("") is None
    assert mail_provider("mailgun") is MailProvider.MAILGUN
    with pytest.raises(ValueError, match="amazon_ses, mailgun, postmark"):
        mail_provider("Mailgun")


def test_the_secret_means_what_the_provider_makes_of_it() -> None:
    secret = "user:0123456789abcdef"
    assert webhook_settings(None, secret) == {}
    assert webhook_settings(MailProvider.MAILGUN, secret) == {"MAILGUN_WEBHOOK_SIGNING_KEY": secret}
    assert webhook_settings(MailProvider.POSTMARK, secret) == {"WEBHOOK_SECRET": secret}


@pytest.mark.parametrize(
    ("provider", "secret", "wrong"),
    [
        ("mailgun", "", "16 ASCII characters"),
        ("mailgun", "short", "16 ASCII characters"),
        ("mailgun", "ключ-0123456789abcdef", "16 ASCII characters"),
        ("postmark", "0123456789abcdef", "user:password"),
        ("amazon_ses", ":0123456789abcdef", "user:password"),
    ],
)
def test_a_provider_without_a_secret_stops_the_start(provider: str, secret: str, wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong) as error:
        webhook_settings(MailProvider(provider), secret)
    assert not secret or secret not in str(error.value)
