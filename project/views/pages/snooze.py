"""Until when a notification may be snoozed, in the words of people."""

from datetime import datetime, time, timedelta, tzinfo

MORNING = time(9)

#: What can be chosen, by name.
CHOICES = {"hour": "For an hour", "tomorrow": "Until tomorrow, 9:00", "monday": "Until Monday, 9:00"}


def snoozed_until(choice: str, *, now: datetime, zone: tzinfo) -> datetime:
    """Return the end of a choice; mornings are those of `zone`. Raise ``KeyError`` for any other choice."""
    today = now.astimezone(zone).date()
    days = {"tomorrow": 1, "monday": 7 - today.weekday()}
    if choice == "hour":
        return now + timedelta(hours=1)
    return datetime.combine(today + timedelta(days=days[choice]), MORNING, zone)
