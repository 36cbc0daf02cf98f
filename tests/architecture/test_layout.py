"""Files that stay small, and are named after what they do."""

from pathlib import Path

from tests.architecture import ROOT

LONGEST = 300
SAYING_NOTHING = {"utils", "util", "helpers", "helper", "common", "base", "misc"}
SOURCES = [
    path
    for folder in ("project", "scheduler", "tests", "tools", "benchmarks")
    for path in sorted((ROOT / folder).rglob("*.py"))
    if "migrations" not in path.parts
]


def relative(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_no_file_is_longer_than_a_reader_can_hold() -> None:
    assert [relative(path) for path in SOURCES if len(path.read_text().splitlines()) > LONGEST] == []


def test_no_name_says_nothing() -> None:
    assert [
        relative(path)
        for path in SOURCES
        if SAYING_NOTHING & {path.stem, *path.relative_to(ROOT).parent.parts}
    ] == []
