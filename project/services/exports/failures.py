"""What an error means for an export: may it be tried again, and what is its initiator told?"""

from typing import NamedTuple

import psycopg
from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError, PartialCredentialsError

from project.services.exports.heartbeat import TooLongError
from project.services.exports.upload import SizeDiffersError

UNREACHABLE = "The storage for archives cannot be reached at the moment."
MISCONFIGURED = "The storage for archives refuses us ({code}). Please tell your administrator."
TOO_LONG = "It took too long. Please export fewer projects at a time, or set filters."
DATABASE = "The database was interrupted while it was read."
MISTAKE = "Something unexpected went wrong ({kind}). Please tell your administrator."

_PASSING = {"RequestTimeout", "SlowDown", "Throttling", "NoSuchUpload", "OperationAborted"}


class RefusedError(Exception):
    """The export cannot be made, for a reason that its initiator understands."""


class Verdict(NamedTuple):
    """Whether the same may go well later, and what is said of it."""

    passing: bool
    reason: str


# The first that fits decides.
_KNOWN: tuple[tuple[tuple[type[Exception], ...], Verdict], ...] = (
    ((TooLongError, psycopg.errors.QueryCanceled), Verdict(False, TOO_LONG)),
    ((psycopg.OperationalError,), Verdict(True, DATABASE)),
    ((NoCredentialsError, PartialCredentialsError), Verdict(False, MISCONFIGURED.format(code="no keys"))),
    ((BotoCoreError, SizeDiffersError), Verdict(True, UNREACHABLE)),
)


def judge(error: Exception) -> Verdict:
    """Judge what an attempt ended with."""
    if isinstance(error, RefusedError):
        return Verdict(False, str(error))
    if isinstance(error, ClientError):
        return _judge_answer(error)
    mistake = Verdict(False, MISTAKE.format(kind=type(error).__name__))
    return next((verdict for kinds, verdict in _KNOWN if isinstance(error, kinds)), mistake)


def _judge_answer(error: ClientError) -> Verdict:
    code = error.response.get("Error", {}).get("Code", "")
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    if status >= 500 or status == 429 or code in _PASSING:
        return Verdict(True, UNREACHABLE)
    return Verdict(False, MISCONFIGURED.format(code=code))
