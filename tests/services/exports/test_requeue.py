from uuid import uuid4

import pytest

from project.models import ExportRun, Order, RequeueAudit, Verb, Wake
from project.services.exports.attempts import begin, fail
from project.services.exports.cancel import cancel, delete
from project.services.exports.requeue import if_requeued, requeue
from tests.factories import Team, make_issue, make_team
from tests.services.exports.exporting import LIMITS, fetched, make, moment, requested

pytestmark = pytest.mark.django_db(transaction=True)
NOW = moment("2026-03-04T05:06:07")
ORDER = Order(Verb.REQUEUE, by="ops", why="the store is back", at=NOW)


@pytest.fixture
def team() -> Team:
    team = make_team()
    make_issue(team)
    return team


def failed(team: Team) -> ExportRun:
    export = requested(team, now=NOW)
    fail(begin(export.id, 1, owner=uuid4(), now=NOW, limits=LIMITS), "unreachable", now=NOW, limits=LIMITS)
    return ExportRun.objects.select_related("export").get(export=export)


def test_a_failed_export_is_tried_again_once_and_on_record(team):
    run = failed(team)
    seen = Wake(run.export_id, run.dispatch)
    assert if_requeued([seen])[str(run.export_id)].word == "will run"
    report = requeue([seen, seen], ORDER)
    assert report.wakes == [Wake(run.export_id, 2)]
    again = requeue([seen], ORDER)
    assert (again.wakes, again.outcomes[str(run.export_id)].word) == ([], "already re-queued")
    assert RequeueAudit.objects.get(counts={"re-queued": 1}).target == "exports"
    assert make(run.export).status == "completed"
    assert fetched(run.export)


def test_what_did_not_fail_is_left_alone(team):
    waiting = requested(team, now=NOW)
    assert requeue([Wake(waiting.id, 1)], ORDER).outcomes[str(waiting.id)].word == "under way"
    cancel(waiting, now=NOW)
    assert requeue([Wake(waiting.id, 1)], ORDER).outcomes[str(waiting.id)].word == "ended well"
    unknown = uuid4()
    assert requeue([Wake(unknown, 1)], ORDER).outcomes[str(unknown)].word == "no such export"


def test_what_its_initiator_took_off_the_list_is_not_made_again(team):
    run = failed(team)
    seen = Wake(run.export_id, run.dispatch)
    assert if_requeued([seen])[str(run.export_id)].acts
    delete(run.export, now=NOW)
    report = requeue([seen], ORDER)
    outcome = report.outcomes[str(run.export_id)]
    assert (report.wakes, outcome.acts, outcome.word) == ([], False, "taken off the list")
    run.refresh_from_db()
    assert (run.status, run.dispatch) == ("failed", 1)


def test_one_that_was_asked_for_again_meanwhile_is_not_made_twice(team):
    run = failed(team)
    same = requested(team)
    outcome = requeue([Wake(run.export_id, 1)], ORDER).outcomes[str(run.export_id)]
    assert (outcome.acts, outcome.word) == (False, "asked for again")
    assert str(same.id) in outcome.detail
