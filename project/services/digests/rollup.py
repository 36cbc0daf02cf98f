"""What the mail about many issues of one workspace is made of, and what one act did to many of them."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from project.services.digests.header_text import clean_header_text
from project.services.digests.items import DescriptionEdit, Item, SetChange, ValueChange
from project.services.digests.reason import Reason
from project.services.digests.view import MAX_LINE
from project.services.digests.wording import zone_named

FOLD_MIN = 2  # issues


@dataclass(frozen=True, kw_only=True)
class IssueView:
    """One of the issues, and what is told of it."""

    key: str
    title: str
    state: str
    project: str
    url: str
    items: Sequence[Item]

    def cleaned(self) -> "IssueView":
        """Return the same with each name as one line that cannot disturb what is around it."""
        return replace(
            self,
            title=clean_header_text(self.title, MAX_LINE),
            state=clean_header_text(self.state),
            project=clean_header_text(self.project),
        )


@dataclass(frozen=True)
class Fold:
    """What one act did to many issues: the change, the same for all, and the issues."""

    item: Item
    issues: tuple[IssueView, ...]


@dataclass(frozen=True, kw_only=True)
class RollupView:
    """The input of `compose_rollup`. Names and titles are as stored.

    Attributes:
        day: of the mail, in the receiver's zone.
        issues: in their order.
        people: user id in lower case → name, of all who act or are mentioned.
        inbox_url: where all of it can be read, and like all addresses here made from the configured site.
    """

    receiver_name: str
    timezone: str
    workspace: str
    day: str
    issues: Sequence[IssueView]
    people: Mapping[str, str]
    reason: Reason
    inbox_url: str
    preferences_url: str
    unsubscribe_url: str

    @property
    def links(self) -> list[tuple[str, str]]:
        """The links below the mail: words and address."""
        return [
            ("Change notification settings", self.preferences_url),
            (f"Unsubscribe from {self.workspace}", self.unsubscribe_url),
        ]

    def cleaned(self) -> "RollupView":
        """Return the same with each name and title as one line that cannot disturb what is around it."""
        return replace(
            self,
            timezone=str(zone_named(self.timezone)),
            receiver_name=clean_header_text(self.receiver_name),
            workspace=clean_header_text(self.workspace),
            issues=[issue.cleaned() for issue in self.issues],
            people={user_id: clean_header_text(name) for user_id, name in self.people.items()},
        )


def folded(issues: Sequence[IssueView], most: int) -> tuple[list[Fold], list[IssueView]]:
    """Take out what one act did to several issues, `most` such acts; what others did stays with the issues.

    Returns:
        The folds, in the order of their first issue, and the issues of which something else is left to tell.
    """
    alike: dict[object, list[tuple[IssueView, Item]]] = defaultdict(list)
    for issue in issues:
        for item in issue.items:
            if act := _act(item):
                alike[act].append((issue, item))
    folds = [found for found in alike.values() if len(found) >= FOLD_MIN][:most]
    taken = {id(item) for found in folds for _, item in found}
    return [Fold(found[0][1], tuple(issue for issue, _ in found)) for found in folds], list(
        _rest(issues, taken)
    )


def _rest(issues: Sequence[IssueView], taken: set[int]) -> Iterator[IssueView]:
    for issue in issues:
        if items := [item for item in issue.items if id(item) not in taken]:
            yield replace(issue, items=items)


def _act(item: Item) -> object:
    """Name the act and what came of it; None if the item is not of an act on many issues."""
    if item.origin.bulk_id is None:
        return None
    by = (item.origin.bulk_id, item.origin.actors)
    match item:
        case ValueChange(field=field, new=new):
            return by, field, new
        case SetChange(field=field, added=added, removed=removed):
            return by, field, added, removed
        case DescriptionEdit():
            return by, "description"
    return None
