"""Builds the bytes of a digest, once; every attempt sends the same ones.

The lines are written here and not by a generator of the `email` package: those fold, and encode, by rules of
their own that change between versions, and a List-Unsubscribe that is folded or encoded gives no button.
"""

import base64
import binascii
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from email.utils import format_datetime, formataddr
from enum import StrEnum
from hashlib import sha256
from uuid import UUID

from project.mail_server import Mailbox
from project.services.digests.addresses import check_address
from project.services.digests.header_text import clean_header_text, encoded, well_formed

#: From 78 characters on, Python's e-mail library turns a value without spaces into encoded words.
LONGEST_TOKEN = 77
LONGEST_LINE = 78  # as RFC 5322 §2.1.1 would have it; no mail server minds longer ones
_TOKEN = re.compile(rf"[!-~]{{1,{LONGEST_TOKEN}}}", re.ASCII)


class Extra(StrEnum):
    """Headers a digest may have besides the fixed ones. Each value is one ASCII token, but for `NAMES`."""

    LIST_ID = "List-Id"
    FEEDBACK_ID = "Feedback-ID"
    REASON = "X-Singlepost-Reason"
    PROJECT = "X-Singlepost-Project"
    ISSUE = "X-Singlepost-Issue"
    DIGEST = "X-Singlepost-Digest"


#: Headers that say a name of users: any text, cleaned and encoded like a subject.
NAMES = frozenset({Extra.PROJECT, Extra.ISSUE})


def message_id(digest_id: UUID, generation: int, domain: str) -> str:
    """Name a mail after its digest and its content's generation."""
    return f"<{_name(digest_id, generation)}.d@{domain}>"


def thread_root(receiver_id: UUID, about: object, domain: str) -> str:
    """Name a receiver's thread about something: no mail has that id, every mail of the thread refers to it."""
    return f"<i.{_name(receiver_id, about)}@{domain}>"


def build(
    *,
    sender: Mailbox,
    recipient: str,
    subject: str,
    text: str,
    html: str,
    message_id: str,
    date: datetime,
    references: Sequence[str] = (),
    in_reply_to: str = "",
    unsubscribe: Sequence[str] = (),
    extra: Mapping[Extra, str] | None = None,
) -> bytes:
    """Return the mail: ASCII, lines of at most 998 characters that end with CRLF. Same arguments, same bytes.

    Args:
        sender: From whom.
        recipient: The only receiver.
        subject: Any text; it is cleaned and cut.
        text: The plain alternative.
        html: The other one.
        message_id: As `message_id` made it. The boundary comes from it.
        date: When the content was frozen, with a time zone.
        references: Message-IDs, the thread's root first.
        in_reply_to: The Message-ID this one answers.
        unsubscribe: Addresses that unsubscribe; the first is one where a POST does it at once (RFC 8058).
        extra: Further headers.

    Raises:
        AddressError: if `recipient` cannot be sent to.
        ValueError: if a header value that must be one ASCII token of at most 77 characters is not.
    """
    # No part can hold the boundary: quoted-printable has no "=_".
    boundary = f"=_{message_id.strip('<>').partition('@')[0]}"
    head = [
        f"From: {_mailbox(sender)}",
        f"To: {check_address(recipient)}",
        f"Subject: {encoded(clean_header_text(subject), name='Subject')}",
        f"Date: {format_datetime(date)}",
        _header("Message-ID", message_id),
        *_thread(references, in_reply_to),
        *_unsubscribe(unsubscribe),
        "Auto-Submitted: auto-generated",
        "X-Auto-Response-Suppress: All",
        "Precedence: list",
        *(_extra(name, value) for name, value in (extra or {}).items()),
        "MIME-Version: 1.0",
        f'Content-Type: multipart/alternative;\r\n boundary="{boundary}"',
    ]
    parts = [_part("plain", text), _part("html", html)]
    body = "".join(f"--{boundary}\r\n{part}\r\n" for part in parts)
    return ("\r\n".join(head) + f"\r\n\r\n{body}--{boundary}--\r\n").encode("ascii")


def _name(*cause: object) -> str:
    digest = sha256(":".join(map(str, cause)).encode()).digest()
    return base64.b32encode(digest).decode("ascii")[:26].lower()


def _mailbox(box: Mailbox) -> str:
    name = clean_header_text(box.name)
    if name.isascii() and "=?" not in name:
        shown = formataddr((name, box.address))
        return shown if len(f"From: {shown}") <= LONGEST_LINE else "\r\n <".join(shown.rsplit(" <", 1))
    return f"{encoded(name, name='From')}\r\n <{box.address}>"


def _header(name: str, *tokens: str, separator: str = "") -> str:
    for token in tokens:
        if not _TOKEN.fullmatch(token):
            raise ValueError(f"{name} must be made of ASCII words of at most {LONGEST_TOKEN} characters")
    return f"{name}: " + f"{separator}\r\n ".join(tokens)


def _thread(references: Sequence[str], in_reply_to: str) -> Iterator[str]:
    if references:
        yield _header("References", *references)
    if in_reply_to:
        yield _header("In-Reply-To", in_reply_to)


def _unsubscribe(addresses: Sequence[str]) -> Iterator[str]:
    if addresses:
        yield _header("List-Unsubscribe", *(f"<{address}>" for address in addresses), separator=",")
        yield "List-Unsubscribe-Post: List-Unsubscribe=One-Click"


def _extra(name: Extra, value: str) -> str:
    if name in NAMES:
        return f"{name}: {encoded(clean_header_text(value), name=name)}"
    return _header(name, value)


def _part(subtype: str, text: str) -> str:
    lines = well_formed(text).replace("\r\n", "\n").replace("\r", "\n")
    content = binascii.b2a_qp(lines.encode(), istext=True).decode("ascii").replace("\n", "\r\n")
    return (
        f"Content-Type: text/{subtype}; charset=utf-8\r\n"
        f"Content-Transfer-Encoding: quoted-printable\r\n\r\n{content}"
    )
