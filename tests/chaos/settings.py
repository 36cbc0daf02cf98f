"""The settings of the victims: the product's, the app that lays the points, and what that needs to know."""

from project.settings import *  # noqa: F403
from project.settings import DRAMATIQ_BROKER as QUEUE
from project.settings import INSTALLED_APPS as PRODUCT

INSTALLED_APPS = [*PRODUCT, "tests.chaos.apps.ChaosConfig"]
# Last, and so behind dedup: a message that is turned away is nobody's current one.
CURRENT = "dramatiq.middleware.CurrentMessage"
DRAMATIQ_BROKER = {**QUEUE, "MIDDLEWARE": [*QUEUE["MIDDLEWARE"], CURRENT]}
