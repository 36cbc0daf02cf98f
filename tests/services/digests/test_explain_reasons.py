"""Each check that keeps a mail, or a line of it, from being made: in words, with the time and what if not.

The reasons are those that sealing really stores.
"""

from collections.abc import Callable
from datetime import timedelta
from uuid import uuid4

import pytest

from project.models import (
    DigestStatus,
    EmailDigest,
    Issue,
    Notification,
    ProjectMember,
    Step,
    SuppressedAddress,
    User,
    UserNotificationPreference,
)
from project.services.digests.claim import claim
from project.services.digests.explain import explain_digest, explain_log
from project.services.digests.explain_reasons import WORDS
from project.services.digests.recheck import Preference, Suppression
from tests.factories import Team, make_comment, make_issue
from tests.services.digests.lines import NOW, make_log, only_digest
from tests.services.digests.sending import LIMITS, changed, send

pytestmark = pytest.mark.django_db

TODAY = "2026-03-10 12:00:00 UTC"
Deed = Callable[[Team, Issue], object]


def set_bob(**fields: object) -> Deed:
    return lambda team, issue: User.objects.filter(pk=team.members["bob"].pk).update(updated_at=NOW, **fields)


def prefer(**fields: object) -> Deed:
    def change(team: Team, issue: Issue) -> None:
        UserNotificationPreference.objects.create(user=team.members["bob"], **fields)
        UserNotificationPreference.objects.update(updated_at=NOW)

    return change


def refuse(**fields: object) -> Deed:
    given = {"address": "bob@acme.example", "reason": "unknown", "evidence": "rcpt 550 5.1.1", "since": NOW}
    return lambda team, issue: SuppressedAddress.objects.create(**given, **fields)


def read_it(team: Team, issue: Issue) -> None:
    place = {"workspace": team.workspace, "project": team.project, "entity_identifier": issue.id}
    activity = issue.activities.get()
    Notification.objects.create(
        **place,
        receiver=team.members["bob"],
        sender="in_app:issue_activities:subscribed",
        data={"issue_activity": {"id": str(activity.id)}},
        read_at=NOW,
    )


def leave_project(team: Team, issue: Issue) -> None:
    ProjectMember.objects.filter(member=team.members["bob"]).update(is_active=False, updated_at=NOW)


def delete(team: Team, issue: Issue) -> None:
    Issue.objects.filter(pk=issue.pk).update(deleted_at=NOW)


def sealed(team: Team, outbox, deed: Deed) -> Step:
    """The last step of the digest that is sealed after `deed`."""
    issue = make_issue(team)
    changed(team, issue=issue)
    wakes = claim(now=NOW, limits=LIMITS)
    deed(team, issue)
    send(outbox, wakes)
    [story] = explain_digest(only_digest().id, now=NOW, limits=LIMITS)
    return story.steps[-1]


@pytest.mark.parametrize(
    ("deed", "because"),
    [
        pytest.param(
            set_bob(is_active=False),
            f"the account is not active since at least {TODAY}; would be mailed if it were active",
            id="inactive",
        ),
        pytest.param(set_bob(is_bot=True), "the account is a bot's, and bots are told nothing", id="bot"),
        pytest.param(
            set_bob(email=None), "the account has no address; would be mailed if it had one", id="no address"
        ),
        pytest.param(
            refuse(),
            "bob@acme.example refused our mail (no such mailbox: rcpt 550 5.1.1), so it is not mailed"
            f" since {TODAY}; would be mailed if the address were cleared or changed",
            id="refused for good",
        ),
        pytest.param(
            refuse(until=NOW + timedelta(days=14)),
            "until 2026-03-24 12:00:00 UTC; would",
            id="refused for now",
        ),
        pytest.param(
            leave_project,
            f"is not an active member of the project ACME since at least {TODAY}; would be mailed if they were",
            id="no access",
        ),
        pytest.param(
            delete,
            f"the issue is deleted since {TODAY}; would be mailed if it were there",
            id="deleted issue",
        ),
        pytest.param(
            read_it,
            f"read in the inbox at {TODAY}; would be mailed if it had been unread when the mail was made",
            id="read",
        ),
        pytest.param(
            prefer(property_change=False),
            f"preference `property_change` is off since at least {TODAY}; would be mailed if it were on when the"
            " mail is made",
            id="preference",
        ),
    ],
)
def test_each_check_in_words(team, outbox, deed, because):
    step = sealed(team, outbox, deed)
    assert (step.name, step.when, step.what) == ("suppressed", NOW, "not mailed, on purpose")
    assert because in step.because


def test_the_preference_that_decides_is_named_with_its_scope(team, outbox):
    step = sealed(team, outbox, prefer(property_change=False, project=team.project))
    assert "preference `property_change` of the project is off" in step.because


def test_nothing_left_to_tell(team, outbox):
    issue, ann, bob = make_issue(team), team.members["ann"], team.members["bob"]
    comment = make_comment(issue, ann, deleted_at=NOW)
    activity = issue.activities.create(
        workspace=team.workspace,
        project=team.project,
        actor=ann,
        field="comment",
        verb="created",
        issue_comment=comment,
        new_identifier=comment.id,
    )
    make_log(bob, activity)
    send(outbox)
    [story] = explain_digest(only_digest().id, now=NOW, limits=LIMITS)
    assert story.steps[-1].because.startswith("nothing was left to tell")


def test_an_issue_that_was_removed_for_good(team, outbox):
    log = make_log(team.members["bob"], None, entity_identifier=uuid4())
    send(outbox)
    [story] = explain_log(log.id, now=NOW, limits=LIMITS)
    assert story.title == "an issue that was removed for bob: a line to mail"
    assert story.steps[0].what == "what changed is not on record any more"
    assert story.steps[-1].because == "the issue was removed for good"


@pytest.mark.parametrize(
    ("deed", "undo", "because"),
    [
        (
            set_bob(is_active=False),
            set_bob(is_active=True),
            "the account was not active when the mail was made",
        ),
        (set_bob(email=None), set_bob(email="bob@x.example"), "there was no address when the mail was made"),
        (
            prefer(property_change=False),
            lambda t, i: UserNotificationPreference.objects.update(property_change=True),
            "preference `property_change` was off when the mail was made; it is on now",
        ),
        (
            leave_project,
            lambda t, i: ProjectMember.objects.update(is_active=True),
            "could not see the issue when the mail was made; can now",
        ),
        (
            refuse(),
            lambda t, i: SuppressedAddress.objects.update(cleared_at=NOW),
            f"not mailed since {TODAY} until {TODAY}",
        ),
        (refuse(), lambda t, i: SuppressedAddress.objects.all().delete(), "the address had refused our mail"),
    ],
)
def test_what_is_otherwise_by_now_is_told_so(team, outbox, deed, undo, because):
    sealed(team, outbox, deed)
    undo(team, None)
    [story] = explain_digest(only_digest().id, now=NOW, limits=LIMITS)
    assert because in story.steps[-1].because


def test_a_line_left_out_of_a_mail_says_why(team, outbox, smtp_sink):
    issue = make_issue(team)
    UserNotificationPreference.objects.create(user=team.members["bob"], state_change=False)
    silent = changed(team, issue=issue, field="state", new_identifier=team.states["started"].id)
    told = changed(team, issue=issue)
    send(outbox)

    [story] = explain_log(silent.id, now=NOW, limits=LIMITS)
    steps = {step.name: step for step in story.steps}
    assert "preference `state_change` is off" in steps["left out"].because
    assert steps["sent"].what == "the mail server took the mail"
    [story] = explain_log(told.id, now=NOW, limits=LIMITS)
    assert "left out" not in {step.name for step in story.steps}


def test_a_reason_that_is_not_known_here_speaks_for_itself(team, outbox):
    changed(team)
    claim(now=NOW, limits=LIMITS)
    EmailDigest.objects.update(status=DigestStatus.SUPPRESSED, reason="moon_phase", ended_at=NOW)
    [story] = explain_digest(only_digest().id, now=NOW, limits=LIMITS)
    assert story.steps[-1].because == "moon_phase"


def test_every_check_has_its_words():
    assert WORDS.keys() == set(Suppression) | {flag.off for flag in Preference}
