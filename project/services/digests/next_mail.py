"""When a person would be mailed of what happens now: an answer for those who decide about it."""

from datetime import datetime

from project.limits import Limits
from project.models import MailMode
from project.services.digests.windows import Gathered, Wish, due


def next_mail(wish: Wish, *, mention: bool, now: datetime, limits: Limits) -> datetime | None:
    """Return by when something that happens at `now`, and nothing after it, is mailed; None if it is not."""
    if wish.schedule.mode == MailMode.OFF:
        return None
    gathered = Gathered(now, now, now if mention else None)
    return due(gathered, wish, now=now, limits=limits).at + limits.tick


def next_mail_in_words(wish: Wish, *, now: datetime, limits: Limits) -> str:
    """Say it, by the person's own clock."""
    ordinary = next_mail(wish, mention=False, now=now, limits=limits)
    mention = next_mail(wish, mention=True, now=now, limits=limits)
    if ordinary is None or mention is None:
        return "You get no mail."
    sentence = f"What happens now is mailed by {_moment(ordinary, wish, now)}"
    if mention != ordinary:
        sentence += f", a mention by {_moment(mention, wish, now)}"
    return f"{sentence}. Times are in {wish.zone}."


def _moment(at: datetime, wish: Wish, now: datetime) -> str:
    there, today = at.astimezone(wish.zone), now.astimezone(wish.zone).date()
    days = (there.date() - today).days
    day = {0: "", 1: " tomorrow"}.get(days, f" on {there.day} {there:%B}")
    return f"{there:%H:%M}{day}"
