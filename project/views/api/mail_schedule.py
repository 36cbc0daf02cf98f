"""When the caller wants mail."""

from typing import Any, cast

from django.conf import settings
from django.utils import timezone
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer
from rest_framework.views import APIView

from project.models import MailMode, MailSchedule, User
from project.services.digests.next_mail import next_mail
from project.services.digests.windows import Wish
from project.services.digests.wording import zone_named
from project.services.notifications.schedule import QuietHoursError, Wanted, reschedule, schedule_of
from project.views.api.parsing import Choice, Flag, KnownFields

TIME = "%H:%M"


class ScheduleBody(KnownFields):
    """What may be decided; what is left out stays as it is."""

    mode = Choice(MailMode.values)
    daily_at = serializers.TimeField(required=False, format=TIME)
    quiet_from = serializers.TimeField(required=False, allow_null=True, format=TIME)
    quiet_until = serializers.TimeField(required=False, allow_null=True, format=TIME)
    mentions_at_once = Flag(required=False)

    def wanted(self) -> Wanted:
        """Return what was sent.

        Raises:
            ValidationError: naming each value that is wrong.
        """
        self.is_valid(raise_exception=True)
        return cast(Wanted, self.validated_data)


class ScheduleRow(Serializer[Any]):
    """When somebody wants mail, by which clock, and by when what happens now would be mailed."""

    mode = serializers.ChoiceField(MailMode.values)
    daily_at = serializers.TimeField(format=TIME)
    quiet_from = serializers.TimeField(format=TIME, allow_null=True)
    quiet_until = serializers.TimeField(format=TIME, allow_null=True)
    mentions_at_once = serializers.BooleanField()
    timezone = serializers.CharField()
    next_mail_by = serializers.DateTimeField(allow_null=True)


class MySchedule(APIView):
    """``users/me/mail-schedule/``."""

    def get(self, request: Request) -> Response:
        """Return it, as decided or by default."""
        user = cast(User, request.user)
        return Response(_shown(schedule_of(user), user))

    def patch(self, request: Request) -> Response:
        """Change what the body names."""
        user = cast(User, request.user)
        wanted = ScheduleBody(data=request.data).wanted()
        try:
            row = reschedule(user, wanted, now=timezone.now())
        except QuietHoursError as error:
            raise ValidationError({"quiet_until": [str(error)]}) from None
        return Response(_shown(row, user))


def _shown(row: MailSchedule, user: User) -> Any:
    wish = Wish(row, zone_named(user.user_timezone))
    next_mail_by = next_mail(wish, mention=False, now=timezone.now(), limits=settings.LIMITS)
    decided = {name: getattr(row, name) for name in Wanted.__annotations__}
    return ScheduleRow({**decided, "timezone": str(wish.zone), "next_mail_by": next_mail_by}).data
