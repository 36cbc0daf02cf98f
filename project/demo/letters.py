"""Reads the mails that the sink keeps."""

from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

SHOWN = ("From", "To", "Subject", "Date", "Message-ID")


def longest(maildir: Path) -> str:
    """Return the headers that people see, and the whole text, of the mail that has most to say."""
    letters = (
        message_from_bytes(path.read_bytes(), policy=policy.default) for path in (maildir / "new").iterdir()
    )
    return max(map(_as_text, letters), key=len)


def _as_text(letter: EmailMessage) -> str:
    text = letter.get_body(("plain",))
    headers = [f"{name}: {letter[name]}" for name in SHOWN]
    return "\n".join([*headers, "", text.get_content().strip() if text else ""])
