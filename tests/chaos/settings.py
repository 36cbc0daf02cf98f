"""The settings of the victims: the product's, and the app that lays the points."""

from project.settings import *  # noqa: F403
from project.settings import INSTALLED_APPS as PRODUCT

INSTALLED_APPS = [*PRODUCT, "tests.chaos.apps.ChaosConfig"]
