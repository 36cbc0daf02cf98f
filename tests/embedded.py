"""Pytest plugin (``-p tests.embedded``): starts the servers that the environment does not name."""

import os
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from project.demo import servers

VAR = Path(__file__).parents[1] / "var"


@pytest.hookimpl(tryfirst=True)  # pytest-django reads the settings in the same hook
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    VAR.mkdir(exist_ok=True)
    stack = ExitStack()
    early_config.add_cleanup(stack.close)
    folder = stack.enter_context(TemporaryDirectory(prefix="tests-", dir=VAR))
    running = stack.enter_context(servers.running(Path(folder), os.environ, durable=False))
    os.environ.update(running.environ)
    os.environ.setdefault(
        "DEBUG", "1"
    )  # defaults for what else is required; Django's test runner resets DEBUG
