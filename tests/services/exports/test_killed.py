"""A worker that is killed in the middle of an upload: the next attempt has the whole archive, and its only copy."""

import os
import signal
import subprocess
import sys
from urllib.parse import quote, urlsplit

import pytest
from django.conf import settings
from django.db import connection

from project.models import ExportRun
from project.services.exports.names import Key
from tests.factories import make_team
from tests.services.exports.crowd import make_issues
from tests.services.exports.exporting import fetched, make, requested, storage
from tests.services.exports.meanwhile import until
from tests.tcp_proxy import running

pytestmark = pytest.mark.django_db(transaction=True)

WORKER = """
import sys, django
django.setup()
from project.actors.exports import run_export
run_export.fn(sys.argv[1], 1)
"""


def environ(port: int) -> dict[str, str]:
    database = connection.settings_dict
    login = f"{database['USER']}:{quote(database['PASSWORD'])}"
    store = settings.OBJECT_STORE
    return {
        **os.environ,
        "DEBUG": "1",
        "DJANGO_SETTINGS_MODULE": "project.settings",
        "DATABASE_URL": f"postgresql://{login}@{database['HOST']}:{database['PORT']}/{database['NAME']}",
        "S3_URL": f"s3+http://{store.access_key}:{store.secret_key}@127.0.0.1:{port}/{store.bucket}",
    }


@pytest.mark.parametrize("provider", ["csv", "xlsx"])
def test_killed_in_the_upload(provider: str) -> None:
    team = make_team()
    make_issues(team, 1500, size=12_000)
    export = requested(team, provider)
    port = urlsplit(settings.OBJECT_STORE.endpoint).port
    assert port
    with running(port) as proxy:
        proxy.hold_after = 6_000_000
        command = [sys.executable, "-c", WORKER, str(export.id)]
        with subprocess.Popen(command, env=environ(proxy.port), cwd=settings.BASE_DIR) as worker:
            until(lambda: proxy.holds, seconds=40)
            worker.send_signal(signal.SIGKILL)
    dead = ExportRun.objects.get(export=export)
    assert (dead.status, dead.attempt) == ("processing", 1)
    folder = Key(export.workspace_id, export.id, 1).folder
    assert any(found.upload_id for found in storage().found(folder))
    run = make(export)
    assert (run.status, run.attempt, run.rows_done) == ("completed", 2, 1500)
    assert [found.key for found in storage().found(folder)] == [run.key]
    assert len(fetched(export)) == run.size
