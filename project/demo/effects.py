"""The effect log: one line for each mail that a receiving server took responsibility for.

It is what duplicates are counted by, so it is written at the receiver, and before the sender hears of it.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from email.parser import BytesHeaderParser
from hashlib import sha256
from pathlib import Path
from typing import Self


@dataclass(frozen=True)
class Effect:
    """One accepted mail.

    Attributes:
        time: When it was accepted: ISO 8601, UTC.
        message_id: Its Message-ID header; None if it has none.
        to: The addresses of the envelope.
        sha256: Of the content as sent (without the dots that SMTP adds), in hexadecimal.
        size: Of the same content, in bytes.
    """

    time: str
    message_id: str | None
    to: list[str]
    sha256: str
    size: int

    @classmethod
    def of(cls, content: bytes, to: Sequence[str]) -> Self:
        """Describe a mail that is accepted now."""
        return cls(
            time=datetime.now(UTC).isoformat(),
            message_id=BytesHeaderParser().parsebytes(content)["Message-ID"],
            to=list(to),
            sha256=sha256(content).hexdigest(),
            size=len(content),
        )


@dataclass(frozen=True)
class EffectLog:
    """A file of JSON lines, one an effect, in the order of acceptance."""

    path: Path

    def append(self, effect: Effect) -> None:
        """Write one line; on return it has left this process and survives its death."""
        with self.path.open("a", encoding="utf-8") as log:
            log.write(json.dumps(asdict(effect)) + "\n")

    def read(self) -> list[Effect]:
        """Return all effects so far; none if there was never one."""
        if not self.path.exists():
            return []
        return [Effect(**json.loads(line)) for line in self.path.read_text(encoding="utf-8").splitlines()]
