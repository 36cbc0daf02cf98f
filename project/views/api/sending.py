"""Sends the wake-ups of a committed change."""

import logging
from collections.abc import Collection

from dramatiq.errors import BrokerConnectionError

from project.actors.notifications import fan_out_event
from project.actors.wakes import send_wakes
from project.models import Wake

logger = logging.getLogger(__name__)


def send(wakes: Collection[Wake]) -> None:
    """Wake the fan-out of events.

    A broker that cannot be reached costs time only, the sweep sends them again; so that is no error here.
    """
    try:
        send_wakes(fan_out_event, wakes)
    except BrokerConnectionError as error:
        ids = ", ".join(str(wake.row_id) for wake in wakes)
        logger.warning("fan-out not sent, left to the sweep: events %s (%s)", ids, error)
