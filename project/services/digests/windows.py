"""When a group of lines is due: the windows, and what its receiver wants otherwise.

`due` says it for one group, for people and for the tests; `pace` says the same as thresholds that the claim can
compare very many groups with. A test holds the two together.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import NamedTuple

from project.limits import Limits
from project.models import MailMode, MailSchedule
from project.models.digest import WAITS
from project.services.digests.local_time import daily_after, daily_before, quiet_until

NEVER = datetime.min.replace(tzinfo=UTC)  # no line is that old


@dataclass(frozen=True)
class Wish:
    """When a receiver wants mail, by which clock."""

    schedule: MailSchedule
    zone: tzinfo

    def quiet_until(self, now: datetime) -> datetime | None:
        """Return the end of the quiet hours in which `now` is; None if it is in none."""
        return quiet_until(now, self.schedule.quiet_from, self.schedule.quiet_until, self.zone)

    @property
    def daily(self) -> bool:
        """Whether mail comes once a day."""
        return self.schedule.mode == MailMode.DAILY


class Gathered(NamedTuple):
    """What waits of one group: when its first line, its last and its first mention came.

    `mailed_at`: when its issue was last in a mail to the same person, if it was, mentions apart; now, if such a
    mail is on its way.
    """

    first: datetime
    last: datetime
    mention: datetime | None = None
    mailed_at: datetime | None = None


class Due(NamedTuple):
    """When a group is due, and what decides that."""

    at: datetime
    because: str


class Pace(NamedTuple):
    """The same for all groups of a receiver at one moment.

    Attributes:
        quiet_since: a group whose last line is not younger is due, unless `mailed_since` is against it …
        oldest: … and so is one whose first line is not younger.
        mentioned: a group whose first mention is not younger is due, whatever else.
        mailed_since: a group whose issue was mailed after this is not due, but for a mention.
        apart: so many issues that are due together get a mail each; more get one between them.
    """

    quiet_since: datetime
    oldest: datetime
    mentioned: datetime
    mailed_since: datetime
    apart: int


def due(gathered: Gathered, wish: Wish, *, now: datetime, limits: Limits) -> Due:
    """Return when a group is due as it stands: that moment if it has come, else the first that is possible."""
    moments = [_unless_quiet(_ordinary(gathered, wish, limits), wish, now)]
    if gathered.mention and (urgent := _urgent(gathered.mention, wish, now, limits)):
        moments.append(urgent)
    return min(moments)


def pace(wish: Wish, *, now: datetime, limits: Limits) -> Pace:
    """Return how old the lines of a receiver's groups must be at `now`."""
    at_once = wish.schedule.mentions_at_once
    mentioned = now if wish.schedule.mode == MailMode.INSTANT else now - limits.window_mention
    match wish.schedule.mode:
        case MailMode.INSTANT:
            found = Pace(now, now, mentioned, now, limits.rollup_above)
        case MailMode.DAILY:
            since = daily_before(now, wish.schedule.daily_at, wish.zone)
            found = Pace(NEVER, since, mentioned if at_once else NEVER, now, 1)
        case _:
            idle, cap = now - limits.window_idle, now - limits.window_cap
            found = Pace(idle, cap, mentioned, now - limits.window_gap, limits.rollup_above)
    if wish.schedule.mode == MailMode.OFF or not wish.quiet_until(now):
        return found
    return found._replace(quiet_since=NEVER, oldest=NEVER, mentioned=found.mentioned if at_once else NEVER)


def _ordinary(gathered: Gathered, wish: Wish, limits: Limits) -> Due:
    match wish.schedule.mode:
        case MailMode.INSTANT:
            return Due(gathered.first, "they want mail at once")
        case MailMode.DAILY:
            return Due(daily_after(gathered.first, wish.schedule.daily_at, wish.zone), daily_in_words(wish))
    window = min(
        Due(gathered.last + limits.window_idle, f"then nothing was added for {limits.window_idle}"),
        Due(gathered.first + limits.window_cap, f"then the oldest line is {limits.window_cap} old"),
    )
    if gathered.mailed_at is None:
        return window
    gap = f"{WAITS}{limits.window_gap} after the last mail about the issue"
    return max(window, Due(gathered.mailed_at + limits.window_gap, gap))


def _urgent(mention: datetime, wish: Wish, now: datetime, limits: Limits) -> Due | None:
    """A mention waits for nothing but its own window, unless the receiver wants it to."""
    if wish.schedule.mode == MailMode.INSTANT:
        found = Due(mention, "they want mail at once")
    else:
        found = Due(mention + limits.window_mention, f"then a mention is {limits.window_mention} old")
    if wish.schedule.mentions_at_once:
        return found
    return None if wish.daily else _unless_quiet(found, wish, now)


def _unless_quiet(found: Due, wish: Wish, now: datetime) -> Due:
    if wish.schedule.mode == MailMode.OFF:
        return found
    until = wish.quiet_until(max(found.at, now))
    return Due(until, quiet_in_words(until, wish)) if until else found


def daily_in_words(wish: Wish) -> str:
    """Say it: "waits: the daily mail at 09:00 Europe/Istanbul"."""
    return f"{WAITS}the daily mail at {wish.schedule.daily_at:%H:%M} {wish.zone}"


def quiet_in_words(until: datetime, wish: Wish) -> str:
    """Say it: "waits: quiet hours until 08:00 Europe/Istanbul"."""
    return f"{WAITS}quiet hours until {until.astimezone(wish.zone):%H:%M} {wish.zone}"


def held(since: datetime, wish: Wish, *, urgent: bool, now: datetime) -> Due | None:
    """Return until when a mail whose oldest line came at `since` waits, as its receiver wants it at `now`.

    Asked of mails that are made already: quiet hours may have begun since, and wishes may have changed.
    """
    if wish.schedule.mode == MailMode.OFF or (urgent and wish.schedule.mentions_at_once):
        return None
    moment = max(now, daily_after(since, wish.schedule.daily_at, wish.zone)) if wish.daily else now
    if until := wish.quiet_until(moment):
        return Due(until, quiet_in_words(until, wish))
    return Due(moment, daily_in_words(wish)) if moment > now else None
