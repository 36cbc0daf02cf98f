"""``manage.py deadletters`` on a real Redis, with the real actors' messages."""

import threading
from datetime import timedelta
from uuid import uuid4

import dramatiq
import pytest
from django.db import connection

from project.actors.dead_letters import office
from project.actors.digests import send_digest
from project.actors.notifications import fan_out_event
from project.demo.ports import HOST, free_port
from project.models import EmailDigest, RequeueAudit, Wake
from project.queue.client import connect
from project.queue.dead_letter import Wanted
from project.queue.ledger import Ledger
from tests.dead import broker, bury, lay
from tests.factories import make_user
from tests.management.ran import refused, run, run_json

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_server")]

ORDERED = ("--yes", "--reason", "mail server is back", "--by", "olga")


def some(number: int = 1) -> list[Wake]:
    return [Wake(uuid4(), 1) for _ in range(number)]


def digests(number: int = 1, **fields) -> list[Wake]:
    bob = make_user(f"bob{uuid4().hex[:6]}")
    rows = EmailDigest.objects.bulk_create(
        EmailDigest(id=uuid4(), receiver=bob, **fields) for _ in range(number)
    )
    return [Wake(row.id, row.dispatch) for row in rows]


def dead(queue: str = "mail") -> int:
    return office().counts()[queue]


def waiting(queue: str = "mail") -> int:
    return broker().client.llen(broker().layout(queue).ids)


def test_list_tells_each_with_its_reason_and_how_many_there_are():
    [entry] = bury(send_digest, some())
    bury(fan_out_event, some(2))

    text = run("deadletters", "list")

    assert f"mail/{entry}  " in text
    assert "ValueError: rcpt 451" in text
    assert "fan_out 2" in text
    assert "mail 1" in text.partition("In all: ")[2]


def test_list_is_narrowed_by_queue_actor_error_age_and_number():
    [early, late] = [
        bury(send_digest, some(), error="greylisted", age=7200)[0],
        bury(send_digest, some())[0],
    ]
    bury(fan_out_event, some())

    def listed(*filters: object) -> list[str]:
        return [letter["id"] for letter in run_json("deadletters", "list", *filters)]

    assert len(listed()) == 3
    assert listed("--queue", "mail") == [f"mail/{early}", f"mail/{late}"]
    assert listed("--queue", "mail", "--limit", 1) == [f"mail/{early}"]
    assert len(listed("--actor", "fan_out_event")) == 1
    assert listed("--error", "GREYLISTED") == [f"mail/{early}"]
    assert listed("--queue", "mail", "--older-than", "1h") == [f"mail/{early}"]
    assert listed("--queue", "mail", "--newer-than", "1h") == [f"mail/{late}"]


def test_show_tells_the_traceback_and_what_a_requeue_would_come_to():
    [wake] = digests()
    [entry] = bury(send_digest, [wake])

    text = run("deadletters", "show", f"mail/{entry}")

    assert "Traceback (most recent call last):" in text
    assert "attempts     6" in text
    assert "if_requeued  will run" in text
    assert run_json("deadletters", "show", f"mail/{entry}")["message"] == f"send_digest('{wake.row_id}', 1)"


def test_odd_characters_are_replaced_wherever_they_are_shown_or_stored():
    [entry] = bury(send_digest, some(), error="smile 😀 half \ud83d nul \0 bell \a")

    for text in (run("deadletters", "list"), run("deadletters", "show", f"mail/{entry}")):
        assert "smile 😀 half \ufffd nul \ufffd bell \ufffd" in text
    run("deadletters", "discard", f"mail/{entry}", *ORDERED)

    assert "smile 😀 half \ufffd nul \ufffd" in RequeueAudit.objects.get().rows[f"mail/{entry}"]


def test_the_preview_counts_what_would_run_and_changes_nothing():
    [late_dispatch] = digests(dispatch=2)
    bury(send_digest, [*digests(2), Wake(late_dispatch.row_id, 1), *some()])
    lay("mail", "garbage", b"\x80")

    told = run_json("deadletters", "requeue")

    assert not told["carried_out"]
    assert told["counts"] == {"will run": 2, "will do nothing": 2, "unreadable": 1}
    details = "\n".join(row["detail"] for row in told["rows"])
    assert "the digest has a later dispatch (2) and is waiting; was send_digest(" in details
    assert "the digest is gone; was send_digest(" in details
    assert "Nothing was done" in run("deadletters", "requeue")
    assert (dead(), waiting()) == (5, 0)
    assert not RequeueAudit.objects.exists()


def test_the_preview_says_what_is_done_or_not_known_any_more(settings):
    [entry] = bury(send_digest, digests())
    name = office().get("mail", entry).message.message_id
    with connect(settings.DEDUP_REDIS_URL, timedelta(seconds=1)) as client:
        Ledger(client, settings.LIMITS).complete(name, "token")
    lay(
        "mail",
        "old",
        broker().client.hget("dramatiq:mail.XQ.msgs", entry).replace(b"send_digest", b"forgotten"),
    )

    rows = {row["id"]: row for row in run_json("deadletters", "requeue")["rows"]}

    assert rows[f"mail/{entry}"]["word"] == "will do nothing"
    assert rows[f"mail/{entry}"]["detail"].startswith("its work is done; ")
    assert (rows["mail/old"]["word"], rows["mail/old"]["acts"]) == ("unknown actor", False)


def test_requeue_runs_them_again_and_leaves_a_record():
    [wake] = digests()
    [entry] = bury(send_digest, [wake])

    assert "1 dead letters: re-queued 1." in run("deadletters", "requeue", f"mail/{entry}", *ORDERED)

    assert (dead(), waiting()) == (0, 1)
    [body] = broker().client.hvals(broker().layout("mail").bodies)
    message = dramatiq.Message.decode(body)
    assert (message.args, message.options.keys()) == ((str(wake.row_id), 1), {"redis_message_id"})
    audit = RequeueAudit.objects.get()
    assert (audit.by, audit.why, audit.verb, audit.target) == (
        "olga",
        "mail server is back",
        "requeue",
        "dead_letters",
    )
    assert audit.counts == {"re-queued": 1}
    assert "6 attempts, failed: ValueError: rcpt 451" in audit.rows[f"mail/{entry}"]
    assert audit.finished_at


def test_discard_throws_away_what_was_meant_even_if_unreadable():
    [first, second] = bury(send_digest, digests(2))
    lay("mail", "garbage", b"\x80")

    told = run_json("deadletters", "discard", f"mail/{first}", "mail/garbage")
    assert "its row is open, so the sweep wakes it again" in told["rows"][0]["detail"]
    run("deadletters", "discard", f"mail/{first}", "mail/garbage", *ORDERED)

    assert [letter.entry_id for letter in office().search("mail", Wanted())] == [second]
    assert waiting() == 0
    assert RequeueAudit.objects.get().counts == {"discarded": 2}


def test_what_was_not_readable_is_reported_and_the_rest_is_done():
    bury(send_digest, digests(2))
    lay("mail", "garbage", b"\x80")
    told = run_json("deadletters", "requeue", "--queue", "mail", *ORDERED)
    assert told["counts"] == {"re-queued": 2, "unreadable": 1}
    assert (dead(), waiting()) == (1, 2)


def test_one_run_is_bounded_and_says_that_there_is_more():
    bury(send_digest, digests(5))
    text = run("deadletters", "requeue", "--queue", "mail", "--limit", 3, *ORDERED)
    assert "re-queued 3" in text
    assert "There are more" in text
    assert (dead(), waiting()) == (2, 3)


def test_two_operators_at_once_get_different_letters():
    """Of 60, each orders 20 at the same moment: 40 move, none twice, 20 are left."""
    bury(send_digest, digests(60))
    barrier = threading.Barrier(2)

    def operate() -> None:
        barrier.wait(10)
        try:
            run("deadletters", "requeue", "--all", "--limit", 20, *ORDERED)
        finally:
            connection.close()

    operators = [threading.Thread(target=operate) for _ in range(2)]
    for operator in operators:
        operator.start()
    for operator in operators:
        operator.join(30)

    assert (dead(), waiting()) == (20, 40)
    bodies = broker().client.hvals(broker().layout("mail").bodies)
    assert len({dramatiq.Message.decode(body).message_id for body in bodies}) == 40
    moved = [
        key
        for audit in RequeueAudit.objects.all()
        for key, outcome in audit.rows.items()
        if outcome.startswith("re-queued")
    ]
    assert len(moved) == len(set(moved)) == 40


def test_without_a_filter_all_must_be_said():
    bury(send_digest, digests())
    assert "add --all" in refused("deadletters", "requeue", *ORDERED)
    assert "Nothing was done" in run("deadletters", "requeue")
    run("deadletters", "requeue", "--all", *ORDERED)
    assert (dead(), waiting()) == (0, 1)


def test_a_reason_must_be_given():
    [entry] = bury(send_digest, digests())
    assert "--reason" in refused("deadletters", "requeue", f"mail/{entry}", "--yes")
    assert dead() == 1


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (("list", "--queue", "post"), "post: no such queue. There are: clock, "),
        (("show", "mail/none"), "`deadletters list --queue mail` tells what there is"),
        (("show", "none"), "QUEUE/ID"),
        (("requeue", "post/none", *ORDERED), "no such queue"),
        (("requeue", "mail/none", "--queue", "mail"), "ids, or filters, but not both"),
        (("list", "--older-than", "soon"), "30m, 2h or 7d"),
        (("list", "--limit", "0"), "no number from 1 on"),
    ],
)
def test_a_mistake_is_answered_with_what_to_do(words, answer):
    assert answer in refused("deadletters", *words)


def test_nothing_there_is_no_error():
    assert "No dead letters fit." in run("deadletters", "list")
    assert "No dead letters fit." in run("deadletters", "requeue", "--all", *ORDERED)


def test_redis_away_is_said(monkeypatch):
    nobody = connect(f"redis://{HOST}:{free_port()}/0", timedelta(seconds=1))
    monkeypatch.setattr(broker(), "client", nobody)
    assert "Redis failed" in refused("deadletters", "requeue", "--all", *ORDERED)
    assert not RequeueAudit.objects.exists()
