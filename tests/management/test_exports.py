"""``manage.py exports``."""

from datetime import timedelta
from uuid import uuid4

import dramatiq
import pytest
from django.utils import timezone

from project.demo.ports import HOST, free_port
from project.models import Exporter, ExportRun, ExportStatus, RequeueAudit
from project.queue.client import connect
from project.services.exports.attempts import begin, fail
from project.services.exports.cancel import cancel, delete
from tests.dead import broker
from tests.factories import Team, make_issue, make_team
from tests.management.ran import refused, run, run_json
from tests.services.exports.exporting import LIMITS, make, requested

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_server")]

ORDERED = ("--yes", "--reason", "store is back", "--by", "olga")
S = ExportStatus


@pytest.fixture
def team() -> Team:
    team = make_team()
    make_issue(team)
    return team


def queued(team: Team, provider: str = "csv", by: str = "ann", age: timedelta = timedelta(0)) -> str:
    return str(requested(team, provider, by=by, now=timezone.now() - age).id)


def failed(team: Team, provider: str = "csv", reason: str = "refused", **asked) -> str:
    export_id = queued(team, provider, **asked)
    attempt = begin(export_id, 1, owner=uuid4(), now=timezone.now(), limits=LIMITS)
    fail(attempt, reason, now=timezone.now(), limits=LIMITS)
    return export_id


def completed(team: Team) -> str:
    export = requested(team, "json", by="eve")
    make(export)
    return str(export.id)


def on_the_queue() -> list[tuple[str, int]]:
    bodies = broker().client.hvals(broker().layout("exports").bodies)
    return sorted(tuple(dramatiq.Message.decode(body).args) for body in bodies)


def statuses() -> dict[str, str]:
    return {str(id_): status for id_, status in ExportRun.objects.values_list("export_id", "status")}


def listed(*filters: object) -> list[str]:
    return [export["id"] for export in run_json("exports", "list", *filters)]


def test_list_tells_what_is_open_or_failed_the_oldest_first(team):
    bad, waiting, good = failed(team), queued(team, "json"), completed(team)
    text = run("exports", "list")
    assert listed() == [bad, waiting]
    assert "failed  ann@acme.example  acme  csv   no rows yet  refused" in text
    assert good not in text


def test_list_is_narrowed_by_status_reason_user_workspace_and_age(team):
    bad = failed(team, reason="The store is away")
    other = failed(team, by="bob", age=timedelta(hours=3))
    waiting, good = queued(team, by="carl"), completed(team)

    assert listed("--status", "queued") == [waiting]
    assert listed("--status", "queued", "--status", "completed") == [waiting, good]
    assert listed("--error", "STORE") == [bad]
    assert listed("--user", "Bob@acme.example") == [other]
    assert listed("--user", team.members["bob"].id) == [other]
    assert len(listed("--workspace", "acme")) == 3
    assert listed("--older-than", "2h") == [other]
    assert listed("--newer-than", "2h", "--limit", 1) == [bad]
    make_team("other")
    assert run("exports", "list", "--workspace", "other") == "No exports fit.\n"


def test_show_tells_all_about_one_and_what_was_ordered(team):
    export = failed(team)
    run("exports", "requeue", export, *ORDERED)

    text = run("exports", "show", export)

    assert "if_requeued   under way: queued" in text
    assert "if_cancelled  will be cancelled: queued, no rows yet" in text
    assert "requeue by olga (store is back): re-queued: failed since" in text
    assert run_json("exports", "show", export)["dispatch"] == 2


def test_show_tells_the_figures_of_one_that_was_made(team):
    shown = run_json("exports", "show", completed(team))
    assert (shown["status"], shown["progress"]) == ("completed", "1 of 1 rows")
    assert shown["size"] == ExportRun.objects.get().size
    assert shown["if_cancelled"].startswith("already ended: completed since")


@pytest.mark.parametrize(("verb", "word"), [("requeue", "will run"), ("cancel", "will be cancelled")])
def test_the_preview_changes_nothing(team, verb, word):
    failed(team), queued(team, "json")
    before = statuses()
    text = run("exports", verb)
    assert f"1 exports: {word} 1." in text
    assert "Nothing was done" in text
    assert (statuses(), RequeueAudit.objects.count(), on_the_queue()) == (before, 0, [])


def test_requeue_wakes_them_at_once_and_only_once(team):
    bad, good = failed(team), completed(team)

    assert "re-queued 1, ended well 1" in run("exports", "requeue", bad, good, *ORDERED)
    assert "under way 1, ended well 1" in run("exports", "requeue", bad, good, *ORDERED)

    assert on_the_queue() == [(bad, 2)]
    assert RequeueAudit.objects.first().by == "olga"
    assert make(Exporter.objects.get(id=bad)).status == S.COMPLETED


def test_cancel_ends_open_ones_and_is_on_record(team):
    waiting, made, bad = queued(team), queued(team, "json"), failed(team, by="bob")
    attempt = begin(made, 1, owner=uuid4(), now=timezone.now(), limits=LIMITS)

    text = run("exports", "cancel", waiting, made, bad, *ORDERED)

    assert "cancelled 2, already ended 1" in text
    assert statuses() == {waiting: S.CANCELLED, made: S.CANCELLED, bad: S.FAILED}
    assert not attempt.row().exists()
    audit = RequeueAudit.objects.get()
    assert (audit.target, audit.by, audit.why) == ("exports", "olga", "store is back")
    assert audit.counts == {"cancelled": 2, "already ended": 1}
    assert audit.finished_at
    assert audit.rows[bad].startswith("already ended: failed since")


def test_all_in_bounded_runs(team):
    for by in ("ann", "bob", "carl"):
        queued(team, by=by)
    assert "add --all" in refused("exports", "cancel", *ORDERED)
    assert "There are more" in run("exports", "cancel", "--all", "--limit", 2, *ORDERED)
    assert run_json("exports", "cancel", "--all", "--limit", 2, *ORDERED)["counts"] == {"cancelled": 1}
    assert set(statuses().values()) == {S.CANCELLED}


def test_what_its_initiator_deleted_is_not_there(team):
    bad = failed(team)
    delete(Exporter.objects.get(id=bad), now=timezone.now())
    assert listed() == []
    assert "no such export" in refused("exports", "requeue", bad, *ORDERED)
    assert statuses() == {bad: S.FAILED}


def test_one_that_its_initiator_cancelled_stays_so(team):
    waiting = queued(team)
    cancel(Exporter.objects.get(id=waiting), now=timezone.now())
    assert "already ended 1" in run("exports", "cancel", waiting, *ORDERED)


def test_a_broker_that_is_away_costs_time_only(team, monkeypatch):
    export = failed(team)
    nobody = connect(f"redis://{HOST}:{free_port()}/0", timedelta(seconds=1))
    monkeypatch.setattr(broker(), "client", nobody)

    text = run("exports", "requeue", export, *ORDERED)

    assert "the sweep will wake them" in text
    assert statuses() == {export: S.QUEUED}


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (("show", uuid4()), "no such export. `exports list` tells"),
        (("requeue", "nonsense"), "no such export"),
        (("list", "--user", "nobody@example.org"), "no such user"),
        (("list", "--workspace", "nowhere"), "no such workspace"),
        (("list", "--status", "lost"), "invalid choice"),
        (("cancel", "--yes"), "Say why"),
    ],
)
def test_a_mistake_is_answered_with_what_to_do(words, answer):
    assert answer in refused("exports", *words)
