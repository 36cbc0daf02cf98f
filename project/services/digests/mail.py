"""The envelope and the bytes of one mail, checked to be safe on the wire."""

import re
from dataclasses import dataclass

_ADDRESS = re.compile(r"[!-;=?-~]+@[!-;=?-~]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Mail:
    """What goes over the wire: two plain ASCII addresses and the frozen bytes.

    Raises:
        ValueError: on construction, if an address could break out of its command, or if the content is not in
            lines that end with CRLF (a bare CR or LF is how a second mail is smuggled into one).
    """

    sender: str
    recipient: str
    content: bytes

    def __post_init__(self) -> None:
        """Check all three."""
        for address in (self.sender, self.recipient):
            if not _ADDRESS.fullmatch(address):
                raise ValueError("an envelope address must be local@domain in printable ASCII")
        counts = {self.content.count(end) for end in (b"\r\n", b"\r", b"\n")}
        if not self.content.endswith(b"\r\n") or len(counts) > 1:
            raise ValueError("the content must be lines that end with CRLF")

    def dot_stuffed(self) -> bytes:
        """Return the content as DATA wants it (RFC 5321 §4.5.2), without the terminator."""
        stuffed = self.content.replace(b"\r\n.", b"\r\n..")
        return b"." + stuffed if stuffed.startswith(b".") else stuffed
