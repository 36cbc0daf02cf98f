import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.demo.gone import descendants, survivors
from tests.embedded import VAR

SHOWS_ITS_SERVERS = """
import os, psycopg, redis, time

def test_servers(capsys):
    redis.Redis.from_url(os.environ["REDIS_URL"]).ping()
    if os.environ["DATABASE_URL"] != "given":
        psycopg.connect(os.environ["DATABASE_URL"]).close()
    with capsys.disabled():
        print("the test runs", flush=True)
    time.sleep(float(os.environ["SLEEP"]))
"""


def pytest_on(file: Path, **environ: str) -> subprocess.Popen[str]:
    file.write_text(SHOWS_ITS_SERVERS)
    others = {name: value for name, value in os.environ.items() if not name.endswith("_URL")}
    options = ["-c", os.devnull, "-p", "no:django", "-p", "no:cacheprovider", "-p", "tests.embedded"]
    return subprocess.Popen(
        [sys.executable, "-m", "pytest", *options, file],
        env={**others, **environ},
        cwd=VAR.parent,
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("given", [{}, {"DATABASE_URL": "given", "EMAIL_URL": "given", "S3_URL": "given"}])
def test_a_session_has_servers(tmp_path: Path, given: Mapping[str, str]) -> None:
    with pytest_on(tmp_path / "test_it.py", SLEEP="0", **given) as session:
        output, _ = session.communicate(timeout=60)
    assert session.returncode == 0, output


def test_a_session_that_is_terminated_leaves_nothing(tmp_path: Path) -> None:
    given = {"DATABASE_URL": "given", "EMAIL_URL": "given", "S3_URL": "given"}
    with pytest_on(tmp_path / "test_it.py", SLEEP="60", **given) as session:
        assert session.stdout
        assert any("the test runs" in line for line in session.stdout)
        (valkey,) = descendants(session.pid)
        folder = Path(valkey.cwd()).parent
        assert folder.parent == VAR

        session.send_signal(signal.SIGTERM)

        assert session.wait(30) == pytest.ExitCode.INTERRUPTED
    assert survivors([valkey]) == []
    assert not folder.exists()
