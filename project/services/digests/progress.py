"""How far one mail has come on its way to the server, and how that ended.

`smtplib` raises the same ``SMTPServerDisconnected`` whether the connection broke before the server knew of
the mail or after it took responsibility for it, so the phase is kept beside it.
"""

import re
from dataclasses import dataclass, field
from enum import StrEnum
from time import monotonic

_ENHANCED = re.compile(r"#?([245]\.\d{1,3}\.\d{1,3})\b", re.ASCII)


class Phase(StrEnum):
    """The step a transaction reached: it has begun, and may or may not have got its answer.

    DOT is set *before* the terminator is written, so until then the mail is certainly not sent. REPLIED means
    that the terminator got an answer that can be understood; DOT alone, that nobody knows.
    """

    CONNECT = "connect"
    EHLO = "ehlo"
    TLS = "tls"
    AUTH = "auth"
    MAIL = "mail"
    RCPT = "rcpt"
    DATA = "data"
    BODY = "body"
    DOT = "dot"
    REPLIED = "replied"


_BEFORE_DOT = frozenset({Phase.MAIL, Phase.RCPT, Phase.DATA, Phase.BODY})


class Fault(StrEnum):
    """Why a transaction ended without an answer of the server that can be understood."""

    LOST = "no connection"
    TIMEOUT = "timed out"
    UNREADABLE = "unreadable answer"
    UNSUPPORTED = "not supported"
    FENCE = "refused by the fence"
    UNFINISHED = "interrupted"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a transaction stands or ended.

    Attributes:
        phase: The phase it reached.
        code: The server's basic code in that phase; None if there is a fault.
        enhanced: The server's enhanced code (RFC 3463), such as "5.1.1", or "".
        text: The server's words or our error's. They may name people.
        fault: Why the answer is not known; None if it is.
    """

    phase: Phase
    code: int | None = None
    enhanced: str = ""
    text: str = ""
    fault: Fault | None = None

    @property
    def reply(self) -> str:
        """The answer without its words: "550 5.1.1", or the fault."""
        return self.fault or f"{self.code} {self.enhanced}".rstrip()

    @property
    def refused(self) -> bool:
        """Whether the server answered a clear no to this mail, in a session that goes on."""
        in_session = self.phase in _BEFORE_DOT or self.phase is Phase.REPLIED
        return in_session and self.code is not None and 400 <= self.code < 600 and self.code != 421

    @property
    def session_lost(self) -> bool:
        """Whether the session broke before the fence: nothing was sent, and nothing said about the mail."""
        ours = self.fault in {Fault.FENCE, Fault.UNFINISHED}
        return self.phase in _BEFORE_DOT and not ours and not self.refused


@dataclass(slots=True)
class Progress:
    """Where one mail is now. One object per attempt, so that it never speaks of another mail.

    It stays readable when the transaction was torn out by an exception: in a ``finally``, `outcome` says how
    far it had come. Until the transaction is over its fault is UNFINISHED. `seconds` is what each phase took
    that is over; DOT lasts until the answer.
    """

    phase: Phase = Phase.CONNECT
    code: int | None = None
    text: str = ""
    fault: Fault | None = Fault.UNFINISHED
    seconds: dict[Phase, float] = field(default_factory=dict)
    _timed: tuple[Phase, float] | None = None

    def enter(self, phase: Phase) -> None:
        """Begin a phase; what was answered in the one before is forgotten."""
        self._clock(phase)
        self.phase, self.code, self.text, self.fault = phase, None, "", Fault.UNFINISHED

    def answered(self, code: int, text: bytes) -> None:
        """Note an answer of the server; `code` is -1 if it cannot be understood."""
        self.code, self.text = code if code >= 0 else None, text.decode("utf-8", "replace")

    def end(self, fault: Fault | None = None, text: str = "") -> Outcome:
        """Close the transaction: with the last answer, or with a `fault` and its words."""
        self._clock(None)
        self.fault, self.text = fault, text or self.text
        return self.outcome

    def _clock(self, phase: Phase | None) -> None:
        now = monotonic()
        if self._timed:
            over, began = self._timed
            self.seconds[over] = self.seconds.get(over, 0.0) + now - began
        self._timed = (phase, now) if phase else None

    @property
    def outcome(self) -> Outcome:
        """What is known at this moment."""
        if self.fault and self.phase is not Phase.REPLIED:
            return Outcome(self.phase, text=self.text, fault=self.fault)
        enhanced = _ENHANCED.match(self.text)
        return Outcome(self.phase, self.code, enhanced[1] if enhanced else "", self.text)
