"""``python -m tests.chaos [--seconds 600] [--seeds S …]``: see ``docs/chaos.md``."""

import argparse
import os
import secrets
import sys
from collections.abc import Mapping

import django

from project.demo import servers
from project.demo.effects import EffectLog
from project.demo.folder import own_folder
from project.demo.narrator import Narrator
from tests import scripted_smtp
from tests.chaos import conditions
from tests.chaos.deck import DECKS


def main() -> int:
    """Start the servers and play.

    Returns:
        The exit status: 0 if nothing was lost or doubled, and nothing contradicts anything.
    """
    options = _options()
    narrator = Narrator()
    narrator.say(f"to play the same schedule again: --seeds {' '.join(options.seeds)}")
    with (
        own_folder("chaos") as folder,
        scripted_smtp.running(effects=EffectLog(folder / "effects.jsonl")) as smtp,
    ):
        narrator.say(f"logs are in {folder}")
        others = {**conditions.required(), "EMAIL_URL": f"smtp://127.0.0.1:{smtp.server_address[1]}"}
        with servers.running(folder, others) as running:
            os.environ.clear()
            os.environ.update(_conditions(options, running.environ))
            django.setup()
            from tests.chaos.play import Plan, play  # noqa: PLC0415 (models need the settings)

            plan = Plan(options.seconds, options.pace, options.rate, options.seeds, options.decks)
            return 0 if play(plan, folder, running, smtp, narrator) else 1


def _conditions(options: argparse.Namespace, environ: Mapping[str, str]) -> dict[str, str]:
    return conditions.environ(environ, hurried=not options.patient, resend=options.resend)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600, help="how long a storm lasts")
    parser.add_argument("--seeds", nargs="+", default=[secrets.token_hex(4)], help="of a storm each")
    parser.add_argument("--pace", type=float, default=1.5, help="seconds between two faults")
    parser.add_argument("--rate", type=float, default=4, help="events per second")
    parser.add_argument("--decks", nargs="+", choices=DECKS, default=["everything"], help="what can happen")
    parser.add_argument("--patient", action="store_true", help="wait as long as production does")
    parser.add_argument(
        "--resend", action="store_true", help="let a mail whose answer got lost be sent again"
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
