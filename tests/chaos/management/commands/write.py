"""``python -m django write SEED RATE``: people at work, `RATE` requests a second, until killed.

Stands for the web process: calls the services that the API's views call, and sends what they return. A request
that fails is gone, as it would be for a browser; what it had committed stays.
"""

import logging
import time
from argparse import ArgumentParser
from random import Random
from typing import Any

from django.core.management.base import BaseCommand
from django.db import DatabaseError, close_old_connections
from django.utils import timezone

from project.models import Issue, IssueComment, Priority, State, User, Wake
from project.services.notifications.comments import create_comment, update_comment
from project.services.notifications.issues import create_issue, update_issue
from project.views.api import sending
from tests.chaos.cast import circle_of, people

logger = logging.getLogger(__name__)


class Command(BaseCommand):
    """Works for ever."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("seed")
        parser.add_argument("rate", type=float)

    def handle(self, *args: Any, **options: Any) -> None:
        dice = Random(options["seed"])
        while True:
            close_old_connections()
            try:
                request(dice)
            except DatabaseError as error:
                logger.warning("request failed: %s", error)
            time.sleep(dice.expovariate(options["rate"]))


def request(dice: Random) -> None:
    """Let somebody do something, and wake the fan-out."""
    issue = dice.choice(list(Issue.objects.select_related("project").order_by("created_at")))
    actor = dice.choice(people()[circle_of(issue)])
    (deed,) = dice.choices(list(DEEDS), weights=list(DEEDS.values()))
    sending.send(deed(dice, issue, actor))


def comment(dice: Random, issue: Issue, actor: User) -> list[Wake]:
    """Comment on the issue."""
    return create_comment(issue.id, f"<p>Thought {dice.random()}</p>", actor=actor, now=timezone.now())[1]


def mention(dice: Random, issue: Issue, actor: User) -> list[Wake]:
    """Mention somebody else of the circle in a comment."""
    somebody = dice.choice([user for user in people()[circle_of(issue)] if user != actor])
    element = f'<mention-component entity_identifier="{somebody.id}" entity_name="user_mention">'
    html = f"<p>{element}</mention-component> look: {dice.random()}</p>"
    return create_comment(issue.id, html, actor=actor, now=timezone.now())[1]


def edit(dice: Random, issue: Issue, actor: User) -> list[Wake]:
    """Change the text of the newest comment, if there is one."""
    newest = IssueComment.objects.filter(issue=issue).order_by("-created_at").first()
    html = f"<p>Better: {dice.random()}</p>"
    return update_comment(issue.id, newest.id, html, actor=actor, now=timezone.now()) if newest else []


def change(dice: Random, issue: Issue, actor: User) -> list[Wake]:
    """Set priority and state, which may be what they are."""
    state = dice.choice(list(State.objects.filter(project=issue.project_id).order_by("name")))
    values = {"priority": dice.choice(Priority.values), "state_id": state.id}
    return update_issue(issue.id, values, actor=actor, now=timezone.now())


def create(dice: Random, issue: Issue, actor: User) -> list[Wake]:
    """Create another issue in the circle, assigned to all of it."""
    circle = circle_of(issue)
    name = f"{circle} issue {dice.random()}"
    assignees = [user.id for user in people()[circle]]
    values = {"name": name, "assignee_ids": assignees}
    return create_issue(issue.project, values, actor=actor, now=timezone.now())[1]


DEEDS = {comment: 50, mention: 20, edit: 10, change: 18, create: 2}
