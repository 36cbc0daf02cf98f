"""The operations page in a browser: how it looks, that it needs no script, and that it stays fresh by itself."""

from collections.abc import Iterator
from datetime import timedelta
from random import Random
from uuid import uuid4

import pytest
from django.contrib.auth.models import Permission
from django.utils import timezone
from dramatiq import get_broker

from project.actors.digests import OUTBOX, send_digest
from project.models import EmailDigest, EmailDigestLine, MailBreaker, Wake
from project.queue.processes import SCHEDULER, WORKER, Process, beat
from tests.browser.looks import faults
from tests.browser.visitor import Visitor
from tests.dead import bury
from tests.factories import make_issue, make_team, make_user
from tests.services.digests.lines import make_activity, make_log

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_server")]
PAGE = "/admin/operations/"
OF_DJANGO = {"no label: ", "contrast 3.65: Singlepost"}  # in the frame that all pages of the admin have


def one_busy_afternoon() -> None:
    """Five hours of mail, a while without, and some trouble."""
    team, dice, now = make_team(), Random(7), timezone.now()
    receiver, activity = team.members["bob"], make_activity(make_issue(team), team.members["ann"])
    for minutes in range(1, 300, 4):
        if 80 < minutes < 110:
            continue
        at = now - timedelta(minutes=minutes)
        sent = EmailDigest.objects.create(
            id=uuid4(), receiver=receiver, status="sent", ended_at=at, dot_at=at, sealed_at=at, content=b"x"
        )
        made_at = at - timedelta(seconds=120 + dice.expovariate(1 / 120))
        log = make_log(receiver, activity, created_at=made_at, processed_at=at)
        EmailDigestLine.objects.create(log=log, digest=sent)
        more = [("suppressed", "read")] * dice.randrange(3) + [("failed", "receiver: rcpt 550 5.1.1")] * (
            dice.random() < 0.15
        )
        EmailDigest.objects.bulk_create(
            EmailDigest(id=uuid4(), receiver=receiver, status=status, reason=reason, ended_at=at)
            for status, reason in more
        )
    bury(send_digest, [Wake(uuid4(), 1), Wake(uuid4(), 1)])
    beat(get_broker().client, Process(WORKER, "worker-7f9c", 12, ("clock", "fan_out", "mail", "maintenance")))
    beat(get_broker().client, Process(WORKER, "exports-5d21", 9, ("exports",)))
    beat(get_broker().client, Process(SCHEDULER, "scheduler-0", 7))


@pytest.fixture
def operator(visitor: Visitor, office: object) -> Iterator[Visitor]:
    olga = make_user("olga", is_staff=True)
    wanted = Permission.objects.filter(content_type__app_label="project")
    olga.user_permissions.set(wanted)
    visitor.sign_in(olga)
    return visitor


def test_it_looks_well_on_every_screen_without_scripts(operator):
    one_busy_afternoon()
    now = timezone.now()
    MailBreaker.objects.create(
        sender=OUTBOX.breaker.sender,
        opened_at=now - timedelta(minutes=9),
        probe_at=now,
        cause="auth 535 5.7.8",
    )
    operator.without_javascript()
    operator.open(PAGE)
    for width in (375, 1200):
        for theme in ("light", "dark"):
            operator.look(width, theme)
            operator.until(lambda: set(faults(operator)) <= OF_DJANGO)  # colours of links take a moment
    assert "All mail is stopped" in operator.text("#operations")
    assert len(operator.all("svg[role=img]")) == 2


def test_it_stays_fresh_by_itself_but_not_under_the_eyes_of_a_reader(operator):
    with operator.before_its_own("window.setInterval = (work) => { window.freshen = work; };"):
        operator.open(PAGE)
        assert "mail 0 0 0 0 0 s" in operator.text("#operations")
        bury(send_digest, [Wake(uuid4(), 1)])
        operator.run("document.querySelector('details').open = true; window.freshen()")
        operator.run("return fetch('/healthz').then(() => null)")  # enough time for a request
        assert "mail 0 0 0 0 0 s" in operator.text("#operations")
        operator.run("document.querySelector('details').open = false; window.freshen()")
        operator.until(lambda: "mail 1 0 0 0 0 s" in operator.text("#operations"))
    assert [complaint for complaint in operator.complaints() if "favicon" not in complaint] == []
