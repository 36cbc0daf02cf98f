"""Statements of the documents that a program can check."""

import ast
import re
from dataclasses import fields
from pathlib import Path

import pytest

from project.environment import Environment
from project.limits import Limits
from tests.architecture import ROOT

SETTING = re.compile(r"^\| `([A-Z0-9_]+)` \| (?:`([^`]*)`)?", re.MULTILINE)
# Words for what is still to be written, and cells of tables that say nothing.
PLACEHOLDER = re.compile(r"\b(?:TODO|TBD|FIXME|XXX)\b|\|\s*(?:…|\.\.\.|\?+)\s*(?=\|)")
DOCUMENTS = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]


def documented_settings() -> dict[str, str]:
    """The variables of docs/settings.md and the defaults it states."""
    return dict(SETTING.findall((ROOT / "docs" / "settings.md").read_text()))


def limits() -> set[str]:
    return {field.name.upper() for field in fields(Limits)}


def read_by_settings() -> set[str]:
    calls = [
        node
        for node in ast.walk(ast.parse((ROOT / "project/settings.py").read_text()))
        if isinstance(node, ast.Call)
    ]
    return {
        call.args[0].value
        for call in calls
        if isinstance(call.func, ast.Attribute)
        and isinstance(call.func.value, ast.Name)
        and call.func.value.id == "_env"
        and call.args
        and isinstance(call.args[0], ast.Constant)
    }


def test_every_variable_that_is_read_is_documented_and_no_other() -> None:
    in_procfile = set(re.findall(r"\$\{([A-Z_]+)", (ROOT / "Procfile").read_text()))
    assert documented_settings().keys() == read_by_settings() | limits() | in_procfile


def test_documented_defaults_of_the_limits_are_the_real_ones() -> None:
    stated = {name: default for name, default in documented_settings().items() if name in limits()}
    assert Environment(stated).limits() == Limits()


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_between_documents_lead_somewhere(document: Path) -> None:
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", document.read_text())
    assert [target for target in targets if not (document.parent / target).exists()] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_documents_are_written_to_the_end(document: Path) -> None:
    assert PLACEHOLDER.findall(document.read_text()) == []


@pytest.mark.parametrize("text", ["to do: TODO", "| p99 | … |", "| a |  ... | b |", "|?|", "(TBD)"])
def test_a_placeholder_is_seen(text: str) -> None:
    assert PLACEHOLDER.search(text)


def test_the_cases_of_the_exports_name_tests_that_exist() -> None:
    folder = ROOT / "tests" / "services" / "exports"
    named = re.findall(r"`(test_\w+\.py)::(\w+)`", (ROOT / "docs" / "exports.md").read_text())
    assert named
    assert [(path, name) for path, name in named if f"def {name}(" not in (folder / path).read_text()] == []


def test_guarantees_name_tests_that_exist() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", (ROOT / "docs" / "guarantees.md").read_text())
    assert named
    assert [(path, name) for path, name in named if f"def {name}" not in (ROOT / path).read_text()] == []
