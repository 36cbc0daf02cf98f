"""Why somebody was not told of an event at all.

Asks of the tables, as they stand now, what the audience rules ask. A test holds the two together: there is a
reason here exactly if the rules leave the person out.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from project.models import MOMENT, Issue, StateGroup, User
from project.services.digests.explain_access import why_no_access
from project.services.digests.explain_standing import Standing
from project.services.digests.explain_story import Why, since


class Part(NamedTuple):
    """A person's part in one event: did it, was assigned by it, was newly mentioned by it."""

    acted: bool = False
    assigned: bool = False
    mentioned: bool = False

    @property
    def named(self) -> bool:
        """Whether the event itself brings the person in."""
        return self.assigned or self.mentioned


def why_absent(standing: Standing, part: Part) -> Why | None:
    """Say why the person is not told of such an event; None if they are."""
    if why := why_nobody(standing.issue):
        return why
    if part.acted:
        return Why("did it themselves", "somebody else had done it")
    return why_no_account(standing.person) or _unconcerned(standing, part) or why_no_access(standing)


def why_nobody(issue: Issue) -> Why | None:
    """Say why nobody at all is told of the issue; None if people are."""
    if issue.is_draft:
        return Why("the issue is a draft, and drafts are told to nobody", "it were a draft no more")
    if issue.state and issue.state.group == StateGroup.TRIAGE:
        return Why("the issue waits in triage, where it is told to nobody", "it were accepted")
    return None


def why_no_account(person: User) -> Why | None:
    """Say why the account is told nothing; None if it is in use."""
    if person.is_bot:
        return Why("the account is a bot's, and bots are told nothing")
    if person.is_active:
        return None
    return Why(f"the account is not active{since(person.updated_at, at_least=True)}", "it were active")


def why_not_then(standing: Standing, part: Part, told_at: datetime) -> Why:
    """Say why somebody who would be told now was not told at `told_at`: what came later, if it is on record."""
    later = [step for step in _joined(standing, part) if step[0] > told_at]
    then = f"when the audience was made ({told_at:{MOMENT}})"
    if not later:
        return Why(f"would be told now; what was otherwise {then} is not on record")
    moment, what = max(later)
    return Why(f"{what} only on {moment:{MOMENT}}", f"that had been so {then}")


def _unconcerned(standing: Standing, part: Part) -> Why | None:
    if part.named:
        return None
    if standing.left and standing.subscription:
        return Why(
            f"left the issue{since(standing.subscription.deleted_at)}",
            "they subscribed, or the event assigned or mentioned them",
        )
    if standing.created or standing.assigned or standing.follows:
        return None
    return Why(
        "has nothing to do with the issue: neither its creator, nor assigned, subscribed or mentioned",
        "they were one of these",
    )


def _joined(standing: Standing, part: Part) -> Iterator[tuple[datetime, str]]:
    """When each thing began that it takes to be told."""
    if standing.in_workspace:
        yield standing.in_workspace.created_at, "became a member of the workspace"
    if standing.in_project:
        yield standing.in_project.created_at, "became a member of the project"
    if not standing.created and not part.named:
        yield from _concerned(standing)


def _concerned(standing: Standing) -> Iterator[tuple[datetime, str]]:
    """The first of an assignment and a subscription is enough."""
    began = []
    if standing.assigned and standing.assignment:
        began.append((standing.assignment.created_at, "was assigned"))
    if standing.follows and standing.subscription:
        began.append((standing.subscription.created_at, "subscribed"))
    yield from sorted(began)[:1]
