"""The provider behind the mail server, if it tells us what became of mails: by posting events to us."""

from enum import StrEnum

SHORTEST_SECRET = 16


class MailProvider(StrEnum):
    """Those whose events are understood; the value stands in the address that they post to."""

    AMAZON_SES = "amazon_ses"
    MAILGUN = "mailgun"
    POSTMARK = "postmark"

    @property
    def keeps_ids(self) -> bool:
        """Whether it leaves the Message-ID of a mail as it is."""
        return self is MailProvider.MAILGUN


def mail_provider(text: str) -> MailProvider | None:
    """Read a provider's name; empty for none.

    Raises:
        ValueError: saying what is allowed.
    """
    if text and text not in set(MailProvider):
        raise ValueError(f"it must be one of {', '.join(MailProvider)}, or empty")
    return MailProvider(text) if text else None


def webhook_settings(provider: MailProvider | None, secret: str) -> dict[str, str]:
    """Return anymail's settings by which it knows that events come from the provider.

    Mailgun signs its events with a key. The others are given a user name and a password to send along.

    Raises:
        ValueError: saying what is allowed, and never showing the secret.
    """
    if provider is None:
        return {}
    if len(secret) < SHORTEST_SECRET or not secret.isascii():
        raise ValueError(f"MAIL_PROVIDER needs it: {SHORTEST_SECRET} ASCII characters or more")
    if provider is MailProvider.MAILGUN:
        return {"MAILGUN_WEBHOOK_SIGNING_KEY": secret}
    if not all(secret.partition(":")):
        raise ValueError("it must be user:password, as they stand in the address that the provider posts to")
    return {"WEBHOOK_SECRET": secret}
