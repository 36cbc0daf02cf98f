import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from project.demo.child import Child, StartError
from project.demo.tether import User, tethered
from tests.demo.gone import survivors

SLEEP = "import time; print('awake', flush=True); time.sleep(60)"
DEAF = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {SLEEP}"
FORKS = f"import os; os.fork(); {SLEEP}"
LEAVES_ONE_BEHIND = """
import os, sys, time
told, tell = os.pipe()
if os.fork():
    os.read(told, 1)
    time.sleep(0.2)
    sys.exit()
print("awake", flush=True)
os.write(tell, b"!")
time.sleep(60)
"""

MakeChild = Callable[..., Child]


@pytest.fixture
def make(tmp_path: Path) -> MakeChild:
    log = tmp_path / "child.log"

    def make(code: str, awake: int = 1, **options: object) -> Child:
        def ready() -> bool:
            return log.read_text().count("awake") >= awake

        return Child(name="sleeper", command=[sys.executable, "-c", code], log=log, ready=ready, **options)

    return make


def group(pid: int) -> list[psutil.Process]:
    members = []
    for process in psutil.process_iter():
        with suppress(ProcessLookupError):
            if os.getpgid(process.pid) == pid:
                members.append(process)
    return members


def test_it_runs_from_the_start_to_the_stop(make: MakeChild) -> None:
    child = make(SLEEP)
    assert not child.is_running()

    with child:
        assert child.is_running()
        process = psutil.Process(child.pid)
        assert process.ppid() == os.getpid()

    assert not child.is_running()
    assert survivors([process]) == []
    with pytest.raises(RuntimeError, match="sleeper does not run"):
        _ = child.pid


def test_it_can_be_started_again(make: MakeChild) -> None:
    child = make(SLEEP)
    with child:
        first = child.pid
    with child:
        assert child.pid != first


def test_stop_kills_what_does_not_listen(make: MakeChild) -> None:
    child = make(DEAF, stop_timeout=0.2)
    with child:
        process = psutil.Process(child.pid)
    assert survivors([process]) == []


@pytest.mark.parametrize("end", [Child.kill, Child.stop])
def test_the_end_takes_the_whole_group(make: MakeChild, end: Callable[[Child], None]) -> None:
    child = make(FORKS, awake=2)
    child.start()
    processes = group(child.pid)
    assert len(processes) == 2

    end(child)

    assert survivors(processes) == []


def test_who_outlives_the_leader_is_ended_with_it(make: MakeChild) -> None:
    child = make(LEAVES_ONE_BEHIND)
    child.start()
    processes = group(child.pid)
    assert len(processes) == 2
    deadline = time.monotonic() + 10
    while child.is_running() and time.monotonic() < deadline:
        time.sleep(0.01)

    assert not child.is_running()
    assert survivors(processes) == []


def test_a_failed_start_shows_the_log(make: MakeChild) -> None:
    child = make("raise SystemExit('no such luck')")
    with pytest.raises(StartError, match=r"sleeper ended during its start(?s:.)*no such luck"):
        child.start()
    assert not child.is_running()


def test_a_start_that_takes_too_long_is_ended(make: MakeChild) -> None:
    child = make(SLEEP, awake=2, start_timeout=0.3)
    with pytest.raises(StartError, match=r"not ready after 0\.3 s"):
        child.start()
    assert not child.is_running()


def test_a_failing_check_ends_the_child(make: MakeChild) -> None:
    child = make(SLEEP)
    child.ready = lambda: bool(1 / 0)
    with pytest.raises(ZeroDivisionError):
        child.start()
    assert not child.is_running()


# A parent that starts a child and tells its id; what it is killed with comes from outside.
PARENT = """
import sys, time
from pathlib import Path
from project.demo.child import Child
from project.demo.tether import User

log = Path(sys.argv[1])
child = Child(
    name="sleeper",
    command=["/bin/sleep", "60"],
    log=log,
    ready=lambda: Path(f"/proc/{child.pid}/comm").read_text() == "sleep\\n",
    user=User(int(sys.argv[2]), int(sys.argv[2])),
)
child.start()
print(child.pid, flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize(
    "uid",
    [
        pytest.param(os.geteuid(), id="the same user"),
        pytest.param(
            65534, id="another user", marks=pytest.mark.skipif(os.geteuid() != 0, reason="takes root")
        ),
    ],
)
def test_a_killed_parent_leaves_no_child(tmp_path: Path, uid: int) -> None:
    command = [sys.executable, "-c", PARENT, tmp_path / "log", str(uid)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout
        child = psutil.Process(int(parent.stdout.readline()))
        assert child.uids().effective == uid

        parent.send_signal(signal.SIGKILL)

        assert survivors([child]) == []


def test_a_command_whose_parent_has_died_meanwhile_is_not_started(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    command = tethered(["/bin/touch", trace], User.current(), signal.SIGTERM)
    somebody_else = [str(os.getppid()) if part == str(os.getpid()) else part for part in command]

    assert subprocess.run(command, timeout=10, check=False).returncode == 0
    assert trace.exists()
    trace.unlink()
    assert subprocess.run(somebody_else, timeout=10, check=False).returncode == 1
    assert not trace.exists()
