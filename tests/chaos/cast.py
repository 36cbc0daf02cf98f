"""The people of a run, and who of them has to hear of an event.

They sit in circles. All of a circle follow its issues, nobody ever leaves one, and only its people do
something to its issues or are mentioned in them. So who has to hear of an event follows from two names, and
is known without asking the product: everybody in the circle but the one who did it.
"""

from collections import defaultdict
from uuid import UUID

from project.models import Issue, User
from tests.factories import make_issue, make_team

CIRCLES = 5
ISSUES = 2  # of each circle, in the beginning
NAMES = ("ann", "bob", "eve", "gone")  # the mailbox of the last one does not exist


def circle_name(number: int) -> str:
    """What the names of a circle's issues begin with."""
    return f"circle{number}"


def circle_of(issue: Issue) -> str:
    """Name the circle of an issue."""
    return issue.name.partition(" ")[0]


def people() -> dict[str, list[User]]:
    """Return the circles, each with its people in the order of `NAMES`."""
    circles = defaultdict(list)
    for user in User.objects.order_by("display_name"):
        circle, _, _ = user.display_name.partition("-")
        circles[circle].append(user)
    return circles


def hearers(issue: Issue, actor: UUID, circles: dict[str, list[User]]) -> set[UUID]:
    """Return who has to hear of what `actor` did to `issue`."""
    return {user.id for user in circles[circle_of(issue)]} - {actor}


def seed() -> None:
    """Write the people and their issues into an empty database."""
    team = make_team("storm", [f"{circle_name(n)}-{name}" for n in range(CIRCLES) for name in NAMES])
    for circle, (first, *others) in people().items():
        for number in range(ISSUES):
            make_issue(
                team,
                name=f"{circle} issue {number}",
                created_by=first,
                assignees=others[:1],
                subscribers=[first, *others],
            )
