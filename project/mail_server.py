"""Where mail is handed over and whom it comes from, read from one URL and one address."""

import re
from dataclasses import dataclass, field
from email.utils import getaddresses
from enum import StrEnum
from typing import Self
from urllib.parse import SplitResult, unquote, urlsplit

#: The longest mail domain with which a Message-ID (31 characters and the domain) stays a single header line
#: that no mail library folds or encodes: 77 characters.
LONGEST_DOMAIN = 46
#: The longest SITE_URL with which the link in List-Unsubscribe has the same length.
LONGEST_SITE_URL = 45
#: The longest address for which that holds of its mailto: link, with the token as subject.
LONGEST_MAILTO = 43

#: So long a name fits on a header line; with the address behind it, on two.
LONGEST_NAME = 64

_ADDRESS = re.compile(r"[\w.!#$%&'*+/=?^`{|}~-]+@[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?", re.ASCII)
_ENCODE = "percent-encode special characters in the user name and the password"


class Security(StrEnum):
    """How the connection is protected. STARTTLS and TLS both check the server's certificate and name."""

    NONE = "none"
    STARTTLS = "starttls"
    TLS = "tls"


_SCHEMES = {
    "smtp": (Security.NONE, 25),
    "smtp+starttls": (Security.STARTTLS, 587),
    "smtps": (Security.TLS, 465),
}


@dataclass(frozen=True, kw_only=True)
class MailServer:
    """The server that takes our mail. An empty `username` means that we do not log in."""

    host: str
    port: int
    username: str = ""
    password: str = field(default="", repr=False)
    security: Security = Security.NONE

    @classmethod
    def from_url(cls, url: str) -> Self:
        """Read ``scheme://user:password@host:port`` where the scheme says how the connection is protected.

        ``smtp`` (not at all; port 25), ``smtp+starttls`` (587) or ``smtps`` (TLS from the first byte; 465).

        Raises:
            ValueError: saying what is allowed, and never showing a part of the URL that may be a secret.
        """
        parts = _split(url)
        if parts.scheme not in _SCHEMES:
            raise ValueError("it must begin with smtp://, smtp+starttls:// or smtps://")
        security, default_port = _SCHEMES[parts.scheme]
        port = _port(parts) or default_port
        if parts.path not in {"", "/"} or parts.query or parts.fragment:
            raise ValueError(f"nothing may follow the port; {_ENCODE}")
        if not parts.hostname:
            raise ValueError("it names no host: smtp://user:password@host:port")
        username, password = _credential(parts.username), _credential(parts.password)
        if bool(username) != bool(password):
            raise ValueError("it must have both a user name and a password, or neither")
        return cls(host=parts.hostname, port=port, username=username, password=password, security=security)


@dataclass(frozen=True)
class Mailbox:
    """A display name, possibly empty, and an address."""

    name: str
    address: str

    @property
    def domain(self) -> str:
        """What follows the @."""
        return self.address.rpartition("@")[2]


def from_address(text: str) -> Mailbox:
    """Read the sender of all mail: ``Name <local@domain>`` or ``local@domain``.

    Raises:
        ValueError: saying what is allowed.
    """
    found = getaddresses([text])
    name, address = found[0] if len(found) == 1 else ("", "")
    if not _ADDRESS.fullmatch(address) or address not in text:  # the parser drops spaces, for one
        raise ValueError("it must be one ASCII address, such as Tracker <notify@example.org>")
    if len(name) > LONGEST_NAME:
        raise ValueError(f"its name must have at most {LONGEST_NAME} characters")
    sender = Mailbox(name, address)
    if len(sender.domain) > LONGEST_DOMAIN:
        raise ValueError(f"its domain must have at most {LONGEST_DOMAIN} characters")
    return sender


def mailto_address(text: str) -> str:
    """Read the address that takes wishes to unsubscribe by mail; empty for none.

    Raises:
        ValueError: saying what is allowed.
    """
    if text and (not _ADDRESS.fullmatch(text) or len(text) > LONGEST_MAILTO):
        raise ValueError(f"it must be one ASCII address of at most {LONGEST_MAILTO} characters, or empty")
    return text


def _split(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError:  # some of its messages show the user and the password
        raise ValueError(f"its host cannot be read; {_ENCODE}") from None


def _port(parts: SplitResult) -> int | None:
    try:
        port = parts.port
    except ValueError:
        port = 0
    if port == 0:  # what stands there may be half of a password with a # or / in it, so it is not shown
        raise ValueError(f"its port must be a number from 1 to 65535; {_ENCODE}")
    return port


def _credential(text: str | None) -> str:
    plain = unquote(text or "")
    if not plain.isascii() or not plain.isprintable():
        raise ValueError("its user name and password must be printable ASCII")
    return plain
