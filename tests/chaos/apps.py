"""The Django app by which the points get into the product's processes."""

import os
from pathlib import Path

from django.apps import AppConfig

from tests.chaos.points import POINTS
from tests.chaos.traps import Traps


class ChaosConfig(AppConfig):
    """Lays all points when the process has loaded its models."""

    name = "tests.chaos"

    def ready(self) -> None:
        traps = Traps(Path(os.environ["CHAOS_FOLDER"]))
        for point in POINTS:
            point.lay(traps)
