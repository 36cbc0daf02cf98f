"""What a client reads when something is wrong: 400 names the fields, all else is ``{"error": "…"}``."""

from typing import Any

from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.response import Response
from rest_framework.views import exception_handler

from project.models import Cycle, FileAsset, Issue, IssueComment, IssueLink, Module
from project.services.notifications.references import RefusedError

_NOUNS = {
    Issue: "issue",
    IssueComment: "comment",
    IssueLink: "link",
    FileAsset: "attachment",
    Cycle: "cycle",
    Module: "module",
}


def answer(error: Exception, context: dict[str, Any]) -> Response | None:
    """Return the response to an exception of a view; None (a 500) for one that nobody foresaw."""
    error = _as_api_error(error)
    response = exception_handler(error, context)
    if response is not None and not isinstance(error, ValidationError):
        response.data = {"error": response.data["detail"]}
    return response


def _as_api_error(error: Exception) -> Exception:
    if isinstance(error, RefusedError):
        return ValidationError({error.field: [str(error)]})
    for model, noun in _NOUNS.items():
        if isinstance(error, model.DoesNotExist):
            return NotFound(f"There is no such {noun}.")
    return error
