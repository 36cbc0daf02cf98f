"""The files of ``deploy/`` say what the Procfile, the limits and the list of settings say."""

import re
import shlex
from collections.abc import Iterator, Mapping
from configparser import ConfigParser
from datetime import timedelta
from pathlib import Path
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
    assert {name: words(services[name]["command"]) for name in PROCFILE} == PROCFILE
    assert services["scheduler"]["deploy"]["replicas"] == 2


def test_kubernetes_runs_the_procfile(pods: dict[str, dict[str, Any]]) -> None:
    assert {
        name: words(shlex.join(pod["containers"][0]["command"])) for name, pod in pods.items()
    } == PROCFILE
    assert pods["scheduler"]["replicas"] == 2


def test_systemd_runs_the_procfile(units: dict[str, Mapping[str, str]]) -> None:
    assert {name: words(unit["ExecStart"]) for name, unit in units.items()} == PROCFILE
    assert (UNITS / "singlepost.target").read_text().count("singlepost-scheduler@") == 2


def test_a_worker_is_given_the_time_it_asks_for(
    compose: dict[str, Any], pods: dict[str, dict[str, Any]], units: dict[str, Mapping[str, str]]
) -> None:
    """Otherwise mails are killed between the final dot and its answer, at every update."""
    needed = Limits().shutdown_timeout + SPARE
    asked = timedelta(milliseconds=int(PROCFILE["worker"][-1]))
    given = [
        int(compose["services"]["worker"]["stop_grace_period"].rstrip("s")),
        pods["worker"]["terminationGracePeriodSeconds"],
        int(units["worker"]["TimeoutStopSec"]),
    ]
    assert asked == Limits().shutdown_timeout
    assert [seconds for seconds in given if timedelta(seconds=seconds) < needed] == []


def test_workers_and_schedulers_are_probed(compose: dict[str, Any], pods: dict[str, dict[str, Any]]) -> None:
    for name, role in {"worker": "worker", "exports": "worker", "scheduler": "scheduler"}.items():
        probe = ["python", "manage.py", "probe", role]
        assert compose["services"][name]["healthcheck"]["test"] == ["CMD", *probe]
        assert pods[name]["containers"][0]["livenessProbe"]["exec"]["command"] == probe
    assert pods["web"]["containers"][0]["readinessProbe"]["httpGet"]["path"] == "/readyz"


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
