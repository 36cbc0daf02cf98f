"""``python -m tests.chaos.mutation [WORD …]``: takes away all guards, or those whose names hold a word."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from project.demo import servers
from project.demo.narrator import Narrator
from tests.chaos.crew import ROOT
from tests.chaos.mutation.guard import Guard
from tests.chaos.mutation.guards import GUARDS

COPIED = ("project", "scheduler", "tests", "manage.py", "pyproject.toml", "Procfile", "requirements", "docs")
#: The tables come from the models, so that a guard in a model is one in the database as well.
PYTEST = ("-m", "pytest", "-q", "--no-migrations", "--timeout=60", "-p", "no:cacheprovider")
FAILED = re.compile(r"^FAILED (\S+)", re.MULTILINE)
TESTS_FAILED = 1  # pytest's exit status; another one means that they did not even run


def main(words: Sequence[str]) -> int:
    """Print a line for each guard.

    Returns:
        The exit status: 0 if the tests pass with all guards, and fail without any one of them.
    """
    narrator = Narrator()
    guards = [guard for guard in GUARDS if all(word in guard.name for word in words)]
    for guard in guards:
        guard.removed_from((ROOT / guard.file).read_text())  # before any time is spent
    with TemporaryDirectory() as folder, servers.running(Path(folder), os.environ, durable=False) as running:
        all_tests = sorted({test for guard in guards for test in guard.tests})
        with _copy() as tree:
            whole = _tested(tree, all_tests, running.environ)
        narrator.say(f"with all guards: exit status {whole.returncode}")
        if whole.returncode:
            narrator.say(whole.stdout)
            return whole.returncode
        unnoticed = sum(not _noticed(guard, running.environ, narrator) for guard in guards)
    narrator.say(f"{len(guards)} guards; taken away unnoticed: {unnoticed}")
    return 1 if unnoticed else 0


def _noticed(guard: Guard, environ: Mapping[str, str], narrator: Narrator) -> bool:
    with _copy() as tree:
        file = tree / guard.file
        file.write_text(guard.removed_from(file.read_text()))
        run = _tested(tree, guard.tests, environ)
    failed = FAILED.findall(run.stdout) if run.returncode == TESTS_FAILED else []
    narrator.say(f"{'noticed' if failed else 'UNNOTICED'}: {guard.name}")
    narrator.follow(failed)
    return bool(failed)


def _tested(tree: Path, tests: Sequence[str], environ: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *PYTEST, *tests],
        cwd=tree,
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


@contextmanager
def _copy() -> Iterator[Path]:
    with TemporaryDirectory(prefix="without-a-guard-") as folder:
        for name in COPIED:
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            copy(ROOT / name, Path(folder, name))
        yield Path(folder)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
