from importlib import import_module
from io import StringIO

import pytest
from django.core.management import call_command

OURS = {
    "EmailDigest",
    "EmailDigestLine",
    "ExportRun",
    "IssueEvent",
    "IssueMute",
    "MailBreaker",
    "MailFailure",
    "MailProviderEvent",
    "MailSchedule",
    "MailStop",
    "RequeueAudit",
    "ScheduleRun",
    "SuppressedAddress",
    "UnsubscribeToken",
}


@pytest.mark.django_db
def test_the_migrations_make_the_tables_that_the_models_describe():
    output = StringIO()
    call_command("makemigrations", "project", "--check", "--dry-run", stdout=output)
    assert "No changes" in output.getvalue()


def test_our_own_tables_come_apart_from_those_that_plane_also_has():
    """So that they can be added to a database that Plane made."""
    own = import_module("project.migrations.0002_own").Migration
    created = {op.name for op in own.operations if type(op).__name__ == "CreateModel"}
    assert created == OURS
