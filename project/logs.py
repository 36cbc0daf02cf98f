"""How log lines look: as JSON objects for machines, or plain for people."""

import re
from enum import StrEnum
from typing import Any, Self

import structlog
from structlog.typing import EventDict, Processor

# What PostgreSQL adds to an error: the statement, the row that broke a constraint. Values may have several lines.
_VALUES = re.compile(
    r"^(LINE \d+|DETAIL|CONTEXT|QUERY):.*?(?=^(?:LINE \d+|DETAIL|CONTEXT|QUERY|HINT):|^$|^Traceback|\Z)",
    re.MULTILINE | re.DOTALL,
)


class LogFormat(StrEnum):
    """JSON: one object a line. PLAIN: for a terminal."""

    JSON = "json"
    PLAIN = "plain"

    @classmethod
    def named(cls, name: str) -> Self:
        """Return the format of this name.

        Raises:
            ValueError: saying what is allowed.
        """
        try:
            return cls(name.lower())
        except ValueError:
            raise ValueError("it must be json or plain") from None


# What these libraries tell at DEBUG is what they carry: statements with their values, bodies, addresses.
_CARRIERS = ("asyncio", "boto3", "botocore", "django.db.backends", "django.template", "s3transfer", "urllib3")

_NAMED: tuple[Processor, ...] = (
    structlog.contextvars.merge_contextvars,  # the names of the job or the request that the line belongs to
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.ExtraAdder(allow=("event_kind", "outcome", "milliseconds", "route", "method", "status")),
    structlog.processors.TimeStamper(fmt="iso", utc=True),
)


def logging_config(form: LogFormat, level: str) -> dict[str, Any]:
    """Return the settings of the standard library's logging: everything to standard error, from `level` on."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "line": {
                "()": structlog.stdlib.ProcessorFormatter,
                "foreign_pre_chain": _NAMED,
                "processors": [structlog.stdlib.ProcessorFormatter.remove_processors_meta, *_written(form)],
            }
        },
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
        "loggers": {name: {"level": "INFO"} for name in _CARRIERS},
        "root": {"handlers": ["stderr"], "level": level.upper()},
    }


def _written(form: LogFormat) -> tuple[Processor, ...]:
    told = structlog.processors.format_exc_info, _without_people
    if form is LogFormat.PLAIN:
        plain = structlog.dev.plain_traceback
        return *told, structlog.dev.ConsoleRenderer(colors=False, pad_event_to=0, exception_formatter=plain)
    return *told, structlog.processors.EventRenamer("message"), structlog.processors.JSONRenderer()


def _without_people(_: Any, __: str, line: EventDict) -> EventDict:
    """Cut rows from errors, and the address that Django adds to a refusal: the request's line tells its route."""
    if "exception" in line:
        line["exception"] = without_values(line["exception"])
    line["event"] = without_values(str(line["event"]))
    if line.get("logger", "").startswith(("django.request", "django.security")):
        line["event"] = line["event"].partition(": /")[0]
    return line


def without_values(error: str) -> str:
    """Return the text of an error without the statement and the row that PostgreSQL adds to it."""
    return _VALUES.sub(r"\1: …\n", error)
