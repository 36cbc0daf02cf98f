"""The schedule in the admin."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from project.models import RunStatus, ScheduleRun
from scheduler.schedule import SCHEDULE
from tests.admin.staff import browser, signed_in
from tests.factories import make_user

pytestmark = pytest.mark.django_db
PAGE = reverse("operate:schedule")


def test_each_job_is_told_with_its_last_run_and_what_was_missed():
    hour = timezone.now().replace(minute=0, second=0, microsecond=0)
    tick, second = hour - timedelta(days=2), timedelta(seconds=1)
    ran = {
        "tick": tick,
        "taken_up_at": tick + 600 * second,
        "started_at": tick,
        "ended_at": tick + 3 * second,
    }
    ScheduleRun.objects.create(actor="sweep", status=RunStatus.FAILED, reason="<b>away</b>", **ran)
    page = browser("operate").get(PAGE)
    text = page.content.decode()
    assert [one.job.actor for one in page.context["standings"]] == [e.actor.actor_name for e in SCHEDULE]
    assert all(entry.reason in text for entry in SCHEDULE)
    assert 'Failed</span> after 3 s<br><span class="quiet">&lt;b&gt;away&lt;/b&gt;' in text
    assert f"taken up {tick + 600 * second:%Y-%m-%d %H:%M:%S}" in text
    missed = page.context["standings"][1].missed
    assert len(missed) > 2800
    assert f'<span class="missed">{len(missed)}</span>' in text


def test_only_operators_see_it():
    assert browser().get(PAGE).status_code == 403
    assert signed_in(make_user("bob")).get(PAGE).status_code == 302
    assert f'href="{PAGE}"' in browser("operate", name="odo").get(reverse("admin:index")).content.decode()
