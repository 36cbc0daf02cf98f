"""Finds the person and the issue that an operator names."""

import re
from uuid import UUID

from project.models import Issue, NotFoundError, User

_KEY = re.compile(r"(?:([\w-]+)/)?(\w{1,12})-([0-9]{1,9})")  # workspace/ACME-12


def find_user(name: str) -> User:
    """Return the user with this id or address.

    Raises:
        NotFoundError: if there is none.
    """
    user_id = as_uuid(name)
    wanted = {"id": user_id} if user_id else {"email": name.strip().lower()}
    user = User.objects.filter(**wanted).first()
    if user is None:
        raise NotFoundError(f"{name}: no such user. Give an e-mail address or a user's id.")
    return user


def find_issue(name: str) -> Issue:
    """Return the issue with this id or key (``ACME-12``, or ``workspace/ACME-12``), a deleted one too.

    Raises:
        NotFoundError: if there is none, or one in several workspaces.
    """
    found = issues_named(name)
    if len(found) == 1:
        return found[0]
    if found:
        keys = ", ".join(sorted(f"{issue.project.workspace.slug}/{issue_key(issue)}" for issue in found))
        raise NotFoundError(f"{name}: there are several. Say which one: {keys}.")
    raise NotFoundError(f"{name}: no such issue. Give a key such as ACME-12, or an issue's id.")


def issues_named(name: str) -> list[Issue]:
    """Return the issues with this id or key; several if workspaces share a project's identifier."""
    issues = Issue.all_objects.select_related("project__workspace")
    if issue_id := as_uuid(name):
        return list(issues.filter(id=issue_id))
    match = _KEY.fullmatch(name.strip())
    if match is None:
        return []
    slug, identifier, number = match.groups()
    keyed = issues.filter(project__identifier=identifier.upper(), sequence_id=int(number))
    return list(keyed.filter(project__workspace__slug=slug) if slug else keyed)


def issue_key(issue: Issue) -> str:
    """Return what people call an issue."""
    return f"{issue.project.identifier}-{issue.sequence_id}"


def as_uuid(text: str) -> UUID | None:
    """Read an id; None if it is none."""
    try:
        return UUID(text.strip())
    except ValueError:
        return None
