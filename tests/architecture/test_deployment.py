"""The files of ``deploy/`` say what the Procfile, the limits and the list of settings say."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from configparser import ConfigParser
from datetime import timedelta
from pathlib import Path
from secrets import token_urlsafe
from typing import Any

import pytest
import yaml
from honcho.environ import parse_procfile

from project.limits import Limits
from tests.architecture import ROOT

DEPLOY = ROOT / "deploy"
UNITS = DEPLOY / "systemd"
SETTINGS = set(re.findall(r"^\| `(\w+)` \|", (ROOT / "docs" / "settings.md").read_text(), re.MULTILINE))
#: What the supervisor of a worker itself needs after the last of its threads is done.
SPARE = timedelta(seconds=20)


def words(command: str) -> list[str]:
    """A command with the defaults of its variables, without the address that it listens on."""
    while re.search(r"\$\{\w+:-[^${}]*\}", command):
        command = re.sub(r"\$\{\w+:-([^${}]*)\}", r"\1", command)
    given = shlex.split(command)
    given[0] = Path(given[0]).name
    if "--bind" in given:
        del given[given.index("--bind") + 1]
    return given


PROCFILE = {
    name: words(command)
    for name, command in parse_procfile((ROOT / "Procfile").read_text()).processes.items()
}
DEPLOYED = [*PROCFILE, "mail"]


def joined(commands: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """The processes with worker and mail put together again, which are one in the Procfile."""
    whole, worker, mail = PROCFILE["worker"], commands["worker"], commands["mail"]
    start, end = whole.index("--queues") + 1, whole.index("--worker-shutdown-timeout")
    assert {*worker[start : worker.index("--worker-shutdown-timeout")], mail[start]} == set(whole[start:end])
    assert (mail[:start], mail[start + 1 :]) == (whole[:start], whole[end:])
    others = {name: command for name, command in commands.items() if name not in {"worker", "mail"}}
    return {**others, "worker": whole}


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    return dict(yaml.safe_load((DEPLOY / "compose" / "compose.yaml").read_text()))


def manifests() -> Iterator[dict[str, Any]]:
    for path in sorted((DEPLOY / "kubernetes").glob("*.yaml")):
        yield from yaml.safe_load_all(path.read_text())


@pytest.fixture(scope="module")
def pods() -> dict[str, dict[str, Any]]:
    """The pods of the deployments, and how many of them."""
    found = [one for one in manifests() if one["kind"] == "Deployment"]
    return {
        one["metadata"]["name"]: one["spec"]["template"]["spec"] | {"replicas": one["spec"]["replicas"]}
        for one in found
    }


@pytest.fixture(scope="module")
def units() -> dict[str, Mapping[str, str]]:
    found: dict[str, Mapping[str, str]] = {}
    for path in UNITS.glob("*.service"):
        parser = ConfigParser(strict=False, interpolation=None)
        parser.optionxform = str  # type: ignore[method-assign, assignment]
        parser.read(path)
        found[path.stem.removeprefix("singlepost-").removesuffix("@")] = parser["Service"]
    return found


def test_compose_runs_the_procfile(compose: dict[str, Any]) -> None:
    services = compose["services"]
    assert joined({name: words(services[name]["command"]) for name in DEPLOYED}) == PROCFILE
    assert services["scheduler"]["deploy"]["replicas"] == 2


def test_kubernetes_runs_the_procfile(pods: dict[str, dict[str, Any]]) -> None:
    commands = {name: words(shlex.join(pod["containers"][0]["command"])) for name, pod in pods.items()}
    assert joined(commands) == PROCFILE
    assert pods["scheduler"]["replicas"] == 2


def test_systemd_runs_the_procfile(units: dict[str, Mapping[str, str]]) -> None:
    assert joined({name: words(unit["ExecStart"]) for name, unit in units.items()}) == PROCFILE
    assert (UNITS / "singlepost.target").read_text().count("singlepost-scheduler@") == 2


def test_a_worker_is_given_the_time_it_asks_for(
    compose: dict[str, Any], pods: dict[str, dict[str, Any]], units: dict[str, Mapping[str, str]]
) -> None:
    """Otherwise mails are killed between the final dot and its answer, at every update."""
    needed = Limits().shutdown_timeout + SPARE
    asked = timedelta(milliseconds=int(PROCFILE["worker"][-1]))
    given = [
        int(compose["services"]["mail"]["stop_grace_period"].rstrip("s")),
        pods["mail"]["terminationGracePeriodSeconds"],
        int(units["mail"]["TimeoutStopSec"]),
    ]
    assert asked == Limits().shutdown_timeout
    assert [seconds for seconds in given if timedelta(seconds=seconds) < needed] == []


def test_workers_and_schedulers_are_probed(compose: dict[str, Any], pods: dict[str, dict[str, Any]]) -> None:
    for name, role in {"worker": "worker", "exports": "worker", "scheduler": "scheduler"}.items():
        probe = ["python", "manage.py", "probe", role]
        assert compose["services"][name]["healthcheck"]["test"] == ["CMD", *probe]
        assert pods[name]["containers"][0]["livenessProbe"]["exec"]["command"] == probe
    mail = pods["mail"]["containers"][0]["livenessProbe"]["exec"]["command"]
    assert mail == ["python", "manage.py", "probe", "worker", "--queue", "mail"]
    assert pods["web"]["containers"][0]["readinessProbe"]["httpGet"]["path"].startswith("/readyz?")


def test_only_settings_that_exist_are_set(compose: dict[str, Any]) -> None:
    drop_in = (UNITS / "singlepost-.service.d" / "common.conf").read_text()
    named = {
        *compose["x-app"]["environment"],
        *(name for one in manifests() if one["kind"] == "ConfigMap" for name in one["data"]),
        *re.findall(r"^Environment=(\w+)=", drop_in, re.MULTILINE),
        *re.findall(r"^(\w+)=", (UNITS / "settings.env").read_text(), re.MULTILINE),
    }
    assert len(named) > len(PROCFILE)
    assert {name for name in named if name.removesuffix("_FILE") not in SETTINGS} == set()


def test_every_secret_that_is_mounted_is_made(compose: dict[str, Any]) -> None:
    maker = (DEPLOY / "compose" / "make_secrets.py").read_text()
    assert [name for name in compose["secrets"] if f'"{name}"' not in maker] == []


def test_prometheus_and_the_probes_are_let_in(compose: dict[str, Any]) -> None:
    """Django answers 400 to a host that it does not know."""
    [settings] = [one["data"] for one in manifests() if one["kind"] == "ConfigMap"]
    assert {"localhost", "web.singlepost.svc"} <= set(settings["ALLOWED_HOSTS"].split(","))
    assert compose["x-app"]["environment"]["ALLOWED_HOSTS"].endswith(",127.0.0.1,web")


def test_django_finds_nothing_wrong_with_it() -> None:
    urls = {
        "DATABASE_URL": "postgresql://singlepost@127.0.0.1:1/singlepost",
        "REDIS_URL": "redis://127.0.0.1:1/0",
        "EMAIL_URL": "smtp://127.0.0.1:1",
        "S3_URL": "s3+http://key:secret@127.0.0.1:1/singlepost",
    }
    given = {"SITE_URL": "https://tracker.example.org", "NOTIFY_FROM": "A <a@example.org>", **urls}
    environ = {**given, "SECRET_KEY": token_urlsafe(64), "ALLOWED_HOSTS": "tracker.example.org"}
    checked = subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], **environ},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (checked.returncode, checked.stderr) == (0, "")
