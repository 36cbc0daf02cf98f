"""Sends the wake-up of an export that was just asked for."""

import logging
from collections.abc import Collection

from dramatiq.errors import BrokerConnectionError

from project.actors.exports import run_export
from project.actors.wakes import send_wakes
from project.models import Wake

logger = logging.getLogger(__name__)


def send(wakes: Collection[Wake]) -> None:
    """Wake the workers.

    A broker that cannot be reached costs time only, the sweep names the exports again; so that is no error here.
    """
    try:
        send_wakes(run_export, wakes)
    except BrokerConnectionError as error:
        ids = ", ".join(str(wake.row_id) for wake in wakes)
        logger.warning("exports not sent, left to the sweep: %s (%s)", ids, error)
