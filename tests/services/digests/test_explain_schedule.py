"""What a person wants otherwise, as explain tells it: the wait, the mute, the roll-up."""

from datetime import time, timedelta

import pytest

from project.limits import Limits
from project.models import (
    EmailDigest,
    EmailNotificationLog,
    IssueMute,
    MailBreaker,
    MailMode,
    MailSchedule,
    Wake,
)
from project.services.digests.claim import claim
from project.services.digests.explain import explain_digest, explain_log, explain_person
from tests.factories import make_issue
from tests.services.digests.lines import NOW as TWELVE
from tests.services.digests.lines import mailed, make_activity, make_log
from tests.services.digests.sending import LIMITS, changed, send
from tests.services.digests.told import LATER, bob_is_told, followed, only
from tests.services.notifications.events import NOW

pytestmark = pytest.mark.django_db


def schedule(team, zone="Europe/Istanbul", **wanted):
    bob = team.members["bob"]
    bob.user_timezone = zone
    bob.save()
    return MailSchedule.objects.create(user=bob, **wanted)


def last_steps(stories):
    return {step.name: step for step in stories[-1].steps}


@pytest.mark.parametrize(
    ("wanted", "because"),
    [
        (
            {"quiet_from": time(0), "quiet_until": time(23, 59)},
            "waits: quiet hours until 23:59 Europe/Istanbul",
        ),
        (
            {"mode": MailMode.DAILY, "daily_at": time(23, 59)},
            "waits: the daily mail at 23:59 Europe/Istanbul",
        ),
        ({"mode": MailMode.INSTANT}, "they want mail at once"),
        ({}, "then nothing was added for 0:02:00"),
    ],
)
def test_a_line_that_waits_says_what_for(team, wanted, because):
    schedule(team, **wanted)
    bob_is_told(followed(team))
    line = last_steps(explain_log(EmailNotificationLog.objects.get().id, now=NOW, limits=LIMITS))["line"]
    assert line.because == because
    assert line.when >= NOW


def test_a_line_waits_for_the_gap_after_the_last_mail(team):
    issue = followed(team)
    bob_is_told(issue)
    claimed = NOW + LIMITS.window_idle
    claim(now=claimed, limits=LIMITS)
    sent = claimed + timedelta(hours=8)
    log = make_log(
        team.members["bob"],
        make_activity(issue, team.members["ann"]),
        created_at=claimed + timedelta(seconds=1),
    )
    gap = "waits: 0:05:00 after the last mail about the issue"
    line = last_steps(explain_log(log.id, now=sent, limits=LIMITS))["line"]
    assert (line.when, line.because) == (sent + LIMITS.window_gap, gap)  # that mail is on its way
    mailed(sent)
    line = last_steps(explain_log(log.id, now=sent + timedelta(seconds=9), limits=LIMITS))["line"]
    assert (line.when, line.because) == (sent + LIMITS.window_gap, gap)


def test_a_line_that_waits_says_where_it_stands_now(team):
    """It was due before the quiet hours, and is looked at in them."""
    schedule(team, zone="UTC", quiet_from=time(10), quiet_until=time(12))
    bob_is_told(followed(team))
    log = EmailNotificationLog.objects.get()
    line = last_steps(explain_log(log.id, now=NOW.replace(hour=11), limits=LIMITS))["line"]
    assert (line.when, line.because) == (NOW.replace(hour=12), "waits: quiet hours until 12:00 UTC")


def test_a_line_that_is_not_gathered_says_what_stops_it(team):
    row = schedule(team, mode=MailMode.OFF)
    bob_is_told(followed(team))
    log = EmailNotificationLog.objects.get()
    line = last_steps(explain_log(log.id, now=LATER, limits=LIMITS))["line"]
    assert line.what == "is put aside then, and not mailed"
    assert line.because.startswith(f"wants no mail at all since at least {row.updated_at:%Y-%m-%d}")
    MailBreaker.objects.create(sender="s", opened_at=NOW, probe_at=LATER, cause="config: auth 535")
    line = last_steps(explain_log(log.id, now=LATER, limits=LIMITS))["line"]
    assert (line.what, line.because) == (
        "waits to be mailed",
        "all mail is stopped since 2026-03-02 09:00:00 UTC: config: auth 535",
    )


def test_a_mail_that_waits_for_the_end_of_quiet_hours_says_so(team, outbox, smtp_sink):
    changed(team)
    (wake,) = claim(now=TWELVE, limits=LIMITS)
    schedule(team, quiet_from=time(14), quiet_until=time(20))
    send(outbox, [wake])
    step = last_steps(explain_digest(wake.row_id, now=NOW, limits=LIMITS))["waiting"]
    assert (step.when, step.what) == (TWELVE.replace(hour=17), "is sent then")
    assert step.because == "waits: quiet hours until 20:00 Europe/Istanbul"


def test_what_was_not_wanted_is_told_with_since_when(team, outbox, smtp_sink):
    bob = team.members["bob"]
    issue = followed(team)
    bob_is_told(issue)
    mute = IssueMute.objects.create(user=bob, issue=issue, created_at=NOW)
    send(outbox, claim(now=LATER, limits=LIMITS))
    told = last_steps(explain_person(bob, issue, now=NOW, limits=LIMITS))["left out"].because
    assert told.startswith(f"muted the issue since {NOW:%Y-%m-%d %H:%M:%S}")
    assert told.endswith("would be mailed if the issue were not muted")
    mute.delete()
    told = last_steps(explain_person(bob, issue, now=NOW, limits=LIMITS))["left out"].because
    assert told.startswith("had muted the issue when the mail was made")


def test_who_wants_no_mail_at_all_reads_that(team, outbox, smtp_sink):
    row = schedule(team, mode=MailMode.OFF)
    changed(team)
    send(outbox)
    step = last_steps(explain_digest(EmailDigest.objects.get().id, now=NOW, limits=LIMITS))["suppressed"]
    assert step.because.startswith(f"wants no mail at all since at least {row.updated_at:%Y-%m-%d}")


def test_a_roll_up_is_told_issue_by_issue(team, outbox, smtp_sink):
    issues = [make_issue(team) for _ in range(4)]
    for issue in issues:
        changed(team, issue=issue)
    IssueMute.objects.create(user=team.members["bob"], issue=issues[1])
    (wake,) = claim(now=TWELVE, limits=Limits())
    send(outbox, [Wake(*wake)])
    stories = explain_digest(wake.row_id, now=NOW, limits=LIMITS)
    assert sorted(story.title for story in stories) == [
        f"ACME-{number} for bob: a mail" for number in range(1, 5)
    ]
    steps = last_steps(stories)
    assert steps["digest"].what == f"lines about many issues were gathered into digest {wake.row_id}"
    assert "sent" in steps
    muted = next(story for story in stories if story.title.startswith("ACME-2 "))
    assert "left out" in {step.name for step in muted.steps}
    (story,) = [
        only(explain_log(line.log_id, now=NOW, limits=LIMITS))
        for line in EmailDigest.objects.get().lines.all()[:1]
    ]
    assert "digest" in {step.name for step in story.steps}
