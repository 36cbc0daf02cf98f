"""What an outcome means for the mail, the receiver's address and the whole sender.

The phase is looked at first, then the enhanced code, then the basic one: a 550 to MAIL is our sender address
being refused for everybody, a 550 to RCPT is one mailbox. What only several mails together can tell (an
outage that dresses up as refused receivers) is not told here.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from project.services.digests.progress import Fault, Outcome, Phase


class Kind(StrEnum):
    """What happened, by what has to be done about it.

    SENT: the server took the mail. OUTAGE: no mail server can be talked to. CONFIG: it refuses us, whatever
    the mail. SESSION: the connection broke. TRANSIENT: not now. MESSAGE: this mail is refused, whoever gets
    it. RECEIVER: there is no such mailbox. RECEIVER_SOFT: the mailbox is full. POLICY: our reputation or
    authentication is refused, which says nothing about the receiver. AMBIGUOUS: the dot was written and
    nobody knows the answer. REFUSED_BY_FENCE: somebody else owns the mail. INTERRUPTED: we stopped ourselves
    before the dot.
    """

    SENT = "sent"
    OUTAGE = "outage"
    CONFIG = "config"
    SESSION = "session"
    TRANSIENT = "transient"
    MESSAGE = "message"
    RECEIVER = "receiver"
    RECEIVER_SOFT = "receiver_soft"
    POLICY = "policy"
    AMBIGUOUS = "ambiguous"
    REFUSED_BY_FENCE = "refused_by_fence"
    INTERRUPTED = "interrupted"


#: Per phase, patterns of "code enhanced-code" and what they mean; the first that matches decides. A 4 in
#: either code means "not now". A refusal at RCPT that does not name the mailbox must not suppress it.
_RULES: Mapping[Phase, tuple[tuple[str, Kind], ...]] = {
    Phase.AUTH: (
        (rf"5|{Fault.UNSUPPORTED}", Kind.CONFIG),
        (r"", Kind.OUTAGE),
    ),
    Phase.MAIL: (
        (r"4|... 4", Kind.TRANSIENT),
        (r"... 5\.3\.4", Kind.MESSAGE),
        (r"... 5\.(7\.|1\.[78]$)", Kind.CONFIG),
        (r"552", Kind.MESSAGE),
        (r"5", Kind.CONFIG),
    ),
    Phase.RCPT: (
        (r"... [45]\.2\.2$", Kind.RECEIVER_SOFT),
        (r"4|... 4", Kind.TRANSIENT),
        (r"... 5\.7\.", Kind.POLICY),
        (r"... 5\.(1\.(1|2|3|6|10)|2\.1)$", Kind.RECEIVER),
        (r"552", Kind.RECEIVER_SOFT),
        (r"55[013]( 5\.0\.0)?$", Kind.RECEIVER),
        (r"5", Kind.POLICY),
    ),
    Phase.DATA: (
        (r"4|... 4", Kind.TRANSIENT),
        (r"5", Kind.MESSAGE),
    ),
    Phase.REPLIED: (
        (r"2", Kind.SENT),
        (r"421", Kind.SESSION),
        (r"4|... 4", Kind.TRANSIENT),
        (r"... 5\.7\.", Kind.POLICY),
        (r"5", Kind.MESSAGE),
    ),
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """An outcome and its kind."""

    kind: Kind
    outcome: Outcome

    @property
    def reason(self) -> str:
        """Say what happened without the server's words, which may name people: "rcpt 550 5.1.1"."""
        return f"{self.outcome.phase} {self.outcome.reply}"

    @property
    def certain_negative(self) -> bool:
        """Whether the mail was certainly not sent, so that another attempt cannot double it."""
        return self.kind not in {Kind.SENT, Kind.AMBIGUOUS}

    @property
    def charges_attempt(self) -> bool:
        """Whether the mail itself had its chance: not so if nobody could have sent anything."""
        return self.kind not in {Kind.OUTAGE, Kind.CONFIG, Kind.REFUSED_BY_FENCE, Kind.INTERRUPTED}

    @property
    def permanent(self) -> bool:
        """Whether this mail will not be tried again as it is."""
        full_for_good = self.kind is Kind.RECEIVER_SOFT and (self.outcome.code or 0) >= 500
        return self.kind in {Kind.MESSAGE, Kind.RECEIVER} or full_for_good

    @property
    def throttled(self) -> bool:
        """Whether the server asks the whole sender to slow down."""
        return self.outcome.phase is Phase.MAIL and self.outcome.enhanced.startswith("4.7.")


def classify(outcome: Outcome) -> Verdict:
    """Judge an outcome; also that of a transaction which an exception tore out (`Progress.outcome`)."""
    return Verdict(_kind(outcome), outcome)


def _kind(outcome: Outcome) -> Kind:
    if outcome.phase is Phase.DOT:
        return Kind.AMBIGUOUS
    if outcome.fault is Fault.FENCE:
        return Kind.REFUSED_BY_FENCE
    if outcome.fault is Fault.UNFINISHED:
        return Kind.INTERRUPTED
    if outcome.session_lost:
        return Kind.SESSION
    rules = _RULES.get(outcome.phase, ((r"", Kind.OUTAGE),))
    return next(kind for pattern, kind in rules if re.match(pattern, outcome.reply))
