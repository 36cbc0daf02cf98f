"""``manage.py digests``."""

from datetime import timedelta
from uuid import uuid4

import dramatiq
import pytest
from django.utils import timezone

from project.demo.ports import HOST, free_port
from project.models import DigestStatus, EmailDigest, RequeueAudit
from project.queue.client import connect
from tests.dead import broker
from tests.factories import Team, make_issue, make_team
from tests.management.ran import refused, run, run_json

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_server")]

ORDERED = ("--yes", "--reason", "mail server is back", "--by", "olga")
S = DigestStatus


@pytest.fixture
def team() -> Team:
    return make_team()


def make_digest(
    team: Team, status: DigestStatus = S.FAILED, *, age: timedelta = timedelta(0), **fields
) -> str:
    """A digest for bob that ended `age` ago."""
    passed = {"sealed_at": timezone.now(), "content": b"frozen", "dot_at": timezone.now()}
    digest = EmailDigest.objects.create(
        id=uuid4(),
        status=status,
        ended_at=timezone.now() - age,
        **{
            "receiver": team.members["bob"],
            "issue": make_issue(team),
            "reason": "receiver: rcpt 550",
            **fields,
        },
        **(passed if status in {S.HELD, S.SENT} else {}),
    )
    return str(digest.id)


def on_the_queue() -> list[tuple[str, int]]:
    bodies = broker().client.hvals(broker().layout("mail").bodies)
    return sorted(dramatiq.Message.decode(body).args for body in bodies)


def listed(*filters: object) -> set[str]:
    return {digest["id"] for digest in run_json("digests", "list", *filters)}


def test_list_tells_what_did_not_go_out(team):
    issue = make_issue(team)
    failed, held = make_digest(team, issue=issue), make_digest(team, S.HELD)
    sent = make_digest(team, S.SENT, reason="")

    text = run("digests", "list")

    assert listed() == {failed, held}
    assert "failed  bob@acme.example  ACME-1  receiver: rcpt 550" in text
    assert sent not in text


def test_list_is_narrowed_by_status_reason_receiver_issue_and_age(team):
    issue = make_issue(team)
    failed = make_digest(team, issue=issue, reason="message: data 554")
    expired = make_digest(team, S.EXPIRED, age=timedelta(hours=3))
    other = make_digest(team, receiver=team.members["carl"])

    assert listed("--status", "expired") == {expired}
    assert listed("--status", "expired", "--status", "failed") == {failed, expired, other}
    assert listed("--error", "MESSAGE") == {failed}
    assert listed("--receiver", "Carl@acme.example") == {other}
    assert listed("--receiver", team.members["carl"].id) == {other}
    assert (
        listed("--issue", "acme-1")
        == listed("--issue", "acme/ACME-1")
        == listed("--issue", issue.id)
        == {failed}
    )
    assert listed("--older-than", "2h") == {expired}
    assert listed("--newer-than", "2h", "--limit", 1) == {failed}


def test_show_tells_all_about_one_and_what_was_ordered(team):
    digest = make_digest(team)
    run("digests", "requeue", digest, *ORDERED)

    text = run("digests", "show", digest)

    assert "if_requeued  under way: waiting, due at" in text
    assert "requeue by olga (mail server is back): re-queued: failed since" in text
    assert run_json("digests", "show", digest)["dispatch"] == 2


def test_the_preview_changes_nothing(team):
    make_digest(team), make_digest(team)
    text = run("digests", "requeue")
    assert "2 digests: will run 2." in text
    assert "Nothing was done" in text
    assert set(EmailDigest.objects.values_list("status", "dispatch")) == {(S.FAILED, 1)}


def test_requeue_wakes_them_at_once_and_only_once(team):
    digest, sent = make_digest(team), make_digest(team, S.SENT, reason="")

    assert "re-queued 1, already sent 1" in run("digests", "requeue", digest, sent, *ORDERED)
    assert "under way 1, already sent 1" in run("digests", "requeue", digest, sent, *ORDERED)

    assert on_the_queue() == [(digest, 2)]
    assert RequeueAudit.objects.first().by == "olga"


def test_a_held_one_is_requeued_only_if_it_is_meant(team):
    held = make_digest(team, S.HELD)
    assert run("digests", "requeue", "--all", *ORDERED) == "No digests fit.\n"
    assert "may be mailed twice 1" in run("digests", "requeue", "--status", "held")
    run("digests", "requeue", "--status", "held", *ORDERED)
    assert on_the_queue() == [(held, 2)]


def test_held_ones_are_taken_for_sent(team):
    held, failed = make_digest(team, S.HELD), make_digest(team)
    assert "will count as sent 1" in run("digests", "assume-sent")
    run("digests", "assume-sent", "--all", *ORDERED)
    assert "not held 1" in run("digests", "assume-sent", failed, *ORDERED)
    statuses = dict(EmailDigest.objects.values_list("id", "status"))
    assert {str(id_): status for id_, status in statuses.items()} == {held: S.SENT_ASSUMED, failed: S.FAILED}
    assert on_the_queue() == []


def test_all_in_bounded_runs(team):
    for _ in range(5):
        make_digest(team)
    assert "add --all" in refused("digests", "requeue", *ORDERED)
    assert "There are more" in run("digests", "requeue", "--all", "--limit", 3, *ORDERED)
    run("digests", "requeue", "--all", "--limit", 3, *ORDERED)
    assert len(on_the_queue()) == 5


def test_a_broker_that_is_away_costs_time_only(team, monkeypatch):
    digest = make_digest(team)
    nobody = connect(f"redis://{HOST}:{free_port()}/0", timedelta(seconds=1))
    monkeypatch.setattr(broker(), "client", nobody)

    text = run("digests", "requeue", digest, *ORDERED)

    assert "the sweep will wake them" in text
    assert "re-queued 1" in text
    assert EmailDigest.objects.get().status == S.WAITING


def test_the_name_for_the_audit_is_the_login_s(team, monkeypatch):
    monkeypatch.setenv("LOGNAME", "otto")
    run("digests", "requeue", make_digest(team), "--yes", "--reason", "drill")
    assert RequeueAudit.objects.get().by == "otto"


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (("show", uuid4()), "no such digest. `digests list` tells"),
        (("requeue", "nonsense"), "no such digest"),
        (("list", "--receiver", "nobody@example.org"), "no such user"),
        (("list", "--issue", "ACME-99"), "no such issue"),
        (("list", "--status", "lost"), "invalid choice"),
    ],
)
def test_a_mistake_is_answered_with_what_to_do(words, answer):
    assert answer in refused("digests", *words)


def test_an_issue_key_of_two_workspaces_must_be_told_apart(team):
    other = make_team("other", identifier="ACME")
    make_issue(team), make_issue(other)
    assert "acme/ACME-1, other/ACME-1" in refused("digests", "list", "--issue", "ACME-1")
    assert listed("--issue", "other/ACME-1") == set()
