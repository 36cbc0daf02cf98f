"""Log lines as production writes them."""

import json
import logging
import logging.config
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from typing import Any

from structlog.contextvars import clear_contextvars

from project.logs import LogFormat, logging_config


class Lines:
    def __init__(self) -> None:
        self.stream = StringIO()

    @property
    def raw(self) -> list[str]:
        return self.stream.getvalue().splitlines()

    @property
    def parsed(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.raw]

    def of(self, kind: str) -> list[dict[str, Any]]:
        """The lines that end a ``job`` or a ``request``."""
        return [line for line in self.parsed if line.get("event_kind") == kind]


@contextmanager
def logged(level: str = "DEBUG", form: LogFormat = LogFormat.JSON) -> Iterator[Lines]:
    """Write all lines of this process as `form`, from `level` on, instead of what pytest does."""
    lines, root = Lines(), logging.getLogger()
    handlers, before = root.handlers[:], root.level
    logging.config.dictConfig(logging_config(form, level))
    [handler] = root.handlers
    assert isinstance(handler, logging.StreamHandler)
    handler.setStream(lines.stream)
    try:
        yield lines
    finally:
        clear_contextvars()
        root.handlers[:] = handlers
        root.setLevel(before)
