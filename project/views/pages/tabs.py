"""The tabs of the inbox: what each shows, and what it says when there is nothing to show."""

from typing import NamedTuple

from rest_framework.exceptions import NotFound

from project.services.notifications.inbox import UNREAD, Relation, Selection


class Tab(NamedTuple):
    """One tab. `name` is its name in addresses."""

    name: str
    label: str
    selection: Selection
    empty: str

    @property
    def query(self) -> str:
        """What an address of the tab has before the number of a page."""
        return f"tab={self.name}&"


def _here(*relations: Relation, mentioned: bool | None = None) -> Selection:
    return Selection(relations=frozenset(relations), mentioned=mentioned, snoozed=False, archived=False)


TABS = {
    tab.name: tab
    for tab in (
        Tab("all", "All", _here(), "Nothing here. What happens on your issues will be."),
        Tab("mentions", "Mentions", _here(mentioned=True), "Nobody has mentioned you."),
        Tab("assigned", "Assigned", _here(Relation.ASSIGNED), "Nothing about issues that you work on."),
        Tab("created", "Created", _here(Relation.CREATED), "Nothing about issues that you created."),
        Tab("unread", "Unread", UNREAD, "You have read everything."),
        Tab("snoozed", "Snoozed", Selection(snoozed=True, archived=False), "Nothing is snoozed."),
        Tab("archived", "Archived", Selection(archived=True), "Nothing is archived."),
    )
}  # fmt: skip
FIRST = "all"


def tab_named(name: str) -> Tab:
    """Return the tab of this name; raise `NotFound` if there is none."""
    if name not in TABS:
        raise NotFound("There is no such tab.")
    return TABS[name]
