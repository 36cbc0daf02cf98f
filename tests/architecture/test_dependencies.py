"""What is installed: pinned, explained, and from whatever index the installer is set up with."""

import re
import tomllib

import pytest

from tests.architecture import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
RUNTIME = PROJECT["dependencies"]
EXTRAS = [wanted for extra in PROJECT["optional-dependencies"].values() for wanted in extra]
PIN = re.compile(r"^([\w.-]+)==(\S+)", re.MULTILINE)
ROW = re.compile(r"^\| ([\w.-]+) \| ([^|]+) \|", re.MULTILINE)


def names(requirements: list[str]) -> set[str]:
    return {re.split(r"[\[<>=; ]", wanted, maxsplit=1)[0] for wanted in requirements}


def text(kind: str) -> str:
    return (ROOT / "requirements" / f"{kind}.txt").read_text()


def pins(kind: str) -> dict[str, set[str]]:
    """The pinned versions of each package; several if they depend on the version of Python."""
    found: dict[str, set[str]] = {}
    for name, version in PIN.findall(text(kind)):
        found.setdefault(name, set()).add(version)
    return found


@pytest.mark.parametrize("kind", ["prod", "dev"])
def test_requirements_name_no_index(kind: str) -> None:
    assert not re.search(r"://|--(extra-)?index|--find-links", text(kind))


def test_requirements_pin_all_that_pyproject_asks_for() -> None:
    assert names(RUNTIME) <= pins("prod").keys()
    assert names(RUNTIME + EXTRAS) <= pins("dev").keys()


def test_production_runs_the_versions_that_were_tested() -> None:
    tested = pins("dev")
    assert {name: tested.get(name) for name in pins("prod")} == pins("prod")


def test_each_dependency_has_its_reason_and_its_version_in_the_documents() -> None:
    documented = dict(ROW.findall((ROOT / "docs" / "dependencies.md").read_text()))
    pinned = pins("dev")
    wanted = {name: pinned[name] for name in names(RUNTIME + EXTRAS)}
    assert {name: set(cell.split(", ")) for name, cell in documented.items() if name in pinned} == wanted
