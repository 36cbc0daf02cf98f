"""Links of mails, and what following them writes."""

import re

from django.http import HttpResponse

from project.models import IssueMute, MailSchedule, UnsubscribeToken, UserNotificationPreference
from project.services.notifications.preferences import FLAGS
from tests.factories import Team

ONE_CLICK = {"List-Unsubscribe": "One-Click"}
NOTHING = dict.fromkeys(FLAGS, False)


def link_for(team: Team, **base: object) -> str:
    return f"/unsubscribe/{UnsubscribeToken.objects.create(receiver=team.members['bob'], **base).token}/"


def written() -> list[int]:
    tables = (IssueMute, MailSchedule, UserNotificationPreference)
    return [model._default_manager.count() for model in tables]


def ticket_in(response: HttpResponse) -> str:
    found = re.search(r'name="ticket" value="([^"]+)"', response.content.decode())
    return found[1] if found else ""
