"""When a person wants their mail."""

from datetime import time, timedelta

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

#: The longest time until the same time of day comes again: when a clock is set back.
LONGEST_DAY = timedelta(hours=25)


class MailMode(models.TextChoices):
    """How a person's mail is paced.

    INSTANT: as soon as a tick finds a line. WINDOW: gathered while more happens, up to a cap. DAILY: once a day,
    one mail for each workspace. OFF: never.
    """

    INSTANT = "instant", "At once"
    WINDOW = "window", "Gathered"
    DAILY = "daily", "Once a day"
    OFF = "off", "Never"


class MailSchedule(models.Model):
    """When a person wants their mail; whoever has no row wants what the defaults say.

    All times are those of the person's own clock, that is of Plane's ``users.user_timezone``. Quiet hours that end
    before they begin cross midnight. With `mentions_at_once` a mention waits neither for their end nor for the
    daily mail.
    """

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.CASCADE, primary_key=True, related_name="mail_schedule"
    )
    mode = models.CharField(max_length=16, choices=MailMode.choices, default=MailMode.WINDOW)
    daily_at = models.TimeField(default=time(9))
    quiet_from = models.TimeField(null=True, blank=True)
    quiet_until = models.TimeField(null=True, blank=True)
    mentions_at_once = models.BooleanField(default=True)
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "mail_schedules"
        constraints = [
            models.CheckConstraint(
                name="mail_schedule_quiet_hours_begin_and_end",
                condition=Q(quiet_from__isnull=True, quiet_until__isnull=True)
                | (Q(quiet_from__isnull=False, quiet_until__isnull=False) & ~Q(quiet_from=F("quiet_until"))),
            )
        ]

    def __str__(self) -> str:
        return f"mail of {self.user_id}: {self.mode}"
