"""One run: people at work, a storm, and the judgement on what it left behind."""

import sys
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from random import Random

from django.core.management import call_command
from django.db import connections

from project.demo.narrator import Narrator
from project.demo.servers import Running
from tests.chaos import cast
from tests.chaos.deck import draw
from tests.chaos.faults.mail import with_gone
from tests.chaos.oracle import judge
from tests.chaos.report import report
from tests.chaos.scene import on_stage
from tests.chaos.settle import settle
from tests.chaos.storm import Storm
from tests.scripted_smtp import ScriptedSMTP
from tests.smtp_script import BEHAVE


@dataclass(frozen=True)
class Plan:
    """What is wanted of a run.

    Attributes:
        seconds: How long a storm lasts; there is one for each seed and deck.
        pace: Seconds between two faults.
        rate: Events per second.
        seeds: All chances of a storm come from its seed.
        decks: Names of the decks that faults are drawn from.
    """

    seconds: float
    pace: float
    rate: float
    seeds: list[str]
    decks: list[str]


def play(plan: Plan, folder: Path, running: Running, smtp: ScriptedSMTP, narrator: Narrator) -> bool:
    """Play it and print the tables; return whether all is as it must be."""
    call_command("migrate", verbosity=0)
    cast.seed()
    connections.close_all()  # nothing of ours is to be open when PostgreSQL ends
    smtp.behave = with_gone(BEHAVE)
    with on_stage(folder, running, smtp, seed=" ".join(plan.seeds), rate=plan.rate) as scene:
        storm = Storm(scene)
        storm.wait_for_mail()
        for seed, deck in product(plan.seeds, plan.decks):
            narrator.say(f"a storm of {deck} with seed {seed}")
            dice = Random(seed)
            storm.blow(draw(deck, dice), dice, seconds=plan.seconds, pace=plan.pace)
        storm.calm_down()
        narrator.say("the storm is over")
        stuck = settle(scene.crew)
        narrator.say("all has settled")
        judgement = judge(scene, stuck)
    sys.stdout.write(report(judgement, storm.struck))
    return not judgement.faults
