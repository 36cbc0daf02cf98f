"""The tickets by which whoever just stopped mail by a link can take that back."""

from django.db.models import F

from project.models import MailStop, User


def void_tickets(user: User) -> None:
    """Let no ticket that is out start mail to `user` again: they decided about their mail since."""
    open_ones = MailStop.objects.filter(token__receiver=user, taken_back_at=None)
    open_ones.update(ticket=F("ticket") + 1)
