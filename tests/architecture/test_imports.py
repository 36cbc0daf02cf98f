"""Who imports whom, who reads the environment, who may look at the clock, and how errors are logged."""

import re
from collections.abc import Iterator

from importlinter.cli import EXIT_STATUS_SUCCESS, lint_imports

from tests.architecture import ROOT

OWN_SETTINGS = 'os.environ.setdefault("DJANGO_SETTINGS_MODULE", "project.settings")'
ENVIRONMENT = re.compile(r"\bos\.environ|\bgetenv\b|\bfrom os import\b.*\benviron\b")
CLOCK = re.compile(
    r"\b(timezone|datetime)\.now\(|\bdate\.today\(|\bfrom time import\b.*\btime\b|\btime\.time\("
)

LOGGED_AS_CODE = re.compile(r"%r")


def lines_with(pattern: re.Pattern[str], folder: str) -> Iterator[str]:
    for path in sorted((ROOT / folder).rglob("*.py")):
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            if pattern.search(line):
                yield f"{path.relative_to(ROOT)}:{number}: {line.strip()}"


def test_the_import_contracts_of_pyproject_are_kept() -> None:
    assert lint_imports(config_filename=str(ROOT / "pyproject.toml"), no_cache=True) == EXIT_STATUS_SUCCESS


def test_only_the_settings_read_the_environment() -> None:
    readers = [
        line
        for folder in ("project", "scheduler")
        for line in lines_with(ENVIRONMENT, folder)
        if not line.startswith(("project/settings.py:", "project/demo/")) and OWN_SETTINGS not in line
    ]
    assert readers == []


def test_services_are_told_what_time_it_is() -> None:
    assert list(lines_with(CLOCK, "project/services")) == []


def test_no_log_line_quotes_an_error_as_code() -> None:
    """Its line feeds would be escaped, and the log's cutter finds by them what PostgreSQL tells of a row."""
    assert [line for folder in ("project", "scheduler") for line in lines_with(LOGGED_AS_CODE, folder)] == []
