"""The processes of the Procfile, what they consume, and what the schedule sends."""

import importlib
import inspect
import shlex
from io import StringIO
from typing import Any

import dramatiq
import pytest
from django_dramatiq.management.commands.rundramatiq import Command
from honcho.environ import parse_procfile

from scheduler.schedule import SCHEDULE
from tests.architecture import ROOT

Actor = dramatiq.Actor[..., Any]


@pytest.fixture(scope="module")
def procfile() -> dict[str, str]:
    return dict(parse_procfile((ROOT / "Procfile").read_text()).processes)


@pytest.fixture(scope="module")
def actors() -> list[Actor]:
    """What a worker declares: the actors of the modules that it discovers."""
    modules = Command(stdout=StringIO()).discover_tasks_modules()
    members = [member for name in modules for member in vars(importlib.import_module(name)).values()]
    return [member for member in members if isinstance(member, dramatiq.Actor)]


def consumed(command: str) -> set[str] | None:
    """The queues that a worker's command line names; None if it names none and so consumes all."""
    words = shlex.split(command)
    options = [position for position, word in enumerate(words) if word in {"-Q", "--queues"}]
    names = [word for position in options for word in words[position + 1 :] if not word.startswith("-")]
    return set(names) or None


def test_the_procfile_names_web_worker_and_scheduler(procfile: dict[str, str]) -> None:
    assert {"web", "worker", "scheduler"} <= procfile.keys()


def test_every_declared_queue_is_consumed(procfile: dict[str, str], actors: list[Actor]) -> None:
    workers = [consumed(command) for command in procfile.values() if "rundramatiq" in command]
    declared = {actor.queue_name for actor in actors}
    assert None in workers or declared <= set().union(*filter(None, workers))


def test_all_actors_are_ours_and_in_their_place(actors: list[Actor]) -> None:
    assert {actor.fn.__module__.rpartition(".")[0] for actor in actors} == {"project.actors"}


def test_queues_are_the_ones_decided_on(actors: list[Actor]) -> None:
    assert {actor.queue_name for actor in actors} <= {"clock", "fan_out", "mail", "exports", "maintenance"}


def test_the_schedule_names_actors_that_a_worker_knows(actors: list[Actor]) -> None:
    assert SCHEDULE
    assert {entry.actor.actor_name for entry in SCHEDULE} <= {actor.actor_name for actor in actors}


def test_an_actor_is_scheduled_once_with_a_reason_and_needs_no_arguments() -> None:
    names = [entry.actor.actor_name for entry in SCHEDULE]
    assert len(names) == len(set(names))
    assert all(entry.reason for entry in SCHEDULE)
    assert not any(inspect.signature(entry.actor.fn).parameters for entry in SCHEDULE)
