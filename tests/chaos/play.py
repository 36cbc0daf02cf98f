"""One run: people at work, a storm, and the judgement on what it left behind."""

import sys
from dataclasses import dataclass
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

PATIENCE = 600  # seconds that everything may take to come to its end


@dataclass(frozen=True)
class Plan:
    """What is wanted of a run.

    Attributes:
        seconds: How long the storm lasts.
        pace: Seconds between two faults.
        rate: Events per second.
        seeds: Of a storm each; all its chances come from it.
        deck: Name of the deck that the faults are drawn from.
    """

    seconds: float
    pace: float
    rate: float
    seeds: list[str]
    deck: str


def play(plan: Plan, folder: Path, running: Running, smtp: ScriptedSMTP, narrator: Narrator) -> bool:
    """Play it and print the tables; return whether all is as it must be."""
    call_command("migrate", verbosity=0)
    cast.seed()
    connections.close_all()  # nothing of ours is to be open when PostgreSQL ends
    smtp.behave = with_gone(BEHAVE)
    with on_stage(folder, running, smtp, seed=" ".join(plan.seeds), rate=plan.rate) as scene:
        storm = Storm(scene)
        storm.wait_for_mail()
        for seed in plan.seeds:
            narrator.say(f"storm with seed {seed}")
            dice = Random(seed)
            storm.blow(draw(plan.deck, dice), dice, seconds=plan.seconds, pace=plan.pace)
        storm.calm_down()
        narrator.say("the storm is over")
        settle(scene.crew, patience=PATIENCE)
        narrator.say("all has settled")
        judgement = judge(scene)
    sys.stdout.write(report(judgement, storm.struck))
    return not judgement.faults
