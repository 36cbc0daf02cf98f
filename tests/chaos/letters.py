"""Messages that were given up, and whether it mattered."""

from collections import Counter
from dataclasses import dataclass

import dramatiq

from project.models import EmailDigest, EventStatus, IssueEvent
from project.models.digest import ENDED
from project.queue.dead_letter import DeadLetter, Wanted
from project.queue.dead_letters import DeadLetters


@dataclass(frozen=True)
class LettersFound:
    """Dead letters by reason, and those among them whose work nobody has done since."""

    reasons: Counter[str]
    mattering: list[str]


def look() -> LettersFound:
    """Go through all queues. A tick has no row: what it would have found, the next one has found."""
    dead = DeadLetters(dramatiq.get_broker())
    letters = [letter for queue in dead.counts() for letter in dead.search(queue, Wanted())]
    finished = _finished()
    return LettersFound(
        reasons=Counter(letter.reason for letter in letters),
        mattering=[letter.reason for letter in letters if not _rows(letter) <= finished],
    )


def _rows(letter: DeadLetter) -> set[str]:
    return {str(argument) for argument in letter.message.args[:1]} if letter.message else {"unreadable"}


def _finished() -> set[str]:
    events = IssueEvent.objects.exclude(status=EventStatus.PENDING).values_list("id", flat=True)
    digests = EmailDigest.objects.filter(status__in=ENDED).values_list("id", flat=True)
    return {str(row) for rows in (events, digests) for row in rows}
