import json
from datetime import datetime, timedelta
from io import StringIO
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.utils import timezone

from project.actors import digests as actors
from project.mail_server import MailServer
from project.models import MOMENT, EmailDigest, EmailNotificationLog
from project.services.digests.breaker import Passage
from project.services.digests.deliver import Outbox
from tests.factories import make_team, make_user
from tests.services.digests.sending import LETTERHEAD, LIMITS, changed
from tests.services.digests.verdicts import CONFIG, SENT

pytestmark = pytest.mark.django_db(transaction=True)


def run(*options: str) -> tuple[int, str]:
    output = StringIO()
    try:
        call_command("verify", *options, stdout=output)
    except SystemExit as exit_:
        return int(str(exit_.code)), output.getvalue()
    return 0, output.getvalue()


def make_empty_digest() -> EmailDigest:
    return EmailDigest.objects.create(id=uuid4(), receiver=make_user("bob"))


def late_line(now: datetime) -> None:
    changed(make_team())
    EmailNotificationLog.objects.update(created_at=now - timedelta(hours=1))


def test_without_a_finding_the_status_is_zero() -> None:
    status, output = run()
    assert status == 0
    assert "nothing is broken" in output


def test_a_finding_is_told_in_words_with_a_sample() -> None:
    digest = make_empty_digest()

    status, output = run()

    assert status == 1
    assert "BROKEN: 1 × not true that a digest covers at least one log row" in output
    assert str(digest.id) in output


def test_findings_as_json() -> None:
    digest = make_empty_digest()

    status, output = run("--json")

    assert status == 1
    (finding,) = json.loads(output)["findings"]
    assert finding["name"] == "digest_has_lines"
    assert (finding["kind"], finding["count"], finding["sample"]) == ("broken", 1, [str(digest.id)])


def test_no_findings_as_json() -> None:
    status, output = run("--json")
    assert status == 0
    assert json.loads(output)["findings"] == []
    assert json.loads(output)["checks"] > 0


def test_lines_that_wait_because_mail_is_stopped_are_late_with_that_cause(monkeypatch) -> None:
    monkeypatch.setattr(actors, "OUTBOX", Outbox(MailServer(host="127.0.0.1", port=1), LETTERHEAD, LIMITS))
    breaker, now = actors.OUTBOX.breaker, timezone.now()
    late_line(now)
    breaker.note(Passage(), CONFIG, now=now)

    _, stopped = run()
    breaker.resume(now=now)
    breaker.note(breaker.admit(now=now), SENT, now=now)
    _, flowing = run()

    assert "LATE: 1 × not true that a log row is claimed once its window has passed" in stopped
    assert f"because all mail is stopped since {now:{MOMENT}}: config: auth 535 5.7.8; see" in stopped
    assert f"because all mail was stopped until {now:{MOMENT}}, and flows slowly at first" in flowing


def test_without_a_stop_no_cause_is_named() -> None:
    late_line(timezone.now())
    (finding,) = json.loads(run("--json")[1])["findings"]
    assert (finding["name"], finding["because"]) == ("line_is_claimed_in_time", "")
