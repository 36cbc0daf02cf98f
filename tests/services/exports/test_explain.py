"""The story of an export, at each place where it can stand."""

from datetime import timedelta
from uuid import uuid4

import pytest

from project.models import (
    EmailNotificationLog,
    Exporter,
    ExportRun,
    NotFoundError,
    Notification,
    Order,
    ProjectMember,
    Step,
    Verb,
    Wake,
)
from project.services.digests.explain import explain_log, explain_notification
from project.services.exports.attempts import (
    Attempt,
    begin,
    complete,
    fail,
    note_progress,
    note_snapshot,
    put_off,
)
from project.services.exports.cancel import cancel, delete
from project.services.exports.explain import explain_export
from project.services.exports.filters import Filters
from project.services.exports.requeue import requeue
from project.services.exports.scope import Scope
from project.services.exports.upload import Stored
from tests.factories import Team, make_team
from tests.services.exports.exporting import LIMITS, moment, requested

pytestmark = pytest.mark.django_db
NOW = moment("2026-03-04T05:06:07")
SECOND = timedelta(seconds=1)


@pytest.fixture
def team() -> Team:
    return make_team()


@pytest.fixture
def export(team) -> Exporter:
    return requested(team, "csv", by="bob", now=NOW)


def told(export: Exporter) -> list[Step]:
    """But for how the person heard of it."""
    (story,) = explain_export(export.id, now=NOW, limits=LIMITS)
    return [step for step in story.steps if step.name not in {"inbox", "line"}]


def begun(export: Exporter, *, seconds: int = 1) -> Attempt:
    run = ExportRun.objects.get(export=export)
    return begin(export.id, run.dispatch, owner=uuid4(), now=NOW + seconds * SECOND, limits=LIMITS)


def reading(export: Exporter, *, full: frozenset = frozenset()) -> Attempt:
    attempt = begun(export)
    note_snapshot(attempt, at=NOW + 2 * SECOND, scope=Scope(full), total=3)
    note_progress(attempt, rows=2, now=NOW + 3 * SECOND)
    return attempt


def completed(export: Exporter, **scope) -> Stored:
    stored = Stored(key=f"exports/{export.workspace_id}/{export.id}/1.zip", size=99, sha256="a" * 64)
    complete(reading(export, **scope), stored, rows=3, cut=1, now=NOW + 4 * SECOND, limits=LIMITS)
    return stored


def test_what_was_wished_and_by_whom(team):
    export = requested(
        team,
        "xlsx",
        by="bob",
        now=NOW,
        multiple=True,
        time_zone="Asia/Tokyo",
        filters=Filters(priorities=("high", "low")),
    )
    (story,) = explain_export(export.id, now=NOW, limits=LIMITS)
    assert story.title == "acme for bob: an export as Excel"
    assert story.steps[0] == Step(
        "wish", NOW, "asked for 1 projects as Excel, one file for each, times in Asia/Tokyo",
        "filters: priorities high, low",
    )  # fmt: skip


def test_one_that_waits_for_a_worker(export):
    assert told(export)[1:] == [
        Step(
            "waiting", NOW, "on the queue since 2026-03-04 05:06:07 UTC",
            "its wake-up is sent again at 2026-03-04 05:09:07 UTC if no worker takes it",
        )
    ]  # fmt: skip


def test_one_that_is_made_by_the_second_worker(export):
    begun(export, seconds=0)
    attempt = reading(export)
    assert told(export)[1:] == [
        Step(
            "attempt",
            NOW + SECOND,
            "attempt 2 began",
            f"ended without an outcome before it: 1; owner {attempt.owner}",
        ),
        Step("snapshot", NOW + 2 * SECOND, "holds 3 issues", "projects seen in full: 0; own issues only: 0"),
        Step("progress", NOW + 3 * SECOND, "2 of 3 rows were written"),
        Step(
            "working",
            NOW + 3 * SECOND,
            "a worker is at it, and showed a sign of life then",
            "is taken over if it is silent until 2026-03-04 05:09:10 UTC;"
            " fails if not done by 2026-03-04 06:06:08 UTC",
        ),
    ]


def test_one_that_was_put_off(export):
    put_off(begun(export), until=NOW + 30 * SECOND, reason="no store")
    assert told(export)[1:] == [
        Step("attempt", NOW + SECOND, "attempt 1 began", "failed before it: 1"),
        Step("waiting", NOW + 30 * SECOND, "is tried again then", "last attempt: no store"),
    ]


def test_one_that_failed_and_was_ordered_again(export):
    fail(begun(export), "no store", now=NOW + 2 * SECOND, limits=LIMITS)
    assert told(export)[-1] == Step(
        "failed", NOW + 2 * SECOND, f"`manage.py exports requeue {export.id}` tries again", "no store"
    )
    requeue([Wake(export.id, 1)], Order(Verb.REQUEUE, "olga", "store is back", NOW + 5 * SECOND))
    assert told(export)[2:] == [
        Step(
            "order", NOW + 5 * SECOND, "re-queued: failed since 2026-03-04 05:06:09 UTC: no store",
            "ordered by olga: store is back",
        ),
        Step(
            "waiting", NOW + 5 * SECOND, "on the queue since 2026-03-04 05:06:12 UTC",
            "its wake-up is sent again at 2026-03-04 05:09:12 UTC if no worker takes it",
        ),
    ]  # fmt: skip


def test_one_that_can_be_fetched(export):
    stored = completed(export)
    assert told(export)[4:] == [
        Step(
            "completed", NOW + 4 * SECOND, f"3 rows, 99 bytes, SHA-256 {stored.sha256}, stored as {stored.key}",
            "texts that were too long for Excel: 1",
        ),
        Step(
            "link", NOW + 4 * SECOND + LIMITS.export_offered, "is given to its initiator until then",
            "each works for 600 seconds",
        ),
        Step("expiry", NOW + 4 * SECOND + LIMITS.export_kept, "the archive is removed"),
    ]  # fmt: skip


def test_how_its_initiator_hears_of_its_end(export):
    completed(export)
    log, notification = EmailNotificationLog.objects.get(), Notification.objects.get()
    at = NOW + 4 * SECOND
    (story,) = explain_export(export.id, now=NOW, limits=LIMITS)
    ended = Step("export", at, "an export ended", f"`manage.py explain export {export.id}` tells its story")

    assert [step for step in story.steps if step.name in {"inbox", "line"}] == [
        Step("inbox", at, "its end is in the inbox, not read"),
        Step("line", at, "its end is to be mailed", f"`manage.py explain log {log.id}`"),
    ]
    (story,) = explain_log(log.id, now=NOW, limits=LIMITS)
    assert story.title == "an export for bob: a line to mail"
    assert [step.name for step in story.steps] == ["export", "line"]
    (story,) = explain_notification(notification.id, now=NOW, limits=LIMITS)
    assert story.steps == [ended, Step("inbox", at, "is in the inbox", "they asked for the export")]


def test_one_whose_initiator_lost_access_gives_no_link(export, team):
    completed(export, full=frozenset([team.project.id]))
    ProjectMember.objects.filter(member=team.members["bob"]).update(is_active=False)
    (link,) = [step for step in told(export) if step.name == "link"]
    assert link.because == "bob may no longer see everything that is in it; would be given if they could"


def test_one_that_was_taken_off_the_list_gives_no_link(export):
    completed(export)
    delete(export, now=NOW + 9 * SECOND)
    steps = {step.name: step for step in told(export)}
    assert steps["removed"].when == steps["expiry"].when == NOW + 9 * SECOND
    assert steps["link"].because == "its initiator took it off the list"


def test_one_that_expired(export):
    completed(export)
    ExportRun.objects.update(status="expired")
    assert [step.name for step in told(export)][-2:] == ["completed", "expired"]


def test_one_that_was_cancelled(export):
    cancel(export, now=NOW + SECOND)
    assert told(export)[-1] == Step("cancelled", NOW + SECOND, "by its initiator, or by an order")


def test_one_that_is_not_there():
    with pytest.raises(NotFoundError, match="no such export"):
        explain_export(uuid4(), now=NOW, limits=LIMITS)
