"""The people and the work of the demo: a small team that builds the booking app of a ferry line."""

from typing import NamedTuple

from project.models import Priority, Role, StateGroup


class Person(NamedTuple):
    """A member of the team. `key` is how the story calls them."""

    key: str
    first_name: str
    last_name: str
    role: Role

    @property
    def email(self) -> str:
        """Their address, in a domain that cannot exist (RFC 2606)."""
        return f"{self.key}@brightwater.example"


class Work(NamedTuple):
    """An issue that is there before the story begins. `key` is how the story calls it."""

    key: str
    name: str
    description: str
    author: str
    assignee: str
    followers: tuple[str, ...]
    priority: Priority
    state: str
    label: str


COMPANY, SLUG = "Brightwater Ferries", "brightwater"
PROJECT, IDENTIFIER = "Booking app", "FERRY"

PEOPLE = (
    Person("ana", "Ana", "Duarte", Role.ADMIN),
    Person("ben", "Ben", "Okafor", Role.MEMBER),
    Person("chiara", "Chiara", "Lombardi", Role.MEMBER),
    Person("daniel", "Daniel", "Kim", Role.MEMBER),
    Person("elif", "Elif", "Yılmaz", Role.MEMBER),
    Person("farid", "Farid", "Haddad", Role.MEMBER),
)

STATES = {
    "Backlog": StateGroup.BACKLOG,
    "Todo": StateGroup.UNSTARTED,
    "In Progress": StateGroup.STARTED,
    "Done": StateGroup.COMPLETED,
    "Cancelled": StateGroup.CANCELLED,
}

LABELS = {"bug": "#d73a4a", "accessibility": "#0e8a16", "payments": "#fbca04"}

ISSUES = (
    Work(
        key="checkout",
        name="Checkout hangs when two vouchers are used",
        description="<p>The second voucher is accepted, then the spinner never stops. 14 reports so far.</p>",
        author="ana",
        assignee="ben",
        followers=("chiara", "daniel", "farid"),
        priority=Priority.HIGH,
        state="Todo",
        label="payments",
    ),
    Work(
        key="timetable",
        name="Timetable shows yesterday's ferries after midnight",
        description="<p>Between 00:00 and 02:00 local time the first page still lists the day before.</p>",
        author="chiara",
        assignee="daniel",
        followers=("ana", "ben", "farid"),
        priority=Priority.MEDIUM,
        state="Todo",
        label="bug",
    ),
    Work(
        key="seats",
        name="Seat map cannot be used with the keyboard",
        description="<p>Focus jumps from the deck selector straight to the footer.</p>",
        author="elif",
        assignee="chiara",
        followers=("ana", "ben", "daniel", "farid"),
        priority=Priority.MEDIUM,
        state="In Progress",
        label="accessibility",
    ),
    Work(
        key="manifest",
        name="Passenger list takes minutes for the big ships",
        description="<p>The harbour office needs it 20 minutes before departure. MS Helga took 11.</p>",
        author="farid",
        assignee="ben",
        followers=("ana", "chiara", "daniel"),
        priority=Priority.URGENT,
        state="Backlog",
        label="bug",
    ),
)
