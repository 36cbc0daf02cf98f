"""One mail, sent at once."""

import os
import smtplib
from email.message import EmailMessage
from email.utils import make_msgid

SENDER = "peer@storm.example"


def address(number: int) -> str:
    """Whom mail `number` goes to; nobody gets two."""
    return f"{number}@storm.example"


def post(number: int) -> None:
    """Send it."""
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = SENDER, address(number), f"Mail {number}"
    mail["Message-ID"] = make_msgid()
    mail.set_content("Something happened.")
    with smtplib.SMTP("127.0.0.1", int(os.environ["SMTP_PORT"])) as client:
        client.send_message(mail)
