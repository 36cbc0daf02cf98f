"""The table of the guards follows the code. Whether tests notice their loss is up to ``make mutation``."""

from pathlib import Path

import pytest

from tests.chaos.crew import ROOT
from tests.chaos.mutation.guard import Guard
from tests.chaos.mutation.guards import GUARDS


@pytest.mark.parametrize("guard", GUARDS, ids=lambda guard: guard.name)
def test_a_guard_is_where_the_table_says(guard: Guard) -> None:
    code = (ROOT / guard.file).read_text()
    without = guard.removed_from(code)
    assert without != code
    compile(without, guard.file, "exec")
    assert all(Path(ROOT, test).exists() for test in guard.tests)


def test_no_guard_is_listed_twice() -> None:
    assert len({guard.name for guard in GUARDS}) == len(GUARDS)
