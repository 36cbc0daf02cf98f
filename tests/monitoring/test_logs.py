"""What log lines tell, and what they must not."""

import logging
import sys
from datetime import timedelta

import pytest
from django.db import IntegrityError
from django.test import Client
from django.utils import timezone
from rest_framework.authtoken.models import Token

from project.actors.digests import send_digest
from project.actors.wakes import send_wakes
from project.logs import LogFormat, without_values
from project.models import EmailDigest, EmailNotificationLog, User, Workspace
from project.services.digests.claim import claim
from tests.admin.staff import browser
from tests.factories import make_team, make_user
from tests.logged import logged
from tests.services.exports.meanwhile import until
from tests.views.api import issues_url

pytestmark = pytest.mark.django_db(transaction=True)

TELLING = ("zephyrine", "quagmire", "ottoline", "xylophone", "marzipan", "quokkaworks", "swordfish")


@pytest.fixture
def team(db):
    team = make_team("quokkaworks", ["zephyrine", "ottoline"], name="Xylophone Heist")
    User.objects.update(last_name="Quagmire", first_name="Zephyrine", display_name="Zephyrine Quagmire")
    team.members["zephyrine"].set_password("swordfish")
    team.members["zephyrine"].save()
    return team


def test_from_a_request_to_a_mail_no_line_names_a_person_or_says_what_was_written(
    team, post_office, settings
):
    zephyrine, ottoline = team.members["zephyrine"], team.members["ottoline"]
    Token.objects.create(user=zephyrine)
    settings.ALLOWED_HOSTS = ["testserver"]
    client = Client(
        headers={"Authorization": f"Token {zephyrine.auth_token.key}", "X-Request-Id": "request-1"}
    )
    with logged("DEBUG") as lines:
        body = {"name": "Xylophone stolen", "assignee_ids": [str(ottoline.id)], "priority": "high"}
        created = client.post(issues_url(team.project), body, content_type="application/json").json()
        comment = {"comment_html": "<p>It was marzipan, says Ottoline</p>"}
        url = f"{issues_url(team.project)}{created['id']}/comments/"
        assert client.post(url, comment, content_type="application/json").status_code == 201
        until(lambda: EmailNotificationLog.objects.count() >= 2)
        send_wakes(send_digest, claim(now=timezone.now() + timedelta(minutes=10), limits=settings.LIMITS))
        until(lambda: EmailDigest.objects.filter(status="sent").exists())
        until(lambda: any(job["actor"] == "send_digest" for job in lines.of("job")))
        sign_in = {"username": zephyrine.email, "password": "swordfish"}
        Client().post("/sign-in/", sign_in)
        Client().post("/sign-in/", {**sign_in, "password": "marzipan"})
        browser("operate").get("/admin/explain/", {"user": ottoline.email, "issue": "QUOKKAWORKS-1"})
        assert Client().get("/quokkaworks/marzipan/").status_code == 404
    [mail] = post_office.messages
    assert "Xylophone stolen" in mail["Subject"]
    ours = [line for line in lines.parsed if not line["logger"].startswith("mail.")]  # the test's mail server
    said = [str(line).lower() for line in ours]
    assert [line for line in said if any(word in line for word in TELLING)] == []
    jobs = {(job["actor"], job["outcome"], job.get("request_id")) for job in lines.of("job")}
    assert ("fan_out_event", "done", "request-1") in jobs
    assert ("send_digest", "done", None) in jobs
    answered = [
        (line["method"], line["route"].partition("<")[0], line["status"]) for line in lines.of("request")
    ]
    assert answered[0] == ("POST", "api/workspaces/", 201)


def test_a_broken_constraint_is_told_without_the_row_that_broke_it(team):
    [taken, _] = User.objects.values_list("email", flat=True).order_by("-email")
    with logged("ERROR") as lines:
        try:
            make_user("again", email=taken)
        except IntegrityError:
            logging.getLogger("x").exception("cannot be written")
            logging.getLogger("x").error("cannot be written: %s", sys.exception())
    line, other = lines.parsed
    assert "UniqueViolation" in line["exception"]
    assert "duplicate key value violates" in other["message"]
    assert not any("zephyrine" in raw for raw in lines.raw)


@pytest.mark.parametrize(
    "error",
    [
        "duplicate key\nDETAIL:  Key (email)=(zephyrine@example.org) already exists.",
        "null value\nDETAIL:  Failing row contains (7, zephyrine,\nof quokkaworks, null).\nHINT:  Look.",
        "syntax error\nLINE 1: SELECT 'zephyrine\n              ^\nDETAIL:  quagmire",
    ],
)
def test_what_postgresql_adds_to_an_error_is_cut(error):
    told = without_values(f"{error}\n\nTraceback (most recent call last):\n  File x\nlast")
    assert not any(word in told for word in TELLING)
    assert told.startswith(error.partition("\n")[0])
    assert told.endswith("\n\nTraceback (most recent call last):\n  File x\nlast")
    assert ("HINT" in error) == ("HINT:  Look." in told)


def test_a_request_takes_the_id_of_the_proxy_if_it_is_one():
    for given, taken in (("0a1b2c3d-4e5f", True), ("x" * 65, False), ("a b\nc; drop", False)):
        with logged("INFO") as lines:
            answer = Client(headers={"X-Request-Id": given}).get("/healthz")
        [line] = lines.of("request")
        assert (answer["X-Request-Id"] == given) == taken
        assert line["request_id"] == answer["X-Request-Id"]
        assert (line["route"], line["status"]) == ("healthz", 200)


def test_people_get_lines_for_people():
    with logged("INFO", LogFormat.PLAIN) as lines:
        logging.getLogger("project.x").info("digest %s", 7, extra={"outcome": "done"})
        try:
            Workspace.objects.get(slug="none")
        except Workspace.DoesNotExist:
            logging.getLogger("project.x").exception("bad")
    assert "digest 7" in lines.raw[0]
    assert "outcome=done" in lines.raw[0]
    assert any("DoesNotExist" in line for line in lines.raw)
