"""What the mail about one issue for one receiver is made of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from project.services.digests.header_text import clean_header_text
from project.services.digests.items import Item
from project.services.digests.reason import Reason
from project.services.digests.wording import zone_named

MAX_LINE = 255  # characters of a title or a name; Plane's columns hold as many


@dataclass(frozen=True, kw_only=True)
class DigestView:
    """The input of `compose`. Names and titles are as stored.

    Attributes:
        timezone: IANA name of the receiver's zone; UTC stands in for one that does not exist.
        items: as the collapse ordered them.
        people: user id in lower case → name, of all who act or are mentioned.
        reason: why this person gets the mail.
        issue_url: like all addresses here, made from the configured site and never from a request.
        unsubscribe_url: the page with the ways out.
    """

    receiver_name: str
    timezone: str
    workspace: str
    project: str
    issue_key: str
    issue_title: str
    issue_state: str
    items: Sequence[Item]
    people: Mapping[str, str]
    reason: Reason
    issue_url: str
    preferences_url: str
    unsubscribe_url: str

    @property
    def links(self) -> list[tuple[str, str]]:
        """The links below the mail: words and address."""
        return [
            ("Change notification settings", self.preferences_url),
            ("Unsubscribe from this issue", self.unsubscribe_url),
        ]

    def cleaned(self) -> "DigestView":
        """Return the same with each name and title as one line that cannot disturb what is around it."""
        return replace(
            self,
            timezone=str(zone_named(self.timezone)),
            receiver_name=clean_header_text(self.receiver_name),
            workspace=clean_header_text(self.workspace),
            project=clean_header_text(self.project),
            issue_title=clean_header_text(self.issue_title, MAX_LINE),
            issue_state=clean_header_text(self.issue_state),
            people={user_id: clean_header_text(name) for user_id, name in self.people.items()},
        )
